"""The tasks of the suite, frozen as records; whoever changes one makes a new version."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from explorative_user_env.results.records import digest, record_of
from explorative_user_env.seeding import suite_seed
from explorative_user_env.studies.suite.asked import SuiteTask
from explorative_user_env.tasks import (
    BAI,
    DEVIATION,
    N_INSTANCES,
    N_USERS,
    POPULATION,
    REGRET,
)
from explorative_user_env.validation import InvalidArgumentError

SUITE_VERSION = "v1"
"""Of `SUITE`: what is published names it, and the records of a version never change."""

WORST = "UNI"
"""The agent whose score is 0 in every task."""

CENTRAL = "bai-k5"
"""The task that is the paper's central cell."""

QUICK_SHARE = 10
"""A quick run has one in so many of the users, the first ones."""

ELIMINATION_IS_BEST = (
    "it loses the least of the package's agents that see no rewards: nobody can tell arms apart "
    "before a rejection, and elimination wastes little after it"
)
"""Why SE is the reference of tasks with one user at a time."""


def _bai(
    name: str,
    seed: int,
    about: str,
    time: int,
    cost: float,
    cap: int = 20_000,
    n_instances: int = N_INSTANCES,
    **options: Any,
) -> SuiteTask:
    return SuiteTask(
        name,
        BAI.name,
        options,
        n_instances=n_instances,
        seed=seed,
        reference="SE",
        about=about,
        why=ELIMINATION_IS_BEST,
        baseline_time=time,
        max_steps=cap,
        step_cost=cost,
    )


def _regret(
    name: str, seed: int, about: str, n_instances: int = N_INSTANCES, **options: Any
) -> SuiteTask:
    return SuiteTask(
        name,
        REGRET.name,
        options,
        n_instances=n_instances,
        seed=seed,
        reference="SE",
        about=about,
        why=ELIMINATION_IS_BEST,
        horizon=REGRET.horizon,
    )


SUITE = (
    _bai("bai-k2", 1701, "Two arms.", 400, 5e-4, n_arms=2),
    _bai("bai-k5", 1702, "The paper's central cell.", 600, 5e-4, n_arms=5),
    _bai("bai-k20", 1703, "Many arms.", 1000, 2.5e-4, n_arms=20),
    _bai("bai-k100", 1704, "More arms than patience.", 2500, 1e-4, n_arms=100),
    _regret("regret-k5", 1705, "Recommend well, name nobody.", n_arms=5),
    _regret("regret-k20", 1706, "Too many arms for the horizon.", n_arms=20),
    _regret("noisy-k5", 1707, "One click in five is a coin flip.", noise=0.2),
    _bai(
        "forgetful-k5",
        1708,
        "She forgets, and accepts again what she rejected.",
        1800,
        1e-4,
        cap=8000,
        n_instances=2 * N_INSTANCES,
        behaviour="forgetful",
    ),
    _bai(
        "drifting-k5",
        1709,
        "Her means move; the best arm is that of the moment it is named.",
        800,
        2.5e-4,
        cap=3000,
        n_instances=2 * N_INSTANCES,
        behaviour="drifting",
    ),
    _regret(
        "logistic-k5",
        1710,
        "She accepts by chance, the surer the better.",
        behaviour="logistic",
    ),
    _regret(
        "impatient-k5",
        1711,
        "A rejection in fifty makes her leave, and all that remains is lost.",
        n_instances=2 * N_INSTANCES,
        behaviour="impatient",
    ),
    SuiteTask(
        "population-k20",
        POPULATION.name,
        {"n_arms": 20},
        n_instances=300,
        seed=1712,
        reference="SE-transfer",
        about="One user after another; who remembers what is popular asks the next one less.",
        why="it loses the least of the package's agents that see no rewards, as it carries over "
        "which arms are behind with everybody",
        horizon=POPULATION.horizon,
        n_users=N_USERS,
        deviation=DEVIATION,
    ),
    SuiteTask(
        "varied-k5",
        REGRET.name,
        {"behaviour": "varied"},
        n_instances=N_INSTANCES,
        seed=1713,
        reference="Thompson",
        about="No two are alike: alpha, rho, noise and gap are each user's own.",
        why="it loses the least of the package's agents that see no rewards: who drops an arm for "
        "good, or trusts what is said of all, is wrong with many",
        horizon=REGRET.horizon,
    ),
)
"""The tasks, in the order in which they are shown."""


def suite_digest(tasks: Sequence[SuiteTask] = SUITE) -> str:
    """Return what tells these records from any others; words about them are left out."""
    names = [each.name for each in fields(SuiteTask) if each.compare]
    told = [{name: record_of(getattr(task, name)) for name in names} for task in tasks]
    return digest(told)[:16]


def tasks_named(names: Sequence[str] | None) -> tuple[SuiteTask, ...]:
    """Return the tasks of these names, all of them for none.

    Raises:
        InvalidArgumentError: for a name that is not there.
    """
    known = {task.name: task for task in SUITE}
    for name in names or ():
        if name not in known:
            raise InvalidArgumentError("task", name, "one of " + ", ".join(known))
    return tuple(known[name] for name in dict.fromkeys(names or known))


@dataclass(frozen=True)
class SuiteRun:
    """Which run of the suite it is.

    Args:
        tasks: names of the tasks; None is all.
        quick: whether with a tenth of the users.
        seed: other users than the suite's own, which have no seed to be named.

    Raises:
        InvalidArgumentError: for a name that is none, or a seed.
    """

    tasks: Sequence[str] | None = None
    quick: bool = False
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.tasks is not None and not self.tasks:
            raise InvalidArgumentError("tasks", list(self.tasks), "at least one task's name")
        self.records()

    @property
    def title(self) -> str:
        """What is to be quoted: the version, and what is not the whole of it."""
        own = [f"suite {SUITE_VERSION}"]
        own += [] if self.seed is None else [f"seed {self.seed}"]
        own += [f"1 in {QUICK_SHARE} users"] if self.quick else []
        n_tasks = len(self.records())
        own += [f"{n_tasks} of {len(SUITE)} tasks"] if n_tasks < len(SUITE) else []
        return ", ".join(own)

    def records(self) -> tuple[SuiteTask, ...]:
        """Return the tasks as they are run."""
        found = tasks_named(self.tasks)
        if self.seed is not None:
            found = tuple(replace(each, seed=suite_seed(self.seed, each.name)) for each in found)
        if self.quick:
            found = tuple(replace(e, n_instances=e.n_instances // QUICK_SHARE) for e in found)
        return found
