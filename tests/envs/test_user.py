"""`ExplorativeUser-v0`: what a step pays and tells, and what is hidden, by hand."""

import gymnasium as gym
import numpy as np
import pytest
from pairs import pairs
from reference_user import ReferenceUser
from single_env import COUNTERS, MEANS, arms, play, started

from explorative_user_env import ENV_ID, ExplorativeUserEnv, Instance
from explorative_user_env.envs.user import REWARDS
from explorative_user_env.users.population import SETTINGS


def by_hand(reward, arm, accepted, realized):
    return {
        "regret": MEANS[arm] - max(MEANS),
        "utility": MEANS[arm] if accepted else 0.0,
        "realized": realized if accepted else 0.0,
        "accept": float(accepted),
        "none": 0.0,
    }[reward]


@pairs(noise=[0.0, 0.3], reward=REWARDS, setting=sorted(SETTINGS), made=[True, False])
def test_a_step_gives_the_reward_asked_for(setting, reward, noise, made):
    kwargs = {"n_arms": 3, "means": MEANS, "setting": setting, "noise": noise}
    make = gym.make if made else lambda _, **given: ExplorativeUserEnv(**given)
    env = make(ENV_ID, reward=reward, **kwargs)
    env.reset(seed=3)
    stream = np.random.default_rng(3)
    for _ in range(3 if SETTINGS[setting].private_draws else 0):
        stream.standard_normal()
    responses = set()
    for arm in arms(60):
        response, given, *_ = env.step(arm)
        if noise and stream.random() < noise:
            stream.random()
        realized = MEANS[arm] + stream.standard_normal() if response else 0.0
        assert (type(given), given) == (float, by_hand(reward, arm, response == 1, realized))
        responses.add(response)
    assert responses == {0, 1}
    assert ExplorativeUserEnv().reward == "regret"


def test_the_response_and_counts_that_add_up_are_told_and_nothing_else(setting):
    env = started(setting=setting)
    assert env.reset(seed=0) == (0, dict.fromkeys(COUNTERS, 0) | {"has_response": False})
    responses = []
    for observation, reward_given, terminated, truncated, info in play(env, arms(80)):
        assert (type(observation), type(reward_given)) == (int, float)
        assert (terminated, truncated) == (False, False)
        responses.append(observation)
        t, n = len(responses), sum(responses)
        counts = {"interactions": t, "acceptances": n, "rejections": t - n}
        assert info == {"has_response": True} | counts
        assert {type(value) for value in info.values()} == {bool, int}
    assert set(responses) == {0, 1}


def test_the_hidden_state_is_that_of_a_slow_user(setting):
    env = started(seed=4, setting=setting, alpha=0.7, noise=0.2)
    slow = ReferenceUser(MEANS, 0.7, 0.2, setting.name == "released", 4)
    for arm in arms(80):
        kept = env.hidden_state()
        assert bool(env.step(arm)[0]) == slow.respond(arm)
        hidden = env.hidden_state()
        assert hidden != kept
        assert hidden.instance == Instance(tuple(MEANS), 1)
        assert hidden.counts == tuple(slow.counts)
        assert (hidden.acceptances, hidden.interactions) == (slow.n, slow.t)
        assert (hidden.rho, hidden.gamma) == pytest.approx((slow.rho, slow.gamma))
        assert hidden.estimates == pytest.approx(slow.estimates)
        lower, upper = slow.intervals()
        assert hidden.lower_bounds == pytest.approx(lower)
        assert hidden.upper_bounds == pytest.approx(upper)
    assert 0 < slow.n < slow.t


def test_the_means_of_one_episode_can_be_given():
    env, options = ExplorativeUserEnv(n_arms=3, gap=0.25), {"means": (1.0, 5.0, 2)}
    env.reset(seed=0, options=options)
    assert env.hidden_state().instance == Instance((1.0, 5.0, 2.0), 1)
    assert options == {"means": (1.0, 5.0, 2)}
    env.reset(seed=0)
    assert env.hidden_state().instance.gap == pytest.approx(0.25)
