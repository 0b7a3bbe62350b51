"""Many users in step are the single environments in step, to the last bit and the last key."""

from dataclasses import replace
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Discrete, MultiDiscrete
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from explorative_user_env import ENV_ID, PRINTED, ExplorativeUserVectorEnv, Schedule
from explorative_user_env.envs.lane_kinds import COMPILED_FROM
from explorative_user_env.envs.rewards import REWARDS
from explorative_user_env.settings import Setting
from explorative_user_env.users.confidence import acceptance_rate_rule

MODES = list(AutoresetMode)
LIMIT = 11
LANES = 7  # more than the compiled lanes look ahead


def told(value: Any) -> Any:
    """Whatever an environment hands out, so that == sees types, shapes and every bit."""
    if isinstance(value, dict):
        return {key: told(each) for key, each in sorted(value.items())}
    if type(value) is tuple:
        return [told(each) for each in value]
    if isinstance(value, np.ndarray):
        return (value.dtype, value.shape, repr(value.tolist()))
    return repr(value)


def pair_of(
    mode: AutoresetMode, compiled: bool, **kwargs: Any
) -> tuple[ExplorativeUserVectorEnv, SyncVectorEnv]:
    vector = ExplorativeUserVectorEnv(LANES, LIMIT, mode, compiled, **kwargs)
    make = partial(gym.make, ENV_ID, max_episode_steps=LIMIT, **kwargs)
    return vector, SyncVectorEnv([make] * LANES, autoreset_mode=mode)


def assert_alike(vector: ExplorativeUserVectorEnv, sync: SyncVectorEnv, steps: int = 60) -> None:
    """Play the same in both, over autoresets and resets of all kinds."""
    n_arms = int(vector.single_action_space.n)  # type: ignore[attr-defined]
    even = np.arange(LANES) % 2 == 0
    arms = np.random.default_rng(0).integers(n_arms, size=(steps, LANES))
    seeds = [1, None, 3, 4, None, 6, 7]
    means = np.arange(n_arms, dtype=float).tolist()

    def reset(seed: Any = None, **options: Any) -> None:
        # Gymnasium takes the mask out of the options that it is given: each gets its own.
        one = vector.reset(seed=seed, options=dict(options))
        assert told(one) == told(sync.reset(seed=seed, options=dict(options)))
        assert_same_truth()

    def assert_same_truth() -> None:
        singles: list[Any] = [env.unwrapped for env in sync.envs]
        assert vector.hidden_states() == tuple(env.hidden_state() for env in singles)
        if vector.render_mode is not None:
            assert vector.render() == sync.render()

    reset(seed=3)
    ended = []
    for t in range(steps):
        outcome = vector.step(arms[t])
        assert told(outcome) == told(sync.step(arms[t]))
        truncated = outcome[3]
        ended.append(int(truncated.sum()))
        if t % 4 == 0 or ended[-1]:
            assert_same_truth()
        if truncated.any() and (vector.autoreset_mode == AutoresetMode.DISABLED or t > 40):
            reset(reset_mask=truncated)
        if t == 6:
            reset(reset_mask=even)  # from here on the lanes end at different times
        elif t == 25:
            reset(seed=seeds, reset_mask=~even)
        elif t == 38:
            reset()
        elif t == 43:
            reset(means=means, reset_mask=even)
    assert vector.np_random_seed == sync.np_random_seed
    assert len([n for n in ended if 0 < n < LANES]) >= 4


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("noise", [0.0, 0.2])
@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("mode", MODES)
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


@pytest.mark.parametrize("render_intervals", [False, True])
@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("mode", MODES)
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


# How Gymnasium makes it


@pytest.mark.parametrize("name", [ENV_ID, f"explorative_user_env:{ENV_ID}"])
@pytest.mark.parametrize("mode", [{}, {"vectorization_mode": "vector_entry_point"}])
def test_gymnasium_makes_it_by_the_id(name: str, mode: dict[str, Any]) -> None:
    vector = gym.make_vec(name, num_envs=3, n_arms=4, **mode)
    assert type(vector) is ExplorativeUserVectorEnv
    assert vector.max_episode_steps == 1000
    assert vector.spec is not None
    assert vector.spec.id == ENV_ID
    assert (vector.num_envs, vector.unwrapped, vector.closed) == (3, vector, False)
    vector.close()


def test_the_time_limit_is_the_one_asked_for() -> None:
    vector = gym.make_vec(ENV_ID, num_envs=2, max_episode_steps=4)
    vector.reset(seed=0)
    ends = [vector.step(np.array([0, 1]))[2:4] for _ in range(9)]
    assert [truncated.all() for _, truncated in ends] == [False] * 3 + [True] + [False] * 4 + [True]
    assert not any(terminated.any() for terminated, _ in ends)


def test_without_a_time_limit_no_lane_ends() -> None:
    vector = ExplorativeUserVectorEnv(2)
    vector.reset(seed=0)
    assert not any(vector.step(np.array([0, 1]))[3].any() for _ in range(1500))
    assert [truth.interactions for truth in vector.hidden_states()] == [1500, 1500]


def test_gymnasiums_own_way_still_makes_the_same() -> None:
    kwargs: dict[str, Any] = {"num_envs": 3, "max_episode_steps": 5, "noise": 0.1}
    sync = gym.make_vec(ENV_ID, vectorization_mode="sync", **kwargs)
    vector = gym.make_vec(ENV_ID, **kwargs)
    assert isinstance(sync, SyncVectorEnv)
    assert told(vector.reset(seed=1)) == told(sync.reset(seed=1))
    for arm in [0, 1, 2, 3, 4] * 3:
        actions = np.full(3, arm)
        assert told(vector.step(actions)) == told(sync.step(actions))


@pytest.mark.parametrize("mode", MODES)
def test_the_mode_of_autoreset_may_be_its_word_and_is_in_the_metadata(mode: AutoresetMode) -> None:
    for asked in (mode, mode.value):
        vector = gym.make_vec(ENV_ID, num_envs=2, autoreset_mode=asked)
        assert vector.metadata == vector.unwrapped.metadata
        assert vector.metadata["autoreset_mode"] is mode
        assert vector.metadata["render_modes"] == ["ansi"]
    assert ExplorativeUserVectorEnv().metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert "autoreset_mode" not in gym.make(ENV_ID).metadata


def test_the_spaces_are_a_lane_s_side_by_side() -> None:
    vector = ExplorativeUserVectorEnv(3, n_arms=4)
    assert vector.single_action_space == Discrete(4)
    assert vector.single_observation_space == Discrete(2)
    assert vector.action_space == MultiDiscrete([4, 4, 4])
    assert vector.observation_space == MultiDiscrete([2, 2, 2])
    observations, _ = vector.reset(seed=0)
    vector.action_space.seed(0)
    for _ in range(20):
        assert observations in vector.observation_space
        observations = vector.step(vector.action_space.sample())[0]


def test_many_users_are_compiled_by_default_and_few_are_not() -> None:
    assert COMPILED_FROM == 64
    assert not ExplorativeUserVectorEnv(63).compiled
    assert ExplorativeUserVectorEnv(63, compiled=True).compiled
    many = ExplorativeUserVectorEnv(64, 6, noise=0.1)
    plain = ExplorativeUserVectorEnv(64, 6, noise=0.1, compiled=False)
    assert (many.compiled, plain.compiled) == (True, False)
    assert told(many.reset(seed=2)) == told(plain.reset(seed=2))
    for actions in np.random.default_rng(3).integers(5, size=(20, 64)):
        assert told(many.step(actions)) == told(plain.step(actions))
    assert many.hidden_states() == plain.hidden_states()
    assert many.compiled
