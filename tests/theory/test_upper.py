from collections.abc import Callable
from typing import Any

import pytest
from bounds import (
    THREE,
    TWO,
    Bound,
    assert_more_confidence_costs_more,
    assert_refused,
    close,
)

from explorative_user_env import theory


def test_the_bound_on_all_recommendations_is_the_sum_of_its_parts() -> None:
    # N_1 = 40; sqrt(80 ln 40) = 17.1787763
    bound = theory.upper_bound(TWO, 0.1)
    assert bound == (41, 2 + 2 * (1 + 17) + 1, 198)
    assert bound.total == 278
    printed = theory.printed_upper_bound(TWO, 0.1)
    assert printed == close((40.0, 2 * 1.6487212707 + 2 * 17.1787763, 297.0), rel=1e-7)
    assert theory.upper_bound(TWO, 0.1, n1="proof").phase1_acceptances == 21
    assert theory.upper_bound(TWO, 0.1, n1=4000, order="round robin").phase2_length == 198


def test_every_part_is_that_of_the_user_s_own_numbers() -> None:
    her: dict[str, Any] = {"alpha": 4.0, "rho_0": 0.5, "rho_1": 3.0}
    n1 = 60 ** (1 / 4.0) / 0.5
    assert theory.upper_bound(THREE, 0.1, **her) == (
        theory.phase1_acceptances_bound(n1, 3),
        theory.phase1_rejections_bound(n1, 3, 0.1, alpha=4.0, rho_0=0.5),
        theory.phase2_length_bound(THREE, n1, 0.1, alpha=4.0, rho_1=3.0),
    )
    assert theory.printed_upper_bound(THREE, 0.1, **her) == close(
        (
            n1,
            theory.printed_phase1_rejections_bound(n1, 3, 0.1, alpha=4.0, rho_0=0.5),
            theory.printed_phase2_length_bound(THREE, 0.1, alpha=4.0, rho_0=0.5, rho_1=3.0),
        )
    )


@pytest.mark.parametrize("name", ["alpha", "rho_0", "rho_1"])
@pytest.mark.parametrize("bound", [theory.upper_bound, theory.printed_upper_bound])
def test_each_of_her_numbers_moves_the_bound(bound: Callable[..., Any], name: str) -> None:
    her = {"alpha": 4.0, "rho_0": 0.5, "rho_1": 3.0}
    assert bound(THREE, 0.1, **her).total != bound(THREE, 0.1, **her | {name: 1.1}).total


@pytest.mark.parametrize(
    "bound",
    [
        lambda delta: theory.upper_bound(THREE, delta).total,
        lambda delta: theory.printed_upper_bound(THREE, delta).total,
    ],
)
def test_more_confidence_costs_more(bound: Bound) -> None:
    assert_more_confidence_costs_more(bound)


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: theory.upper_bound(TWO, 2.0), "delta"),
        (lambda: theory.upper_bound(TWO, 0.1, n1=-1.0), "n1"),
    ],
)
def test_an_argument_out_of_range_is_named(call: Callable[[], object], argument: str) -> None:
    assert_refused(call, argument)
