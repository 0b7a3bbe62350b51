"""Rewards of every law have the moments that they should have, wherever a user draws them."""

import math
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from other_users import low_means
from pairs import pairs
from scipy import stats

from explorative_user_env import (
    ENV_ID,
    ExplorativeUserEnv,
    ExplorativeUserVectorEnv,
    InvalidArgumentError,
    evaluate,
)
from explorative_user_env.users.instances import InstanceLaw
from explorative_user_env.users.model import REWARD_LAWS, draw_reward
from explorative_user_env.users.population import PRINTED, Population, Setting

MEAN = 0.3
VARIANCES = {"gaussian": 1.0, "bernoulli": MEAN * (1 - MEAN), "bounded": 1.0}
FOURTH_MOMENTS = {  # around the mean: 3 sigma^4; p q (1 - 3 p q); h^4 / 5 with h^2 = 3
    "gaussian": 3.0,
    "bernoulli": MEAN * (1 - MEAN) * (1 - 3 * MEAN * (1 - MEAN)),
    "bounded": 9 / 5,
}
N = 100_000


def assert_has_the_moments_of(law: str, rewards: np.ndarray) -> None:
    """Mean and variance are within 4 standard errors: a chance of 1 in 8000 that one is not."""
    variance, n = VARIANCES[law], len(rewards)
    assert abs(rewards.mean() - MEAN) < 4 * math.sqrt(variance / n)
    error = math.sqrt((FOURTH_MOMENTS[law] - variance**2) / n)
    assert abs(((rewards - MEAN) ** 2).mean() - variance) < 4 * error


def drawn(law: str, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.array([draw_reward(REWARD_LAWS.index(law), MEAN, rng) for _ in range(N)])


@pytest.mark.parametrize("law", REWARD_LAWS)
def test_a_reward_has_the_moments_of_its_law(law: str) -> None:
    assert_has_the_moments_of(law, drawn(law))


def test_a_reward_has_the_values_of_its_law() -> None:
    assert set(drawn("bernoulli")) == {0.0, 1.0}
    width = 2 * math.sqrt(3)
    uniform = stats.uniform(MEAN - width / 2, width)
    assert stats.kstest(drawn("bounded"), uniform.cdf).pvalue > 1e-3
    assert stats.kstest(drawn("gaussian"), stats.norm(MEAN).cdf).pvalue > 1e-3


@pytest.mark.parametrize("mean", [0.0, 1.0])
def test_a_sure_bernoulli_reward_is_sure(mean: float) -> None:
    rng = np.random.default_rng(0)
    law = REWARD_LAWS.index("bernoulli")
    assert {draw_reward(law, mean, rng) for _ in range(1000)} == {mean}


@pytest.mark.parametrize("law", REWARD_LAWS)
@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_a_user_s_rewards_are_of_her_law(setting: Setting, law: str, noise: float) -> None:
    options: dict[str, Any] = {"setting": setting, "reward_law": law, "noise": noise}
    # So willing to explore that only noise makes her say no, here to a tenth of them.
    env = ExplorativeUserEnv(2, means=[MEAN, 0.1], alpha=1e4, reward="realized", **options)
    env.reset(seed=1)
    steps = [env.step(0) for _ in range(10_000)]
    rewards = [reward for answer, reward, *_ in steps if answer]
    assert len(rewards) > 8_500
    assert_has_the_moments_of(law, np.array(rewards))


@pytest.mark.parametrize("law", REWARD_LAWS)
def test_private_draws_are_of_her_law(law: str) -> None:
    env = ExplorativeUserEnv(2, means=[MEAN, 0.1], setting="released", reward_law=law)
    env.reset(seed=2)
    firsts = []
    for _ in range(20_000):
        env.reset()
        firsts.append(env.hidden_state().estimates[0])
    assert_has_the_moments_of(law, np.array(firsts))


@pairs(law=REWARD_LAWS, noise=[0.0, 0.2], compiled=[True, False])
def test_a_lane_is_the_single_user(
    setting: Setting, law: str, noise: float, compiled: bool
) -> None:
    options: dict[str, Any] = {
        "n_arms": 4,
        "gap": 0.3,
        "alpha": 0.05,
        "means": low_means,
        "setting": setting,
        "reward_law": law,
        "noise": noise,
        "reward": "realized",
    }
    lanes = ExplorativeUserVectorEnv(3, compiled=compiled, **options)
    singles = [ExplorativeUserEnv(**options) for _ in range(3)]
    lanes.reset(seed=5)
    for lane, env in enumerate(singles):
        env.reset(seed=5 + lane)
    heard = set()
    for arms in np.random.default_rng(0).integers(4, size=(150, 3)).tolist():
        answers, rewards, *_ = lanes.step(arms)
        each = [env.step(arm) for env, arm in zip(singles, arms, strict=True)]
        assert answers.tolist() == [answer for answer, *_ in each]
        assert rewards.tolist() == [reward for _, reward, *_ in each]
        heard |= set(answers.tolist())
    assert heard == {0, 1}
    assert lanes.compiled == compiled
    assert lanes.hidden_states() == tuple(env.hidden_state() for env in singles)


# Means that a law cannot have


def test_another_law_is_refused_with_those_there_are() -> None:
    allowed = (
        r"^reward_law must be a RewardLaw, a callable \(mean, rng\) -> reward or one of bernoulli, "
        "bounded, gaussian, got 'poisson'$"
    )
    for make in (ExplorativeUserEnv, lambda **kw: Population(setting=PRINTED, n_arms=3, **kw)):
        with pytest.raises(InvalidArgumentError, match=allowed):
            make(reward_law="poisson")
    with pytest.raises(InvalidArgumentError, match=allowed):
        evaluate(["BAIR"], reward_law="poisson")


def test_given_means_that_are_no_probabilities_are_refused_at_once() -> None:
    for means in ([0.2, 1.1], [-0.1, 0.5]):
        with pytest.raises(InvalidArgumentError, match=r"means must be in \[0, 1\], as this"):
            ExplorativeUserEnv(2, means=means, reward_law="bernoulli")
        ExplorativeUserEnv(2, means=means).reset(seed=0)
    ExplorativeUserEnv(2, means=[0.0, 1.0], reward_law="bernoulli").reset(seed=0)


def test_it_is_the_moved_means_that_must_be_probabilities() -> None:
    options: dict[str, Any] = {"n_arms": 2, "reward_law": "bernoulli", "gap": 0.5}
    ExplorativeUserEnv(means=[0.4, 3.0], **options).reset(seed=0)  # moved to 0.9
    with pytest.raises(InvalidArgumentError, match=r"once the best is moved by gap = 0\.5, as"):
        ExplorativeUserEnv(means=[0.6, 0.7], **options)  # moved to 1.1


def test_the_means_of_one_episode_are_checked_too() -> None:
    env = ExplorativeUserEnv(2, means=[0.1, 0.2], reward_law="bernoulli")
    with pytest.raises(InvalidArgumentError, match=r"means must be in \[0, 1\]"):
        env.reset(seed=0, options={"means": [0.5, 2.0]})


def test_a_law_of_means_within_the_range_is_drawn_as_it_is() -> None:
    rngs = [np.random.default_rng(3) for _ in range(2)]
    free, held = InstanceLaw(4, low_means, 0.4), InstanceLaw(4, low_means, 0.4, (0.0, 1.0))
    assert [free.draw(rngs[0]) for _ in range(50)] == [held.draw(rngs[1]) for _ in range(50)]


def test_the_specification_is_still_json() -> None:
    env = gym.make(ENV_ID, reward_law="bounded")
    assert env.spec is not None
    assert '"reward_law": "bounded"' in env.spec.to_json()
