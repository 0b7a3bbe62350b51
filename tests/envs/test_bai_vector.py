"""`ExplorativeUserBAI-v0`, many users in step: the single environments in step, to the last bit."""

from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from alike import Beside, told
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from vector_env import COUNTERS

from explorative_user_env import BAI_ENV_ID
from explorative_user_env.envs.bai import ExplorativeUserBAIVectorEnv

MODES = list(AutoresetMode)
HORIZON = 13
LANES = 7  # more than the compiled lanes look ahead
STEPS = 56


def pair_of(
    mode: AutoresetMode, compiled: bool, limit: int | None = None, **kwargs: Any
) -> tuple[ExplorativeUserBAIVectorEnv, SyncVectorEnv]:
    kwargs = {"n_arms": 3, "horizon": HORIZON, "step_cost": 0.01} | kwargs
    vector = ExplorativeUserBAIVectorEnv(LANES, limit, mode, compiled, **kwargs)
    make = partial(gym.make, BAI_ENV_ID, limit, disable_env_checker=True, **kwargs)
    return vector, SyncVectorEnv([make] * LANES, autoreset_mode=mode)


def actions_of(n_arms: int, steps: int = STEPS, seed: int = 0) -> Any:
    """Mostly recommendations, so that lanes end at all times, also by the horizon."""
    rng = np.random.default_rng(seed)
    actions = rng.integers(n_arms, size=(steps, LANES))
    return actions + n_arms * (rng.random((steps, LANES)) < 0.08)


def assert_alike(vector: ExplorativeUserBAIVectorEnv, sync: SyncVectorEnv) -> dict[str, int]:
    """Play the same in both, over autoresets and resets of all kinds; count the ends."""
    n_arms, both = vector.user.n_arms, Beside(vector, sync)
    even = np.arange(LANES) % 2 == 0
    ends = {"answered": 0, "out of time": 0, "truncated": 0, "some": 0, "legal": 0}
    both.reset(seed=3)
    for t, actions in enumerate(actions_of(n_arms)):
        *_, terminated, truncated, infos = both.step(actions)
        done = terminated | truncated
        ends["legal"] += assert_same_moment(both, done)
        last = infos.get("final_info", infos)
        if terminated.any():
            ends["answered"] += int((terminated & (last["answer"] >= 0)).sum())
            ends["out of time"] += int((terminated & (last["answer"] < 0)).sum())
        ends["truncated"] += int(truncated.sum())
        ends["some"] += int(0 < done.sum() < LANES)
        if both.has_to_reset(done) or (done.any() and t > 47):
            both.reset(reset_mask=done)
            assert_same_moment(both, np.zeros(LANES, bool))
        if t == 30:
            both.reset(seed=[1, None, 3, 4, None, 6, 7], reset_mask=~even)
        elif t == 38:
            both.reset()
        elif t == 43:
            both.reset(means=np.arange(n_arms, dtype=float).tolist(), reset_mask=even)
    assert vector.np_random_seed == sync.np_random_seed
    return ends


def assert_same_moment(both: Beside, done: Any) -> bool:
    """Look at the truth and the masks of a moment; return whether an answer is legal in some."""
    both.assert_same_truth()
    singles: list[Any] = [env.unwrapped for env in both.sync.envs]
    acting = both.acting(done)
    masks = np.stack([env.action_masks() for env in singles])[acting]
    found = both.vector.action_masks()
    assert found.shape == (LANES, 2 * both.vector.user.n_arms)
    assert told(found[acting]) == told(masks)
    return bool(masks[:, both.vector.user.n_arms :].any())


@pytest.mark.parametrize("limit", [None, 6, HORIZON])
def test_it_is_gymnasiums_own_vector_of_single_environments(
    mode: AutoresetMode, compiled: bool, limit: int | None
) -> None:
    ends = assert_alike(*pair_of(mode, compiled, limit, noise=0.6))
    assert ends["answered"] > 10
    assert ends["some"] > 10
    assert ends["legal"] > 5
    assert (ends["out of time"] > 0) == (limit != 6)
    assert (ends["truncated"] > 0) == (limit in (6, HORIZON))


VARIANTS: list[dict[str, Any]] = [
    {"info_level": "full", "setting": "released"},
    {"info_level": "full", "noise": 0.3, "n_arms": 2},
    {"render_mode": "ansi", "render_intervals": True, "noise": 0.1},
    {"mask": "none", "step_cost": 0.0, "horizon": 1},
    {"setting": "released", "rho": 1.5, "alpha": 0.5, "gap": 2.0, "horizon": 2},
]


@pytest.mark.parametrize("kwargs", VARIANTS, ids=lambda kwargs: ",".join(kwargs))
def test_it_is_so_whatever_is_asked_for(
    mode: AutoresetMode, compiled: bool, kwargs: dict[str, Any]
) -> None:
    ends = assert_alike(*pair_of(mode, compiled, **kwargs))
    assert ends["answered"] > 3
    assert ends["out of time"] > 3


def test_many_are_those_of_gymnasiums_own_way() -> None:
    kwargs: dict[str, Any] = {"num_envs": 64, "n_arms": 3, "horizon": 7}
    vector = gym.make_vec(BAI_ENV_ID, **kwargs)
    sync = gym.make_vec(BAI_ENV_ID, vectorization_mode="sync", **kwargs)
    assert isinstance(vector, ExplorativeUserBAIVectorEnv)
    assert isinstance(sync, SyncVectorEnv)
    assert vector.compiled
    assert (vector.max_episode_steps, vector.horizon) == (None, 7)
    assert told(vector.reset(seed=1)) == told(sync.reset(seed=1))
    for actions in np.random.default_rng(0).integers(4, size=(20, 64)):
        assert told(vector.step(actions)) == told(sync.step(actions))


def test_a_finished_lane_starts_anew_and_its_action_is_not_taken(compiled: bool) -> None:
    vector, _ = pair_of(AutoresetMode.NEXT_STEP, compiled)
    vector.reset(seed=0)
    assert vector.step([0] * 6 + [5])[2].tolist() == [False] * 6 + [True]
    for _ in range(2):  # an answer in place of the reset is none
        _, rewards, terminated, _, infos = vector.step([0] * 6 + [5])
        assert (rewards[6], terminated[6], infos["interactions"][6]) in [(0, False, 0)]
        assert vector.step([1] * 6 + [4])[2].tolist() == [False] * 6 + [True]


def test_nothing_secret_is_told_before_the_end(mode: AutoresetMode, compiled: bool) -> None:
    vector, _ = pair_of(mode, compiled, horizon=4)
    _, infos = vector.reset(seed=0)
    ending = {"is_success", "answer", "stopping_time", "rejection_rate", "left"}
    keys = {f"{_}{key}" for key in COUNTERS | ending for _ in ("", "_")}
    for t in range(4):
        assert set(infos) == keys
        assert not infos["is_success"].any()
        assert (infos["answer"] == -1).all()
        np.testing.assert_array_equal(infos["stopping_time"], infos["interactions"])
        rates = infos["rejections"] / np.maximum(infos["interactions"], 1)
        np.testing.assert_array_equal(infos["rejection_rate"], rates)
        observations, *_, infos = vector.step(np.full(LANES, t % 3))
        assert observations in vector.observation_space
    at_the_end = infos["final_info"] if mode == AutoresetMode.SAME_STEP else infos
    assert set(at_the_end) == keys
