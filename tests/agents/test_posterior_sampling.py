"""Thompson sampling, and the reference that does the same with the rewards themselves."""

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

from explorative_user_env import ExplorativeUserEnv
from explorative_user_env.agents import FullInformation, Thompson, full_information, thompson
from explorative_user_env.users.model import as_arrays


def assert_drawn_as_often_as_it_is_the_largest(
    rule: Any, params: Any, state: Any, laws: Sequence[Any], low: float, high: float
) -> None:
    """P(an arm has the largest of independent draws of SciPy's `laws`), by the midpoint rule."""
    n = 20_000
    x = low + (np.arange(n) + 0.5) * (high - low) / n
    below = np.array([law.cdf(x) for law in laws])
    expected = [
        float(
            np.sum(law.pdf(x) * np.prod(np.delete(below, arm, axis=0), axis=0)) * (high - low) / n
        )
        for arm, law in enumerate(laws)
    ]
    assert sum(expected) == pytest.approx(1.0, abs=1e-6)
    assert max(expected) < 0.999  # something is left to be drawn
    rng = np.random.default_rng(4)
    chosen = Counter(rule.act(params, state, rng) for _ in range(40_000))
    for arm, chance in enumerate(expected):
        # Five standard deviations of a binomial count: at most 500, or 0.0125 of all.
        assert abs(chosen[arm] - 40_000 * chance) < 5 * math.sqrt(40_000 * chance * (1 - chance))


@pytest.mark.parametrize(
    ("accepted", "rejected", "a", "b"),
    [
        ([30, 0, 12, 1], [15, 1, 9, 0], 1.0, 1.0),
        ([3, 5, 1], [2, 5, 4], 4.0, 0.5),
        ([2, 9], [2, 12], 2.5, 7.0),
    ],
)
def test_thompson_recommends_an_arm_as_often_as_it_is_probably_the_best(
    accepted: list[int], rejected: list[int], a: float, b: float
) -> None:
    params = Thompson(prior=np.array([a, b])).params(len(accepted), 10**6)
    state = thompson.blank(params)
    thompson.start(params, state, np.random.default_rng(0))
    for arm, (s, r) in enumerate(zip(accepted, rejected, strict=True)):
        for response in [True] * s + [False] * r:
            thompson.observe(params, state, arm, response)
    laws = [stats.beta(a + s, b + r) for s, r in zip(accepted, rejected, strict=True)]
    assert_drawn_as_often_as_it_is_the_largest(thompson, params, state, laws, 0.0, 1.0)


def test_every_step_of_thompson_is_the_argmax_of_draws_from_the_stream_handed_in() -> None:
    n_arms, horizon = 5, 300
    agent = Thompson()
    agent.reset(n_arms, np.random.default_rng(9), horizon)
    stream = np.random.default_rng(9)
    a, b = np.ones(n_arms), np.ones(n_arms)  # the uniform law is the default
    for step in range(horizon):
        arm = agent.act()
        assert arm is not None
        assert arm == np.argmax(stream.beta(a, b)), f"step {step}"
        accepted = (3 * step + arm) % 5 < arm
        agent.observe(arm, accepted)
        a[arm] += accepted
        b[arm] += not accepted
    assert agent.act() is None
    assert agent.answer() == np.argmax(a)


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
) -> tuple[full_information.Params, full_information.State]:
    """The reference's state when it was told these rewards, between rejections of all arms."""
    params = FullInformation(**options).params(n_arms, 10**6)
    state = full_information.blank(params)
    full_information.start(params, state, np.random.default_rng(0))
    for arm, reward in zip(arms, rewards, strict=True):
        for other in range(n_arms):
            full_information.observe(params, state, other, False)
        full_information.observe(params, state, arm, True)
        full_information.learn(params, state, arm, reward)
    return params, state


ARMS = np.random.default_rng(1).integers(0, 4, 60).tolist()
REWARDS = (np.random.default_rng(2).standard_normal(60) + np.array(ARMS)).tolist()


@pytest.mark.parametrize("prior", [None, (2.5, 1.0), (-1.0, 0.04), (7.0, 1e9)])
def test_the_posterior_is_that_of_all_rewards_at_once(prior: tuple[float, float] | None) -> None:
    options = dict(zip(("prior_mean", "prior_variance"), prior or (), strict=False))
    for n_seen in (0, 1, 7, 60):  # of five arms the last is never seen
        arms, rewards = ARMS[:n_seen], REWARDS[:n_seen]
        _, state = taught(arms, rewards, 5, **options)
        means, deviations = posterior(arms, rewards, 5, *(prior or (0.0, 1.0)))
        np.testing.assert_allclose(state.means, means, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(state.deviations, deviations, rtol=1e-9)


@pytest.mark.parametrize("v_0", [5e-324, 1.7e308])
def test_no_prior_variance_is_too_small_or_too_large(v_0: float) -> None:
    _, state = taught([0] * 100, [1.0] * 100, 2, prior_mean=3.0, prior_variance=v_0)
    # All the prior's or all the data's.
    assert state.means[0] == pytest.approx(3.0 if v_0 < 1.0 else 1.0)
    assert state.means[1] == 3.0
    assert np.isfinite(state.deviations).all()


def test_the_reference_recommends_an_arm_as_often_as_it_is_probably_the_best() -> None:
    arms, rewards = [0, 0, 1, 1, 1, 2], [0.4, 0.9, 1.5, -0.2, 0.6, -0.5]
    params, state = taught(arms, rewards, 4)
    laws = [stats.norm(*each) for each in zip(*posterior(arms, rewards, 4, 0.0, 1.0), strict=True)]
    assert_drawn_as_often_as_it_is_the_largest(full_information, params, state, laws, -9.0, 9.0)


def test_with_a_real_user_the_posterior_shrinks_her_own_estimates() -> None:
    # Of the standard normal prior the posterior mean is n_i / (n_i + 1) times the empirical mean,
    # which the user keeps herself. A response tells nothing but that a step is over.
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
    learn = numba.njit(full_information.learn)
    for arm, reward in zip(ARMS, REWARDS, strict=True):
        learn(params, compiled, arm, reward)
    for name in ("counts", "excesses", "means", "deviations"):
        assert getattr(compiled, name).tolist() == getattr(state, name), name


def test_the_answer_has_the_largest_posterior_mean_not_the_largest_mean() -> None:
    # One reward of 2 is shrunk to 1, nine of 1.5 to 1.35.
    params, state = taught([0] + [1] * 9 + [2], [2.0] + [1.5] * 9 + [-3.0], 3)
    assert full_information.verdict(params, state, np.random.default_rng(0)) == 1
