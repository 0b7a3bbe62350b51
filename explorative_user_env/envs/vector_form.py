"""The form of vector environments: what they are called with, checked, and their infos, stacked."""

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from explorative_user_env.envs.lanes import Step
from explorative_user_env.protocol import Array
from explorative_user_env.seeding import seed_number
from explorative_user_env.validation import InvalidArgumentError, choice, count, integer

Infos = dict[str, Any]

WHOLE_NUMBER = np.dtype(int)
"""Of numbers that are arms already."""

MOST_LANES = 1_000_000
"""Users in step, each of whom has a random stream of a KB, and each step a pass over all."""

MOST_ARMS_IN_STEP = 50_000_000
"""Arms of all users in step together, which take some 5 GB."""


def number_of_lanes(num_envs: Any, n_arms: int) -> int:
    """Return the number of users in step as an int: as many as there is room for."""
    lanes = count("num_envs", num_envs, 1, MOST_LANES)
    if lanes * n_arms > MOST_ARMS_IN_STEP:
        allowed = f"at most {MOST_ARMS_IN_STEP // n_arms} with {n_arms} arms"
        raise InvalidArgumentError("num_envs", lanes, allowed)
    return lanes


def lane_seeds(seed: int | Sequence[int | None] | None, n_lanes: int) -> list[int | None]:
    """Return a seed, or None, for each lane; an int s means s, s + 1, and so on."""
    if seed is None:
        return [None] * n_lanes
    several = isinstance(seed, Sequence) and not isinstance(seed, str | bytes)
    if several or (isinstance(seed, np.ndarray) and seed.ndim > 0):
        assert not isinstance(seed, int)
        if len(seed) != n_lanes:
            raise InvalidArgumentError("seed", seed, f"a number or {n_lanes} of them")
        return [None if each is None else seed_number(each) for each in seed]
    first = seed_number(seed)
    return [first + lane for lane in range(n_lanes)]


def lane_mask(mask: Any, n_lanes: int) -> Array:
    """Return which lanes are meant; None means all."""
    if mask is None:
        return np.ones(n_lanes, bool)
    if (
        not isinstance(mask, np.ndarray)
        or mask.dtype != bool
        or mask.shape != (n_lanes,)
        or not mask.any()
    ):
        allowed = f"an array of {n_lanes} bools, one of them True"
        raise InvalidArgumentError("reset_mask", mask, allowed)
    return mask


def lane_options(options: Any) -> dict[str, Any]:
    """Return a copy of a reset's options, which can be taken from."""
    if options is not None and not isinstance(options, Mapping):
        raise InvalidArgumentError("options", options, "None or a dict")
    return dict(options or {})


def lane_arms(actions: Any, n_lanes: int, n_arms: int, what: str = "arms") -> Array:
    """Return an int for each lane; whether each is in range is left to whoever uses them."""
    if (
        type(actions) is np.ndarray
        and actions.dtype == WHOLE_NUMBER
        and actions.shape == (n_lanes,)
    ):
        return actions  # as nearly all are: not looked at any closer
    try:
        choices: Array = np.asarray(actions)
    except ValueError as error:  # lists of lists of different lengths
        raise no_arms(actions, n_lanes, n_arms, what) from error
    if choices.shape != (n_lanes,) or choices.dtype.kind not in "iu":
        raise no_arms(actions, n_lanes, n_arms, what)
    return choices.astype(int, copy=False)


def lane_actions(actions: Any, n_lanes: int, n_actions: int) -> Array:
    """Return an int in 0..n_actions-1 for each lane."""
    chosen = lane_arms(actions, n_lanes, n_actions, "actions")
    if chosen.min() < 0 or chosen.max() >= n_actions:
        raise no_arms(actions, n_lanes, n_actions, "actions")
    return chosen


def no_arms(actions: Any, n_lanes: int, n_arms: int, what: str = "arms") -> InvalidArgumentError:
    """Return the error of actions that are not an arm for each lane, or whatever they should be."""
    allowed = f"{n_lanes} {what} in 0..{n_arms - 1}"
    return InvalidArgumentError("actions", actions, allowed)


def time_limit(max_episode_steps: int | None) -> int | None:
    """Return the number of steps after which lanes are truncated; None and -1 are never."""
    if max_episode_steps is None:
        return None
    if isinstance(max_episode_steps, Integral) and max_episode_steps == -1:
        return None
    return integer("max_episode_steps", max_episode_steps, 1)


def autoreset_mode_of(mode: AutoresetMode | str) -> AutoresetMode:
    """Return the autoreset mode meant: itself, or the one with this value."""
    if isinstance(mode, AutoresetMode):
        return mode
    return AutoresetMode(choice("autoreset_mode", mode, [each.value for each in AutoresetMode]))


def infos_of(
    step: Step,
    has_response: Array | None,
    mask: Array | None = None,
    truths: Array | None = None,
) -> Infos:
    """Return the infos of all lanes, or of those in the mask, as Gymnasium stacks them.

    Args:
        step: what came of a step, or what there is before the first.
        has_response: which lanes have a response, shape (n_lanes,), bool; None is all.
        mask: which lanes have an info; None is all.
        truths: the hidden state of each lane, where it is asked for.
    """
    n_lanes = step.responses.size
    values = {
        "has_response": np.ones(n_lanes, bool) if has_response is None else has_response,
        "interactions": step.interactions,
        "acceptances": step.acceptances,
        "rejections": step.rejections,
    }
    if truths is not None:
        values["hidden_state"] = truths
    return stacked(values, mask)


def stacked(values: Mapping[str, Array], mask: Array | None = None) -> Infos:
    """Return arrays of the lanes' values, each with a mask of the lanes that have it.

    Args:
        values: an array for each key.
        mask: which lanes have values; None is all.
    """
    infos: Infos = {}
    for key, array in values.items():
        infos[key] = array
        infos[f"_{key}"] = np.ones(array.size, bool) if mask is None else mask.copy()
    return infos


def shown_in(values: Mapping[str, Array], mask: Array | None) -> dict[str, Array]:
    """Return copies of the lanes' values, with nothing in the lanes that are not in the mask.

    Args:
        values: an array for each key.
        mask: which lanes have values; None is all.
    """
    if mask is None:
        return {name: each.copy() for name, each in values.items()}
    return {name: np.where(mask, each, np.zeros((), each.dtype)) for name, each in values.items()}


def final(finished: Array, observations: Array, infos: Mapping[str, Array]) -> Infos:
    """Return the last observations and infos of the lanes that are finished."""
    last_observations = np.full(finished.size, None, dtype=object)
    last_observations[finished] = observations[finished]
    last: Infos = {}
    for key, values in infos.items():
        last[key] = values.copy()
        last[key][~finished] = None if values.dtype == object else 0
    final_info = {"final_info": last, "_final_info": finished.copy()}
    return stacked({"final_obs": last_observations}, finished) | final_info
