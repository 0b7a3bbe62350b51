"""The tasks: least regret over a horizon, best-arm identification, and one user after another."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from explorative_user_env.validation import InvalidArgumentError, choice, count


@dataclass(frozen=True)
class Task:
    """What an agent is asked for, as a record that is compared by its values.

    Attributes:
        name: "regret", "bai" or "population".
        horizon: steps of an episode where nothing else is said.
        ends_itself: whether an episode ends with an answer, and the environment takes the horizon
            as part of the task (`terminated`); else it is a time limit (`truncated`).
    """

    name: str
    horizon: int
    ends_itself: bool


REGRET = Task("regret", horizon=500, ends_itself=False)
BAI = Task("bai", horizon=2000, ends_itself=True)

POPULATION = Task("population", horizon=300, ends_itself=False)
"""Least regret with users who come one after another and share what is popular; the horizon is that
of each of them."""

TASKS = {task.name: task for task in (REGRET, BAI, POPULATION)}

STEP_COST = 5e-4
"""c, what a recommendation costs in best-arm identification unless something else is said."""

DELTA = 0.1
"""The allowed probability of a wrong answer unless something else is said."""

STEP_CAP = 1_000_000
"""The step cap of a run of best-arm identification unless something else is said."""

ANSWERED, CENSORED, LEFT = range(3)
"""How a run of best-arm identification ends: with an answer, by the step cap, or as the user does
not stay."""

N_USERS = 20
"""Users of an episode of the population task unless something else is said."""

DEVIATION = 0.3
"""Standard deviation of a user's means around what is popular unless something else is said."""

OF_MEMBERS = ("n_users", "deviation")
"""The options that are for users who come one after another."""

N_INSTANCES = 1000
"""Users of an evaluation unless something else is said, as in the paper."""

N_TRANSCRIBED = 10
"""Users of whom examples are written unless something else is said; each step is a line."""

LONGEST_HORIZON = 10_000_000
"""Of a run of which every step is kept, which takes half a GB then; or each has a scale's mark."""

MOST_WORKERS = 1024
"""Runs at once; no machine that this is run on has more cores, and each may be a process."""


def kept_steps(name: str, steps: Any) -> int:
    """Return the length of a run of which every step is kept, in 1..`LONGEST_HORIZON`."""
    return count(name, steps, 1, LONGEST_HORIZON)


def as_task(task: Task | str) -> Task:
    """Return the task meant: itself, or the one of that name."""
    return task if isinstance(task, Task) else TASKS[choice("task", task, TASKS)]


def as_task_of_one(task: Task | str) -> Task:
    """Return the task meant, which has one user an episode."""
    name = task.name if isinstance(task, Task) else task
    return TASKS[choice("task", name, (BAI.name, REGRET.name))]


def refuse_of_members(task: Task, options: Mapping[str, Any]) -> None:
    """Refuse what is said of users who come one after another, in a task where none do.

    Raises:
        InvalidArgumentError: naming the first of `OF_MEMBERS` that is not None.
    """
    for name in OF_MEMBERS:
        if task != POPULATION and options.get(name) is not None:
            allowed = f"left out, except for the task {POPULATION.name}"
            raise InvalidArgumentError(name, options[name], allowed)
