import math
from collections.abc import Callable
from fractions import Fraction
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
from scipy import optimize

from explorative_user_env import theory
from explorative_user_env.users.instances import Instance


def test_the_lower_bound() -> None:
    assert theory.lower_bound(0.01, 0.5, c=0.25) == close(31.6227766)  # 100^(3/4)
    # 32 ln 25 = 32 * 3.2188758
    assert theory.lower_bound(0.01, 0.25, c=0.25) == close(103.0040264, rel=1e-7)
    assert theory.lower_bound(0.01, 5.0, c=0.25, alpha=2.0, rho_0=0.5) == close(6.3245553203)
    assert theory.lower_bound(0.9, 0.001, c=0.25) == close(0.9**-0.75)  # a logarithm below 0
    assert theory.lower_bound(0.01, 0.5, c=0.25, alpha=1e-3) == math.inf


@pytest.mark.parametrize("gap", [1e-6, 0.5, 30.0])
def test_two_arms_take_eight_over_the_gap_squared(gap: float) -> None:
    instance = Instance((0.0, gap), 1)
    assert theory.optimal_weights(instance) == close((0.5, 0.5), rel=1e-14)
    assert theory.characteristic_time(instance) == close(8.0 / gap**2, rel=1e-13)


@pytest.mark.parametrize("n_arms", [3, 5, 100])
def test_equal_gaps_have_a_closed_form(n_arms: int) -> None:
    """By symmetry w_i = x w_*, (K-1) x^2 = 1: T* = 2 (1 + sqrt(K-1))^2 / Delta^2."""
    instance = Instance((0.5, *[0.0] * (n_arms - 1)), 0)
    root = math.sqrt(n_arms - 1)
    weights = theory.optimal_weights(instance)
    assert weights[0] == close(1 / (1 + root))
    assert weights[1:] == close([1 / (root * (1 + root))] * (n_arms - 1))
    assert theory.characteristic_time(instance) == close(8.0 * (1 + root) ** 2)


@pytest.mark.parametrize(
    "means",
    [
        (1.0, 0.5, 0.0),
        (0.0, 0.1, -3.0),
        (0.3, 0.2, 0.9),
        (0.0, 1.0, 1.0 - 1e-4, 0.5),
        (1e6, 0.0, -1e6),
        tuple(0.1 * arm for arm in range(20)),
        tuple(np.random.default_rng(4).standard_normal(6).tolist()),
    ],
)
def test_no_weights_tell_the_best_arm_apart_sooner(means: tuple[float, ...]) -> None:
    """A certificate, in fractions: no search of the simplex could say as much.

    For any meeting points m_i the evidence of ALL weights is at most a mixture over the i of
    w_b (mu_b - m_i)^2/2 + w_i (mu_i - m_i)^2/2, and that at most its largest coefficient.
    """
    instance = Instance(means, means.index(max(means)))
    weights = [Fraction(weight) for weight in theory.optimal_weights(instance)]
    top, weight_of_top = Fraction(max(means)), weights[instance.best_arm]
    evidence, lines = [], []
    for arm, mean in enumerate(map(Fraction, means)):
        if arm != instance.best_arm:
            meeting = (weight_of_top * top + weights[arm] * mean) / (weight_of_top + weights[arm])
            of_top, of_arm = (top - meeting) ** 2 / 2, (mean - meeting) ** 2 / 2
            evidence.append(weight_of_top * of_top + weights[arm] * of_arm)
            lines.append((of_top, of_arm))
    # The mixture that makes the coefficients of all w_i alike.
    scale = 1 / sum(1 / of_arm for _, of_arm in lines)
    bound = scale * max(Fraction(1), sum((a / b for a, b in lines), Fraction(0)))
    assert float(min(evidence) / bound) == pytest.approx(1.0, abs=1e-9)
    assert theory.characteristic_time(instance) == close(float(1 / bound))


def test_the_general_lower_bound_is_above_the_papers_simple_one() -> None:
    assert theory.general_lower_bound(TWO, 0.01) == close(2.0 * 3.2188758249)  # ln 25
    assert theory.general_lower_bound(TWO, 0.3) == 0.0
    assert theory.general_lower_bound(THREE, 0.01) > theory.lower_bound(0.01, 0.5, c=0.49, alpha=9)


def test_the_characteristic_time_is_between_h_and_twice_h() -> None:
    """Garivier and Kaufmann 2016, section 2.2: H <= T* <= 2H with H = sum of 2/Delta_i^2."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        means = tuple(rng.standard_normal(6).tolist())
        instance = Instance(means, means.index(max(means)))
        assert 2 * instance.hardness <= theory.characteristic_time(instance) * (1 + 1e-12)
        assert theory.characteristic_time(instance) <= 4 * instance.hardness
        assert sum(theory.optimal_weights(instance)) == close(1.0)


@pytest.mark.parametrize(
    "bound",
    [
        lambda delta: theory.lower_bound(delta, 0.5, c=0.2),
        lambda delta: theory.general_lower_bound(THREE, delta),
    ],
)
def test_more_confidence_costs_more(bound: Bound) -> None:
    assert_more_confidence_costs_more(bound)


@pytest.mark.parametrize(
    "bound",
    [
        lambda n_arms: theory.characteristic_time(Instance((1.0, *[0.0] * (n_arms - 1)), 0)),
    ],
)
def test_more_arms_cost_more(bound: Bound) -> None:
    assert_more_arms_cost_more(bound)


@pytest.mark.parametrize(
    "bound",
    [
        lambda gap: theory.lower_bound(0.2, gap, c=0.2, alpha=10),
        lambda gap: theory.characteristic_time(Instance((gap, 0.0, -1.0), 0)),
    ],
)
def test_a_wider_gap_costs_less(bound: Bound) -> None:
    assert_a_wider_gap_costs_less(bound)


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: theory.lower_bound(0.1, 0.5, c=0.5), "c"),
        (lambda: theory.lower_bound(0.1, 0.5, c=0.0), "c"),
        (lambda: theory.lower_bound(0.1, 0.0, c=0.1), "gap"),
        (lambda: theory.characteristic_time(Instance((1.0, 1.0), 0)), "instance"),
        (lambda: theory.general_lower_bound(TWO, 0.0), "delta"),
    ],
)
def test_an_argument_out_of_range_is_named(call: Callable[[], object], argument: str) -> None:
    assert_refused(call, argument)


@pytest.mark.parametrize("means", [(1.0, *([0.0] * 20_000)), (1e-100, 0.0, -1e150), (1e150, 0.0)])
def test_the_weights_of_any_gaps_are_found_soon(
    means: tuple[float, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    taken, usual = [], optimize.brentq

    def counting(*arguments: Any, **options: Any) -> float:
        root, report = usual(*arguments, **options, full_output=True)
        taken.append(report.function_calls)
        return float(root)

    monkeypatch.setattr(optimize, "brentq", counting)
    n_looked_at = 0
    gaps = Instance.gaps

    def looked_at(instance: Instance) -> tuple[float, ...]:
        nonlocal n_looked_at
        n_looked_at += 1
        return gaps.fget(instance)  # type: ignore[attr-defined,no-any-return]

    monkeypatch.setattr(Instance, "gaps", property(looked_at))
    assert sum(theory.optimal_weights(Instance(means, 0))) == pytest.approx(1.0)
    assert max(taken) <= 64
    assert n_looked_at <= 2  # not once an arm
