"""What a vector environment hands out is nobody else's, and tells nothing secret."""

from itertools import combinations
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from alike import told
from gymnasium.vector import AutoresetMode
from vector_env import COUNTERS, begun, everything

from explorative_user_env import ENV_ID

MASKS = {f"_{key}" for key in COUNTERS}
FINAL = {"final_obs", "_final_obs", "final_info", "_final_info"}


ARRAYS = (dict, list, tuple, np.ndarray)


def scribble(value: Any) -> None:
    """Write nonsense into every array there is."""
    for each in value.values() if isinstance(value, dict) else value:
        if isinstance(each, dict):
            scribble(each)
        elif isinstance(each, np.ndarray):
            each[:] = True if each.dtype == bool else 77


@pytest.mark.parametrize("kwargs", [{}, {"info_level": "full"}, {"max_episode_steps": None}])
def test_arrays_that_are_handed_out_are_nobody_elses(
    mode: AutoresetMode, compiled: bool, kwargs: dict[str, Any]
) -> None:
    kwargs = {"autoreset_mode": mode, "max_episode_steps": 5} | kwargs
    vector, twin = begun(compiled, **kwargs), begun(compiled, **kwargs)
    arms = np.random.default_rng(2)
    for t in range(20):
        actions = arms.integers(4, size=3)
        one, other = vector.step(actions), twin.step(actions.copy())
        assert told(one) == told(other)
        truncated = other[3].copy()
        scribble((*one, actions))
        again = t % 6 == 1 or (mode == AutoresetMode.DISABLED and truncated.any())
        for lane in (1, 2) if again else ():
            mask, means = truncated | (np.arange(3) == lane), np.arange(4.0)
            one_reset = vector.reset(options={"reset_mask": mask, "means": means})
            kept = {"reset_mask": mask.copy(), "means": means.copy()}
            assert told(one_reset) == told(twin.reset(options=kept))
            scribble((*one_reset, mask, means))
    assert everything(vector) == everything(twin)


def arrays_of(value: Any) -> list[np.ndarray]:
    """Return every array there is in what is handed out."""
    if isinstance(value, np.ndarray):
        return [value]
    parts = value.values() if isinstance(value, dict) else value
    return [array for part in parts if isinstance(part, ARRAYS) for array in arrays_of(part)]


def test_no_two_arrays_that_are_handed_out_or_taken_are_one(
    mode: AutoresetMode, compiled: bool
) -> None:
    vector = begun(compiled, autoreset_mode=mode, max_episode_steps=3, info_level="full")
    actions, mask = np.array([0, 1, 2]), np.array([True, False, True])
    arrays = [actions, *arrays_of(vector.step(actions))]  # all three end here
    arrays += [mask, *arrays_of(vector.reset(options={"reset_mask": mask}))]
    assert len(arrays) > (35 if mode == AutoresetMode.SAME_STEP else 25)
    assert not any(np.shares_memory(one, other) for one, other in combinations(arrays, 2))


def keys_and_kinds(infos: dict[str, Any]) -> tuple[set[str], set[str]]:
    return set(infos), {infos[key].dtype.kind for key in set(infos) - FINAL}


def test_nothing_secret_is_told_by_default(mode: AutoresetMode, compiled: bool) -> None:
    vector = gym.make_vec(ENV_ID, 3, max_episode_steps=4, autoreset_mode=mode, compiled=compiled)
    _, infos = vector.reset(seed=0)
    assert keys_and_kinds(infos) == (COUNTERS | MASKS, set("ib"))
    finals = []
    for _ in range(4 if mode == AutoresetMode.DISABLED else 12):
        *_, infos = vector.step(np.array([0, 1, 2]))
        keys, kinds = keys_and_kinds(infos)
        assert (keys - FINAL, kinds) == (COUNTERS | MASKS, set("ib"))
        if keys & FINAL:
            finals.append(infos)
    assert bool(finals) == (mode == AutoresetMode.SAME_STEP)
    for infos in finals:
        assert set(infos) >= FINAL
        assert keys_and_kinds(infos["final_info"]) == (COUNTERS | MASKS, set("ib"))
        assert {type(response) for response in infos["final_obs"]} == {int}
