"""`ExplorativePopulation-v0`, many episodes in step: the single ones in step, to the last bit."""

from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from alike import Beside, told
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from population_env import SMALL

from explorative_user_env import POPULATION_ENV_ID
from explorative_user_env.envs.population import ExplorativePopulationVectorEnv

LANES = 7  # more than the compiled lanes look ahead


def played(mode: AutoresetMode, compiled: bool, limit: int | None, **kwargs: Any) -> dict[str, int]:
    """Play the same in both, over autoresets and resets of all kinds; count what happens."""
    given = SMALL | {"horizon": 5} | kwargs
    vector = ExplorativePopulationVectorEnv(LANES, limit, mode, compiled, **given)
    make = partial(gym.make, POPULATION_ENV_ID, limit, disable_env_checker=True, **given)
    sync = SyncVectorEnv([make] * LANES, autoreset_mode=mode)
    both, odd = Beside(vector, sync), np.arange(LANES) % 2 == 1
    seen = {"new": 0, "terminated": 0, "truncated": 0, "some": 0}
    both.reset(seed=3)
    for t, arms in enumerate(np.random.default_rng(0).integers(given["n_arms"], size=(64, LANES))):
        *_, terminated, truncated, infos = both.step(arms)
        both.assert_same_truth()
        done = terminated | truncated
        seen["new"] += int((infos["new_user"] & (infos["user"] > 0)).sum())
        seen["terminated"] += int(terminated.sum())
        seen["truncated"] += int(truncated.sum())
        seen["some"] += int(0 < done.sum() < LANES)
        if both.has_to_reset(done):
            both.reset(reset_mask=done)
        if t == 20:
            both.reset(seed=[1, None, 3, 4, None, 6, 7], reset_mask=odd)
        elif t == 31:
            both.reset(user=given["n_users"] - 1, reset_mask=odd)
        elif t == 44:
            both.reset(popularity=np.arange(given["n_arms"], dtype=float), reset_mask=~odd)
    singles: list[Any] = [env.unwrapped for env in sync.envs]
    assert vector.np_random_seed == sync.np_random_seed
    assert vector.episode_seeds == tuple(env.episode_seed for env in singles)
    assert vector.popularity() == tuple(env.popularity() for env in singles)
    return seen


@pytest.mark.parametrize("limit", [None, 7, 10])
def test_it_is_gymnasiums_own_vector_of_single_environments(
    mode: AutoresetMode, compiled: bool, limit: int | None
) -> None:
    seen = played(mode, compiled, limit)
    assert seen["new"] > 30
    assert seen["some"] > 3
    assert (seen["terminated"] > 0) == (limit is None or seen["terminated"] > 0)
    assert (seen["truncated"] > 20) == (limit is not None)


VARIANTS: list[dict[str, Any]] = [
    {"info_level": "full", "setting": "released", "reward": "realized"},
    {"render_mode": "ansi", "render_intervals": True, "horizon": 3},
    {"horizon": 1, "n_users": 2, "noise": 0.0},
    {"n_users": 1, "deviation": 0.0, "gap": 1.0},
]


@pytest.mark.parametrize("kwargs", VARIANTS, ids=lambda kwargs: ",".join(kwargs))
def test_it_is_so_whatever_is_asked_for(
    mode: AutoresetMode, compiled: bool, kwargs: dict[str, Any]
) -> None:
    seen = played(mode, compiled, None, **kwargs)
    assert seen["terminated"] > 20
    assert (seen["new"] > 0) == (kwargs.get("n_users") != 1)


@pytest.mark.parametrize("kwargs", [{"behaviour": "logistic"}, {"reward_law": "bounded"}])
def test_it_is_so_with_other_users(kwargs: dict[str, Any]) -> None:
    assert played(AutoresetMode.SAME_STEP, False, None, **kwargs)["terminated"] > 20


def test_many_are_those_of_gymnasiums_own_way_and_run_compiled() -> None:
    given: dict[str, Any] = SMALL | {"num_envs": 64, "horizon": 3, "n_users": 2}
    vector: Any = gym.make_vec(POPULATION_ENV_ID, **given)
    sync = gym.make_vec(POPULATION_ENV_ID, vectorization_mode="sync", **given)
    assert vector.compiled
    assert told(vector.reset(seed=1)) == told(sync.reset(seed=1))
    for arms in np.random.default_rng(0).integers(4, size=(16, 64)):
        assert told(vector.step(arms)) == told(sync.step(arms))


def test_an_action_that_is_no_arm_changes_nothing(compiled: bool) -> None:
    vectors = [
        ExplorativePopulationVectorEnv(3, compiled=compiled, **SMALL | {"horizon": 2})
        for _ in range(2)
    ]
    for vector in vectors:
        vector.reset(seed=1)
    for arms in np.random.default_rng(0).integers(4, size=(8, 3)):
        for wrong in ([0, 4, 0], [0, -1, 0], [0, 1]):
            with pytest.raises(ValueError, match="actions"):
                vectors[0].step(wrong)
        assert told(vectors[0].step(arms)) == told(vectors[1].step(arms))


def test_a_picture_of_a_new_user_says_nothing_of_the_one_before() -> None:
    given = SMALL | {"horizon": 8, "noise": 1.0, "gap": 9.0, "alpha": 0.1}  # rejected by chance
    given |= {"render_mode": "svg", "render_intervals": True}
    make = partial(gym.make, POPULATION_ENV_ID, disable_env_checker=True, **given)
    both = Beside(ExplorativePopulationVectorEnv(4, **given), SyncVectorEnv([make] * 4))
    both.reset(seed=3)
    for arms in np.random.default_rng(0).integers(4, size=(18, 4)):
        both.step(arms)
        both.assert_same_truth()
