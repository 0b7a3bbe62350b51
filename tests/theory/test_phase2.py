import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from bounds import (
    THREE,
    TWO,
    Bound,
    assert_a_wider_gap_costs_less,
    assert_more_arms_cost_more,
    assert_more_confidence_costs_more,
    assert_refused,
    close,
)
from pairs import pairs

from explorative_user_env import theory
from explorative_user_env.users import model as rules
from explorative_user_env.users.instances import Instance
from explorative_user_env.users.model import blank_state, constant
from explorative_user_env.users.population import PRINTED, RELEASED, Population
from explorative_user_env.validation import InvalidArgumentError


def test_error_of_phase_2() -> None:
    assert theory.phase2_error_bound(100.0, 5) == close(0.08)
    assert theory.phase2_error_bound(20.0, 5, alpha=2.0, rho_0=0.5) == close(0.08)
    assert theory.phase2_error_bound(4.0, 5) == 1.0
    assert theory.phase2_error_bound(0.0, 5) == 1.0
    for form, share in (("paper", 0.8), ("proof", 1.0)):
        needed = theory.phase1_acceptances_needed(5, 0.1, 0.7, 1.3, form)  # type: ignore[arg-type]
        assert theory.phase2_error_bound(needed, 5, 0.7, 1.3) == close(0.1 * share)


def test_acceptances_that_make_sure_of_an_elimination() -> None:
    # (Delta/4)^2 = 1/4. 2 ln(20*97*98) = 24.311 > 97/4 and 2 ln(20*98*99) = 24.352 < 98/4;
    # 2 ln(2 (41 + 2*99)) = 12.34 is less.
    assert theory.elimination_bound(2.0, 40.0, 2, 0.1) == 98
    # 8 ln(2 (41 + 2*220)) = 54.952 > 219/4 and 8 ln(2 (41 + 2*221)) = 54.985 < 220/4
    assert theory.elimination_bound(2.0, 40.0, 2, 0.1, alpha=4.0) == 220
    assert theory.elimination_bound(1e9, 40.0, 2, 0.1) == 1


def test_printed_acceptances_of_an_elimination() -> None:
    # 8 ln 160 = 40.6, 16 ln 64 = 66.5, 32 ln(32/sqrt(0.1)) = 32 * 4.6170284 = 147.745
    assert theory.printed_elimination_bound(2.0, 2, 0.1) == 148
    # alpha = 4: 32 ln(2*2*2^1.25/0.1^0.25) = 32*2.8283; 64 ln 64 = 266.17 is the largest
    assert theory.printed_elimination_bound(2.0, 2, 0.1, alpha=4.0) == 267
    # rho_0 = 1e-9: 8 (ln 160 + ln 1e9) = 8 * 25.7984 = 206.39
    assert theory.printed_elimination_bound(2.0, 2, 0.1, rho_0=1e-9) == 207


def test_length_of_phase_2() -> None:
    assert theory.phase2_length_bound(TWO, 40.0, 0.1) == 98 + 98 + 1 + 1
    # With 4001 acceptances from Phase 1 that one arm may have, the other has to catch up.
    assert theory.phase2_length_bound(TWO, 4000.0, 0.1) == 98 + 4001 + 1 + 1
    assert theory.phase2_length_bound(TWO, 4000.0, 0.1, order="round robin") == 98 + 98 + 1 + 1
    assert theory.printed_phase2_length_bound(TWO, 0.1) == 148 + 148 + 1
    near, far = (theory.elimination_bound(gap, 10.0, 3, 0.1) for gap in (0.5, 1.0))
    assert theory.phase2_length_bound(THREE, 10.0, 0.1) == near + far + near + 1 + 2
    near, far = (theory.printed_elimination_bound(gap, 3, 0.1) for gap in (0.5, 1.0))
    assert theory.printed_phase2_length_bound(THREE, 0.1) == 2 * near + far + 2


@pytest.mark.parametrize("setting", [PRINTED, RELEASED], ids=["printed", "released"])
def test_the_user_rejects_an_arm_with_that_many_acceptances(setting: Any) -> None:
    """At the worst ends of the bands and the largest Gamma."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        n_arms, alpha = int(rng.integers(2, 30)), float(rng.choice([0.3, 1.0, 3.0]))
        gap, delta = float(rng.choice([0.05, 0.5, 3.0])), float(rng.choice([0.001, 0.1, 0.9]))
        n1, rho_1 = float(rng.choice([0, 100, 10**6])), float(rng.choice([0.01, 2.0]))
        population = Population(setting=setting, n_arms=n_arms, alpha=alpha, rho=constant(rho_1))
        user = population.user
        state = blank_state(user)
        needed = theory.elimination_bound(gap, n1, n_arms, delta, alpha, rho_1)
        n_i = needed + int(rng.choice([0, 1, needed]))
        n_best = n_i + int(rng.choice([0, 1, 10**4]))
        bands = [theory.iterated_log_band(n, delta / n_arms) for n in (n_best, n_i)]
        for arm, (mean, n) in enumerate([(gap - bands[0], n_best), (bands[1], n_i)]):
            state.estimates[arm], state.counts[arm], state.scales[arm] = mean, n, n**-0.5
        most = theory.phase1_acceptances_bound(n1, n_arms) + n_arms * (n_i + 1)
        state.spread[0] = math.sqrt(max(0.0, 2 * alpha * math.log(rho_1 * most)))
        assert rules.rejects(user, state, 1)


def eliminates(
    m: int, gap: float, n1: int, n_arms: int, delta: float, alpha: float, rho_1: float
) -> bool:
    """Whether Eq. (4c) holds at the worst, by the definitions."""
    most = n1 + n_arms - 1 + n_arms * (m + 1)
    gamma = max(0.0, 2 * alpha * math.log(rho_1 * most))
    band: float = theory.iterated_log_band(m, delta / n_arms)
    return max(band, math.sqrt(gamma / m)) < gap / 4


def test_the_elimination_bound_is_the_least_that_does() -> None:
    rng = np.random.default_rng(2)
    for _ in range(300):
        n_arms, gap = int(rng.integers(2, 30)), float(rng.uniform(3.0, 30.0))
        alpha, delta = float(rng.choice([0.2, 1.0, 4.0])), float(rng.uniform(0.01, 0.99))
        numbers = (gap, int(rng.choice([1, 7, 500])), n_arms, delta, alpha, 2.0)
        found = theory.elimination_bound(*numbers)
        assert next(m for m in range(1, 2 * found + 1) if eliminates(m, *numbers)) == found


def test_what_eliminates_goes_on_to_where_gamma_is_0_at_first() -> None:
    numbers = (2.0, 40, 2, 0.1, 1e4, 1e-4)
    assert eliminates(98, *numbers)
    assert not eliminates(10_000, *numbers)
    found = theory.elimination_bound(*numbers)
    assert found > 10_000
    assert all(eliminates(m, *numbers) for m in range(found, 20 * found, 100))


@pytest.mark.parametrize(
    "bound",
    [
        lambda delta: theory.phase2_length_bound(THREE, 100, delta),
        lambda delta: theory.printed_phase2_length_bound(THREE, delta),
    ],
)
def test_more_confidence_costs_more(bound: Bound) -> None:
    assert_more_confidence_costs_more(bound)


@pytest.mark.parametrize(
    "bound",
    [
        lambda n_arms: theory.phase2_error_bound(1e5, n_arms),
        lambda n_arms: theory.elimination_bound(0.3, 100, n_arms, 0.1),
        lambda n_arms: theory.printed_elimination_bound(0.3, n_arms, 0.1),
    ],
)
def test_more_arms_cost_more(bound: Bound) -> None:
    assert_more_arms_cost_more(bound)


@pytest.mark.parametrize(
    "bound",
    [
        lambda gap: theory.elimination_bound(gap, 100, 5, 0.1),
        lambda gap: theory.printed_elimination_bound(gap, 5, 0.1),
    ],
)
def test_a_wider_gap_costs_less(bound: Bound) -> None:
    assert_a_wider_gap_costs_less(bound)


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: theory.phase2_error_bound(math.nan, 2), "n1"),
        (lambda: theory.phase2_error_bound(1.0, 2, rho_0=0.0), "rho_0"),
        (lambda: theory.elimination_bound(0.0, 1.0, 2, 0.1), "gap"),
        (lambda: theory.elimination_bound(1e-200, 1.0, 2, 0.1), "gap"),
        (lambda: theory.elimination_bound(1.0, 1.0, 2, 0.1, rho_1=0.0), "rho_1"),
        (lambda: theory.printed_elimination_bound(1.0, 2, 0.1, alpha=math.inf), "alpha"),
        (lambda: theory.phase2_length_bound(TWO, 1.0, 0.1, order="mine"), "order"),  # type: ignore[arg-type]
        (lambda: theory.phase2_length_bound(Instance((1.0, 1.0), 0), 1.0, 0.1), "gap"),
    ],
)
def test_an_argument_out_of_range_is_named(call: Callable[[], object], argument: str) -> None:
    assert_refused(call, argument)


@pytest.mark.parametrize("alpha", [1e250, 1e300, 1e308])
def test_a_bound_that_is_no_float_is_refused(alpha: float) -> None:
    with pytest.raises(InvalidArgumentError, match="alpha must be small enough"):
        theory.elimination_bound(1e-100, 10.0, 5, 0.1, alpha)


@pairs(gap=[1e-100, 1e-8, 0.5, 1e100], alpha=[1e-12, 1.0, 1e6], delta=[0.9, 1e-300])
def test_a_bound_takes_as_many_tries_as_it_has_digits(
    gap: float, alpha: float, delta: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[float] = []

    def counting(x: float) -> float:
        tried.append(x)
        return math.log(x)

    # A try takes two logarithms.
    monkeypatch.setattr(theory, "math", SimpleNamespace(**vars(math) | {"log": counting}))
    found = theory.elimination_bound(gap, 10.0, 5, delta, alpha)
    assert 5 * (found - 1) * found in tried or found == 1
    assert len(tried) <= 2 * (2 * found.bit_length() + 1) + 2
