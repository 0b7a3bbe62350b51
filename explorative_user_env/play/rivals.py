"""What agents did with the very same user that a person has played with."""

import functools
import threading
from contextlib import suppress
from typing import NamedTuple

from explorative_user_env.agents import BAIR, TrackAndStop
from explorative_user_env.loop import rollout
from explorative_user_env.meeting import environment_of
from explorative_user_env.play.game import PLAYED, Game
from explorative_user_env.protocol import Agent, cap_of, name_of
from explorative_user_env.shipped import shipped_for
from explorative_user_env.tasks import BAI
from explorative_user_env.validation import MissingExtraError

LONGEST_RUN = 100_000
"""Steps at most of a rival that has no cap of its own; a person waits a second for it."""

_ONE_AT_A_TIME = threading.Lock()
"""A model is loaded once, and meets one user at a time."""


class Rival(NamedTuple):
    """What an agent did.

    Attributes:
        name: the agent's.
        interactions: how many recommendations it made.
        rejections: how many of them she rejected.
        answer: the arm that it named as her best.
        right: whether it is, and was named while she was there.
        end: how its run ended, as of an `Episode`: unless by itself, it answered as it was asked.
    """

    name: str
    interactions: int
    rejections: int
    answer: int
    right: bool
    end: int


def rivals_of(game: Game) -> tuple[list[Rival], list[str]]:
    """Return what each agent did with the user of a game, and in a line each what to know of it."""
    agents: list[Agent] = [BAIR(), TrackAndStop()]
    rivals = [_met(game, agent) for agent in agents]
    users = game.population
    shipped = shipped_for(BAI, game.n_arms, behaviour=users.behaviour.name, noise=users.user.noise)
    if shipped is None:
        return rivals, [f"No trained model of the package is for {game.n_arms} arms."]
    try:
        with _ONE_AT_A_TIME:
            rivals.append(_met(game, _loaded(shipped.name)))
    except MissingExtraError as error:
        return rivals, [f"A trained model plays as well, but {error}"]
    trained_with = shipped.settings["environment"].items()
    of = ", ".join(f"{name} {value}" for name, value in trained_with)
    return rivals, [f"{rivals[-1].name} was trained with users of {of}."]


def _met(game: Game, agent: Agent) -> Rival:
    env = environment_of(game.population, agent)
    # A model takes two hundred times as long for a step, and keeps all others waiting.
    longest = min(LONGEST_RUN, cap_of(agent) or LONGEST_RUN)
    episode = rollout(env, agent, game.seed, max_steps=longest)
    return Rival(
        name=name_of(agent),
        interactions=episode.stopping_time,
        rejections=episode.rejections,
        answer=episode.answer,
        right=episode.answer == env.instance().best_arm and not episode.left,
        end=episode.end,
    )


@functools.cache
def _loaded(name: str) -> Agent:
    """Return a model of the package.

    Raises:
        MissingExtraError: without Stable-Baselines3.
    """
    from explorative_user_env.rl.models import load_agent

    return load_agent(name)


def get_ready() -> None:
    """Load the model for a first game now, so that nobody waits for it; without one, do nothing."""
    shipped = shipped_for(BAI, PLAYED["n_arms"])
    with _ONE_AT_A_TIME, suppress(MissingExtraError):
        if shipped is not None:
            _loaded(shipped.name)
