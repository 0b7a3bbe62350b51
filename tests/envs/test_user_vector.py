"""Many users in step are the single environments in step, to the last bit and the last key."""

from dataclasses import replace
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from alike import Beside
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from pairs import pairs

from explorative_user_env import ENV_ID, ExplorativeUserVectorEnv, Schedule
from explorative_user_env.envs.user import REWARDS
from explorative_user_env.users.model import acceptance_rate_rule
from explorative_user_env.users.population import PRINTED, Setting

MODES = list(AutoresetMode)
LIMIT = 11
LANES = 7  # more than the compiled lanes look ahead


def pair_of(
    mode: AutoresetMode, compiled: bool, **kwargs: Any
) -> tuple[ExplorativeUserVectorEnv, SyncVectorEnv]:
    vector = ExplorativeUserVectorEnv(LANES, LIMIT, mode, compiled, **kwargs)
    make = partial(gym.make, ENV_ID, max_episode_steps=LIMIT, **kwargs)
    return vector, SyncVectorEnv([make] * LANES, autoreset_mode=mode)


def assert_alike(vector: ExplorativeUserVectorEnv, sync: SyncVectorEnv, steps: int = 60) -> None:
    """Play the same in both, over autoresets and resets of all kinds."""
    n_arms = int(vector.single_action_space.n)  # type: ignore[attr-defined]
    even, both = np.arange(LANES) % 2 == 0, Beside(vector, sync)
    ended, heard = [], set()
    both.reset(seed=3)
    for t, arms in enumerate(np.random.default_rng(0).integers(n_arms, size=(steps, LANES))):
        responses, _, _, truncated, infos = both.step(arms)
        heard |= set(responses[infos["has_response"]].tolist())
        ended.append(int(truncated.sum()))
        if t % 4 == 0 or ended[-1]:
            both.assert_same_truth()
        if both.has_to_reset(truncated) or (ended[-1] and t > 40):
            both.reset(reset_mask=truncated)
        if t == 6:
            both.reset(reset_mask=even)  # from here on the lanes end at different times
        elif t == 25:
            both.reset(seed=[1, None, 3, 4, None, 6, 7], reset_mask=~even)
        elif t == 38:
            both.reset()
        elif t == 43:
            both.reset(means=np.arange(n_arms, dtype=float).tolist(), reset_mask=even)
    assert vector.np_random_seed == sync.np_random_seed
    assert len([n for n in ended if 0 < n < LANES]) >= 4
    assert heard == {0, 1}


@pairs(reward=REWARDS, noise=[0.0, 0.2], compiled=[False, True], mode=MODES)
def test_it_is_gymnasiums_own_vector_of_single_environments(
    mode: AutoresetMode, compiled: bool, setting: Setting, noise: float, reward: str
) -> None:
    n_arms = 2 if reward in ("utility", "none") else 7
    info_level = "full" if reward in ("utility", "realized") else "counts"
    kwargs = {"n_arms": n_arms, "info_level": info_level, "noise": noise, "reward": reward}
    assert_alike(*pair_of(mode, compiled, setting=setting, **kwargs))


def triangle(n_arms: int, rng: np.random.Generator) -> Any:
    return rng.triangular(0.0, 1.0, 2.0, size=n_arms)


def swinging(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
    return 1.5 + parameters[0] / (n_arms + t % 3)


VARIANTS: list[dict[str, Any]] = [
    {"means": [0.0, 3.0, -2.0], "n_arms": 3},
    {"means": (1.0, 1.0, 0.0), "n_arms": 3, "gap": 0.25},
    {"means": triangle, "gap": 0.1},
    {"means": triangle, "setting": "released"},
    {"means": "uniform", "gap": 2.0},
    {"means": "normal", "setting": "released", "alpha": 0.3},
    {"rho": 1.5, "reward": "realized"},
    {"rho": "smoothed_acceptance_rate", "info_level": "full"},
    {"rho": Schedule(acceptance_rate_rule, 0.5, 3.0, (0.3, 0.7)), "info_level": "full"},
    {"rho": Schedule(swinging, 1.0, 2.0, (0.5,)), "setting": "released", "info_level": "full"},
    {"setting": replace(PRINTED, private_draws=2, rho_refresh="acceptance")},
    {"noise": 1.0},
]


@pytest.mark.parametrize("kwargs", VARIANTS, ids=lambda kwargs: ",".join(kwargs))
@pytest.mark.parametrize("compiled", [False, True])
def test_it_is_so_whatever_the_users_are_made_of(compiled: bool, kwargs: dict[str, Any]) -> None:
    for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP):
        assert_alike(*pair_of(mode, compiled, **kwargs))


@pairs(render_intervals=[False, True], compiled=[False, True], mode=MODES)
def test_a_rendering_is_that_of_each_single_environment(
    mode: AutoresetMode, compiled: bool, setting: Setting, render_intervals: bool
) -> None:
    kwargs = {"render_mode": "ansi", "render_intervals": render_intervals, "noise": 0.1}
    vector, sync = pair_of(mode, compiled, n_arms=3, setting=setting, **kwargs)
    assert_alike(vector, sync)
    texts = vector.render()
    assert isinstance(texts, tuple)
    assert all(("interval from" in text) == render_intervals for text in texts)


def test_without_a_render_mode_nothing_is_rendered() -> None:
    vector = ExplorativeUserVectorEnv(2)
    assert vector.render() is None
    vector.reset(seed=0)
    assert (vector.render_mode, vector.render()) == (None, None)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_a_lane_is_the_single_environment_with_its_seed(
    compiled: bool, setting: Setting, noise: float
) -> None:
    kwargs: dict[str, Any] = {"setting": setting, "noise": noise, "info_level": "full"}
    vector = ExplorativeUserVectorEnv(LANES, LIMIT, compiled=compiled, **kwargs)
    vector.reset(seed=40)
    singles = [gym.make(ENV_ID, max_episode_steps=LIMIT, **kwargs) for _ in range(LANES)]
    for lane, env in enumerate(singles):
        env.reset(seed=40 + lane)
    assert vector.np_random_seed == tuple(range(40, 40 + LANES))
    arms = np.random.default_rng(1).integers(5, size=(3 * LIMIT + 5, LANES))
    over = False
    for actions in arms:
        observations, rewards, terminated, truncated, infos = vector.step(actions)
        for lane, (env, arm) in enumerate(zip(singles, actions.tolist(), strict=True)):
            alone: tuple[Any, ...] = env.step(arm) if not over else env.reset()
            if over:
                alone = (alone[0], 0.0, False, False, alone[1])
            info = {key: infos[key][lane] for key in alone[4]}
            one = (observations[lane], rewards[lane], terminated[lane], truncated[lane], info)
            assert one == alone
        over = bool(truncated.all())


def test_users_are_fresh_where_no_seed_is_given() -> None:
    vector = ExplorativeUserVectorEnv(3)
    vector.reset()
    assert len({truth.instance for truth in vector.hidden_states()}) == 3
    assert len(set(vector.np_random_seed)) == 3
    again = ExplorativeUserVectorEnv(3)
    again.reset()
    assert again.hidden_states() != vector.hidden_states()
    again.reset(seed=list(vector.np_random_seed))
    assert again.hidden_states() == vector.hidden_states()
