"""`evaluate`: the same users for every agent, on one or more workers, by seed alone."""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Unpack

import pandas as pd

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.display.progress import OnProgress, portion, shown
from explorative_user_env.evaluation.backends import runs_of
from explorative_user_env.evaluation.keeping import Keeper, keeping
from explorative_user_env.evaluation.line_up import (
    cap_for,
    deltas_of,
    line_up_of,
    options_in_words,
    watched_of,
)
from explorative_user_env.evaluation.paths import paths_of
from explorative_user_env.evaluation.request import Request, mean_time, renamed_time
from explorative_user_env.evaluation.theory_runs import check_theory as checks_of
from explorative_user_env.evaluation.until_width import growing, is_known, number_asked
from explorative_user_env.evaluation.workforce import Workforce, workforce_of
from explorative_user_env.population import (
    Population,
    UserOptions,
    lists_user_options,
    population_of,
)
from explorative_user_env.protocol import Agent, cap_of, name_of, needs_horizon
from explorative_user_env.results.finished import carries_finished
from explorative_user_env.results.provenance import versions_of
from explorative_user_env.results.results import Results
from explorative_user_env.results.store import Store
from explorative_user_env.tasks import DELTA, Task, as_task


@lists_user_options()
def evaluate(
    agents: Sequence[Agent | str],
    *,
    task: Task | str = "bai",
    n_instances: int | None = None,
    until_width: float | None = None,
    seed: int = 0,
    delta: float = DELTA,
    horizon: int | None = None,
    n_users: int | None = None,
    deviation: float | None = None,
    baseline_time: int | str | None = None,
    max_steps: int | None = None,
    step_cost: float | None = None,
    workers: int | Workforce = 1,
    backend: str | None = None,
    scheduler: str | None = None,
    executor: Executor | None = None,
    compiled: bool = True,
    check_theory: bool = False,
    progress: bool | OnProgress = True,
    store: Store | Path | str | None = None,
    population: Population | None = None,
    **user: Unpack[UserOptions],
) -> Results:
    """Run agents on the same users and return what came of it.

    Every user is a new instance. User b is the same for every agent, however many agents, users
    or workers there are, and every agent has a random stream of its own. Agents see the number of
    arms and the responses; options they leave open (None) are filled in from `delta`, from the
    user's alpha, rho_0 and noise (which BAIR's N_1 and m rest on in the paper) and from the
    setting.

    In "bai", best-arm identification, an agent stops by itself and answers. In "regret" it makes
    `horizon` recommendations; one that stops goes on with its answer. In "population" a run is an
    episode of users who share what is popular; an agent with a `next_user` keeps what it learnt.

    Args:
        agents: agents, or names of the package's: "BAIR", "T&S", "UNI", "EXP3" and the references
            "UCB1", "Thompson", "SE" and "Full-information".
        task: "bai", "regret" or "population".
        n_instances: number of users, or of episodes, at least 1; None is 1000. With `until_width`
            it is the most users, and None is a million.
        until_width: in "bai" users are added until the 95% interval of the success of every agent
            is at most so wide, in (0, 1). It is then one that holds whenever one stops (see
            `results.confidence_sequences`). The runs are those of an evaluation of so many users;
            a `baseline_time` that is an agent's is found with the first 1000 of them.
        seed: what everything follows from, at least 0.
        delta: allowed probability of a wrong answer, in (0, 1), of agents without one of their own.
        horizon: in "regret" the number of steps, at least 1; None is 500. In "population" that of
            each user; None is 300.
        n_users: in "population" how many users come one after another, at least 1; None is 20.
        deviation: in "population" the standard deviation of a user's means around what is popular,
            at least 0; None is 0.3.
        baseline_time: in "bai" T of the agents that do not stop by themselves, as UNI and EXP3: a
            number, or the agent whose mean stopping time it is; None is "BAIR".
        max_steps: in "bai" a step cap for all agents, whatever the setting's; an agent's own holds
            where it is smaller, and a run that reaches its cap is censored. None is the agent's
            own, or the setting's, or a million.
        step_cost: in "bai" c of the cost c T + error, at least 0; None is 0.0005.
        workers: how many run at once; or a `Workforce`, a record of this and the next three.
        backend: "threads", "processes" or "dask". None is threads in compiled code and processes in
            the readable loop, or what a `joblib.parallel_config` around the call says.
        scheduler: the address of the scheduler of the backend "dask", as "tcp://127.0.0.1:8786".
        executor: any `concurrent.futures.Executor` that does the runs, in place of a backend.
        compiled: whether algorithm records run compiled; the readable loop gives the same numbers.
        check_theory: in "bai" whether every BAIR runs once more under a monitor, which holds its
            runs against what the paper proves: `checks` of the results.
        progress: whether to show a bar on a terminal or in a notebook, or a function called with
            (what, done, total).
        store: file that keeps every finished run at once, so that nothing is lost if the work is
            broken off: whoever asks for the same again goes on from there, and `eu.load` has the
            results of it. Made if it is not there; None keeps them in memory alone.
        population: who the users are, as a record; or give its options:
        **user: the options of `Population`: `setting`, `n_arms`, `gap`, `alpha`, `noise`, `means`,
            `rho`, `reward_law` and `behaviour` (one whose means move only in "bai", where an answer
            is held against the best arm of that moment).

    Returns:
        `Results`: printable, with `runs` and `summary()`.

    Raises:
        InvalidArgumentError: naming the argument that is out of range, or means nothing for the
            task and these agents.
        CallableError: if code that was handed in fails, with the user it failed with. The
            `finished` of any error holds the results of the agents that were done before it.
    """
    chosen = as_task(task)
    horizon, baseline_time = renamed_time(chosen, horizon, baseline_time)
    request = Request(
        population=population_of(population, user),
        task=chosen,
        n_instances=number_asked(n_instances, until_width),
        until_width=until_width,
        seed=seed,
        delta=delta,
        horizon=horizon,
        n_users=n_users,
        deviation=deviation,
        baseline_time=baseline_time,
        max_steps=max_steps,
        step_cost=step_cost,
        workforce=workforce_of(workers, backend, scheduler, executor),
        compiled=compiled,
        check_theory=check_theory,
    )
    line_up = line_up_of(agents, request)
    watched = watched_of(line_up, request)
    with keeping(store, request, line_up) as keeper:
        found = _Found(request, line_up, keeper)
        with shown(progress) as report, carries_finished(found.finished):
            found.run_all(watched, report)
        return found.results()


@dataclass
class _Found:
    """What is found, agent by agent."""

    request: Request
    line_up: Sequence[Agent]
    keeper: Keeper
    runs: dict[str, pd.DataFrame] = field(default_factory=dict)
    checks: list[pd.DataFrame] = field(default_factory=list)
    steps: int | None = None  # T of the agents that need one

    def __post_init__(self) -> None:
        told = self.request.told
        self.steps = None if isinstance(told, str) else int(told)

    def run_all(self, watched: Sequence[AlgorithmAgent], progress: OnProgress) -> None:
        """Let all agents meet all users, and hold the runs of some against the paper's bounds."""
        n_agents, n_pieces = len(self.line_up), len(self.line_up) + len(watched)
        in_order = sorted(self.line_up, key=needs_horizon)  # may need what others find
        for request, report in growing(self.request, progress):
            self.request = request
            for place, agent in enumerate(in_order):
                self.run(agent, portion(report, place, n_pieces))
            if is_known(self.runs, self.request):
                break
        for place, agent in enumerate(watched, n_agents):
            self.check(agent, portion(report, place, n_pieces))
        self.keeper.finish(self.told(), self.runs)

    def run(self, agent: Agent, progress: OnProgress) -> None:
        """Let an agent meet all users."""
        request, told = self.request, needs_horizon(agent)
        if told and self.steps is None:
            self.steps = mean_time(self.runs[str(request.told)], request.population)
        cap = cap_for(agent, request)
        horizon = self.steps if request.over_horizon or told else None
        kept = self.keeper.part(agent, cap, horizon)
        self.keeper.note(self.told(), finished=False)
        self.runs[name_of(agent)] = runs_of(
            paths_of(request.task, request.members),
            agent,
            request.population,
            request.seeds,
            cap=cap,
            cap_is_asked=request.max_steps is not None or cap_of(agent) is not None,
            horizon=horizon,
            workforce=request.workforce,
            compiled=request.compiled,
            progress=progress,
            kept=kept,
        )

    def check(self, agent: AlgorithmAgent, progress: OnProgress) -> None:
        """Hold the runs of a BAIR against what the paper proves."""
        cap = cap_for(agent, self.request)
        checks = checks_of(
            agent,
            self.request.population,
            self.request.seeds,
            max_steps=cap,
            kept=self.keeper.checks(agent, cap),
            workers=self.request.workforce,
            progress=progress,
        )
        self.checks.append(checks)

    def finished(self) -> list[Results]:
        """Return the results so far, if there are any."""
        return [self.results()] if self.runs else []

    def results(self) -> Results:
        """Return the results of the agents that have met all users, in the order of the line-up."""
        done = [agent for agent in self.line_up if name_of(agent) in self.runs]
        return Results(
            pd.concat([self.runs[name_of(agent)] for agent in done], ignore_index=True),
            cell=self.cell(done),
            population=self.request.population,
            deltas=deltas_of(done, self.request),
            checks=self._all_checks(),
            line_up={name_of(agent): agent for agent in done},
        )

    def cell(self, agents: Sequence[Agent]) -> dict[str, Any]:
        """Return what the runs of these agents share."""
        own = {"agents": options_in_words(agents, self.request), "versions": versions_of()}
        return self.request.cell(self.steps) | own

    def told(self) -> dict[str, Any]:
        """Return what there is to say of the runs besides themselves."""
        own = {"cell": self.cell(self.line_up), "deltas": deltas_of(self.line_up, self.request)}
        return own | {"checks": self._all_checks()}

    def _all_checks(self) -> pd.DataFrame | None:
        return pd.concat(self.checks, ignore_index=True) if self.checks else None
