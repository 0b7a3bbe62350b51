import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from explorative_user_env.theory import hard_pair
from explorative_user_env.validation import InvalidArgumentError


def test_a_pair_worked_by_hand() -> None:
    # N_0 = 4, M = 3: sqrt(2 log 4) = 1.665109, 1 + 2/sqrt(M) = 2.154701,
    # 2 sqrt(log(6)/3) = 1.545643
    pair = hard_pair(0.01, n0=4)
    assert pair.d == pytest.approx(1.665109 * 2.154701 + 1.545643, abs=1e-5)
    assert pair.epsilon == pytest.approx(0.961351, abs=1e-6)  # sqrt(2 log(4)/3)
    assert pair.nu.means == pytest.approx((1 + 0.961351 - 5.133455, 1.0), abs=1e-5)
    assert pair.nu_prime.means == pytest.approx((1.961351, 1.0), abs=1e-6)


def test_a_pair_with_hopeless_arms_and_a_range_of_rho_worked_by_hand() -> None:
    # N_0 = 5, K = 3, M = 3: L = log(2 * 5) = 2.302585, epsilon^2 = log(5)/3
    pair = hard_pair(0.01, alpha=0.5, rho_0=1.0, rho_1=2.0, n_arms=3, n0=5)
    assert pair.d == pytest.approx(1.517427 * 2.154701 + 1.545643, abs=1e-5)
    assert pair.epsilon == pytest.approx(0.732448, abs=1e-6)
    assert pair.nu_prime.means[1:] == pair.nu.means[1:] == (1.0, -100.0)
    assert (pair.nu.best_arm, pair.nu_prime.best_arm) == (1, 0)
    assert pair.event_a_bound == 0.25


@pytest.mark.parametrize(
    ("options", "n0"),
    [
        ({"delta": 1e-4}, 1000),  # delta^(-3/4)
        ({"delta": 1e-4, "rho_0": 0.5}, 2000),
        ({"delta": 1e-4, "alpha": 0.5}, 10**7),  # delta^(-7/4)
        ({"delta": 1e-4, "alpha": 4.0}, 3),  # c = 1/8: delta^(-1/8) = 3.16
        ({"delta": 1e-4, "c": 0.49}, 109),  # 10^2.04 = 109.6
    ],
)
def test_n0_is_the_theorems(options: dict[str, Any], n0: int) -> None:
    assert hard_pair(**options).n0 == n0


def test_a_fixed_gap_moves_the_best_arm_of_nu_prime_only() -> None:
    proofs = hard_pair(1e-3, n_arms=3)
    pair = hard_pair(1e-3, n_arms=3, gap=0.5)
    assert pair.nu == proofs.nu
    assert pair.nu_prime.means == (1.5, *proofs.nu.means[1:])
    assert pair.d - pair.epsilon == pytest.approx(proofs.d - proofs.epsilon)


@given(
    delta=st.floats(1e-30, 0.01),
    alpha=st.floats(0.2, 2.0),
    rho_1=st.floats(1.0, 3.0),
    n_arms=st.integers(2, 4),
)
def test_the_proofs_bounds_are_bounds(
    delta: float, alpha: float, rho_1: float, n_arms: int
) -> None:
    pair = hard_pair(delta, alpha, 1.0, rho_1, n_arms, n0=10**6, gap=None)
    assert pair.event_b_prime == pytest.approx(norm.cdf(-pair.d), rel=1e-9)
    assert pair.event_b_prime_bound < pair.event_b_prime
    assert pair.event_b_prime < pair.event_b == 0.5
    best, second = sorted(pair.nu.means)[:-3:-1]
    assert best == 1.0 > second


def test_the_band_of_event_a_holds_more_often_than_the_bound() -> None:
    rng = np.random.default_rng(0)
    n = np.arange(1, 201)
    means = rng.standard_normal((4000, 200)).cumsum(axis=1) / n
    within = (np.abs(means) < 2 * np.sqrt(np.log(2 * n) / n)).all(axis=1)
    assert within.mean() - 4 * 0.5 / math.sqrt(4000) > hard_pair(0.01).event_a_bound


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"delta": 0.0}, "delta"),
        ({"delta": 0.5}, "delta"),  # N_0 = 1 < K
        ({"delta": 1e-300, "alpha": 0.1}, "delta"),  # N_0 is not finite
        ({"delta": 0.1, "alpha": 0.0}, "alpha"),
        ({"delta": 0.1, "rho_0": -1.0}, "rho_0"),
        ({"delta": 0.1, "rho_0": 0.1, "n0": 10}, "rho_0"),  # log(rho_0 N_0) = 0
        ({"delta": 0.1, "rho_0": 2.0, "rho_1": 1.0}, "rho_1"),
        ({"delta": 0.1, "n_arms": 1}, "n_arms"),
        ({"delta": 0.1, "n_arms": 5, "n0": 4}, "n0"),
        ({"delta": 0.1, "c": 0.5}, "c"),
        ({"delta": 0.1, "alpha": 4.0, "c": 0.3}, "c"),
        ({"delta": 0.1, "gap": 0.0}, "gap"),
    ],
)
def test_wrong_arguments_are_named(options: dict[str, Any], argument: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f"^{argument} must be"):
        hard_pair(**options)
