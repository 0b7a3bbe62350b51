"""How a trained model is to be read: what it says itself, what is given, and what is asked for.

The spaces of this package say what they show (`envs.spaces.labelled`), and a model keeps the space
that it was trained on, in memory and in the file that Stable-Baselines3 writes.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import VecNormalize

from explorative_user_env.envs.bai_rules import MASKS
from explorative_user_env.envs.spaces import reading_of
from explorative_user_env.protocol import Array
from explorative_user_env.tasks import BAI, N_USERS, POPULATION, Task, as_task
from explorative_user_env.validation import InvalidArgumentError
from explorative_user_env.wrappers.features import POPULATION_OBSERVATIONS, bounds_of
from explorative_user_env.wrappers.surroundings import CHANGE_OBSERVATIONS


class Reading(NamedTuple):
    """What a model was trained on, as in `SB3Agent`."""

    task: Task
    observation: str
    horizon: int
    mask: str
    n_users: int


def reading(
    model: BaseAlgorithm,
    takes_masks: bool,
    task: Task | str | None,
    observation: str | None,
    horizon: int | None,
    mask: str | None,
    n_users: int | None = None,
) -> Reading:
    """Return how to read a model, from what it says itself and from what is given.

    Args:
        model: the model.
        takes_masks: whether its policy takes masks.
        task: as in `SB3Agent`; None is what the model says, and so are the others.
        observation: as in `SB3Agent`.
        horizon: as in `SB3Agent`.
        mask: as in `SB3Agent`.
        n_users: as in `SB3Agent`.

    Raises:
        InvalidArgumentError: naming what contradicts the model, or what it does not say.
    """
    if _observes_otherwise(model):
        raise not_read(
            model,
            "observations of this package as they are, or in VecNormalize, without another wrapper "
            "(NormalizeObservation, ...) above them, whose work a model does not keep",
        )
    known, name = _said(model), type(model).__name__
    of = as_task(_settled("task", None if task is None else as_task(task).name, known, name))
    seen = _settled("observation", observation, known, name)
    # A bare response has no scale, and whoever takes no masks or cannot answer needs no rule.
    scaled = seen != "response" or of == BAI
    horizon = _settled("horizon", horizon, known, name, None if scaled else of.horizon)
    if takes_masks and of == BAI:
        mask = _settled("mask", mask, known, name)
    if of == POPULATION:
        # Where nothing is scaled by it, it makes no difference.
        among = None if seen in POPULATION_OBSERVATIONS else N_USERS
        n_users = _settled("n_users", n_users, known, name, among)
    users = N_USERS if n_users is None else n_users
    return Reading(of, seen, horizon, MASKS[0] if mask is None else mask, users)


def arms_of(model: BaseAlgorithm, task: Task, observation: str) -> int:
    """Return K, and make sure that the model's spaces are those of the task and observation.

    Raises:
        InvalidArgumentError: if they are not.
    """
    n_actions = int(model.action_space.n)  # type: ignore[attr-defined]
    n_arms, rest = divmod(n_actions, 2) if task == BAI else (n_actions, 0)
    bounds = bounds_of(observation, n_arms)
    expected = spaces.Discrete(2) if bounds is None else spaces.Box(*bounds, dtype=np.float32)
    if rest or model.observation_space != expected:
        raise not_read(model, f"the task {task.name!r} and the observation {observation!r}")
    return n_arms


def normaliser_of(model: BaseAlgorithm, given: VecNormalize | None) -> VecNormalize | None:
    """Return what normalises a model's observations, None if they are as they are.

    Args:
        model: the model.
        given: what is said to; None is what the model was trained in, if that is known.

    Raises:
        InvalidArgumentError: if it is none, is not the model's, or is missing.
    """
    env = model.get_env()
    own = model.get_vec_normalize_env()
    own = own if own is not None and own.norm_obs else None
    if given is None:
        if own is None and _left_its_space(model):
            allowed = "the VecNormalize whose observations the model was trained on"
            raise InvalidArgumentError("normaliser", given, allowed)
        return own
    shape = model.observation_space.shape
    statistics: Any = getattr(given, "obs_rms", None)  # there where observations are normalised
    fits = isinstance(given, VecNormalize) and given.norm_obs
    if not fits or np.shape(statistics.mean) != shape or (env is not None and own is None):
        allowed = f"a VecNormalize of observations of shape {shape}, with which it was trained"
        raise InvalidArgumentError("normaliser", given, allowed)
    return given


def not_read(model: BaseAlgorithm, trained_on: str) -> InvalidArgumentError:
    """Return the error of a model that was not trained on what it should have been."""
    shown = f"{type(model).__name__}({model.observation_space}, {model.action_space})"
    shown = " ".join(shown.split())
    return InvalidArgumentError("model", shown, f"trained on {trained_on}")


def _observes_otherwise(model: BaseAlgorithm) -> bool:
    """Whether something besides our wrappers decided what a model observed, as far as is known."""
    env, space = model.get_env(), model.observation_space
    if isinstance(space, spaces.Box) and not space.is_bounded():  # as NormalizeObservation's is
        return True
    kinds: tuple[Any, ...] = CHANGE_OBSERVATIONS
    return env is not None and any(any(env.env_is_wrapped(kind)) for kind in kinds)


def _said(model: BaseAlgorithm) -> Mapping[str, Any]:
    """Return what the model and its environment say alike."""
    env = model.get_env()
    own = [model.observation_space] + ([] if env is None else [env.observation_space])
    labels = [label for label in map(reading_of, own) if label]
    first, last = (labels[0], labels[-1]) if labels else ({}, {})
    return {name: value for name, value in first.items() if last.get(name) == value}


def _settled(
    name: str, given: Any, known: Mapping[str, Any], model: str, otherwise: Any = None
) -> Any:
    """Return what is given or known; `otherwise` if neither is and it makes no difference."""
    if given is None:
        given = known.get(name, otherwise)
    if given is None:
        allowed = f"given, as {model} does not say on what it was trained"
        raise InvalidArgumentError(name, given, allowed)
    if given != known.get(name, given):
        allowed = f"{known[name]!r}, on which {model} was trained"
        raise InvalidArgumentError(name, given, allowed)
    return given


def _left_its_space(model: BaseAlgorithm) -> bool:
    """Whether the model's last observation, which is saved with it, cannot be one of its space."""
    space, last = model.observation_space, getattr(model, "_last_obs", None)
    if not isinstance(space, spaces.Box) or not isinstance(last, np.ndarray):
        return False
    outside: Array = (last < space.low) | (last > space.high)
    return bool(outside.any())
