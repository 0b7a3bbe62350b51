"""What a vector environment hands out is nobody else's, and tells nothing secret."""

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
