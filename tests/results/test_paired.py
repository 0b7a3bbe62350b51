"""Figures of pairs against brute force and SciPy's own tests."""

from itertools import chain, combinations, product

import numpy as np
import pytest
from scipy import stats

from explorative_user_env.results.compare import (
    AS_MEANS,
    AS_PROBABILITY,
    AS_SHARES,
    adjusted,
    paired_difference,
)
from explorative_user_env.results.intervals import (
    mean_interval,
    mean_p_value,
    paired_difference_interval,
)


def test_a_difference_of_means_is_that_of_the_pairs() -> None:
    first, second = np.array([5.0, 7.0, 9.0, 3.0]), np.array([4.0, 5.0, 6.0, -1.0])
    found = paired_difference(
        "time", AS_MEANS, first, second, 0.95
    )  # apart by 1, 2, 3 and 4: no skewness
    assert (found.first, found.second, found.value) == (6.0, 3.5, 2.5)
    theirs = stats.ttest_rel(first, second)
    assert (found.low, found.high) == pytest.approx(tuple(theirs.confidence_interval(0.95)))
    assert found.p_value == pytest.approx(theirs.pvalue)


def test_a_means_p_value_is_of_the_interval_that_ends_at_0() -> None:
    rng = np.random.default_rng(0)
    for shift in (-0.9, -1.3):
        for sign in (1.0, -1.0):
            values = sign * (rng.exponential(1.0, 60) + shift)
            low, high = mean_interval(values, 1.0 - mean_p_value(values))
            assert min(abs(low), abs(high)) == pytest.approx(0.0, abs=1e-9)
    assert mean_p_value(np.zeros(4)) == 1.0
    assert mean_p_value(np.ones(4)) == 0.0
    assert np.isnan(mean_p_value(np.ones(1)))


def test_mcnemars_test_is_exact() -> None:
    """Of 2^7 ways in which 7 unequal pairs could fall, those at least as uneven as 6 to 1."""
    first = np.array([True] * 6 + [False] + [True] * 5)
    second = np.array([False] * 6 + [True] + [True] * 5)
    uneven = [abs(2 * sum(way) - 7) >= 5 for way in product((0, 1), repeat=7)]
    found = paired_difference("success", AS_SHARES, first, second, 0.95)
    assert found.p_value == pytest.approx(np.mean(uneven))
    assert (found.first, found.second) == (11 / 12, 0.5)
    assert found.value == pytest.approx(5 / 12)
    assert (found.low, found.high) == paired_difference_interval(6, 1, 12)
    assert paired_difference("success", AS_SHARES, first, first, 0.95).p_value == 1.0


def test_the_probability_of_less_counts_ties_half() -> None:
    rng = np.random.default_rng(1)
    first, second = rng.integers(0, 6, 50), rng.integers(1, 7, 50)
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    found = paired_difference("P", AS_PROBABILITY, first, second, 0.95)
    assert found.value == pytest.approx(np.mean([(a < b) + 0.5 * (a == b) for a, b in pairs]))
    less, more = sum(a < b for a, b in pairs), sum(a > b for a, b in pairs)
    low, high = paired_difference_interval(less, more, 50)
    assert (found.low, found.high) == pytest.approx(((1 + low) / 2, (1 + high) / 2))
    assert found.p_value == pytest.approx(stats.binomtest(less, less + more).pvalue)
    assert np.isnan(found.first)
    turned = paired_difference("P", AS_PROBABILITY, second, first, 0.95)
    assert (turned.value, turned.high) == pytest.approx((1 - found.value, 1 - found.low))


def test_adjusted_p_values_are_those_of_the_closed_test() -> None:
    """Marcus, Peritz and Gabriel 1976: the worst Bonferroni p-value of all sets it belongs to."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        values = rng.random((5, 30)) * rng.random((5, 1)) - 0.1
        family = [paired_difference("time", AS_MEANS, row, np.zeros(30), 0.95) for row in values]
        ps = [each.p_value for each in family]
        sets = list(chain.from_iterable(combinations(range(5), size) for size in range(1, 6)))
        closed = [
            min(1.0, max(len(some) * min(ps[i] for i in some) for some in sets if place in some))
            for place in range(5)
        ]
        assert [each.p_value for each in adjusted(family)] == pytest.approx(closed)


@pytest.mark.slow
def test_intervals_at_once_hold_at_once_and_few_equal_agents_differ() -> None:
    """600 line-ups of four equal agents: family-wise error .05, plus 3 standard errors of .009."""
    rng = np.random.default_rng(3)
    missed = differing = 0
    for _ in range(600):
        own = rng.gamma(4.0, 100.0, (5, 100))
        family = [paired_difference("time", AS_MEANS, row, own[0], 1 - 0.05 / 4) for row in own[1:]]
        missed += any(not each.low <= 0.0 <= each.high for each in family)
        differing += any(each.p_value < 0.05 for each in adjusted(family))
    assert missed <= 0.077 * 600
    assert 0 < differing <= 0.077 * 600
