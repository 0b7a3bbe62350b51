"""Each task, made as a policy needs it."""

import copy
import pickle

import gymnasium as gym
import numpy as np
import pytest
from pairs import pairs

from explorative_user_env import InvalidArgumentError
from explorative_user_env.envs.user import reading_of
from explorative_user_env.protocol import TASKS
from explorative_user_env.wrappers.observations import OBSERVATIONS
from explorative_user_env.wrappers.vector import make_task


@pairs(task=TASKS, observation=OBSERVATIONS, compiled=[False, True])
def test_a_task_is_made_with_each_observation(task, observation, compiled):
    """Its space says how it is read, also in a copy and in a pickle, as a model keeps it."""
    own = {"regret": {}, "bai": {"mask": "none"}, "population": {"n_users": 2}}[task]
    given = {"n_arms": 3, "noise": 0.25, "compiled": compiled} | own
    envs = make_task(task, 4, observation, 20, autoreset_mode="SameStep", **given)
    users = envs.unwrapped
    assert (envs.num_envs, users.user.noise, users.compiled) == (4, 0.25, compiled)
    assert users.autoreset_mode.value == "SameStep"
    observations, _ = envs.reset(seed=0)
    for _ in range(3):
        assert observations in envs.observation_space
        observations, *_ = envs.step(np.zeros(4, int))
    if observation != "response":
        assert observations[:, -1] == pytest.approx(3 / 20)  # the fraction of the horizon
    expected = {"task": task, "observation": observation, "n_arms": 3} | own
    if (task, observation) != ("regret", "response"):
        expected |= {"horizon": 20}
    space = envs.single_observation_space
    for each in (space, copy.deepcopy(space), pickle.loads(pickle.dumps(space))):
        assert reading_of(each) == expected
    assert reading_of(gym.spaces.Discrete(2)) == {}


@pairs(task=TASKS, horizon=[1, 7])
def test_an_episode_lasts_to_the_horizon(task, horizon):
    given = {"n_users": 1} if task == "population" else {}
    record = pickle.loads(pickle.dumps(TASKS[task]))  # as good as its name
    envs = make_task(record if horizon == 7 else task, 2, horizon=horizon, **given)
    usual = make_task(task, 2, **given).single_observation_space
    assert reading_of(usual)["horizon"] == record.horizon
    envs.reset(seed=0)
    for t in range(1, horizon + 1):
        _, _, terminated, truncated, _ = envs.step(np.zeros(2, int))
        ends, other = (truncated, terminated) if task == "regret" else (terminated, truncated)
        assert ends.tolist() == [t == horizon] * 2
        assert not other.any()


WRONG = [
    ({"task": "sleep"}, "task must be one of bai, population, regret, got 'sleep'"),
    ({"observation": "means"}, "observation must be one of counts, last-step"),
    ({"observation": "population-counts"}, "observation must be one of counts, last-step"),
    ({"horizon": 0}, "horizon must be an integer of at least 1, got 0"),
    ({"n_arms": 1}, "n_arms must be an integer of at least 2, got 1"),
    ({"task": "bai", "n_users": 3}, "n_users must be left out, except for the task populat"),
    ({"task": "bai", "deviation": 0.0}, "deviation must be left out, except for the task populat"),
]


def test_a_bad_argument_is_named(subtests):
    for wrong, words in WRONG:
        facts = {"task": "regret", "num_envs": 2} | wrong
        with subtests.test(str(wrong)), pytest.raises(InvalidArgumentError, match=f"^{words}"):
            make_task(**facts)
