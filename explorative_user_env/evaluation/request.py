"""What an evaluation is asked for, checked, as one record."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from explorative_user_env.population import Population
from explorative_user_env.seeding import user_seeds
from explorative_user_env.tasks import BAI, REGRET, Task
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

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
    """

    population: Population
    task: Task
    n_instances: int
    seed: int
    delta: float
    horizon: int | str
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
        if self.over_horizon or not isinstance(self.horizon, str):
            integer("horizon", self.horizon, 1)

    @property
    def over_horizon(self) -> bool:
        """Whether the task is "regret", not best-arm identification."""
        return self.task == REGRET

    @cached_property
    def seeds(self) -> Sequence[int]:
        """The users' seeds."""
        return user_seeds(self.seed, self.n_instances)

    @property
    def facts(self) -> dict[str, Any]:
        """What an agent may take its open options from: delta, and what she is like."""
        user = self.population.user
        facts = {"delta": self.delta, "alpha": user.alpha, "rho_0": user.rho_0}
        return facts | {"noise": user.noise}

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


def horizon_or_default(horizon: int | str | None, task: Task) -> int | str:
    """Return T as it is given, or the task's; in best-arm identification that of BAIR's runs."""
    if horizon is not None:
        return horizon
    return "BAIR" if task == BAI else task.horizon


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
