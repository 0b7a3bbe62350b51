"""`ExplorativeUserBAI-v0`, one user: what it pays, when it ends, what it tells, what is legal."""

import gymnasium as gym
import pytest
from single_env import COUNTERS, arms, begun_bai

from explorative_user_env import BAI_ENV_ID, ExplorativeUserEnv
from explorative_user_env.envs.bai import ExplorativeUserBAIEnv

BEST = 1


def unfinished(info):
    steps = info["interactions"]
    told = {"is_success": False, "answer": -1, "stopping_time": steps, "left": False}
    return told | {"rejection_rate": info["rejections"] / max(steps, 1)}


@pytest.mark.parametrize("arm", [0, BEST])
@pytest.mark.parametrize("steps", [0, 5])
def test_an_answer_ends_the_episode_and_pays_one_or_costs_one(arm, steps):
    env = begun_bai()
    responses = [env.step(each)[0] for each in arms(steps)]
    observation, reward, terminated, truncated, info = env.step(3 + arm)
    assert (observation, terminated, truncated) == (0, True, False)
    assert (reward, type(reward)) == (1.0 if arm == BEST else -1.0, float)
    assert info == {
        "has_response": False,
        "interactions": steps,
        "acceptances": sum(responses),
        "rejections": steps - sum(responses),
        "is_success": arm == BEST,
        "answer": arm,
        "stopping_time": steps,
        "rejection_rate": (steps - sum(responses)) / steps if steps else 0.0,
        "left": False,
    }
    assert {type(value) for value in info.values()} == {bool, int, float}


@pytest.mark.parametrize("horizon", [1, 9])
def test_the_horizon_costs_as_much_as_a_wrong_answer_and_nothing_is_told_before(setting, horizon):
    env = begun_bai(horizon=horizon, setting=setting)
    _, info = env.reset(seed=0)
    counts = {"has_response": False, "interactions": 0, "acceptances": 0, "rejections": 0}
    assert info == counts | unfinished(info)
    for step, arm in enumerate(arms(horizon), 1):
        observation, reward, terminated, truncated, info = env.step(arm)
        last = step == horizon
        assert (reward, terminated, truncated) == (-0.25 - last, last, False)
        assert type(observation) is int
        assert info == {name: info[name] for name in COUNTERS} | unfinished(info)
        assert (info["has_response"], info["interactions"]) == (True, step)


def test_an_answer_is_taken_up_to_the_last_moment_and_is_a_step_of_its_own():
    env = begun_bai(horizon=4)
    returns = [env.step(arm)[1] for arm in (1, 1, 1)]
    assert not env.action_masks()[3 + BEST]  # the mask is advice
    assert [*returns, env.step(3 + BEST)[1]] == [-0.25, -0.25, -0.25, 1.0]
    env = gym.wrappers.RecordEpisodeStatistics(gym.make(BAI_ENV_ID, n_arms=3, horizon=4))
    for last, more in ((4, 1), (0, 0)):
        env.reset(seed=0)
        for action in (0, 1, 2, last):
            *_, terminated, _, info = env.step(action)
        assert terminated
        assert info["episode"]["l"] == info["stopping_time"] + more == 4


def test_the_user_is_the_one_of_the_other_task(setting):
    kwargs = {"n_arms": 4, "setting": setting, "noise": 0.2}
    env, other = ExplorativeUserBAIEnv(**kwargs), ExplorativeUserEnv(**kwargs)
    for seed in (3, None, None):
        other.reset(seed=seed)
        env.reset(seed=seed)
        for arm in arms(80, 4):
            one, two = env.step(arm), other.step(arm)
            assert one[0] == two[0]
            assert {name: one[4][name] for name in COUNTERS} == two[4]
        assert env.hidden_state() == other.hidden_state()
        env.step(4)


@pytest.mark.parametrize("n_arms", [2, 5])
def test_answers_are_legal_once_all_arms_but_one_were_rejected_when_last_recommended(
    setting, n_arms
):
    kwargs = {"n_arms": n_arms, "setting": setting, "noise": 0.6}
    env, twin = ExplorativeUserBAIEnv(**kwargs), ExplorativeUserBAIEnv(**kwargs, mask="none")
    assert env.action_space == gym.spaces.Discrete(2 * n_arms)
    seen = []
    for seed in range(3):
        latest = {}
        env.reset(seed=seed)
        twin.reset(seed=seed)
        for arm in [*arms(80, n_arms, seed), n_arms]:
            legal = sum(response == 0 for response in latest.values()) >= n_arms - 1
            masks = env.action_masks()
            assert masks.dtype == bool
            assert masks.tolist() == [True] * n_arms + [legal] * n_arms
            assert twin.action_masks().tolist() == [True] * 2 * n_arms
            seen.append(legal)
            latest[arm], *_ = env.step(arm)
            twin.step(arm)
    assert {*seen} == {True, False}
