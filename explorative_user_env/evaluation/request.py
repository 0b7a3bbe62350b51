"""The arguments of an evaluation, checked, and its agents, informed."""

import copy
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from explorative_user_env.agents import AlgorithmAgent, informed
from explorative_user_env.evaluation.monitors import is_bair
from explorative_user_env.evaluation.workers import ONE_HERE, checked_workers
from explorative_user_env.protocol import (
    DELTA,
    DEVIATION,
    N_INSTANCES,
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
from explorative_user_env.results.records import record_of, record_of_class
from explorative_user_env.runs.members import Members
from explorative_user_env.seeding import number_of_users, seed_number, user_seeds
from explorative_user_env.users.behaviours import EXPLORATIVE
from explorative_user_env.users.population import Population, check_members, differences_of
from explorative_user_env.validation import (
    InvalidArgumentError,
    flag,
    integer,
    is_name,
    not_negative,
    risk,
    sequence,
)

#: The arguments that mean nothing over a horizon, and why.
MEANS_NOTHING = {
    "baseline_time": "where all run to the horizon",
    "max_steps": "where all run to the horizon",
    "until_width": "which has no success",
    "step_cost": "which costs regret and not steps",
}

#: The most users, unless a number is given, if users are added until success is known.
MOST_UNTIL = 1_000_000

#: K for the record of an agent where no users are known.
FEWEST_ARMS = 2

LONGEST_TRIED = 8
#: What makes plain values of the arguments that are given: NumPy's numbers wrap around.
CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "delta": risk,
    "seed": lambda _, seed: seed_number(seed),
    "n_instances": lambda _, number: number_of_users(number),
    "max_steps": lambda name, steps: integer(name, steps, 1),
    "step_cost": not_negative,
    "until_width": risk,
    "compiled": flag,
    "check_theory": flag,
}

#: Steps with each user that an agent is tried with: after the second it remembers other values.
TRIED = ((3,), (3, LONGEST_TRIED))


def number_asked(n_instances: int | None, until_width: float | None) -> int:
    """Return the number of users of an evaluation, the most of them if there is a width."""
    if n_instances is not None:
        return n_instances
    return N_INSTANCES if until_width is None else MOST_UNTIL


@dataclass(frozen=True, kw_only=True)
class Request:
    """An evaluation; the attributes are the arguments of `evaluate`.

    Raises:
        InvalidArgumentError: naming the argument that is out of range, or means nothing here.
    """

    population: Population
    task: Task
    n_instances: int
    seed: int = 0
    delta: float = DELTA
    horizon: int | None = None
    baseline_time: int | str | None = None
    max_steps: int | None = None
    step_cost: float | None = None
    until_width: float | None = None
    n_users: int | None = None
    deviation: float | None = None
    workers: int = ONE_HERE
    executor: Executor | None = None
    compiled: bool = True
    check_theory: bool = False

    def __post_init__(self) -> None:
        plain: dict[str, Any] = vars(self)  # the record is frozen for all others
        for name, check in CHECKS.items():
            if plain[name] is not None:
                plain[name] = check(name, plain[name])
        for name, why in MEANS_NOTHING.items():
            if self.over_horizon and plain[name] is not None:
                allowed = f"left out for the task {self.task.name}, {why}"
                raise InvalidArgumentError(name, plain[name], allowed)
        if self.horizon is not None and not self.over_horizon:
            allowed = "left out for the task bai; baseline_time is T of agents that do not stop"
            raise InvalidArgumentError("horizon", self.horizon, allowed)
        refuse_of_members(self.task, plain)
        plain["workers"] = checked_workers(self.workers, self.executor)
        check_behaviour(self.task, self.population)
        if self.over_horizon:
            plain["horizon"] = kept_steps("horizon", self.told)
        elif not isinstance(self.told, str):
            plain["baseline_time"] = integer("baseline_time", self.told, 1)

    @property
    def over_horizon(self) -> bool:
        """Whether agents run to a horizon, and do not end with an answer."""
        return not self.task.ends_itself

    @cached_property
    def members(self) -> Members | None:
        """The users of an episode, in the task "population"."""
        if self.task != POPULATION:
            return None
        return Members(
            N_USERS if self.n_users is None else self.n_users,
            DEVIATION if self.deviation is None else self.deviation,
        )

    @property
    def told(self) -> int | str:
        """T of all agents over a horizon, else of those that do not stop by themselves.

        A number, or the name of the agent whose mean stopping time it is.
        """
        if self.over_horizon:
            return self.task.horizon if self.horizon is None else self.horizon
        return "BAIR" if self.baseline_time is None else self.baseline_time

    @cached_property
    def seeds(self) -> Sequence[int]:
        """The seeds of the users, or of episodes with many."""
        return user_seeds(self.seed, self.n_instances)

    def line_up(self, agents: Sequence[Agent | str]) -> list[Agent]:
        """Return the agents with their open options filled in.

        Raises:
            InvalidArgumentError: for anything but an agent, for two agents of one name, or if T of
                an agent that does not stop by itself is not given, or is given without need.
        """
        allowed = "a list of agents, as [BAIR()]"
        if isinstance(agents, Agent):
            raise InvalidArgumentError("agents", agents, allowed)
        line_up = [
            informed(agent, self.population, self.delta, self.max_steps)
            for agent in sequence("agents", agents, allowed)
        ]
        names = [name_of(agent) for agent in line_up]
        for right, allowed in (
            (names, "at least one agent"),
            (all(map(is_name, names)), "named by words that a file can hold"),
            (len(set(names)) == len(names), "agents with different names (give name=...)"),
        ):
            if not right:
                raise InvalidArgumentError("agents", names, allowed)
        in_need = [name_of(agent) for agent in line_up if needs_horizon(agent)]
        told, given = self.told, self.baseline_time
        if given is not None and not in_need:
            allowed = "left out, as every agent of the line-up stops by itself or has a horizon"
            raise InvalidArgumentError("baseline_time", given, allowed)
        if isinstance(told, str) and in_need and (told not in names or told in in_need):
            allowed = "a number, or an agent of the line-up that stops itself"
            raise InvalidArgumentError(
                "baseline_time", given, f"{allowed}, as {in_need[0]} needs T"
            )
        return line_up

    def watched(self, line_up: Sequence[Agent]) -> list[AlgorithmAgent]:
        """Return the agents whose runs are checked against the bounds, in the paper's model."""
        if not self.check_theory:
            return []
        watched = [
            agent for agent in line_up if isinstance(agent, AlgorithmAgent) and is_bair(agent)
        ]
        if self.over_horizon or self.population.behaviour != EXPLORATIVE or not watched:
            allowed = 'False unless a BAIR is there, the task is "bai", the behaviour "explorative"'
            raise InvalidArgumentError("check_theory", True, allowed)
        return watched

    def cap_for(self, agent: Agent) -> int:
        """Return the step cap of an agent's runs, or the horizon that they all have."""
        if self.over_horizon:
            return int(self.told)
        caps = [cap for cap in (cap_of(agent), self.max_steps) if cap is not None]
        return min(caps, default=STEP_CAP)

    def options(self, line_up: Sequence[Agent]) -> dict[str, dict[str, Any]]:
        """Return the options of every agent as its runs have them, with its step cap."""
        return {
            name_of(agent): (dict(agent.options) if isinstance(agent, AlgorithmAgent) else {})
            | {"max_steps": self.cap_for(agent)}
            for agent in line_up
        }

    def deltas(self, line_up: Sequence[Agent]) -> dict[str, float]:
        """Return delta of every agent: its own, or the request's."""
        own = {name: options.get("delta") for name, options in self.options(line_up).items()}
        return {name: self.delta if delta is None else delta for name, delta in own.items()}

    def cell(self, steps: int | None) -> dict[str, Any]:
        """Return what all runs share, in words and numbers; `steps` is T of agents that need it."""
        words = self.population.words()
        cell: dict[str, Any] = {
            "task": self.task.name,
            "setting": words.pop("setting"),
            "n_arms": words.pop("n_arms"),
            "delta": self.delta,
            **words,
            "horizon": steps,
            "seed": self.seed,
            "differences": differences_of(self.population.setting),
        }
        if self.members is not None:
            cell |= asdict(self.members)
        if not self.over_horizon:
            cell["step_cost"] = STEP_COST if self.step_cost is None else self.step_cost
            cell["max_steps"] = STEP_CAP if self.max_steps is None else self.max_steps
            cell |= {} if self.until_width is None else {"until_width": self.until_width}
        return cell

    def record(self, line_up: Sequence[Agent]) -> dict[str, Any]:
        """Return everything that the rows of an evaluation follow from, as JSON can hold it."""
        names = ("n_instances", "seed", "delta", "max_steps", "step_cost", "check_theory")
        record: dict[str, Any] = {"task": self.task.name, "told": self.told}
        record |= {name: getattr(self, name) for name in names}
        if self.until_width is not None:
            record["until_width"] = self.until_width
        if self.members is not None:
            record |= asdict(self.members)
        arms = self.population.n_arms
        agents = {name_of(agent): agent_record(agent, arms) for agent in line_up}
        return record | {"population": record_of(self.population), "agents": agents}


def check_behaviour(task: Task, population: Population) -> None:
    """Make sure that a task can be measured with these users.

    Raises:
        InvalidArgumentError: over a horizon for users whose means move, and for users who come one
            after another and may leave.
    """
    behaviour = population.behaviour
    if task == POPULATION:
        check_members(behaviour)
    elif not task.ends_itself and behaviour.moves_means:
        raise InvalidArgumentError(
            "behaviour", behaviour.name, "one whose means stay, for this task"
        )


def agent_record(agent: Agent | str, n_arms: int) -> Any:
    """Return what distinguishes an agent from others of its name: its class, code and options.

    Options are the agent's `options`, or else its attributes, except for those whose values change
    when it meets another user: these are what it remembers.
    """
    if isinstance(agent, AlgorithmAgent | str):
        return record_of(agent)
    if (options := getattr(agent, "options", None)) is not None:
        return record_of_class(type(agent)) | {"attributes": record_of(options)}
    after = []
    try:
        for users in TRIED:
            tried = copy.deepcopy(agent)
            for n_steps in users:
                tried.reset(n_arms, np.random.default_rng(n_steps), LONGEST_TRIED)
                for step in range(n_steps):
                    arm = tried.act()
                    if arm is None:
                        break
                    tried.observe(arm, step % 2 == 0)
            after.append(record_of(tried)["attributes"])
    except Exception:  # an agent that fails here is reported when it runs
        return record_of(agent)
    few, more = after
    lasting = {name: value for name, value in few.items() if more.get(name) == value}
    return record_of_class(type(agent)) | {"attributes": lasting}
