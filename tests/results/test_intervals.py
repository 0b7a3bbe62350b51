import math

import numpy as np
import pytest
from scipy import integrate, stats

from explorative_user_env.results.intervals import (
    log_evidence_against,
    mean_interval,
    median_interval,
    paired_difference_interval,
    proportion_interval,
    ratio_interval,
    sequence_interval,
    share_interval,
)


def test_the_ends_of_a_proportions_interval_are_as_unlikely_as_it_says():
    for successes, n, level in ((1, 20, 0.95), (977, 1000, 0.95), (50, 100, 0.99)):
        low, high = proportion_interval(successes, n, level)
        side = pytest.approx((1 - level) / 2, rel=1e-6)
        assert stats.binom.sf(successes - 1, n, low) == side
        assert stats.binom.cdf(successes, n, high) == side


def test_a_ties_share_widens_the_interval_to_whole_numbers_on_both_sides():
    low, high = share_interval(np.array([1.0, 1 / 3, 1 / 3, 1.0]))
    assert (low, high) == (proportion_interval(2, 4)[0], proportion_interval(3, 4)[1])
    thirds = np.full(3, 1 / 3)  # whose sum is 1, but for rounding
    assert share_interval(thirds) == proportion_interval(1, 3)


def test_where_all_pairs_are_unequal_their_difference_is_a_proportion():
    low, high = proportion_interval(13, 20)
    assert paired_difference_interval(13, 7, 20) == pytest.approx((2 * low - 1, 2 * high - 1))
    low, high = paired_difference_interval(30, 12, 100)
    assert paired_difference_interval(12, 30, 100) == pytest.approx((-high, -low))
    assert paired_difference_interval(30, 12, 100, 0.99)[0] < low < 0.18 < high


def test_the_mean_interval_of_what_is_skewed_is_as_long_as_halls_longer_side():
    """The published form: T + g T^2/(3 n^1/2) + g^2 T^3/(27 n) + g/(6 n^1/2) is at the quantile."""
    values = np.array([1.0, 1.0, 2.0, 2.0, 3.0, 12.0])
    n = len(values)
    for sign in (1, -1):
        low, high = mean_interval(sign * values)
        mean, error = sign * values.mean(), (high - low) / 2
        assert (low + high) / 2 == pytest.approx(mean)
        t, skewness = -sign * error / stats.sem(values), stats.skew(sign * values)
        a = skewness / math.sqrt(n)
        transformed = t + a * t**2 / 3 + a**2 * t**3 / 27 + a / 6
        assert abs(transformed) == pytest.approx(stats.t.ppf(0.975, n - 1), rel=1e-9)
        assert error > stats.sem(values) * stats.t.ppf(0.975, n - 1)


def test_the_ratio_interval_is_that_of_the_mean_of_what_is_left_over():
    # 6 of 12; what is left over is 0, -1 and 1, whose mean has the error sqrt(1/3), and the mean
    # whole is 4. With 2 degrees of freedom the quantile is 4.302653.
    half = 4.302652730 * math.sqrt(1 / 3) / 4
    found = ratio_interval(np.array([1.0, 2.0, 3.0]), np.array([2.0, 6.0, 4.0]))
    assert found == pytest.approx((0.5 - half, 0.5 + half), abs=1e-8)


def test_the_interval_of_the_median_is_the_shortest_of_ranks_that_covers_it():
    low, high = median_interval(np.arange(1.0, 102.0))  # the values are their ranks
    covered = stats.binom.cdf(high - 1, 101, 0.5) - stats.binom.cdf(low - 1, 101, 0.5)
    shorter = stats.binom.cdf(high - 2, 101, 0.5) - stats.binom.cdf(low, 101, 0.5)
    assert shorter < 0.95 <= covered


@pytest.mark.parametrize(("successes", "n"), [(0, 4), (3, 4), (30, 40)])
def test_the_evidence_is_the_mixture_beside_one_probability(successes, n):
    def mixed(angle):
        """The integrand over the angle whose squared sine is p, which has no pole."""
        p = math.sin(angle) ** 2
        return p**successes * (1 - p) ** (n - successes) * 2 / math.pi

    mixture = integrate.quad(mixed, 0, math.pi / 2)[0]
    for p in (0.1, 0.75):
        likelihood = p**successes * (1 - p) ** (n - successes)
        found = math.exp(log_evidence_against(p, successes, n))
        assert found == pytest.approx(mixture / likelihood)


def ever_missed(p, horizon, error):
    """The exact probability that the interval misses p after any of the trials, by all states."""
    held, missed = np.array([1.0]), 0.0
    for n in range(1, horizon + 1):
        after = np.append(held * (1 - p), 0.0) + np.append(0.0, held * p)
        outside = log_evidence_against(p, np.arange(n + 1), n) >= -math.log(error)
        missed += float(after[outside].sum())
        held = np.where(outside, 0.0, after)
    return missed


def test_any_time_to_stop_makes_it_miss_no_more_often_than_it_says():
    assert ever_missed(0.05, 500, 0.05) <= 0.05
    for successes, n in ((1, 3), (4, 100), (99, 100)):
        for p in sequence_interval(successes, n, 0.05):
            evidence = log_evidence_against(p, successes, n)
            assert evidence == pytest.approx(math.log(20), rel=1e-6)


def test_intervals_hold_the_estimate_for_any_counts():
    for n in (0, 1, 1001, 10**12):
        for successes in {0, n // 3, n}:
            for error in (0.5, 1e-12, 1e-300):
                low, high = sequence_interval(successes, n, error)
                assert 0.0 <= low <= (successes / n if n else 0.5) <= high <= 1.0


def test_too_few_values_have_no_interval_and_equal_ones_one_of_no_width():
    ones, zeros = np.ones(1), np.zeros(3)
    nothing = [proportion_interval(0, 0), paired_difference_interval(0, 0, 0), mean_interval(ones)]
    nothing += [ratio_interval(ones, ones), ratio_interval(zeros, zeros), median_interval(zeros)]
    assert all(math.isnan(end) for each in nothing for end in each)
    assert mean_interval(np.array([7.0, 7.0])) == (7.0, 7.0)
    assert proportion_interval(1000, 1000) == pytest.approx((0.025 ** (1 / 1000), 1.0), abs=1e-9)
