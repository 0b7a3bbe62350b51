"""Who takes part in a suite: an agent, or trained models of which each is for one task."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from explorative_user_env.agents import AGENTS, CARRIERS, REFERENCES, agent_named
from explorative_user_env.evaluation.request import check_behaviour
from explorative_user_env.protocol import (
    BAI,
    DELTA,
    DEVIATION,
    N_INSTANCES,
    N_USERS,
    POPULATION,
    REGRET,
    Agent,
    as_task,
    name_of,
    trained_on,
)
from explorative_user_env.results.records import digest, record_of
from explorative_user_env.seeding import seed_number, suite_seed
from explorative_user_env.users.population import Population
from explorative_user_env.validation import InvalidArgumentError, check_fields, sequence


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


_TRAINING = re.compile(r"(?P<entrant>.+) #\d+")


def entrant_of(agent: str) -> str:
    """Return who an agent of this name counts for: "PPO #0" and "PPO #1" are trainings of "PPO"."""
    found = _TRAINING.fullmatch(agent)
    return found["entrant"] if found else agent


def training_name(entrant: str, number: int) -> str:
    """Return what the training of this number is called."""
    return f"{entrant} #{number}"


_MODEL = re.compile(r"(?P<model>.+) \((?P<task>[^()]+)\)")


def model_name(model: str, task: str) -> str:
    """Return what a task's model is called where those of other tasks are, too."""
    return f"{model} ({task})"


def model_and_task(name: str) -> tuple[str, str] | None:
    """Return the model and the task that `model_name` has made a name of; None of any other."""
    found = _MODEL.fullmatch(name)
    known = found is not None and any(task.name == found["task"] for task in tasks_named(None))
    return (found["model"], found["task"]) if found and known else None


@dataclass(frozen=True)
class ModelsByTask:
    """Trained models that take part as one, each in the tasks that it is for.

    Args:
        name: what tables call them.
        models: by the name of a task its models, one a training; they are called `name`, or
            `training_name(name, i)`.

    Raises:
        InvalidArgumentError: for a task that is none, or models called otherwise.
    """

    name: str
    models: Mapping[str, Sequence[Agent]] = field(hash=False)

    def __post_init__(self) -> None:
        check_fields(self)
        tasks_named(list(self.models))
        for model in self.agents():
            if entrant_of(name_of(model)) != self.name:
                allowed = f"called {self.name}, or {training_name(self.name, 0)} and so on"
                raise InvalidArgumentError("models", name_of(model), allowed)

    def agents(self) -> list[Agent]:
        """Return all models."""
        return [model for models in self.models.values() for model in models]


Taking = Agent | str | ModelsByTask
"""What takes part: an agent, the name of one of the package's, or models by task."""


def taking_part(agents: Iterable[Taking] | None) -> list[Agent | ModelsByTask]:
    """Return who takes part: all agents of the package for None.

    Raises:
        InvalidArgumentError: for a name that is none, two of one name, or another agent by the
            name of one that a score is measured against.
    """
    if agents is None:
        agents = [*AGENTS, *REFERENCES, *CARRIERS]
    allowed = "a list of agents, as [BAIR()]"
    found = [
        agent_named(each) if isinstance(each, str) else each
        for each in sequence("agents", agents, allowed)
    ]
    names = [name_of(each) for each in found]
    if not names or len(set(names)) < len(names):
        raise InvalidArgumentError("agents", names, "agents with different names (give name=...)")
    anchors = {WORST} | {task.reference for task in tasks_named(None)}
    for each in found:
        name = name_of(each)
        if name in anchors and record_of(each) != record_of(agent_named(name)):
            allowed = f"with another name than {name}, which scores are measured against"
            raise InvalidArgumentError("agents", name, allowed)
    return found


def line_up_for(task: SuiteTask, entrants: Sequence[Agent | ModelsByTask]) -> list[Agent]:
    """Return who meets the users of a task: those whom it fits, and both anchors at the end."""
    agents = [agent for each in entrants for agent in running(each, task)]
    names = [name_of(each) for each in agents]
    return agents + [agent_named(name) for name in (WORST, task.reference) if name not in names]


def running(entrant: Agent | ModelsByTask, task: SuiteTask) -> list[Agent]:
    """Return the agents with which somebody runs on a task, none if on another one only."""
    if isinstance(entrant, ModelsByTask):
        return list(entrant.models.get(task.name, ()))
    return [entrant] if fits(entrant, task) else []


def check_fitting(entrants: Sequence[Agent | ModelsByTask], tasks: Sequence[SuiteTask]) -> None:
    """Make sure that everybody runs on one of the tasks.

    Raises:
        InvalidArgumentError: naming who does not.
    """
    for each in entrants:
        if not any(running(each, task) for task in tasks):
            allowed = f"of a kind and a K that is among {', '.join(task.name for task in tasks)}"
            raise InvalidArgumentError("agents", name_of(each), allowed)


def fits(agent: Agent, task: SuiteTask) -> bool:
    """Return whether an agent can run on a task: a trained one where K and the task are its own."""
    trained = trained_on(agent)
    here = {"task": task.task, "n_arms": task.population.n_arms}
    return all(trained.get(name, value) == value for name, value in here.items())
