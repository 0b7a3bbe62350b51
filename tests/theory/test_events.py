import math
from collections.abc import Callable

import numpy as np
import pytest
from bounds import (
    Bound,
    assert_more_confidence_costs_more,
    assert_refused,
    close,
)

from explorative_user_env import theory


def test_the_band_of_the_iterated_logarithm() -> None:
    # sqrt(2/3 ln 120), ln 120 = 4.7874917427; sqrt(2 ln 20), ln 20 = 2.9957322736
    assert theory.iterated_log_band(3, 0.1) == close(math.sqrt(2 * 4.7874917427 / 3))
    many = theory.iterated_log_band(np.array([[1, 3]]), 0.1)
    assert many == close(np.array([[2 * 2.9957322736, 2 * 4.7874917427 / 3]]) ** 0.5)


@pytest.mark.slow
def test_gaussian_means_keep_to_the_band() -> None:
    """Of 2000 walks of 2000 steps at delta = 0.3, some leave and less than 0.3 of them."""
    steps = np.arange(1, 2001)
    walks = np.random.default_rng(5).standard_normal((2000, 2000)).cumsum(axis=1) / steps
    left = (np.abs(walks) > theory.iterated_log_band(steps, 0.3)).any(axis=1).sum()
    assert 0 < left / 2000 < 0.3


def test_the_drop_of_the_largest_mean() -> None:
    assert theory.largest_mean_drop(4.0, 16) == close(1.0)
    assert theory.largest_mean_drop(0.0, 1) == 0.0


@pytest.mark.parametrize(
    "bound",
    [
        lambda delta: theory.iterated_log_band(7, delta),
    ],
)
def test_more_confidence_costs_more(bound: Bound) -> None:
    assert_more_confidence_costs_more(bound)


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: theory.iterated_log_band(0, 0.1), "n"),
        (lambda: theory.iterated_log_band(np.array([1, 0]), 0.1), "n"),
        (lambda: theory.iterated_log_band(np.array([1.5]), 0.1), "n"),
        (lambda: theory.iterated_log_band(1, 1.5), "delta"),
        (lambda: theory.largest_mean_drop(-1.0, 1), "gamma"),
        (lambda: theory.largest_mean_drop(1.0, 0), "acceptances"),
    ],
)
def test_an_argument_out_of_range_is_named(call: Callable[[], object], argument: str) -> None:
    assert_refused(call, argument)
