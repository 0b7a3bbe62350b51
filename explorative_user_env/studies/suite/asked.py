"""What a task of the suite is, as a record."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from explorative_user_env.evaluation.request import check_behaviour
from explorative_user_env.population import Population
from explorative_user_env.record_checks import check_fields
from explorative_user_env.seeding import seed_number
from explorative_user_env.tasks import DELTA, as_task


@dataclass(frozen=True)
class SuiteTask:
    """A task of the suite: who the users are, what is asked for and what is a score of 1.

    Args:
        name: what it is called, here and in papers.
        task: "bai", "regret" or "population", as in `evaluate`.
        options: the options of `Population`.
        n_instances: users, or episodes of many.
        seed: of the users; each task's are others, so that tasks are independent.
        reference: the agent whose score is 1.
        about: what the task is for.
        why: the reason for this reference.
        horizon: steps of "regret", or with each user of "population".
        baseline_time: T of the agents that do not stop by themselves, in "bai".
        max_steps: step cap of "bai".
        step_cost: c of the loss c T + error of "bai".
        delta: allowed probability of a wrong answer.
        n_users: users of an episode of "population".
        deviation: standard deviation of their means around what is popular.

    Raises:
        InvalidArgumentError: for a field that is none of what is said of it.
    """

    name: str
    task: str
    options: Mapping[str, Any]
    n_instances: int
    seed: int
    reference: str
    about: str = field(compare=False)
    why: str = field(compare=False)
    horizon: int | None = None
    baseline_time: int | None = None
    max_steps: int | None = None
    step_cost: float | None = None
    delta: float = DELTA
    n_users: int | None = None
    deviation: float | None = None

    def __post_init__(self) -> None:
        check_fields(self, seed=lambda _, value: seed_number(value))
        check_behaviour(as_task(self.task), self.population)

    @property
    def population(self) -> Population:
        """The users."""
        return Population(**self.options)

    def numbers(self) -> dict[str, Any]:
        """Return what is said of a run of this task besides its users, by name."""
        own = ("horizon", "baseline_time", "max_steps", "step_cost", "delta")
        names = (*own, "n_users", "deviation")
        numbers = {name: getattr(self, name) for name in names}
        return {name: value for name, value in numbers.items() if value is not None}

    def arguments(self) -> dict[str, Any]:
        """Return the task as arguments of `evaluate`."""
        shared = {name: getattr(self, name) for name in ("task", "n_instances", "seed")}
        return {**shared, **self.numbers(), "population": self.population}
