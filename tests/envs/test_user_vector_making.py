"""How Gymnasium makes many users in step: ids, time limits, modes, spaces, compiled or not."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from alike import told
from gymnasium.spaces import Discrete, MultiDiscrete
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from processes import python

from explorative_user_env import ENV_ID, ExplorativeUserEnv, ExplorativeUserVectorEnv
from explorative_user_env.envs.user_vector import COMPILED_FROM

MODES = list(AutoresetMode)


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


@pytest.mark.parametrize("way", ["sync", "vector_entry_point", None])
def test_without_a_time_limit_no_lane_ends(way: str | None) -> None:
    vector: Any = ExplorativeUserVectorEnv(2)
    if way is not None:  # -1 is none, as for `gym.make`
        vector = gym.make_vec(ENV_ID, 2, vectorization_mode=way, max_episode_steps=-1)
    vector.reset(seed=0)
    assert not any(vector.step(np.array([0, 1]))[3].any() for _ in range(1500))
    if way != "sync":
        assert vector.max_episode_steps is None
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
    of_one = dict(gym.make(ENV_ID).metadata)
    for asked in (mode, mode.value):
        vector = gym.make_vec(ENV_ID, num_envs=2, autoreset_mode=asked)
        assert vector.metadata == vector.unwrapped.metadata
        assert vector.metadata["autoreset_mode"] is mode
        assert vector.metadata["render_modes"] == ["ansi", "rgb_array", "svg"]
    assert ExplorativeUserVectorEnv().metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert gym.make(ENV_ID).metadata == of_one


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


@pytest.mark.compiler
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


UNCOMPILED = """
from explorative_user_env import ExplorativeUserVectorEnv

many = ExplorativeUserVectorEnv(3, compiled=True, rho=1.0)
many.reset(seed=1)
assert not many.compiled
many.step([0, 1, 2])
"""


@pytest.mark.slow
def test_no_rule_is_to_blame_where_numba_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    done = python("-c", UNCOMPILED)
    assert done.returncode == 0, done.stderr
    assert "the loop of users in step does not compile: numba is told to" in done.stderr
    assert "rho_t" not in done.stderr


def test_a_single_environment_of_the_lanes_kind_is_made_anew() -> None:
    envs = ExplorativeUserVectorEnv(2, n_arms=3, gap=0.25)
    first, second = envs.single(), envs.single()
    assert type(first) is ExplorativeUserEnv
    assert first.population == envs.single().population
    observations, _ = envs.reset(seed=4)
    first.reset(seed=5)
    assert first.instance() == envs.instances()[1]
    assert first is not second
    assert observations.shape == (2,)
