"""The fixed tasks of the suite, and its entrants: agents, or several models under one name."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any

from explorative_user_env import optimum, protocol
from explorative_user_env.agents import (
    AGENTS,
    UCB1,
    AlgorithmAgent,
    SuccessiveElimination,
    TransferElimination,
    agent_named,
)
from explorative_user_env.evaluation.runner import check_behaviour
from explorative_user_env.optimum import OptimalAgent
from explorative_user_env.protocol import Agent, as_task, listed, name_of, trained_on
from explorative_user_env.results.records import digest, record_of
from explorative_user_env.seeding import suite_seed
from explorative_user_env.users.population import Population, split_options
from explorative_user_env.validation import InvalidArgumentError


@dataclass(frozen=True)
class SuiteTask:
    """A task of the suite: its users, its kind, and the agent whose score is 1.

    Args:
        name: the name of the task, to quote in papers.
        task: "bai", "regret" or "population", as in `evaluate`.
        options: the options of `Population`.
        n_instances: the number of users, or the number of episodes in "population".
        seed: the seed of the users; tasks have different seeds, so that they are independent.
        reference: the agent whose score is 1.
        about: the purpose of the task.
        why: the reason for this reference.
        horizon: number of steps with each user, in "regret" and "population".
        baseline_time: T of agents without a stopping rule, in "bai".
        max_steps: step cap, in "bai".
        step_cost: c of the loss c T + error, in "bai".
        delta: allowed probability of a wrong answer.
        n_users: number of users in each episode, in "population".
        deviation: standard deviation of the users' means around common means, in "population".
        twin: the task that differs only in the law of the means; an agent's score in the two is
            the smaller one, so that knowing one law does not pay.

    Raises:
        InvalidArgumentError: if a value is not allowed.
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
    twin: str | None = None

    def __post_init__(self) -> None:
        check_behaviour(as_task(self.task), self.population)

    @property
    def population(self) -> Population:
        """The users of the task, as a record."""
        return Population(**self.options)

    def numbers(self) -> dict[str, Any]:
        """Return the arguments of `evaluate` for the task, without its kind, users and seed."""
        numbers = {each.name: getattr(self, each.name) for each in fields(self)[8:-1]}
        return {name: value for name, value in numbers.items() if value is not None}

    def arguments(self) -> dict[str, Any]:
        """Return the task as arguments of `evaluate`."""
        shared = {name: getattr(self, name) for name in ("task", "n_instances", "seed")}
        return {**shared, **self.numbers(), "population": self.population}


#: Version of the suite, to quote with scores; the tasks of a version never change.
SUITE_VERSION = "v2"

#: The agent with score 0 in every task, and the task of the paper's central cell.
WORST, CENTRAL = "UNI", "bai-k5"

#: A quick run has the first 1/QUICK_SHARE of the users.
QUICK_SHARE = 10

#: Agents of the package with options that were tuned on users outside the suite, by name. A policy
#: that was trained for a task must be compared with agents that were tuned for the task.
TUNED: dict[str, Callable[..., AlgorithmAgent]] = {
    "SE-3": partial(SuccessiveElimination, m=3, rejections="consecutive", name="SE-3"),
    "UCB1-.01": partial(UCB1, exploration=0.01, name="UCB1-.01"),
    "SE-transfer-.1": partial(TransferElimination, caution=0.1, name="SE-transfer-.1"),
}

#: The agent that knows the optimal policy of the tiny task.
OPTIMUM = "optimum"

#: Functions that make agents, by name in lower case; `agents.agent_named` makes all others.
OTHERS: dict[str, Callable[[], Agent]] = {name.lower(): make for name, make in TUNED.items()}

#: The agents of a run without `agents`. SE-ordered and SE-transfer equal SE with a single user, and
#: UCB1 with default options is far behind UCB1-.01.
DEFAULT_AGENTS = [
    *AGENTS,
    "BAIR-C",
    "SE",
    "Thompson",
    "Full-information",
    "oracle-champion",
    *TUNED,
]

#: The reason for each reference.
_LEAST = "no agent of the package without extra knowledge has significantly less loss, tuned or not"
_WHY = {
    "SE": "",
    "SE-3": ", as three rejections in a row are rare for a good arm",
    "SE-transfer-.1": ", as it remembers which arms all users reject",
    "UCB1-.01": "",
    OPTIMUM: ": no agent can have less loss",
}


def entrant_named(name: str) -> Agent:
    """Return the agent with this name in `OTHERS`, or else the package's agent."""
    make = OTHERS.get(name.lower())
    return agent_named(name) if make is None else make()


def _bai(baseline_time: int, step_cost: float, max_steps: int = 20_000) -> dict[str, Any]:
    numbers = {"baseline_time": baseline_time, "max_steps": max_steps, "step_cost": step_cost}
    return {"task": protocol.BAI.name, **numbers}


_REGRET = {"task": protocol.REGRET.name, "horizon": protocol.REGRET.horizon}
_MEMBERS = {"task": protocol.POPULATION.name, "horizon": protocol.POPULATION.horizon}
_MEMBERS |= {"n_users": protocol.N_USERS, "deviation": protocol.DEVIATION}
_TWICE = {"n_instances": 2 * protocol.N_INSTANCES}

#: The tiny task as a regret task, so that agents without a stopping rule compete.
TINY = optimum.TinyTask(horizon=14, task=protocol.REGRET.name)
OTHERS[OPTIMUM] = partial(OptimalAgent, TINY)


#: The purpose of each task.
_ABOUT = {
    "tiny-regret": "The users of ExplorativeUserTiny-v0; the optimum has score 1.",
    "bai-k5": "The paper's central cell.",
    "bai-k5-uniform": "Like bai-k5, with means from Uniform(0, 1).",
    "bai-k100": "A hundred arms.",
    "bai-k100-uniform": "Like bai-k100, with means from Uniform(0, 1).",
    "regret-k5": "Recommend well, without an answer.",
    "regret-k20": "Many arms for the horizon.",
    "noisy-k5": "One response in five is a coin flip.",
    "forgetful-k5": "The user forgets, and accepts arms again that she rejected.",
    "drifting-k5": "The means move; the best arm is the one at the time of the answer.",
    "logistic-k5": "The user accepts at random, better arms more often.",
    "impatient-k5": "One rejection in fifty makes the user leave; the remaining steps are lost.",
    "population-k20": "One user after another: an agent that remembers popular arms explores less.",
    "varied-k5": "Every user has an alpha, rho, noise and gap of her own.",
}

#: The options of the users of each task, and its numbers. The cost c of a step is half of the
#: `step_cost` of the environments, whose return is therefore 1 - 2 (c T + error).
_NUMBERS: tuple[dict[str, Any], ...] = (
    {**TINY.user_options, **_REGRET, "horizon": TINY.horizon, "reference": OPTIMUM},
    {"n_arms": 5, **_bai(600, 2.5e-4)},
    {"n_arms": 5, "means": "uniform", **_bai(600, 2.5e-4), "twin": "bai-k5"},
    {"n_arms": 100, **_bai(2500, 5e-5)},
    {"n_arms": 100, "means": "uniform", **_bai(2500, 5e-5), "twin": "bai-k100"},
    {"n_arms": 5, **_REGRET},
    {"n_arms": 20, **_REGRET},
    {"noise": 0.2, **_REGRET, "reference": "SE-3"},
    {"behaviour": "forgetful", **_bai(1800, 5e-5, 8000), **_TWICE},
    {"behaviour": "drifting", **_bai(800, 1.25e-4, 3000), **_TWICE, "reference": "SE-3"},
    {"behaviour": "logistic", **_REGRET},
    {"behaviour": "impatient", **_REGRET, **_TWICE, "reference": "UCB1-.01"},
    {"n_arms": 20, **_MEMBERS, "n_instances": 300, "reference": "SE-transfer-.1"},
    {"behaviour": "varied", **_REGRET, "reference": "SE-3"},
)


def _tasks() -> Iterator[SuiteTask]:
    for seed, ((name, about), given) in enumerate(zip(_ABOUT.items(), _NUMBERS, strict=True), 1801):
        options, numbers = split_options(given)
        numbers = {"n_instances": protocol.N_INSTANCES, "reference": "SE", **numbers}
        why = f"{_LEAST}{_WHY[numbers['reference']]}"
        yield SuiteTask(name, options=options, seed=seed, about=about, why=why, **numbers)


#: The tasks in the order of tables; their seeds are consecutive.
SUITE = tuple(_tasks())


def suite_digest(tasks: Sequence[SuiteTask] = SUITE) -> str:
    """Return a digest of tasks, without their descriptions `about` and `why`."""
    names = [each.name for each in fields(SuiteTask) if each.compare]
    return digest([{name: record_of(getattr(task, name)) for name in names} for task in tasks])[:16]


def tasks_named(names: Sequence[str] | None) -> tuple[SuiteTask, ...]:
    """Return the tasks with these names; None returns all tasks."""
    return named("task", names, SUITE)


def named(kind: str, names: Sequence[str] | None, things: Iterable[Any]) -> tuple[Any, ...]:
    """Return the objects with these `names`, in the order of `names`; None returns all objects."""
    known = {thing.name: thing for thing in things}
    for name in names or ():
        if name not in known:
            raise InvalidArgumentError(kind, name, f"one of {', '.join(known)}")
    return tuple(known[name] for name in dict.fromkeys(names or known))


@dataclass(frozen=True)
class SuiteRun:
    """A run of the suite.

    Args:
        tasks: names of the tasks; None runs all tasks.
        quick: whether to run only the first tenth of the users.
        seed: a seed, at least 0, that draws other users; None keeps the users of the suite.

    Raises:
        InvalidArgumentError: if a name is unknown, or the seed is below 0.
    """

    tasks: Sequence[str] | None = None
    quick: bool = False
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.tasks is not None and not self.tasks:
            raise InvalidArgumentError("tasks", list(self.tasks), "a non-empty list of task names")
        self.records()

    @property
    def title(self) -> str:
        """The name by which to cite the run: the version, and differences from the full suite."""
        n_tasks, words = len(self.records()), [f"suite {SUITE_VERSION}"]
        words += [f"seed {self.seed}"] * (self.seed is not None)
        words += [f"1 in {QUICK_SHARE} users"] * self.quick
        words += [f"{n_tasks} of {len(SUITE)} tasks"] * (n_tasks < len(SUITE))
        return ", ".join(words)

    def records(self) -> tuple[SuiteTask, ...]:
        """Return the tasks with the seeds and numbers of users of this run."""
        tasks = tasks_named(self.tasks)
        if self.seed is not None:
            tasks = tuple(replace(each, seed=suite_seed(self.seed, each.name)) for each in tasks)
        if self.quick:
            tasks = tuple(replace(e, n_instances=e.n_instances // QUICK_SHARE) for e in tasks)
        return tasks


def entrant_of(agent: str) -> str:
    """Return the name under which an agent is scored: "PPO" for the training "PPO #0"."""
    match = re.fullmatch(r"(.+) #\d+", agent)
    return match[1] if match else agent


def training_name(entrant: str, number: int) -> str:
    """Return the name of the agent from one of several trainings, such as "PPO #0"."""
    return f"{entrant} #{number}"


def model_and_task(name: str) -> tuple[str, str] | None:
    """Split a name "model (task)" into model and task; return None for any other name."""
    match = re.fullmatch(r"(.+) \(([^()]+)\)", name)
    known = match is not None and any(task.name == match[2] for task in SUITE)
    return (match[1], match[2]) if match and known else None


@dataclass(frozen=True)
class ModelsByTask:
    """Trained models that are scored as one agent; each runs on the task that it was trained for.

    Args:
        name: the name of the agent in tables.
        models: a list of models for each task name, with one model per training. A model is named
            `name` or `training_name(name, i)`.

    Raises:
        InvalidArgumentError: if a task is unknown, or a model has another name.
    """

    name: str
    models: Mapping[str, Sequence[Agent]] = field(hash=False)

    def __post_init__(self) -> None:
        tasks_named(list(self.models))
        for model in self.agents():
            if entrant_of(name_of(model)) != self.name:
                allowed = f"named {self.name}, or {training_name(self.name, 0)} and so on"
                raise InvalidArgumentError("models", name_of(model), allowed)

    def agents(self) -> list[Agent]:
        """Return all models."""
        return [model for models in self.models.values() for model in models]


#: Argument for an entrant: an agent, the name of an agent of the package, or models by task.
EntrantLike = Agent | str | ModelsByTask


def as_entrants(agents: EntrantLike | Iterable[EntrantLike] | None) -> list[Agent | ModelsByTask]:
    """Return the agents and models to score; None gives all agents of the package."""
    agents = DEFAULT_AGENTS if agents is None else agents
    given = [agents] if isinstance(agents, ModelsByTask) else listed(agents)
    entrants = [entrant_named(each) if isinstance(each, str) else each for each in given]
    names = [name_of(each) for each in entrants]
    if not names or len(set(names)) < len(names):
        raise InvalidArgumentError("agents", names, "agents with different names (set name=...)")
    anchors = {WORST} | {task.reference for task in SUITE}
    for name, each in zip(names, entrants, strict=True):
        if name in anchors and record_of(each) != record_of(entrant_named(name)):
            allowed = f"agents with other names than {name}, which has score 0 or 1"
            raise InvalidArgumentError("agents", name, allowed)
    return entrants


def agents_by_name(entrants: Iterable[Agent | ModelsByTask]) -> dict[str, Agent]:
    """Return {name: agent} for all agents and models; the name of a model is "model (task)"."""
    agents: dict[str, Agent] = {}
    for each in entrants:
        if isinstance(each, ModelsByTask):
            for task, models in each.models.items():
                agents |= {f"{name_of(model)} ({task})": model for model in models}
        else:
            agents[name_of(each)] = each
    return agents


def line_up_for(task: SuiteTask, entrants: Sequence[Agent | ModelsByTask]) -> list[Agent]:
    """Return the agents of `entrants` for a task, then UNI and the task's reference agent."""
    agents = [agent for each in entrants for agent in running(each, task)]
    names = [name_of(each) for each in agents]
    return agents + [entrant_named(name) for name in (WORST, task.reference) if name not in names]


def running(entrant: Agent | ModelsByTask, task: SuiteTask) -> list[Agent]:
    """Return the agent or the models that run on a task.

    An agent that was trained for another task or K does not run. Nor does an agent of the package
    that carries over what it learns, in a task with single users, where it equals SE.
    """
    if isinstance(entrant, ModelsByTask):
        return list(entrant.models.get(task.name, ()))
    carries = isinstance(entrant, AlgorithmAgent) and entrant.algorithm.next_user is not None
    if carries and task.task != protocol.POPULATION.name:
        return []
    trained = trained_on(entrant)
    needs = {"task": task.task, "n_arms": task.population.n_arms}
    return [entrant] if all(trained.get(name, x) == x for name, x in needs.items()) else []
