import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from largest_draws import chances_of_the_largest
from scipy import stats

from explorative_user_env.agents import Thompson
from explorative_user_env.agents import thompson as rule


def chances(accepted: Sequence[int], rejected: Sequence[int], a: float, b: float) -> list[float]:
    """P(arm has the largest of independent Beta draws)."""
    laws = [stats.beta(a + s, b + r) for s, r in zip(accepted, rejected, strict=True)]
    return chances_of_the_largest(laws, 0.0, 1.0)


def counted(
    accepted: Sequence[int], rejected: Sequence[int], a: float, b: float
) -> tuple[rule.Params, rule.State]:
    """The agent's state when it has observed these numbers."""
    params = Thompson(prior=(a, b)).params(len(accepted), 10**6)
    state = rule.blank(params)
    rule.start(params, state, np.random.default_rng(0))
    for arm, (s, r) in enumerate(zip(accepted, rejected, strict=True)):
        for response in [True] * s + [False] * r:
            rule.observe(params, state, arm, response)
    return params, state


@pytest.mark.parametrize(
    ("accepted", "rejected", "a", "b"),
    [
        ([0, 0, 0], [0, 0, 0], 1.0, 1.0),
        ([3, 5, 0], [2, 5, 4], 1.0, 1.0),
        ([30, 0, 12, 1], [15, 1, 9, 0], 1.0, 1.0),
        ([3, 5, 1], [2, 5, 4], 4.0, 0.5),
        ([2, 9], [2, 12], 2.5, 7.0),
    ],
)
def test_an_arm_is_recommended_as_often_as_it_is_probably_the_best(
    accepted: list[int], rejected: list[int], a: float, b: float
) -> None:
    params, state = counted(accepted, rejected, a, b)
    expected = chances(accepted, rejected, a, b)
    assert max(expected) < 0.999  # something is left to be drawn
    rng = np.random.default_rng(4)
    n = 40_000
    chosen = Counter(rule.act(params, state, rng) for _ in range(n))
    for arm, chance in enumerate(expected):
        # Five standard deviations of a binomial count: at most 500, or 0.0125 of all.
        assert abs(chosen[arm] - n * chance) < 5 * math.sqrt(n * chance * (1 - chance))


def test_every_step_is_the_argmax_of_draws_from_the_stream_handed_in() -> None:
    n_arms, horizon = 5, 300
    agent = Thompson()
    agent.reset(n_arms, np.random.default_rng(9), horizon)
    stream = np.random.default_rng(9)
    a, b = np.ones(n_arms), np.ones(n_arms)
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


def test_the_uniform_law_is_the_default_prior() -> None:
    assert Thompson().params(2, 10) == Thompson(prior=(1.0, 1.0), horizon=10).params(2, None)


def test_a_prior_may_be_any_pair() -> None:
    expected = Thompson(prior=(2.0, 0.5)).params(2, 10)
    for prior in ([2, 0.5], np.array([2.0, 0.5])):
        assert Thompson(prior=prior).params(2, 10) == expected


def test_the_answer_is_the_most_accepted_arm_and_a_tie_s_at_random() -> None:
    params, state = counted([3, 7, 1, 7], [0, 90, 0, 5], 1.0, 1.0)
    rng = np.random.default_rng(0)
    answers = Counter(rule.verdict(params, state, rng) for _ in range(1000))
    assert set(answers) == {1, 3}
    assert abs(answers[1] - 500) < 5 * math.sqrt(1000 / 4)
