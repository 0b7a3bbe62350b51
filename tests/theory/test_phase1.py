import math
from collections.abc import Callable

import pytest
from bounds import (
    Bound,
    assert_more_arms_cost_more,
    assert_more_confidence_costs_more,
    assert_refused,
    close,
)

from explorative_user_env import theory


def test_acceptances_that_phase_1_needs() -> None:
    assert theory.phase1_acceptances_needed(5, 0.1) == close(100.0)
    assert theory.phase1_acceptances_needed(5, 0.1, alpha=2.0, rho_0=0.5) == close(20.0)
    assert theory.phase1_acceptances_needed(5, 0.1, form="proof") == close(80.0)


@pytest.mark.parametrize(("n1", "bound"), [(100.0, 104), (99.2, 104), (1.0, 5), (0.0, 5)])
def test_acceptances_that_phase_1_can_end_with(n1: float, bound: int) -> None:
    assert theory.phase1_acceptances_bound(n1, 5) == bound


def test_rounds_and_rejections_of_phase_1() -> None:
    # sqrt(2 * 100 * ln 100) = sqrt(921.0340372); e^(1/2) = 1.6487212707
    assert theory.phase1_rounds_bound(100.0, 5, 0.1) == close(30.3485426)
    assert theory.phase1_rejections_bound(100.0, 5, 0.1) == 5 + 5 * (1 + 30) + 4
    printed = theory.printed_phase1_rejections_bound(100.0, 5, 0.1)
    assert printed == close(5 * 1.6487212707 + 5 * 30.3485426)
    # e / 0.5 = 5.4365636569 acceptances; e^(1/2) / 2 is below one
    assert theory.printed_phase1_rejections_bound(100.0, 5, 0.1, 0.5, 0.5) == close(
        5 * 5.4365636569 + 5 * 30.3485426
    )
    assert theory.printed_phase1_rejections_bound(100.0, 5, 0.1, 1.0, 2.0) == close(
        5 + 5 * 30.3485426
    )


@pytest.mark.parametrize(
    ("alpha", "rho_0", "bound"),
    [(1.0, 1.0, 1), (0.5, 0.5, 5), (1.0, 2.0, 0), (1e-4, 1.0, math.inf)],
)
def test_rounds_before_gamma_is_one(alpha: float, rho_0: float, bound: float) -> None:
    assert theory.early_rounds_bound(alpha, rho_0) == bound


@pytest.mark.parametrize(
    "bound",
    [
        lambda delta: theory.phase1_acceptances_needed(5, delta),
        lambda delta: theory.phase1_rounds_bound(100, 5, delta),
        lambda delta: theory.phase1_rejections_bound(100, 5, delta),
        lambda delta: theory.printed_phase1_rejections_bound(100, 5, delta),
    ],
)
def test_more_confidence_costs_more(bound: Bound) -> None:
    assert_more_confidence_costs_more(bound)


@pytest.mark.parametrize(
    "bound",
    [
        lambda n_arms: theory.phase1_acceptances_needed(n_arms, 0.1),
        lambda n_arms: theory.phase1_acceptances_bound(10, n_arms),
        lambda n_arms: theory.phase1_rounds_bound(100, n_arms, 0.1),
        lambda n_arms: theory.phase1_rejections_bound(100, n_arms, 0.1),
    ],
)
def test_more_arms_cost_more(bound: Bound) -> None:
    assert_more_arms_cost_more(bound)


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: theory.phase1_acceptances_needed(1, 0.1), "n_arms"),
        (lambda: theory.phase1_acceptances_needed(2, 0.0), "delta"),
        (lambda: theory.phase1_acceptances_needed(2, 0.1, alpha=0.0), "alpha"),
        (lambda: theory.phase1_acceptances_needed(2, 0.1, rho_0=-1.0), "rho_0"),
        (lambda: theory.phase1_acceptances_needed(2, 0.1, form="mine"), "form"),  # type: ignore[arg-type]
        (lambda: theory.phase1_acceptances_bound(-1.0, 2), "n1"),
        (lambda: theory.phase1_acceptances_bound(1.0, 1), "n_arms"),
        (lambda: theory.phase1_rounds_bound(math.inf, 2, 0.1), "n1"),
        (lambda: theory.phase1_rounds_bound(1.0, 2, 1.0), "delta"),
        (lambda: theory.phase1_rejections_bound(1.0, 2, 0.1, alpha=0.0), "alpha"),
        (lambda: theory.printed_phase1_rejections_bound(1.0, 2, 0.1, rho_0=0.0), "rho_0"),
        (lambda: theory.early_rounds_bound(alpha=-1.0), "alpha"),
    ],
)
def test_an_argument_out_of_range_is_named(call: Callable[[], object], argument: str) -> None:
    assert_refused(call, argument)
