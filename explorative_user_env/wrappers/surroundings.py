"""What a wrapper must know of the environment below it, and what it refuses to be put around.

Wrappers show what the user has heard and said, as her environment remembers it, whatever stands in
between: what was asked for need not be what happened. A wrapper in between that changes the
responses would do so in vain, and is refused.
"""

import copy
from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorEnv, VectorObservationWrapper, VectorWrapper
from gymnasium.wrappers import MaxAndSkipObservation, TimeLimit

from explorative_user_env.envs.registration import ENTRIES
from explorative_user_env.envs.spaces import labelled, reading_of
from explorative_user_env.tasks import kept_steps
from explorative_user_env.validation import InvalidArgumentError

CHANGE_OBSERVATIONS = (gym.ObservationWrapper, MaxAndSkipObservation, VectorObservationWrapper)
"""The wrappers of Gymnasium that say what is observed, by their kinds."""


def layers(env: Any) -> Iterator[Any]:
    """Return the wrappers around an environment, the outermost first."""
    while isinstance(env, gym.Wrapper | VectorWrapper):
        yield env
        env = env.env


def users_of(env: Any, kind: type[Any], wrapper: str) -> Any:
    """Return the environment of the user, if its responses arrive as they are.

    Args:
        env: what a wrapper is put around.
        kind: what it must be at the bottom.
        wrapper: the name of the wrapper.

    Raises:
        InvalidArgumentError: for another environment, or one whose observations are changed.
    """
    users = getattr(env, "unwrapped", None)
    if not isinstance(users, kind):
        many = issubclass(kind, VectorEnv)
        form = "the vector form of " if many else ""
        others = "one user: wrappers" if many else "many users: wrappers.vector"
        allowed = f"{form}{_ids_of(kind)} ({others})"
        raise InvalidArgumentError("env", env, allowed)
    for layer in layers(env):
        if isinstance(layer, CHANGE_OBSERVATIONS):
            raise changed(env, wrapper, type(layer).__name__)
    if _space(env) != _space(users):
        raise changed(env, wrapper, type(env).__name__)
    return users


def _ids_of(kind: type[Any]) -> str:
    """Return in words the ids of an environment's class and of those made of it."""
    names = {each.__name__ for each in (kind, *kind.__subclasses__())}
    *others, last = [name for name, entry in ENTRIES.items() if {entry.one, entry.many} & names]
    return f"{', '.join(others)} or {last}" if others else last


def changed(env: Any, wrapper: str, by: str = "what changes them") -> InvalidArgumentError:
    """Return the error of an environment whose responses are not those that its user gave.

    Args:
        env: what the wrapper is put around.
        wrapper: its name.
        by: the wrapper that changes them, where it is known.
    """
    allowed = f"an environment that hands on the user's responses and counts as they are (put {by} "
    return InvalidArgumentError("env", env, f"{allowed}above {wrapper}, and reset both)")


def counts_below(env: Any, kinds: tuple[type[Any], ...]) -> Any:
    """Return the `CountsObservation` in `env`, or its like, whose observations `SortedArms` sorts.

    Args:
        env: what `SortedArms` is put around.
        kinds: the classes that it may be of.

    Raises:
        InvalidArgumentError: if there is none, or its observations are changed on the way.
    """
    for layer in layers(env):
        if isinstance(layer, kinds):
            if _actions(env) != _actions(env.unwrapped):
                raise InvalidArgumentError("env", env, "an environment whose actions are arms")
            return layer
        if isinstance(layer, CHANGE_OBSERVATIONS):
            break
    raise InvalidArgumentError(
        "env",
        env,
        "wrapped in CountsObservation, and in nothing above it that changes observations",
    )


def horizon_of(env: Any, horizon: int | None) -> int:
    """Return the number of steps of an episode: what is given, or else the least limit there is."""
    if horizon is None:
        limits = [
            # Many users know their own limit; Gymnasium's specification of them says the id's.
            getattr(env.spec, "max_episode_steps", None) if isinstance(env, gym.Env) else None,
            getattr(env.unwrapped, "max_episode_steps", None),
            getattr(env.unwrapped, "horizon", None),
        ]
        limits += [each._max_episode_steps for each in layers(env) if isinstance(each, TimeLimit)]
        horizon = min((limit for limit in limits if limit is not None), default=None)
    if horizon is None:
        raise InvalidArgumentError("horizon", None, "given, as the environment has no time limit")
    return kept_steps("horizon", horizon)


def box(bounds: tuple[Any, Any], users: Any, observation: str, horizon: int) -> spaces.Space[Any]:
    """Return the space of observations between these bounds, which says what they are.

    Args:
        bounds: the least and the greatest values.
        users: the environment at the bottom.
        observation: the observation's name.
        horizon: what its scales end at.
    """
    reading = {**reading_of(_space(users)), "observation": observation, "horizon": horizon}
    return labelled(spaces.Box(*bounds, dtype=np.float32), **reading)


def sorted_space(space: spaces.Space[Any], counts: Any) -> spaces.Space[Any]:
    """Return the space of counts when arms are sorted: the same numbers by another name.

    Args:
        space: theirs.
        counts: the `CountsObservation` that they come from, or its like.
    """
    name = reading_of(_space(counts))["observation"]
    return labelled(copy.deepcopy(space), observation=f"sorted-{name}")


def _actions(env: Any) -> Any:
    """Return the space of one user's actions."""
    return getattr(env, "single_action_space", env.action_space)


def _space(env: Any) -> Any:
    """Return the space of one user's observations."""
    return getattr(env, "single_observation_space", env.observation_space)
