"""Who takes part in a suite: an agent, or trained models of which each is for one task."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from explorative_user_env.agents import AGENTS, CARRIERS, REFERENCES, agent_named
from explorative_user_env.protocol import Agent, name_of, trained_on
from explorative_user_env.record_checks import check_fields
from explorative_user_env.results.records import record_of
from explorative_user_env.studies.suite.asked import SuiteTask
from explorative_user_env.studies.suite.records import WORST, tasks_named
from explorative_user_env.validation import InvalidArgumentError, sequence

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
