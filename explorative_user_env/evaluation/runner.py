"""`evaluate`: the same users for every agent, on one or more workers, by seed alone."""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import pandas as pd

from explorative_user_env.agents import AlgorithmAgent, agent_named
from explorative_user_env.display.progress import OnProgress, portion, progress_bar, silent
from explorative_user_env.evaluation.paths import BAI_PATHS, REGRET_PATHS, runs_of
from explorative_user_env.evaluation.study import Study
from explorative_user_env.evaluation.theory_runs import check_theory as checks_of
from explorative_user_env.monitors import is_bair
from explorative_user_env.protocol import Agent, name_of
from explorative_user_env.results.results import Results
from explorative_user_env.seeding import user_seeds
from explorative_user_env.settings import Setting, as_setting
from explorative_user_env.tasks import REGRET, STEP_COST, Task, as_task
from explorative_user_env.users.behaviours import EXPLORATIVE, Behaviour, as_behaviour
from explorative_user_env.users.confidence import Schedule
from explorative_user_env.users.instances import Means
from explorative_user_env.validation import InvalidArgumentError, flag, integer, not_negative, risk


def evaluate(
    agents: Sequence[Agent | str],
    *,
    task: Task | str = "bai",
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
    reward_law: str = "gaussian",
    behaviour: Behaviour | str = "explorative",
    horizon: int | str | None = None,
    max_steps: int = 1_000_000,
    step_cost: float = STEP_COST,
    workers: int = 1,
    compiled: bool = True,
    check_theory: bool = False,
    progress: bool | OnProgress = True,
) -> Results:
    """Run agents on the same users and return what came of it.

    Every user is a new instance. User b is the same for every agent, however many agents, users
    or workers there are, and every agent has a random stream of its own. Agents see the number of
    arms and the responses; options they leave open (None) are filled in from `delta`, from the
    user's alpha, rho_0 and noise (which BAIR's N_1 and m rest on in the paper) and from the
    setting.

    There are two tasks. In "bai", best-arm identification, an agent stops by itself and answers. In
    "regret" it recommends for `horizon` steps; one that stops goes on with its answer.

    Args:
        agents: agents, or names of the package's: "BAIR", "T&S", "UNI", "EXP3" and the references
            "UCB1", "Thompson", "SE" and "Full-information".
        task: "bai" or "regret".
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
        reward_law: of the users' rewards, as in `gym.make`.
        behaviour: another kind of user, as in `gym.make`; one whose means move only in "bai", where
            an answer is held against the best arm of that moment.
        horizon: in "regret" the number of steps, at least 1; None is 500. In "bai" T of the agents
            that need one: a number, or the agent whose mean stopping time it is; None is "BAIR".
        max_steps: in "bai" the step cap of agents without one of their own; a run that reaches it
            is censored.
        step_cost: in "bai" c of the cost c T + error, at least 0.
        workers: how many run at once: threads in compiled code, processes in the readable loop.
        compiled: whether algorithm records run compiled; the readable loop gives the same numbers.
        check_theory: in "bai" whether every BAIR runs once more under a monitor, which holds its
            runs against what the paper proves: `checks` of the results.
        progress: whether to show a bar on a terminal, or a function called with (what, done,
            total).

    Returns:
        `Results`: printable, with `runs` and `summary()`.

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
    """
    kind = as_behaviour(behaviour)
    study = Study(as_setting(setting), n_arms, gap, alpha, noise, means, rho, reward_law, kind)
    user, schedule = study.user()
    law = study.instance_law()
    risk("delta", delta)
    seeds = user_seeds(integer("seed", seed, 0), integer("n_instances", n_instances, 1))
    integer("max_steps", max_steps, 1)
    integer("workers", workers, 1)
    not_negative("step_cost", step_cost)
    over_horizon = as_task(task) == REGRET
    if over_horizon and kind.moves_means:
        raise InvalidArgumentError("behaviour", kind.name, "one whose means stay, for this task")
    if horizon is None:
        horizon = REGRET.horizon if over_horizon else "BAIR"
    facts = {"delta": delta, "alpha": user.alpha, "rho_0": schedule.low, "noise": user.noise}
    line_up = [_informed(agent, study, facts) for agent in agents]
    _check_line_up(line_up, integer("horizon", horizon, 1) if over_horizon else horizon)
    watched: list[AlgorithmAgent] = []
    if flag("check_theory", check_theory):
        watched = _to_watch(line_up, not over_horizon and kind == EXPLORATIVE)

    frames: dict[str, pd.DataFrame] = {}
    steps = None if isinstance(horizon, str) else int(horizon)
    with ExitStack() as stack:
        report = progress if callable(progress) else silent
        if progress is True:
            report = stack.enter_context(progress_bar())
        ordered = sorted(line_up, key=lambda agent: _needs_horizon(agent))
        n_pieces = len(ordered) + len(watched)
        for position, agent in enumerate(ordered):
            if _needs_horizon(agent) and steps is None:
                steps = _mean_time(frames[str(horizon)], study.setting)
            cap = getattr(agent, "max_steps", None) or max_steps
            frames[name_of(agent)] = runs_of(
                REGRET_PATHS if over_horizon else BAI_PATHS,
                agent,
                study,
                seeds,
                cap=int(horizon) if over_horizon else cap,
                horizon=steps if over_horizon or _needs_horizon(agent) else None,
                workers=workers,
                compiled=compiled,
                report=portion(report, position, n_pieces),
            )
        checks = [
            checks_of(
                agent,
                study,
                seeds,
                max_steps=agent.max_steps or max_steps,
                workers=workers,
                report=portion(report, len(ordered) + place, n_pieces),
            )
            for place, agent in enumerate(watched)
        ]
    runs = pd.concat([frames[name_of(agent)] for agent in line_up], ignore_index=True)
    cell = {
        "task": as_task(task).name,
        "setting": study.setting.name,
        "n_arms": user.n_arms,
        "delta": delta,
        "alpha": user.alpha,
        "gap": law.gap,
        "noise": user.noise,
        "reward_law": reward_law,
        "behaviour": kind.name,
        "horizon": steps,
        "seed": seed,
    }
    if not over_horizon:
        cell["step_cost"] = step_cost
    deltas = {name_of(agent): _own_delta(agent) or delta for agent in line_up}
    return Results(
        runs,
        cell,
        study.setting.rejection_rate,
        study.setting.drops_censored,
        deltas,
        pd.concat(checks, ignore_index=True) if checks else None,
    )


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


def _to_watch(line_up: Sequence[Agent], papers: bool) -> list[AlgorithmAgent]:
    """Return the agents whose runs are held against the paper's bounds, in the paper's model."""
    watched = [agent for agent in line_up if isinstance(agent, AlgorithmAgent) and is_bair(agent)]
    if not papers or not watched:
        allowed = 'False unless a BAIR is there, the task is "bai" and the behaviour "explorative"'
        raise InvalidArgumentError("check_theory", True, allowed)
    return watched


def _needs_horizon(agent: Agent) -> bool:
    return bool(getattr(agent, "needs_horizon", False))


def _own_delta(agent: Agent) -> float | None:
    return agent.options.get("delta") if isinstance(agent, AlgorithmAgent) else None


def _mean_time(runs: pd.DataFrame, setting: Setting) -> int:
    """T for the others: the mean number of interactions, at least 1, of the runs a table has."""
    times = runs["interactions"]
    kept = times[~runs["censored"]] if setting.drops_censored else times
    return max(1, round(float((kept if len(kept) else times).mean())))
