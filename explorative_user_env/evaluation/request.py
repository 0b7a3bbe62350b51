"""What an evaluation is asked for, checked, as one record."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from explorative_user_env.population import Population
from explorative_user_env.seeding import user_seeds
from explorative_user_env.tasks import REGRET, Task
from explorative_user_env.validation import (
    InvalidArgumentError,
    flag,
    integer,
    not_negative,
    risk,
)


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is run, with whom; the attributes are the arguments of `evaluate`.

    But for `told`, which is what `told_time` makes of two of them.

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
    """

    population: Population
    task: Task
    n_instances: int
    seed: int
    delta: float
    told: int | str
    max_steps: int
    step_cost: float
    workers: int
    compiled: bool
    check_theory: bool

    def __post_init__(self) -> None:
        risk("delta", self.delta)
        integer("seed", self.seed, 0)
        integer("n_instances", self.n_instances, 1)
        integer("max_steps", self.max_steps, 1)
        integer("workers", self.workers, 1)
        not_negative("step_cost", self.step_cost)
        flag("check_theory", self.check_theory)
        check_behaviour(self.task, self.population)
        if self.over_horizon or not isinstance(self.told, str):
            integer("horizon" if self.over_horizon else "baseline_time", self.told, 1)

    @property
    def over_horizon(self) -> bool:
        """Whether the task is "regret", not best-arm identification."""
        return self.task == REGRET

    @cached_property
    def seeds(self) -> Sequence[int]:
        """The users' seeds."""
        return user_seeds(self.seed, self.n_instances)

    def cell(self, steps: int | None) -> dict[str, Any]:
        """Return what all runs share, in words and numbers.

        Args:
            steps: T of the agents that need one, as it was found or given.
        """
        words = self.population.words()
        first = {name: words.pop(name) for name in ("setting", "n_arms")}
        cell = {"task": self.task.name, **first, "delta": self.delta, **words, "horizon": steps}
        cell["seed"] = self.seed
        return cell if self.over_horizon else cell | {"step_cost": self.step_cost}


def told_time(task: Task, horizon: int | None, baseline_time: int | str | None) -> int | str:
    """Return T: of all agents over a horizon, else of those that do not stop by themselves.

    A number, or the name of the agent whose mean stopping time it is.
    """
    if task == REGRET:
        if baseline_time is not None:
            allowed = "left out for the task regret, where all run to the horizon"
            raise InvalidArgumentError("baseline_time", baseline_time, allowed)
        return task.horizon if horizon is None else horizon
    if horizon is not None:
        message = "in the task bai horizon is called baseline_time now"
        warnings.warn(message, DeprecationWarning, stacklevel=4)
    time = horizon if baseline_time is None else baseline_time
    return "BAIR" if time is None else time


def check_behaviour(task: Task, population: Population) -> None:
    """Make sure that a task can be measured with these users.

    Raises:
        InvalidArgumentError: for regret with users whose means move.
    """
    behaviour = population.behaviour
    if task == REGRET and behaviour.moves_means:
        raise InvalidArgumentError(
            "behaviour", behaviour.name, "one whose means stay, for this task"
        )
