"""The agents of an evaluation: made if only named, informed, checked against each other."""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from typing import Any

import pandas as pd

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.envs.meeting import informed
from explorative_user_env.evaluation.monitors import is_bair
from explorative_user_env.evaluation.workers import ONE_HERE, checked_workers
from explorative_user_env.protocol import (
    DEVIATION,
    N_USERS,
    POPULATION,
    STEP_CAP,
    STEP_COST,
    Agent,
    Task,
    cap_of,
    kept_steps,
    name_of,
    needs_horizon,
    refuse_of_members,
)
from explorative_user_env.runs.members import Members
from explorative_user_env.seeding import number_of_users, seed_number, user_seeds
from explorative_user_env.users.behaviours import EXPLORATIVE
from explorative_user_env.users.population import Population, check_members
from explorative_user_env.users.settings import differences_of
from explorative_user_env.validation import (
    InvalidArgumentError,
    flag,
    integer,
    is_name,
    not_negative,
    risk,
    sequence,
)

MEANS_NOTHING = {
    "baseline_time": "where all run to the horizon",
    "max_steps": "where all run to the horizon",
    "until_width": "which has no success",
    "step_cost": "which costs regret and not steps",
}
"""The arguments that mean nothing over a horizon, and why."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is run, with whom; the attributes are the arguments of `evaluate`.

    Raises:
        InvalidArgumentError: naming the argument that is out of range, or means nothing here.
    """

    population: Population
    task: Task
    n_instances: int
    seed: int
    delta: float
    horizon: int | None
    baseline_time: int | str | None
    max_steps: int | None
    step_cost: float | None
    compiled: bool
    check_theory: bool
    workers: int = ONE_HERE
    executor: Executor | None = None
    until_width: float | None = None
    n_users: int | None = None
    deviation: float | None = None

    def __post_init__(self) -> None:
        keep = partial(object.__setattr__, self)  # plain numbers: NumPy's wrap around, in no JSON
        keep("delta", risk("delta", self.delta))
        keep("seed", seed_number(self.seed))
        keep("n_instances", number_of_users(self.n_instances))
        for name, why in MEANS_NOTHING.items():
            if self.over_horizon and getattr(self, name) is not None:
                allowed = f"left out for the task {self.task.name}, {why}"
                raise InvalidArgumentError(name, getattr(self, name), allowed)
        refuse_of_members(self.task, vars(self))
        if self.max_steps is not None:
            keep("max_steps", integer("max_steps", self.max_steps, 1))
        if self.step_cost is not None:
            keep("step_cost", not_negative("step_cost", self.step_cost))
        if self.until_width is not None:
            keep("until_width", risk("until_width", self.until_width))
        keep("workers", checked_workers(self.workers, self.executor))
        flag("compiled", self.compiled)
        flag("check_theory", self.check_theory)
        check_behaviour(self.task, self.population)
        if self.over_horizon:
            keep("horizon", kept_steps("horizon", self.told))
        elif not isinstance(self.told, str):
            keep("baseline_time", integer("baseline_time", self.told, 1))

    @property
    def over_horizon(self) -> bool:
        """Whether agents run to a horizon, with one user or many, and do not end with an answer."""
        return not self.task.ends_itself

    @cached_property
    def members(self) -> Members | None:
        """How many users come one after another in an episode, where they do."""
        if self.task != POPULATION:
            return None
        return Members(
            N_USERS if self.n_users is None else self.n_users,
            DEVIATION if self.deviation is None else self.deviation,
        )

    @property
    def told(self) -> int | str:
        """T: of all agents over a horizon, else of those that do not stop by themselves.

        A number, or the name of the agent whose mean stopping time it is.
        """
        if self.over_horizon:
            return self.task.horizon if self.horizon is None else self.horizon
        return "BAIR" if self.baseline_time is None else self.baseline_time

    @property
    def cap(self) -> int:
        """The step cap of agents without one of their own."""
        return STEP_CAP if self.max_steps is None else self.max_steps

    @property
    def cost(self) -> float:
        """The c of the cost c T + error."""
        return STEP_COST if self.step_cost is None else self.step_cost

    @cached_property
    def seeds(self) -> Sequence[int]:
        """The users' seeds, or those of episodes with many."""
        return user_seeds(self.seed, self.n_instances)

    def cell(self, steps: int | None) -> dict[str, Any]:
        """Return what all runs share, in words and numbers.

        Args:
            steps: T of the agents that need one, as it was found or given.
        """
        words = self.population.words()
        first = {name: words.pop(name) for name in ("setting", "n_arms")}
        cell = {"task": self.task.name, **first, "delta": self.delta, **words, "horizon": steps}
        cell |= {"seed": self.seed, "differences": differences_of(self.population.setting)}
        if self.members is not None:
            cell |= asdict(self.members)
        if self.over_horizon:
            return cell
        until = {} if self.until_width is None else {"until_width": self.until_width}
        return cell | {"step_cost": self.cost, "max_steps": self.cap} | until


def renamed_time(
    task: Task, horizon: int | None, baseline_time: int | str | None
) -> tuple[int | None, int | str | None]:
    """Return the horizon and the time of the baselines, of which bai has the latter.

    Raises:
        InvalidArgumentError: for a horizon in the task bai.
    """
    if not task.ends_itself or horizon is None:
        return horizon, baseline_time
    raise InvalidArgumentError("horizon", horizon, "left out for the task bai, give baseline_time")


def check_behaviour(task: Task, population: Population) -> None:
    """Make sure that a task can be measured with these users.

    Raises:
        InvalidArgumentError: for regret with users whose means move, or for users who come one
            after another and may leave.
    """
    behaviour = population.behaviour
    if task == POPULATION:
        check_members(behaviour)
    elif not task.ends_itself and behaviour.moves_means:
        raise InvalidArgumentError(
            "behaviour", behaviour.name, "one whose means stay, for this task"
        )


def mean_time(runs: pd.DataFrame, population: Population) -> int:
    """Return T for the others: the mean number of interactions, at least 1, that a table has.

    Args:
        runs: of the agent whose mean it is.
        population: whose setting may leave runs out that were cut off.
    """
    times = runs["interactions"]
    kept = times[~runs["censored"]] if population.setting.drops_censored else times
    return max(1, round(float((kept if len(kept) else times).mean())))


def line_up_of(agents: Sequence[Agent | str], request: Request) -> list[Agent]:
    """Return the agents with their open options filled in.

    Raises:
        InvalidArgumentError: for what is no agent, agents of one name, or a time that none gives.
    """
    if isinstance(agents, Agent):
        raise InvalidArgumentError("agents", agents, "a list of agents, as [BAIR()]")
    line_up = [
        informed(agent, request.population, request.delta, request.max_steps)
        for agent in sequence("agents", agents, "a list of agents, as [BAIR()]")
    ]
    names = [name_of(agent) for agent in line_up]
    if not names:
        raise InvalidArgumentError("agents", names, "at least one agent")
    if not all(map(is_name, names)):
        raise InvalidArgumentError("agents", names, "named by words that a file can hold")
    if len(set(names)) < len(names):
        raise InvalidArgumentError("agents", names, "agents with different names (give name=...)")
    in_need = [name_of(agent) for agent in line_up if needs_horizon(agent)]
    _check_time(names, in_need, request)
    return line_up


def _check_time(names: Sequence[str], in_need: Sequence[str], request: Request) -> None:
    """Make sure that T is given where an agent needs one, and only there."""
    told, given = request.told, request.baseline_time
    if given is not None and not in_need:
        allowed = "left out, as every agent of the line-up stops by itself or has a horizon"
        raise InvalidArgumentError("baseline_time", given, allowed)
    if isinstance(told, str) and in_need and (told not in names or told in in_need):
        allowed = f"a number, or an agent of the line-up that stops itself, as {in_need[0]} needs T"
        raise InvalidArgumentError("baseline_time", given, allowed)


def watched_of(line_up: Sequence[Agent], request: Request) -> list[AlgorithmAgent]:
    """Return the agents whose runs are held against the paper's bounds, in the paper's model."""
    if not request.check_theory:
        return []
    watched = [agent for agent in line_up if isinstance(agent, AlgorithmAgent) and is_bair(agent)]
    papers = not request.over_horizon and request.population.behaviour == EXPLORATIVE
    if not papers or not watched:
        allowed = 'False unless a BAIR is there, the task is "bai" and the behaviour "explorative"'
        raise InvalidArgumentError("check_theory", True, allowed)
    return watched


def cap_for(agent: Agent, request: Request) -> int:
    """Return the step cap of an agent's runs, or the horizon that they all have."""
    if request.over_horizon:
        return int(request.told)
    own = cap_of(agent) or request.cap
    return own if request.max_steps is None else min(own, request.max_steps)


def options_in_words(line_up: Sequence[Agent], request: Request) -> dict[str, dict[str, Any]]:
    """Return the options of every agent as its runs have them, with its step cap."""
    return {
        name_of(agent): (dict(agent.options) if isinstance(agent, AlgorithmAgent) else {})
        | {"max_steps": cap_for(agent, request)}
        for agent in line_up
    }


def deltas_of(line_up: Sequence[Agent], request: Request) -> dict[str, float]:
    """Return delta of every agent: its own, or what the evaluation says."""
    own = {
        name_of(agent): agent.options.get("delta") if isinstance(agent, AlgorithmAgent) else None
        for agent in line_up
    }
    return {name: request.delta if delta is None else delta for name, delta in own.items()}
