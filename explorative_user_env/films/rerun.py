"""What is needed to watch a run again: who met, and how."""

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import gymnasium as gym

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.meeting import environment_of, population_in
from explorative_user_env.population import Population
from explorative_user_env.protocol import Agent, name_of
from explorative_user_env.validation import CallableError, InvalidArgumentError

if TYPE_CHECKING:
    from explorative_user_env.films.camera import Again, Hear


@dataclass(frozen=True)
class Rerun:
    """Who met in a run, and how.

    Attributes:
        population: the users.
        agent: the agent, as it was told of them. It is copied to be watched, and stays as it is.
        delta: of an agent without one of its own.
        shows_intervals: whether the user's intervals were to be seen all along.
        again: lets an agent meet the user of an environment in the same way.
    """

    population: Population
    agent: Agent
    delta: float
    shows_intervals: bool
    again: "Again"

    @property
    def delta_of_agent(self) -> float:
        """The agent's delta, or the one for those that have none."""
        own = self.agent.options.get("delta") if isinstance(self.agent, AlgorithmAgent) else None
        return self.delta if own is None else float(own)


def rerun_in(env: gym.Env[Any, Any], agent: Agent, delta: float, again: "Again") -> Rerun | None:
    """Return how the same happens again; None with users that are not this package's."""
    users = population_in(env)
    if users is None:
        return None
    shows = bool(getattr(env.unwrapped, "render_intervals", False))
    return Rerun(users, agent, delta, shows, again)


class Watchable(Protocol):
    """A run that may be watched again: an `Episode`."""

    @property
    def agent(self) -> str:
        """The agent's name."""

    @property
    def seed(self) -> int:
        """The user's seed."""

    @property
    def arms(self) -> tuple[int, ...]:
        """The recommended arm of each step."""

    @property
    def accepted(self) -> tuple[bool, ...]:
        """The response of each step."""

    @property
    def answer(self) -> int:
        """The arm that was named."""

    @property
    def end(self) -> int:
        """How it ended, as of an `Episode`."""

    @property
    def rerun(self) -> Rerun | None:
        """Who met, and how; None where that is not known any more."""


def rerun_of(run: Watchable) -> Rerun:
    """Return who met in a run, and how.

    Raises:
        InvalidArgumentError: where nobody knows any more.
    """
    if run.rerun is None:
        allowed = "one that rollout or replay has made here, with users of this package"
        raise InvalidArgumentError("episode", run, allowed)
    return run.rerun


def watch_again(run: Watchable, hear: "Hear") -> None:
    """Let the same happen again, and hand every moment of it to `hear`.

    Raises:
        InvalidArgumentError: if something else happens, as with an agent that has changed.
        CallableError: if the agent's code fails.
    """
    from explorative_user_env.films.camera import shoot  # only who watches needs pictures

    rerun = rerun_of(run)
    try:
        agent = copy.deepcopy(rerun.agent)
    except Exception as error:
        raise CallableError.of(f"a copy of {run.agent}", error, "to watch it again") from error
    found = shoot(environment_of(rerun.population, agent), agent, rerun.again, hear)
    parts = ("arms", "accepted", "answer", "end")
    if any(getattr(found, part) != getattr(run, part) for part in parts):
        allowed = f"a run that {name_of(agent)} repeats; it, or its user, is another by now"
        raise InvalidArgumentError("episode", run, allowed)
