"""The tasks of the suite, which are frozen, and the agents that take part in them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from explorative_user_env import protocol
from explorative_user_env.agents import AGENTS, CARRIERS, REFERENCES, agent_named
from explorative_user_env.evaluation.runner import check_behaviour
from explorative_user_env.protocol import Agent, as_task, name_of, trained_on
from explorative_user_env.results.records import digest, record_of
from explorative_user_env.seeding import suite_seed
from explorative_user_env.users.population import Population, split_options
from explorative_user_env.validation import InvalidArgumentError, sequence


@dataclass(frozen=True)
class SuiteTask:
    """A task of the suite: its users, its question, and the agent whose score is 1.

    Args:
        name: the task's name, here and in papers.
        task: "bai", "regret" or "population", as in `evaluate`.
        options: the options of `Population`.
        n_instances: the number of users, or of episodes.
        seed: of the users; each task has its own, so that tasks are independent.
        reference: the agent whose score is 1.
        about: the purpose of the task.
        why: the reason for this reference.
        horizon: steps of "regret", or with each user of "population".
        baseline_time: T of the agents that do not stop by themselves, in "bai".
        max_steps: step cap of "bai".
        step_cost: c of the loss c T + error of "bai".
        delta: allowed probability of a wrong answer.
        n_users: users of an episode of "population".
        deviation: standard deviation of their means around the popular means.

    Raises:
        InvalidArgumentError: for a value that is not allowed.
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
    delta: float = protocol.DELTA
    n_users: int | None = None
    deviation: float | None = None

    def __post_init__(self) -> None:
        check_behaviour(as_task(self.task), self.population)

    @property
    def population(self) -> Population:
        """The users."""
        return Population(**self.options)

    def numbers(self) -> dict[str, Any]:
        """Return the arguments of `evaluate` that the task sets, but for users and seed."""
        numbers = {each.name: getattr(self, each.name) for each in fields(self)[8:]}
        return {name: value for name, value in numbers.items() if value is not None}

    def arguments(self) -> dict[str, Any]:
        """Return the task as arguments of `evaluate`."""
        shared = {name: getattr(self, name) for name in ("task", "n_instances", "seed")}
        return {**shared, **self.numbers(), "population": self.population}


#: Published numbers name it; the tasks of a version never change.
SUITE_VERSION = "v1"

#: The agent whose score is 0 in every task, and the task that is the paper's central cell.
WORST, CENTRAL = "UNI", "bai-k5"

#: A quick run has one in so many of the users, the first ones.
QUICK_SHARE = 10

#: Why an agent is a reference.
_LEAST = "it loses the least of the package's agents that see no rewards"
_WHY = {
    "SE": ": nobody can tell arms apart before a rejection, and elimination wastes little after it",
    "SE-transfer": ", as it carries over which arms are behind with everybody",
    "Thompson": ": an agent that drops an arm for good, or trusts the numbers of all users "
    "together, is wrong with many",
}


def _bai(baseline_time: int, step_cost: float, max_steps: int = 20_000) -> dict[str, Any]:
    numbers = {"baseline_time": baseline_time, "max_steps": max_steps, "step_cost": step_cost}
    return {"task": protocol.BAI.name, **numbers}


_REGRET = {"task": protocol.REGRET.name, "horizon": protocol.REGRET.horizon}
_MEMBERS = {"task": protocol.POPULATION.name, "horizon": protocol.POPULATION.horizon}
_MEMBERS |= {"n_users": protocol.N_USERS, "deviation": protocol.DEVIATION}
_TWICE = {"n_instances": 2 * protocol.N_INSTANCES}


#: The purpose of each task.
_ABOUT = {
    "bai-k2": "Two arms.",
    "bai-k5": "The paper's central cell.",
    "bai-k20": "Many arms.",
    "bai-k100": "More arms than patience.",
    "regret-k5": "Recommend well, name nobody.",
    "regret-k20": "Too many arms for the horizon.",
    "noisy-k5": "One click in five is a coin flip.",
    "forgetful-k5": "She forgets, and accepts again what she rejected.",
    "drifting-k5": "Her means move; the best arm is that of the moment it is named.",
    "logistic-k5": "She accepts by chance, the surer the better.",
    "impatient-k5": "A rejection in fifty makes her leave, and all that remains is lost.",
    "population-k20": "One user after another; who remembers what is popular asks the next one "
    "less.",
    "varied-k5": "No two are alike: alpha, rho, noise and gap are each user's own.",
}

#: The users of each task, and its numbers.
_NUMBERS: tuple[dict[str, Any], ...] = (
    {"n_arms": 2, **_bai(400, 5e-4)},
    {"n_arms": 5, **_bai(600, 5e-4)},
    {"n_arms": 20, **_bai(1000, 2.5e-4)},
    {"n_arms": 100, **_bai(2500, 1e-4)},
    {"n_arms": 5, **_REGRET},
    {"n_arms": 20, **_REGRET},
    {"noise": 0.2, **_REGRET},
    {"behaviour": "forgetful", **_bai(1800, 1e-4, 8000), **_TWICE},
    {"behaviour": "drifting", **_bai(800, 2.5e-4, 3000), **_TWICE},
    {"behaviour": "logistic", **_REGRET},
    {"behaviour": "impatient", **_REGRET, **_TWICE},
    {"n_arms": 20, **_MEMBERS, "n_instances": 300, "reference": "SE-transfer"},
    {"behaviour": "varied", **_REGRET, "reference": "Thompson"},
)


def _tasks() -> Iterator[SuiteTask]:
    for seed, ((name, about), given) in enumerate(zip(_ABOUT.items(), _NUMBERS, strict=True), 1701):
        options, numbers = split_options(given)
        numbers = {"n_instances": protocol.N_INSTANCES, "reference": "SE", **numbers}
        why = f"{_LEAST}{_WHY[numbers['reference']]}"
        yield SuiteTask(name, options=options, seed=seed, about=about, why=why, **numbers)


#: The tasks, in the order in which they are shown; each has the next seed.
SUITE = tuple(_tasks())


def suite_digest(tasks: Sequence[SuiteTask] = SUITE) -> str:
    """Return a digest of these tasks; words about them are left out."""
    names = [each.name for each in fields(SuiteTask) if each.compare]
    return digest([{name: record_of(getattr(task, name)) for name in names} for task in tasks])[:16]


def tasks_named(names: Sequence[str] | None) -> tuple[SuiteTask, ...]:
    """Return the tasks of these names, all of them for None."""
    return named("task", names, SUITE)


def named(kind: str, names: Sequence[str] | None, things: Iterable[Any]) -> tuple[Any, ...]:
    """Return the things of these names, each once and in the order of the names; all for None."""
    known = {thing.name: thing for thing in things}
    for name in names or ():
        if name not in known:
            raise InvalidArgumentError(kind, name, "one of " + ", ".join(known))
    return tuple(known[name] for name in dict.fromkeys(names or known))


@dataclass(frozen=True)
class SuiteRun:
    """A run of the suite.

    Args:
        tasks: names of the tasks; None is all.
        quick: whether with a tenth of the users.
        seed: the seed of other users than the suite's, None for the suite's.

    Raises:
        InvalidArgumentError: for an unknown name, or a seed below 0.
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
        """The words to quote: the version, and how the run differs from the whole suite."""
        n_tasks, words = len(self.records()), [f"suite {SUITE_VERSION}"]
        words += [f"seed {self.seed}"] * (self.seed is not None)
        words += [f"1 in {QUICK_SHARE} users"] * self.quick
        words += [f"{n_tasks} of {len(SUITE)} tasks"] * (n_tasks < len(SUITE))
        return ", ".join(words)

    def records(self) -> tuple[SuiteTask, ...]:
        """Return the tasks as they are run."""
        found = tasks_named(self.tasks)
        if self.seed is not None:
            found = tuple(replace(each, seed=suite_seed(self.seed, each.name)) for each in found)
        if self.quick:
            found = tuple(replace(e, n_instances=e.n_instances // QUICK_SHARE) for e in found)
        return found


def entrant_of(agent: str) -> str:
    """Return the entrant of an agent: "PPO #0" and "PPO #1" are trainings of "PPO"."""
    found = re.fullmatch(r"(.+) #\d+", agent)
    return found[1] if found else agent


def training_name(entrant: str, number: int) -> str:
    """Return the name of the training of this number."""
    return f"{entrant} #{number}"


def model_and_task(name: str) -> tuple[str, str] | None:
    """Return model and task of a name "model (task)" from `agents_by_name`, None otherwise."""
    found = re.fullmatch(r"(.+) \(([^()]+)\)", name)
    known = found is not None and any(task.name == found[2] for task in SUITE)
    return (found[1], found[2]) if found and known else None


@dataclass(frozen=True)
class ModelsByTask:
    """Trained models that take part as one entrant, each in the tasks it is for.

    Args:
        name: the entrant's name in tables.
        models: by the name of a task its models, one a training; their names are `name`, or
            `training_name(name, i)`.

    Raises:
        InvalidArgumentError: for an unknown task, or a model with another name.
    """

    name: str
    models: Mapping[str, Sequence[Agent]] = field(hash=False)

    def __post_init__(self) -> None:
        tasks_named(list(self.models))
        for model in self.agents():
            if entrant_of(name_of(model)) != self.name:
                allowed = f"called {self.name}, or {training_name(self.name, 0)} and so on"
                raise InvalidArgumentError("models", name_of(model), allowed)

    def agents(self) -> list[Agent]:
        """Return all models."""
        return [model for models in self.models.values() for model in models]


#: An entrant: an agent, the name of one of the package's, or models by task.
EntrantLike = Agent | str | ModelsByTask


def as_entrants(agents: Iterable[EntrantLike] | None) -> list[Agent | ModelsByTask]:
    """Return the entrants, checked: all agents of the package for None."""
    agents = [*AGENTS, *REFERENCES, *CARRIERS] if agents is None else agents
    given = sequence("agents", agents, "a list of agents, as [BAIR()]")
    found = [agent_named(each) if isinstance(each, str) else each for each in given]
    names = [name_of(each) for each in found]
    if not names or len(set(names)) < len(names):
        raise InvalidArgumentError("agents", names, "agents with different names (give name=...)")
    anchors = {WORST} | {task.reference for task in SUITE}
    for name, each in zip(names, found, strict=True):
        if name in anchors and record_of(each) != record_of(agent_named(name)):
            allowed = f"with another name than {name}, which scores are measured against"
            raise InvalidArgumentError("agents", name, allowed)
    return found


def agents_by_name(entrants: Iterable[Agent | ModelsByTask]) -> dict[str, Agent]:
    """Return all agents of the entrants, models by the names of model and task."""
    found: dict[str, Agent] = {}
    for each in entrants:
        if isinstance(each, ModelsByTask):
            for task, models in each.models.items():
                found |= {f"{name_of(model)} ({task})": model for model in models}
        else:
            found[name_of(each)] = each
    return found


def line_up_for(task: SuiteTask, entrants: Sequence[Agent | ModelsByTask]) -> list[Agent]:
    """Return the agents that run on a task: those whom it fits, and both anchors at the end."""
    agents = [agent for each in entrants for agent in running(each, task)]
    names = [name_of(each) for each in agents]
    return agents + [agent_named(name) for name in (WORST, task.reference) if name not in names]


def running(entrant: Agent | ModelsByTask, task: SuiteTask) -> list[Agent]:
    """Return the agents of an entrant that run on a task: of its K and kind, if it was trained."""
    if isinstance(entrant, ModelsByTask):
        return list(entrant.models.get(task.name, ()))
    trained = trained_on(entrant)
    here = {"task": task.task, "n_arms": task.population.n_arms}
    return [entrant] if all(trained.get(name, own) == own for name, own in here.items()) else []
