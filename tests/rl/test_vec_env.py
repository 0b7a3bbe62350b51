"""Many users are what as many of Stable-Baselines3's own environments are."""

import copy

import gymnasium as gym
import numpy as np
import pytest
from pairs import pairs
from sb3_agents import N_ARMS, TASKS, WRAPPERS, single
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

from explorative_user_env import InvalidArgumentError
from explorative_user_env.rl import SB3VecEnv, make_sb3_vec_env
from explorative_user_env.seeding import training_seeds
from explorative_user_env.wrappers.vector import CountsObservation, make_task

HORIZON = 23


def many(n_envs=4, task="regret", **kwargs):
    return make_sb3_vec_env(n_envs, task=task, n_arms=N_ARMS, horizon=HORIZON, **kwargs)


def singles(n_envs, task, observation, **kwargs):
    """SB3's own vector of single environments."""
    return DummyVecEnv([lambda: single(task, observation, HORIZON, **kwargs)] * n_envs)


def assert_same_step(one, other):
    """Compare what `step` returned: to the bit, but for the seconds of an episode."""
    for mine, theirs in zip(one[:3], other[:3], strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)
    for mine, theirs, done in zip(one[3], other[3], one[2], strict=True):
        if not done:
            assert mine == {"TimeLimit.truncated": theirs["TimeLimit.truncated"]}
            continue
        last = [each.pop("terminal_observation") for each in (mine, theirs)]
        np.testing.assert_array_equal(*last)
        episode, expected = mine.pop("episode"), theirs.pop("episode")
        assert {*episode} == {*expected}
        assert episode["l"] == expected["l"]
        assert episode["r"] == pytest.approx(expected["r"], abs=1.1e-6)  # both are rounded
        assert mine == theirs


REWARDS = {"response": "utility", "counts": "realized", "sorted-counts": "none"}


@pytest.mark.slow
@pairs(observation=WRAPPERS, task=TASKS, n_envs=[3, 66])
def test_many_users_are_as_many_of_stable_baselines3s_own(task, observation, n_envs):
    paid = {"reward": REWARDS.get(observation, "utility")} if task == "regret" else {}
    dummy = singles(n_envs, task, observation, noise=0.1, **paid)
    dummy.seed(training_seeds(9, 1)[0])
    envs = many(n_envs, task, observation=observation, seed=9, noise=0.1, **paid)
    assert envs.observation_space == dummy.observation_space
    assert envs.action_space == dummy.action_space
    for each in (envs, dummy):
        each.reset()
        each.step(np.zeros(n_envs, int))  # of which nothing is left after a reset
    np.testing.assert_array_equal(envs.reset(), dummy.reset())
    rng, lengths = np.random.default_rng(1), set()
    answer = dummy.action_space.n - 1  # in "bai" it ends an episode
    for _ in range(100 if n_envs < 64 else 25):
        actions = rng.integers(0, N_ARMS, n_envs)
        actions[rng.random(n_envs) < 0.04] = answer
        found, expected = envs.step(actions), dummy.step(actions)
        lengths |= {info["episode"]["l"] for info in found[3] if "episode" in info}
        assert_same_step(found, expected)
        if task == "bai":
            masks, theirs = (each.env_method("action_masks") for each in (envs, dummy))
            np.testing.assert_array_equal(masks, theirs)
    # Episodes of the one task end with answers at any time, those of the other at the limit.
    assert len(lengths) > 4 if task == "bai" else lengths == {HORIZON}


def test_who_leaves_at_the_last_step_is_not_out_of_time():
    options = {"n_arms": 3, "observation": "counts", "behaviour": "impatient"}
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


def met(envs):
    return [truth.instance for truth in envs.env_method("hidden_state")]


def test_a_seed_holds_for_one_reset():
    envs = many(3, seed=40)
    envs.reset()
    first = met(envs)
    envs.reset()
    assert met(envs) != first
    assert all(isinstance(seed, int) for seed in envs.seed())  # fresh entropy
    assert envs.seed(40) == training_seeds(40, 3)
    envs.reset()
    assert met(envs) == first


@pairs(task=TASKS, observation=["counts", "sorted-counts"], seed=[None, 5])
def test_options_may_be_each_users_own(task, observation, seed):
    # In the first reset and in a later one.
    one, other = {"means": np.array([0.0, 2.0, 1.0])}, {"means": [3.0, 2.0, 1.0]}
    envs = many(5, task, observation=observation)
    dummy = singles(5, task, observation)
    dummy._seeds = [*envs.seed(3)]  # SB3's own would be 3, 4, ...
    for again in range(2):
        for each in (envs, dummy):
            each.set_options([one, {}, other, copy.deepcopy(one), {}])
        if again and seed is not None:
            dummy._seeds = [*envs.seed(seed)]
        assert np.array_equal(envs.reset(), dummy.reset())
        assert envs.reset_infos == dummy.reset_infos
        truths = met(envs)
        assert truths == [env.unwrapped.hidden_state().instance for env in dummy.envs]
        assert [truths[place].best_arm for place in (0, 2)] == [1, 0]
        for arm in (0, 1, 2, 1):
            found, expected = (each.step(np.full(5, arm)) for each in (envs, dummy))
            assert all(map(np.array_equal, found[:3], expected[:3]))


def test_what_can_be_asked_is_what_stable_baselines_own_vector_says():
    envs, dummy = many(3, "bai", observation="sorted-counts"), singles(3, "bai", "sorted-counts")
    dummy._seeds = [*envs.seed(1)]  # SB3's own would be 1, 2, 3
    for each in (envs, dummy):
        each.reset()
        for arm in range(12):
            each.step(np.full(3, arm % N_ARMS))
    for name in ("step_cost", "horizon", "mask", "action_space", "observation_space"):
        found = envs.env_method("get_wrapper_attr", name, indices=[0, 2])
        assert found == dummy.env_method("get_wrapper_attr", name, indices=[0, 2])
        assert found == envs.get_attr(name, indices=[0, 2])
    for name in ("hidden_state", "instance", "action_masks"):
        expected = repr([method() for method in dummy.get_attr(name)])
        for methods in (envs.get_attr(name), envs.env_method("get_wrapper_attr", name)):
            assert repr([method() for method in methods]) == expected
        assert repr(envs.env_method(name)) == expected
        assert repr(envs.env_method(name, indices=2)) == repr([dummy.get_attr(name)[2]()])
    assert envs.env_method("has_wrapper_attr", "mask") == [True] * 3
    assert envs.env_method("has_wrapper_attr", "nothing", indices=1) == [False]
    np.testing.assert_array_equal(get_action_masks(envs), envs.env_method("action_masks"))
    assert envs.env_is_wrapped(Monitor, indices=[0]) == [True]
    assert envs.env_is_wrapped(gym.wrappers.TimeLimit) == [False] * 3
    assert envs.env_is_wrapped(CountsObservation) == [False] * 3
    assert envs.get_images() == [None] * 3
    other = many(2, observation="counts", render_mode="rgb_array")
    assert other.env_is_wrapped(CountsObservation) == [True] * 2
    assert is_masking_supported(envs)
    assert not is_masking_supported(other)
    other.reset()
    assert [frame.shape[2] for frame in other.get_images()] == [3, 3]


def test_what_is_wrong_is_refused_by_name():
    envs = many(2)
    envs.set_options([{}, {"means": [0.0]}])
    for ask, message in [
        (lambda: envs.get_attr("nothing"), "no attribute 'nothing'"),
        (lambda: envs.set_attr("alpha", 2.0), "alpha must be passed to make_sb3_vec_env"),
        (envs.reset, "means must be"),
        (lambda: SB3VecEnv(make_task("regret", 2, autoreset_mode="NextStep")), "envs must be made"),
        (lambda: many(0), "num_envs must be an integer of at least 1"),
        (lambda: many(task="sleep"), "task must be one of"),
        (lambda: many(observation="all"), "observation must be one of"),
        (lambda: many(seed=-1), "seed must be"),
    ]:
        with pytest.raises((InvalidArgumentError, AttributeError), match=message):
            ask()
    with pytest.warns(UserWarning, match='reward="accept" pays most for never exploring') as told:
        make_sb3_vec_env(2, reward="accept")
    assert told[0].filename == __file__
