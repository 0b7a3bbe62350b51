"""The characteristic weights, from a search that begins with nothing."""

import itertools
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from weights import PROBLEMS, ExactKl, assert_optimal, problems, weights_of

from explorative_user_env.agents.optimal_weights import blank_solver


@pytest.mark.parametrize("means", PROBLEMS)
def test_no_weights_have_a_larger_least_transport_cost(
    means: list[float], exact_kl: ExactKl
) -> None:
    # A certificate, not another optimiser, which may stop early on some processor: each cost is at
    # most w_b kl(m_b, mu) + w_k kl(m_k, mu) for any mu, so a mixture of these over the k bounds
    # the least cost of ALL weights; its maximum over the simplex is its largest coefficient.
    weights, best = weights_of(means), max(range(len(means)), key=means.__getitem__)
    costs, lines = [], []
    for arm in range(len(means)):
        if arm != best:
            share = weights[arm] / (weights[best] + weights[arm])
            mu = means[best] + share * (means[arm] - means[best])
            of_best, of_arm = exact_kl(means[best], mu), exact_kl(means[arm], mu)
            lines.append((of_best, of_arm))
            costs.append(Decimal(weights[best]) * of_best + Decimal(weights[arm]) * of_arm)
    # The mixture that makes the coefficients of all w_k alike.
    scale = 1 / sum((1 / of_arm for _, of_arm in lines), Decimal(0))
    ratios = sum((of_best / of_arm for of_best, of_arm in lines), Decimal(0))
    bound = scale * max(Decimal(1), ratios)
    assert float(min(costs) / bound) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("means", PROBLEMS)
def test_the_weights_meet_the_conditions_of_the_theorem(
    means: list[float], exact_kl: ExactKl
) -> None:
    assert_optimal(means, weights_of(means), exact_kl)


@pytest.mark.parametrize("means", PROBLEMS)
def test_the_weights_are_those_of_nested_root_finding(
    means: list[float], slow_weights: Callable[[Sequence[float]], list[float]]
) -> None:
    # The roots are good to 1e-12 or better wherever it runs: no two of these means are close.
    np.testing.assert_allclose(weights_of(means), slow_weights(means), atol=1e-9)


@pytest.mark.parametrize("means", PROBLEMS)
def test_equal_arms_get_equal_weights_whatever_their_place(means: list[float]) -> None:
    weights = weights_of(means)
    assert sum(weights) == pytest.approx(1.0, abs=1e-14)
    backwards = weights_of(means[::-1])[::-1]
    np.testing.assert_allclose(backwards, weights, rtol=1e-9)
    for (one, w), (other, v) in itertools.combinations(zip(means, weights, strict=True), 2):
        if one == other:
            assert w == pytest.approx(v, rel=1e-9)


@given(m_b=st.integers(0, 1000), m_k=st.integers(0, 1000))
def test_two_arms_split_at_the_mean_equally_far_from_both(m_b: int, m_k: int) -> None:
    assume(m_b > m_k)
    weights = weights_of([m_b / 1000, m_k / 1000])
    with localcontext() as context:
        context.prec = 60
        p, q = Decimal(m_b / 1000), Decimal(m_k / 1000)

        def negentropy(x: Decimal) -> Decimal:
            return sum((share * share.ln() for share in (x, 1 - x) if share > 0), Decimal(0))

        # kl(p, mu) = kl(q, mu) is linear in the logit of mu.
        mu = 1 / (1 + ((negentropy(q) - negentropy(p)) / (p - q)).exp())
        expected = [float((mu - q) / (p - q)), float((p - mu) / (p - q))]
    np.testing.assert_allclose(weights, expected, atol=1e-9)


@pytest.mark.parametrize("distance", [1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("rest", [[], [0.2], [0.5, 0.5, 0.1, 0.0]])
def test_near_ties_are_solved(distance: float, rest: list[float], exact_kl: ExactKl) -> None:
    means = [0.6 - distance, *rest, 0.6]
    assert_optimal(means, weights_of(means), exact_kl)


@pytest.mark.parametrize("power", range(1, 10))
@pytest.mark.parametrize("rest", [[0.0], [0.0] * 4, [0.3, 0.0]])
def test_a_rare_success_is_told_from_none(power: int, rest: list[float], exact_kl: ExactKl) -> None:
    top = 10.0**-power
    means = [top, *(top * other for other in rest)]
    assert_optimal(means, weights_of(means), exact_kl)
    warm = blank_solver(len(means))
    weights_of([1.0, *rest], warm)
    assert_optimal(means, weights_of(means, warm), exact_kl)


@given(means=problems())
def test_all_transport_costs_are_equal(means: list[float], exact_kl: ExactKl) -> None:
    assert_optimal(means, weights_of(means), exact_kl)
