import math

import numpy as np
import pytest

from explorative_user_env.results.intervals import (
    mean_interval,
    median_interval,
    one_dominates,
    ratio_interval,
    wilson_interval,
)


def test_wilson_is_its_closed_form() -> None:
    z = 1.959963984540054
    k, n = 977, 1000
    p = k / n
    center = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    assert wilson_interval(k, n) == pytest.approx((center - half, center + half), abs=1e-9)


def test_wilson_of_all_successes_ends_at_one_and_starts_below() -> None:
    low, high = wilson_interval(1000, 1000)
    assert high == 1.0
    assert low == pytest.approx(1 / (1 + 1.959964**2 / 1000), abs=1e-6)


def test_wilson_of_no_trial_says_nothing() -> None:
    assert all(math.isnan(bound) for bound in wilson_interval(0, 0))


def test_the_mean_interval_is_students() -> None:
    values = np.array([1.0, 2.0, 3.0, 4.0])
    half = 3.182446305 * values.std(ddof=1) / 2  # t quantile with 3 degrees of freedom
    assert mean_interval(values) == pytest.approx((2.5 - half, 2.5 + half), abs=1e-6)


def test_equal_values_have_an_interval_of_no_width() -> None:
    assert mean_interval(np.array([7.0, 7.0])) == (7.0, 7.0)


def test_one_value_has_no_interval() -> None:
    assert all(math.isnan(bound) for bound in mean_interval(np.array([7.0])))


@pytest.mark.slow
def test_the_ratio_interval_covers_the_true_ratio_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(1000):
        wholes = rng.exponential(500.0, 200)
        low, high = ratio_interval(
            rng.binomial(wholes.astype(int) + 1, 0.1), wholes.astype(int) + 1
        )
        covered += low <= 0.1 <= high
    assert 930 <= covered <= 970  # binomial(1000, .95) within 2.9 standard errors


def test_the_ratio_interval_is_the_students_of_what_is_left_over() -> None:
    # 6 of 12; what is left over is 0, -1 and 1, whose mean has the error sqrt(1/3), and the mean
    # whole is 4. With 2 degrees of freedom the quantile is 4.302653.
    half = 4.302652730 * math.sqrt(1 / 3) / 4
    found = ratio_interval(np.array([1.0, 2.0, 3.0]), np.array([2.0, 6.0, 4.0]))
    assert found == pytest.approx((0.5 - half, 0.5 + half), abs=1e-8)


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_pairs_have_no_interval(n: int) -> None:
    assert all(math.isnan(bound) for bound in ratio_interval(np.ones(n), np.ones(n)))


def test_a_ratio_without_a_whole_has_no_interval() -> None:
    assert all(math.isnan(bound) for bound in ratio_interval(np.zeros(3), np.zeros(3)))


@pytest.mark.slow
def test_the_interval_of_the_median_covers_it_as_often_as_it_says_whatever_the_law() -> None:
    rng = np.random.default_rng(0)
    for draw in (rng.standard_normal, rng.standard_cauchy):
        intervals = [median_interval(draw(101)) for _ in range(1000)]
        covered = sum(low <= 0.0 <= high for low, high in intervals)
        # At least .95, by less than a step of the ranks; four standard errors are .028.
        assert 0.922 < covered / 1000 < 0.99
    assert np.isnan(median_interval(np.arange(3.0))).all()
    assert np.isnan(median_interval(np.zeros(0))).all()


def test_one_run_of_many_that_makes_the_mean_is_seen() -> None:
    rng = np.random.default_rng(0)
    usual = rng.exponential(500.0, 2000)
    assert not one_dominates(usual)
    assert one_dominates(np.append(usual, 769_570.0))
    assert not any(one_dominates(rng.exponential(1.0, n)) for n in range(100, 400))
    assert not one_dominates(np.array([1.0, 1.0, 9.0]))  # too few to tell
    assert not one_dominates(np.full(20, 3.0))
    assert not one_dominates(np.zeros(0))
