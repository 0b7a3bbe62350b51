"""What a step pays and tells, and what is hidden: by hand, from what happened."""

import copy
import math
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from single_env import COUNTERS, MEANS, arms, play, started

from explorative_user_env import ENV_ID, ExplorativeUserEnv, Instance
from explorative_user_env.envs.user import REWARDS
from explorative_user_env.users.hidden_state import HiddenState


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for each in value.values() for leaf in leaves(each)]
    if isinstance(value, list | tuple):
        return [leaf for each in value for leaf in leaves(each)]
    return [value]


def rewards_by_hand(
    before: HiddenState, after: HiddenState, arm: int, accepted: bool
) -> dict[str, float]:
    mean, best = MEANS[arm], max(MEANS)
    drawn = after.counts[arm] * after.estimates[arm] - before.counts[arm] * before.estimates[arm]
    return {
        "regret": mean - best,
        "utility": mean if accepted else 0.0,
        "realized": drawn if accepted else 0.0,
        "accept": 1.0 if accepted else 0.0,
        "none": 0.0,
    }


def test_the_rewards_are_the_declared_ones() -> None:
    moment = started().hidden_state()
    assert set(rewards_by_hand(moment, moment, 0, True)) == set(REWARDS)


@pytest.mark.parametrize("reward", REWARDS)
def test_the_reward_is_as_described(setting: Any, reward: str) -> None:
    env = started(setting=setting, reward=reward)
    responses = []
    for arm in arms(60, 3):
        before = env.hidden_state()
        observation, given, *_ = env.step(arm)
        expected = rewards_by_hand(before, env.hidden_state(), arm, bool(observation))[reward]
        assert given == pytest.approx(expected, abs=1e-9)
        responses.append(observation)
    assert set(responses) == {0, 1}


def test_the_default_reward_is_the_regret() -> None:
    assert ExplorativeUserEnv().reward == "regret"


def test_the_hidden_state_follows_from_what_happened(setting: Any) -> None:
    alpha = 0.7
    env = started(seed=4, setting=setting, reward="realized", alpha=alpha)
    prior = np.random.default_rng(4).standard_normal(3) + MEANS
    drawn = [[float(x)] if setting.name == "released" else [] for x in prior]
    rho, n, t = 2.0, 0, 0
    for arm in arms(80, 3):
        observation, reward, *_ = env.step(arm)
        t += 1
        if observation:
            n += 1
            drawn[arm].append(reward)
        if observation or setting.name == "printed":
            rho = 1 + n / t if setting.name == "printed" else 1 + (3 + n) / (6 + t)
        hidden = env.hidden_state()
        gamma = 2 * alpha * math.log(rho * max(n, 1))
        radius = [math.sqrt(gamma / len(each)) if each else math.inf for each in drawn]
        estimates = [float(np.mean(each)) if each else 0.0 for each in drawn]
        assert hidden.instance == Instance(tuple(MEANS), 1)
        assert hidden.counts == tuple(map(len, drawn))
        assert (hidden.acceptances, hidden.interactions) == (n, t)
        assert (hidden.rho, hidden.gamma) == pytest.approx((rho, gamma))
        assert hidden.estimates == pytest.approx(estimates)
        low = [m - r for m, r in zip(estimates, radius, strict=True)]
        high = [m + r for m, r in zip(estimates, radius, strict=True)]
        assert hidden.lower_bounds == pytest.approx(low)
        assert hidden.upper_bounds == pytest.approx(high)
    assert 0 < n < t


def test_the_hidden_state_is_a_record_of_its_moment() -> None:
    env = started()
    before = env.hidden_state()
    kept = copy.deepcopy(before)
    env.step(0)
    assert before == kept != env.hidden_state()


@pytest.mark.parametrize("reward", REWARDS)
def test_nothing_secret_is_told_by_default(setting: Any, reward: str) -> None:
    env = gym.make(ENV_ID, setting=setting, reward=reward, noise=0.1)
    observation, info = env.reset(seed=0)
    told = [(observation, info)]
    told += [(observation, info) for observation, *_, info in play(env, arms(50, 5))]
    for observation, info in told:
        assert type(observation) is int
        assert set(info) == COUNTERS
        assert {type(leaf) for leaf in leaves(info)} <= {bool, int}


def test_everything_is_told_if_asked_for() -> None:
    env = started(info_level="full")
    _, info = env.reset(seed=0)
    assert info["hidden_state"] == env.hidden_state()
    for *_, info in play(env, [0, 1, 2]):
        assert set(info) == COUNTERS | {"hidden_state"}
    assert info["hidden_state"] == env.hidden_state()
