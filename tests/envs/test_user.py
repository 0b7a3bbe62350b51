"""`ExplorativeUser-v0`: what a step pays and tells, and what is hidden, by hand."""

import copy
import math
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from pairs import pairs
from single_env import COUNTERS, MEANS, arms, play, started

from explorative_user_env import ENV_ID, ExplorativeUserEnv, ExplorativeUserVectorEnv, Instance
from explorative_user_env.envs.user import REWARDS
from explorative_user_env.users.population import SETTINGS, Setting

# Rewards


def by_hand(reward: str, arm: int, accepted: bool, realized: float) -> float:
    return {
        "regret": MEANS[arm] - max(MEANS),
        "utility": MEANS[arm] if accepted else 0.0,
        "realized": realized if accepted else 0.0,
        "accept": float(accepted),
        "none": 0.0,
    }[reward]


@pairs(noise=[0.0, 0.3], reward=REWARDS, setting=sorted(SETTINGS), made=[True, False])
def test_a_step_gives_the_reward_asked_for(
    setting: str, reward: str, noise: float, made: bool
) -> None:
    kwargs: dict[str, Any] = {"n_arms": 3, "means": MEANS, "setting": setting, "noise": noise}
    make: Any = gym.make if made else lambda _, **given: ExplorativeUserEnv(**given)
    env = make(ENV_ID, reward=reward, **kwargs)
    env.reset(seed=3)
    stream = np.random.default_rng(3)
    for _ in range(3 if SETTINGS[setting].private_draws else 0):
        stream.standard_normal()
    responses = set()
    for arm in arms(150):
        response, given, *_ = env.step(arm)
        if noise and stream.random() < noise:
            stream.random()
        realized = MEANS[arm] + stream.standard_normal() if response else 0.0
        assert (type(given), given) == (float, by_hand(reward, arm, response == 1, realized))
        responses.add(response)
    assert responses == {0, 1}
    assert ExplorativeUserEnv().reward == "regret"


def test_what_many_users_realize_is_around_the_means(compiled: bool) -> None:
    kwargs: dict[str, Any] = {"n_arms": 3, "means": MEANS, "reward": "realized"}
    vector = ExplorativeUserVectorEnv(200, compiled=compiled, noise=0.5, **kwargs)
    vector.reset(seed=3)
    drawn: dict[int, list[float]] = {0: [], 1: [], 2: []}
    for t in range(60):
        responses, rewards, *_ = vector.step(np.full(200, t % 3))
        assert not rewards[responses == 0].any()
        drawn[t % 3] += rewards[responses == 1].tolist()
    for arm, values in drawn.items():
        assert len(values) > 900  # at noise 1/2 every fourth at least is accepted
        assert np.mean(values) == pytest.approx(MEANS[arm], abs=5 / np.sqrt(len(values)))
        assert np.std(values) == pytest.approx(1.0, abs=5 / np.sqrt(len(values)))


# What is told, and what is not


@pytest.mark.parametrize("reward", REWARDS)
def test_the_response_and_counts_that_add_up_are_told_and_nothing_else(
    setting: Setting, reward: str
) -> None:
    env = started(setting=setting, reward=reward)
    assert env.reset(seed=0) == (0, dict.fromkeys(COUNTERS, 0) | {"has_response": False})
    responses = []
    for observation, reward_given, terminated, truncated, info in play(env, arms(200)):
        assert (type(observation), type(reward_given)) == (int, float)
        assert (terminated, truncated) == (False, False)
        responses.append(observation)
        t, n = len(responses), sum(responses)
        counts = {"interactions": t, "acceptances": n, "rejections": t - n}
        assert info == {"has_response": True} | counts
        assert {type(value) for value in info.values()} == {bool, int}
    assert set(responses) == {0, 1}


def test_the_hidden_state_follows_from_what_happened(setting: Setting) -> None:
    alpha = 0.7
    env = started(seed=4, setting=setting, reward="realized", alpha=alpha)
    prior = np.random.default_rng(4).standard_normal(3) + MEANS
    drawn = [[float(x)] if setting.name == "released" else [] for x in prior]
    rho, n, t = 2.0, 0, 0
    for arm in arms(80):
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
    kept = copy.deepcopy(hidden)
    env.step(0)
    assert hidden == kept != env.hidden_state()


# Choices of the user


def test_the_means_of_one_episode_can_be_given() -> None:
    env, options = ExplorativeUserEnv(n_arms=3, gap=0.25), {"means": (1.0, 5.0, 2)}
    env.reset(seed=0, options=options)
    assert env.hidden_state().instance == Instance((1.0, 5.0, 2.0), 1)
    assert options == {"means": (1.0, 5.0, 2)}
    env.reset(seed=0)
    assert env.hidden_state().instance.gap == pytest.approx(0.25)
