"""Many users are what as many of Stable-Baselines3's own environments are."""

import copy
from typing import Any

import numpy as np
import pytest
from pairs import pairs

pytest.importorskip("torch", reason="needs the extra rl")
pytest.importorskip("stable_baselines3", reason="needs the extra rl")
pytest.importorskip("sb3_contrib", reason="needs the extra rl")

from sb3_users import HORIZON, N_ARMS, OBSERVATIONS, TASKS, many, single
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import DummyVecEnv

from explorative_user_env import InvalidArgumentError
from explorative_user_env.rl import SB3VecEnv, make_sb3_vec_env
from explorative_user_env.seeding import training_seeds, user_seeds


def pair(
    task: str, observation: str, n_envs: int, seed: int, **kwargs: Any
) -> tuple[Any, SB3VecEnv]:
    dummy = DummyVecEnv([lambda: single(task, observation, **kwargs) for _ in range(n_envs)])
    dummy.seed(training_seeds(seed, 1)[0])
    return dummy, many(n_envs, task, observation=observation, seed=seed, **kwargs)


def actions_of(rng: np.random.Generator, env: Any) -> np.ndarray:
    """Mostly recommendations: answers end episodes, at times that differ."""
    recommended = rng.integers(0, N_ARMS, env.num_envs)
    answers = rng.random(env.num_envs) < 0.04
    return np.asarray(np.where(answers, env.action_space.n - 1, recommended))


def assert_same_step(one: Any, other: Any) -> None:
    """Compare what `step` returned: to the bit, but for the seconds of an episode."""
    for mine, theirs in zip(one[:3], other[:3], strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)
    for mine, theirs, done in zip(one[3], other[3], one[2], strict=True):
        assert mine["TimeLimit.truncated"] is theirs["TimeLimit.truncated"]
        if not done:
            assert "terminal_observation" not in mine
            assert "episode" not in mine
            continue
        assert set(mine) == set(theirs)
        last, their_last = mine.pop("terminal_observation"), theirs.pop("terminal_observation")
        np.testing.assert_array_equal(last, their_last)
        assert np.asarray(last).dtype == np.asarray(their_last).dtype or last.shape == ()
        episode, their_episode = mine.pop("episode"), theirs.pop("episode")
        assert set(episode) == set(their_episode) == {"r", "l", "t"}
        assert episode["l"] == their_episode["l"]
        # Both are rounded to six digits.
        assert episode["r"] == pytest.approx(their_episode["r"], abs=1.1e-6)
        assert episode["t"] >= 0.0
        assert mine == theirs
        assert [type(mine[name]) for name in theirs] == [type(each) for each in theirs.values()]


@pairs(observation=OBSERVATIONS, task=TASKS, n_envs=[3, 66])
def test_many_users_are_as_many_of_stable_baselines3s_own(
    task: str, observation: str, n_envs: int
) -> None:
    dummy, envs = pair(task, observation, n_envs, seed=9, noise=0.1)
    assert envs.observation_space == dummy.observation_space
    assert envs.action_space == dummy.action_space
    np.testing.assert_array_equal(envs.reset(), dummy.reset())
    rng = np.random.default_rng(1)
    lengths = set()
    for _ in range(120 if n_envs < 64 else 40):
        actions = actions_of(rng, envs)
        found, expected = envs.step(actions), dummy.step(actions)
        lengths |= {info["episode"]["l"] for info in found[3] if "episode" in info}
        assert_same_step(found, expected)
        if task == "bai":
            masks, theirs = (each.env_method("action_masks") for each in (envs, dummy))
            np.testing.assert_array_equal(masks, theirs)
    # Episodes of the one task end with answers at any time, those of the other at the limit.
    assert len(lengths) > 4 if task == "bai" else lengths == {HORIZON}


@pytest.mark.parametrize("reward", ["regret", "utility", "realized", "none"])
def test_rewards_and_returns_are_stable_baselines3s_own(reward: str) -> None:
    dummy, envs = pair("regret", "counts", 3, seed=2, reward=reward, setting="released")
    envs.reset()
    dummy.reset()
    rng = np.random.default_rng(0)
    for _ in range(2 * HORIZON + 1):
        actions = actions_of(rng, envs) % N_ARMS
        assert_same_step(envs.step(actions), dummy.step(actions))


def test_who_leaves_at_the_last_step_is_not_out_of_time() -> None:
    options: Any = {"n_arms": 3, "observation": "counts", "behaviour": "impatient"}
    long = make_sb3_vec_env(1, horizon=500, seed=3, **options)
    long.reset()
    left = next(t for t in range(1, 500) if long.step(np.array([t % 3]))[2][0])
    assert left < 499
    envs = make_sb3_vec_env(1, horizon=left, seed=3, **options)
    envs.reset()
    for t in range(1, left + 1):
        _, _, dones, infos = envs.step(np.array([t % 3]))
    assert dones.all()
    assert infos[0]["episode"]["l"] == left
    assert infos[0]["TimeLimit.truncated"] is False


def test_a_time_limit_is_truncation_and_the_end_of_a_task_is_none() -> None:
    for task, truncated in (("regret", True), ("bai", False)):
        envs = many(2, task, seed=0)
        for _ in range(5):
            envs.reset()
            envs.step(np.zeros(2, int))
        envs.reset()
        for _ in range(HORIZON):
            _, _, dones, infos = envs.step(np.zeros(2, int))
        assert dones.all()
        assert [info["TimeLimit.truncated"] for info in infos] == [truncated] * 2
        # A reset has begun new returns and lengths.
        assert [info["episode"]["l"] for info in infos] == [HORIZON] * 2


def met(envs: Any) -> list[Any]:
    return [truth.instance for truth in envs.env_method("hidden_state")]


def test_lanes_have_the_seeds_of_a_training_and_only_once() -> None:
    envs = many(3, seed=40)
    envs.reset()
    first = met(envs)
    for seed, instance in zip(training_seeds(40, 3), first, strict=True):
        env = single("regret", "response")
        env.reset(seed=seed)
        assert env.unwrapped.hidden_state().instance == instance
    envs.reset()
    assert met(envs) != first
    assert all(isinstance(seed, int) for seed in envs.seed())  # fresh entropy
    assert envs.seed(40) == training_seeds(40, 3)
    envs.reset()
    assert met(envs) == first


@pytest.mark.slow
def test_replicates_share_no_user_whoever_is_given_the_seed() -> None:
    for given_to_the_model in (False, True):
        replicates = []
        for seed in range(5):
            envs = many(16, seed=None if given_to_the_model else seed)
            if given_to_the_model:
                PPO("MlpPolicy", envs, seed=seed, n_steps=4, batch_size=64, device="cpu")
            envs.reset()
            replicates.append({instance.means for instance in met(envs)})
        assert len(set().union(*replicates)) == 5 * 16
        # Nor are they among those whom evaluations with these seeds meet.
        evaluated = set()
        for user in [user for seed in range(5) for user in user_seeds(seed, 64)]:
            env = single("regret", "response")
            env.reset(seed=user)
            evaluated.add(env.unwrapped.hidden_state().instance.means)
        assert not evaluated & set().union(*replicates)


def test_options_go_to_all_users_for_one_reset() -> None:
    envs = many(2)
    envs.set_options({"means": [0.0, 2.0, 1.0]})
    envs.reset()
    assert [truth.instance.best_arm for truth in envs.env_method("hidden_state")] == [1, 1]
    envs.reset()
    means = [truth.instance.means for truth in envs.env_method("hidden_state")]
    assert means[0] != (0.0, 2.0, 1.0)


@pairs(task=TASKS, observation=OBSERVATIONS, seed=[None, 5])
def test_options_may_be_each_users_own(task: str, observation: str, seed: int | None) -> None:
    """As in SB3's own vector of single environments; in the first reset and in a later one."""
    one, other = {"means": np.array([0.0, 2.0, 1.0])}, {"means": [3.0, 2.0, 1.0]}
    options: list[Any] = [one, {}, other, copy.deepcopy(one), {}]
    envs = many(5, task, observation=observation)
    dummy: Any = DummyVecEnv([lambda: single(task, observation)] * 5)
    dummy._seeds = [*envs.seed(3)]  # SB3's own would be 3, 4, ...
    for again in range(2):
        for each in (envs, dummy):
            each.set_options(options)
        if again and seed is not None:
            dummy._seeds = [*envs.seed(seed)]
        assert np.array_equal(envs.reset(), dummy.reset())
        assert envs.reset_infos == dummy.reset_infos
        truths = [truth.instance for truth in envs.env_method("hidden_state")]
        assert truths == [env.unwrapped.hidden_state().instance for env in dummy.envs]
        assert [truth.best_arm for truth in truths][::2][:2] == [1, 0]
        for arm in (0, 1, 2, 1):
            found, expected = (each.step(np.full(5, arm)) for each in (envs, dummy))
            assert all(map(np.array_equal, found[:3], expected[:3]))


def test_options_out_of_range_are_named() -> None:
    envs = many(2)
    envs.set_options([{}, {"means": [0.0]}])
    with pytest.raises(InvalidArgumentError, match="means must be"):
        envs.reset()


def test_stable_baselines3_sees_every_lanes_picture() -> None:
    pytest.importorskip("PIL", reason="Pillow is not there")
    envs: Any = many(3, "regret", observation="counts", seed=0, render_mode="rgb_array")
    envs.reset()
    for _ in range(20):
        envs.step(np.array([0, 1, 2]))
    frames = envs.get_images()
    assert not any(np.array_equal(frame, frames[0]) for frame in frames[1:])
    assert np.shape(envs.render())[2] == 3
    without = many(3, "regret", observation="counts", seed=0)
    without.reset()
    assert without.get_images() == [None] * 3
