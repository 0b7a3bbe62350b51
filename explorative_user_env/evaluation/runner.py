"""`evaluate`: the same users for every agent, on one or more workers, by seed alone."""

from collections.abc import Sequence
from contextlib import ExitStack
from pickle import PicklingError
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from joblib.externals.loky.process_executor import BrokenProcessPool, TerminatedWorkerError

from explorative_user_env.agents import AlgorithmAgent, agent_named
from explorative_user_env.evaluation.progress import OnProgress, progress_bar, silent
from explorative_user_env.evaluation.results import Results
from explorative_user_env.evaluation.study import (
    Study,
    compiles,
    run_compiled,
    run_readable,
)
from explorative_user_env.instances import Means
from explorative_user_env.protocol import Agent, name_of
from explorative_user_env.schedules import Schedule
from explorative_user_env.seeding import user_seeds
from explorative_user_env.settings import Setting, as_setting
from explorative_user_env.validation import InvalidArgumentError, integer, risk

CHUNK = 10
"""Users that a worker takes at a time, at least: few, so that the bar moves and workers end
together."""

LARGEST_CHUNK = 1000
CHUNKS = 50
"""How many times a worker comes for more in a study of ordinary size."""


def evaluate(
    agents: Sequence[Agent | str],
    *,
    setting: Setting | str = "printed",
    n_arms: int = 5,
    n_instances: int = 1000,
    seed: int = 0,
    delta: float = 0.1,
    gap: float | None = None,
    alpha: float = 1.0,
    noise: float = 0.0,
    means: Means | None = None,
    rho: Schedule | str | float | None = None,
    horizon: int | str = "BAIR",
    max_steps: int = 1_000_000,
    workers: int = 1,
    compiled: bool = True,
    progress: bool | OnProgress = True,
) -> Results:
    """Run agents on the same users and return what came of it.

    Every user is a new instance. User b is the same for every agent, however many agents, users
    or workers there are, and every agent has a random stream of its own. Agents see the number of
    arms and the responses; options they leave open (None) are filled in from `delta`, from the
    user's alpha, rho_0 and noise (which BAIR's N_1 and m rest on in the paper) and from the
    setting.

    Args:
        agents: agents, or names of the package's: "BAIR", "T&S", "UNI", "EXP3".
        setting: "printed" (the paper's text), "released" (its code), or a `Setting`.
        n_arms: K, at least 2.
        n_instances: number of users, at least 1.
        seed: what everything follows from, at least 0.
        delta: allowed probability of a wrong answer, in (0, 1), of agents without one of their own.
        gap: Delta_1 > 0; None is 0.5, or leaves given means as they are.
        alpha: the users' willingness to explore, above 0.
        noise: probability in [0, 1] that a decision is a coin flip.
        means: law of the means, as in `InstanceLaw`; None is the setting's.
        rho: schedule of rho_t, as in `gym.make`; None is the setting's.
        horizon: T of the agents that need one: a number, or the agent whose mean stopping time it
            is.
        max_steps: step cap of agents without one of their own; a run that reaches it is censored.
        workers: how many run at once: threads in compiled code, processes in the readable loop.
        compiled: whether algorithm records run compiled; the readable loop gives the same numbers.
        progress: whether to show a bar on a terminal, or a function called with (what, done,
            total).

    Returns:
        `Results`: printable, with `runs` and `summary()`.

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
    """
    study = Study(as_setting(setting), n_arms, gap, alpha, noise, means, rho)
    user, schedule = study.user()
    law = study.instance_law()
    risk("delta", delta)
    seeds = user_seeds(integer("seed", seed, 0), integer("n_instances", n_instances, 1))
    integer("max_steps", max_steps, 1)
    integer("workers", workers, 1)
    facts = {"delta": delta, "alpha": user.alpha, "rho_0": schedule.low, "noise": user.noise}
    line_up = [_informed(agent, study, facts) for agent in agents]
    _check_line_up(line_up, horizon)

    frames: dict[str, pd.DataFrame] = {}
    steps = None if isinstance(horizon, str) else int(horizon)
    with ExitStack() as stack:
        report = progress if callable(progress) else silent
        if progress is True:
            report = stack.enter_context(progress_bar())
        ordered = sorted(line_up, key=lambda agent: _needs_horizon(agent))
        for position, agent in enumerate(ordered):
            if _needs_horizon(agent) and steps is None:
                steps = _mean_time(frames[str(horizon)], study.setting)
            frames[name_of(agent)] = _runs_of(
                agent,
                study,
                seeds,
                cap=getattr(agent, "max_steps", None) or max_steps,
                horizon=steps if _needs_horizon(agent) else None,
                workers=workers,
                compiled=compiled,
                report=_shifted(report, position, len(ordered), len(seeds)),
            )
    runs = pd.concat([frames[name_of(agent)] for agent in line_up], ignore_index=True)
    cell = {
        "setting": study.setting.name,
        "n_arms": user.n_arms,
        "delta": delta,
        "alpha": user.alpha,
        "gap": law.gap,
        "noise": user.noise,
        "horizon": steps,
        "seed": seed,
    }
    deltas = {name_of(agent): _own_delta(agent) or delta for agent in line_up}
    return Results(runs, cell, study.setting.rejection_rate, study.setting.drops_censored, deltas)


def _informed(agent: Agent | str, study: Study, facts: dict[str, Any]) -> Agent:
    """Return the agent, made if only named, with its open options filled in."""
    if isinstance(agent, str):
        agent = agent_named(agent)
    if not isinstance(agent, AlgorithmAgent):
        if not isinstance(agent, Agent):
            raise InvalidArgumentError(
                "agent", agent, "a name or have the methods reset, act, observe and answer"
            )
        return agent
    options = study.setting.agent_options(agent.algorithm.name, study.n_arms)
    return agent.informed(facts | options)


def _check_line_up(line_up: Sequence[Agent], horizon: int | str) -> None:
    names = [name_of(agent) for agent in line_up]
    if not names:
        raise InvalidArgumentError("agents", names, "at least one agent")
    if len(set(names)) < len(names):
        raise InvalidArgumentError("agents", names, "agents with different names (give name=...)")
    if not isinstance(horizon, str):
        integer("horizon", horizon, 1)
        return
    in_need = [name_of(agent) for agent in line_up if _needs_horizon(agent)]
    if in_need and (horizon not in names or horizon in in_need):
        raise InvalidArgumentError(
            "horizon",
            horizon,
            f"a number, or an agent of the line-up that stops itself, as {in_need[0]} needs one",
        )


def _needs_horizon(agent: Agent) -> bool:
    return bool(getattr(agent, "needs_horizon", False))


def _own_delta(agent: Agent) -> float | None:
    return agent.options.get("delta") if isinstance(agent, AlgorithmAgent) else None


def _mean_time(runs: pd.DataFrame, setting: Setting) -> int:
    """T for the others: the mean number of interactions, at least 1, of the runs a table has."""
    times = runs["interactions"]
    kept = times[~runs["censored"]] if setting.drops_censored else times
    return max(1, round(float((kept if len(kept) else times).mean())))


def _shifted(report: OnProgress, position: int, n_agents: int, n_runs: int) -> OnProgress:
    """Return `report` for the agent in this position, counting the runs of those before it."""

    def shifted(what: str, done: int, total: int) -> None:
        report(what, position * n_runs + done, n_agents * n_runs)

    return shifted


def _runs_of(
    agent: Agent,
    study: Study,
    seeds: Sequence[int],
    *,
    cap: int,
    horizon: int | None,
    workers: int,
    compiled: bool,
    report: OnProgress,
) -> pd.DataFrame:
    """Return the runs of one agent, one row a user."""
    name = name_of(agent)
    size = min(max(CHUNK, len(seeds) // CHUNKS), LARGEST_CHUNK)
    chunks = [seeds[first : first + size] for first in range(0, len(seeds), size)]
    report(name, 0, len(seeds))
    fast = compiled and compiles(study, agent, seeds[0], horizon)
    work = run_compiled if fast else run_readable
    parallel = Parallel(
        n_jobs=min(workers, len(chunks)),
        backend="threading" if fast else "loky",
        return_as="generator",
    )
    figures: list[np.ndarray] = []
    n_done = 0
    try:
        for runs in parallel(delayed(work)(study, agent, chunk, cap, horizon) for chunk in chunks):
            figures.append(np.array([(best_arm, *outcome) for best_arm, outcome in runs]))
            n_done += len(runs)
            report(name, n_done, len(seeds))
    except (BrokenProcessPool, PicklingError) as error:
        if isinstance(error, TerminatedWorkerError):
            raise
        allowed = f"1 for {name}, which cannot be sent to another process"
        raise InvalidArgumentError("workers", workers, allowed) from error
    return _frame(agent, study, seeds, np.concatenate(figures))


def _frame(agent: Agent, study: Study, seeds: Sequence[int], figures: np.ndarray) -> pd.DataFrame:
    best_arms, acceptances, rejections, answers, censored = figures.T
    setting = study.setting
    private_draws = setting.private_draws * study.n_arms
    own = agent.algorithm.name if isinstance(agent, AlgorithmAgent) else name_of(agent)
    interactions = acceptances + rejections
    reported = private_draws if setting.counts_private_draws else 0
    rejected = private_draws if own in setting.private_draws_rejected else 0
    return pd.DataFrame(
        {
            "instance": range(len(seeds)),
            "user_seed": list(seeds),
            "agent": name_of(agent),
            "best_arm": best_arms,
            "answer": answers,
            "correct": answers == best_arms,
            "censored": censored.astype(bool),
            "stopping_time": interactions + reported,
            "interactions": interactions,
            "acceptances": acceptances,
            "rejections": rejections + rejected,
        }
    )
