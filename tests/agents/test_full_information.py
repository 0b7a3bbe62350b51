import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from largest_draws import chances_of_the_largest
from scipy import stats

from explorative_user_env import ExplorativeUserEnv
from explorative_user_env.agents import FullInformation
from explorative_user_env.agents import full_information as rule
from explorative_user_env.users.model import as_arrays


def posterior(
    arms: Sequence[int], rewards: Sequence[float], n_arms: int, m_0: float, v_0: float
) -> tuple[list[float], list[float]]:
    """Means and deviations from all the rewards at once: precisions add up, in fractions."""
    means, deviations = [], []
    for arm in range(n_arms):
        mine = [Fraction(reward) for each, reward in zip(arms, rewards, strict=True) if each == arm]
        precision = 1 / Fraction(v_0) + len(mine)
        means.append(float((Fraction(m_0) / Fraction(v_0) + sum(mine)) / precision))
        deviations.append(math.sqrt(1 / precision))
    return means, deviations


def taught(
    arms: Sequence[int], rewards: Sequence[float], n_arms: int, **options: Any
) -> tuple[rule.Params, rule.State]:
    """The reference's state when it was told these rewards, between rejections of all arms."""
    params = FullInformation(**options).params(n_arms, 10**6)
    state = rule.blank(params)
    rule.start(params, state, np.random.default_rng(0))
    for arm, reward in zip(arms, rewards, strict=True):
        for other in range(n_arms):
            rule.observe(params, state, other, False)
        rule.observe(params, state, arm, True)
        rule.learn(params, state, arm, reward)
    return params, state


ARMS = np.random.default_rng(1).integers(0, 4, 60).tolist()
REWARDS = (np.random.default_rng(2).standard_normal(60) + np.array(ARMS)).tolist()


@pytest.mark.parametrize(
    ("m_0", "v_0"), [(0.0, 1.0), (2.5, 1.0), (-1.0, 0.04), (0.3, 50.0), (7.0, 1e9)]
)
@pytest.mark.parametrize("n_seen", [0, 1, 7, 60])
def test_the_posterior_is_that_of_all_rewards_at_once(n_seen: int, m_0: float, v_0: float) -> None:
    # Of five arms the last is never seen.
    arms, rewards = ARMS[:n_seen], REWARDS[:n_seen]
    _, state = taught(arms, rewards, 5, prior_mean=m_0, prior_variance=v_0)
    means, deviations = posterior(arms, rewards, 5, m_0, v_0)
    np.testing.assert_allclose(state.means, means, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(state.deviations, deviations, rtol=1e-9)


def test_the_standard_normal_is_the_default_prior() -> None:
    expected = FullInformation(prior_mean=0.0, prior_variance=1.0).params(3, 10)
    assert FullInformation(horizon=10).params(3, None) == expected


@pytest.mark.parametrize("v_0", [5e-324, 1e-200, 1e200, 1.7e308])
def test_no_prior_variance_is_too_small_or_too_large(v_0: float) -> None:
    _, state = taught([0] * 100, [1.0] * 100, 2, prior_mean=3.0, prior_variance=v_0)
    # All the prior's or all the data's.
    assert state.means[0] == pytest.approx(3.0 if v_0 < 1.0 else 1.0)
    assert state.means[1] == 3.0
    assert np.isfinite(state.deviations).all()


def test_an_arm_is_recommended_as_often_as_it_is_probably_the_best() -> None:
    arms, rewards = [0, 0, 1, 1, 1, 2], [0.4, 0.9, 1.5, -0.2, 0.6, -0.5]
    params, state = taught(arms, rewards, 4)
    laws = [stats.norm(*each) for each in zip(*posterior(arms, rewards, 4, 0.0, 1.0), strict=True)]
    expected = chances_of_the_largest(laws, -9.0, 9.0)
    rng = np.random.default_rng(3)
    n = 40_000
    chosen = Counter(rule.act(params, state, rng) for _ in range(n))
    for arm, chance in enumerate(expected):
        # Five standard deviations of a binomial count: at most 500, or 0.0125 of all.
        assert abs(chosen[arm] - n * chance) < 5 * math.sqrt(n * chance * (1 - chance))


def test_the_response_itself_tells_nothing_but_that_a_step_is_over() -> None:
    agent = FullInformation(horizon=40)
    agent.reset(3, np.random.default_rng(0))
    for step in range(40):
        arm = agent.act()
        assert arm is not None
        agent.observe(arm, step % 2 == 0)
    assert agent.act() is None
    assert agent._state.means == [0.0] * 3
    assert agent._state.deviations == [1.0] * 3


def test_with_a_real_user_the_posterior_shrinks_her_own_estimates() -> None:
    # Of the standard normal prior the posterior mean is n_i / (n_i + 1) times the empirical mean,
    # which the user keeps herself.
    env = ExplorativeUserEnv(4, setting="printed", noise=0.3, reward="realized")
    env.reset(seed=5)
    agent = FullInformation()
    agent.reset(4, np.random.default_rng(5), horizon=300)
    n_rejected = 0
    while (arm := agent.act()) is not None:
        accepted, reward, *_ = env.step(arm)
        agent.observe(arm, bool(accepted))
        if accepted:
            agent.learn(arm, float(reward))
        n_rejected += not accepted
    truth = env.hidden_state()
    counts = np.array(truth.counts)
    assert counts.sum() + n_rejected == 300
    assert 0 < n_rejected < 300
    expected = counts / (counts + 1) * np.nan_to_num(truth.estimates)
    np.testing.assert_allclose(agent._state.means, expected, rtol=1e-9, atol=1e-12)
    assert agent.answer() == np.argmax(expected)


def test_compiled_learning_is_the_readable_one_to_the_last_bit() -> None:
    numba = pytest.importorskip("numba")
    params, state = taught(ARMS, REWARDS, 4, prior_mean=0.3, prior_variance=0.7)
    _, blank = taught([], [], 4, prior_mean=0.3, prior_variance=0.7)
    compiled: Any = as_arrays(blank)
    learn = numba.njit(rule.learn)
    for arm, reward in zip(ARMS, REWARDS, strict=True):
        learn(params, compiled, arm, reward)
    for name in ("counts", "excesses", "means", "deviations"):
        assert getattr(compiled, name).tolist() == getattr(state, name), name


def test_the_answer_has_the_largest_posterior_mean_not_the_largest_mean() -> None:
    # One reward of 2 is shrunk to 1, nine of 1.5 to 1.35.
    params, state = taught([0] + [1] * 9 + [2], [2.0] + [1.5] * 9 + [-3.0], 3)
    assert rule.verdict(params, state, np.random.default_rng(0)) == 1


def test_an_answer_among_tied_arms_is_random() -> None:
    params, state = taught([1], [-0.5], 3)
    rng = np.random.default_rng(0)
    answers = Counter(rule.verdict(params, state, rng) for _ in range(1000))
    assert set(answers) == {0, 2}
    assert abs(answers[0] - 500) < 5 * math.sqrt(1000 / 4)


def test_it_says_that_it_is_no_competitor() -> None:
    assert "NOT a competitor" in str(FullInformation.__doc__)
