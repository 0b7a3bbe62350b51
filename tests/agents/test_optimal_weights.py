"""The divergence and the characteristic weights, against many digits and Theorem 5."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from explorative_user_env.agents.optimal_weights import (
    CLOSE,
    bernoulli_kl,
    blank_solver,
    characteristic_weights,
)

CHANCES = st.floats(0, 1) | st.sampled_from([1e-323, 1e-300, 1e-20, 1e-9, 0.5, 1.0 - 2.0**-53])

PROBLEMS = [
    [0.6, 0.4],
    [1.0, 0.5],
    [0.5, 0.0],
    [0.02, 0.01],
    [0.9, 0.2, 0.2],
    [1.0, 0.6, 0.0],
    [0.0, 0.25, 0.0, 0.75, 1.0],
    [0.3, 0.21, 0.2, 0.19, 0.18],
    [0.95 - 0.04 * arm for arm in range(20)],
    [0.7, *([0.6] * 10), *([0.1] * 9)],
    *([0.6 - distance, 0.5, 0.0, 0.6] for distance in (1e-2, 1e-4, 1e-6)),
    *([top, 0.3 * top, 0.0] for top in (1e-2, 1e-5, 1e-9)),
]


def exact_kl(p, q):
    """kl(p, q) in the digits of the context."""
    total = Decimal(0)
    for a, b in ((p, q), (1 - p, 1 - q)):
        if a > 0:
            total += a * (a / b).ln() if b > 0 else Decimal("inf")
    return total


def weights_of(means, solver=None):
    solver = solver or blank_solver(len(means))
    characteristic_weights(list(means), int(np.argmax(means)), solver)
    return list(solver.weights)


def problems():
    """Means as counts make them, with one best arm."""
    rates = st.integers(1, 300).flatmap(lambda n: st.integers(0, n).map(lambda s: s / n))
    means = st.lists(rates, min_size=2, max_size=8)
    return means.filter(lambda means: means.count(max(means)) == 1)


class Optimality:
    """How far Theorem 5's conditions, and optimality itself, are from holding, in 110 digits."""

    def __init__(self, means, weights):
        best, costs, lines = int(np.argmax(means)), [], []
        with localcontext() as context:
            context.prec = 110  # the divergence of neighbours near 1e-18 begins at the 70th
            top, share = Decimal(means[best]), Decimal(weights[best])
            for arm, (mean, weight) in enumerate(zip(means, map(Decimal, weights), strict=True)):
                if arm != best:
                    mu = (share * top + weight * Decimal(mean)) / (share + weight)
                    of_best, of_arm = exact_kl(top, mu), exact_kl(Decimal(mean), mu)
                    lines.append((of_best, of_arm))
                    costs.append(share * of_best + weight * of_arm)
            total = sum((of_best / of_arm for of_best, of_arm in lines), Decimal(0))
            self.conditions = float(max(abs(total - 1), max(costs) / min(costs) - 1))
            # A certificate: each cost is at most w_b kl(m_b, mu) + w_k kl(m_k, mu) for ANY weights,
            # so a mixture of these over the k bounds the least cost of all weights; its maximum
            # over the simplex is its largest coefficient.
            scale = 1 / sum((1 / of_arm for _, of_arm in lines), Decimal(0))
            self.below_the_best = float(1 - min(costs) / (scale * max(Decimal(1), total)))


@given(p=CHANCES, q=CHANCES)
@example(p=0.3, q=0.3 * (1 + 1e-12))
@example(p=1e-9, q=1e-9 * (1 - 1e-7))
@example(p=0.5, q=0.0)
@example(p=0.0, q=1.0)
@example(p=1.0, q=1e-12)
def test_the_divergence_loses_no_digits(p, q):
    with localcontext() as context:
        context.prec = 400
        expected = float(exact_kl(Decimal(p), Decimal(q)))
    assert bernoulli_kl(p, q) == pytest.approx(expected, rel=2e-11, abs=1e-287)  # 1e-290 is 0
    assert bernoulli_kl(p, p) == 0.0


def test_no_weights_have_a_larger_least_transport_cost():
    for means in PROBLEMS:
        warm = blank_solver(len(means))
        weights_of([*means[:-1], min(1.0, 2 * max(means))], warm)
        for weights in (weights_of(means), weights_of(means, warm)):
            found = Optimality(means, weights)
            assert found.below_the_best == pytest.approx(0.0, abs=1e-9), means
            assert found.conditions < 1e-7
            assert sum(weights) == pytest.approx(1.0, abs=1e-14)


@pytest.mark.slow
@given(problems(), problems(), st.none() | st.lists(st.floats(-8, 8), min_size=9, max_size=9))
@example(means=[0.0, 0.01], other=[0.0, 1.0], powers=None)
@example(means=[0.0, 1.0], other=[0.0, 0.01], powers=None)
@example(means=[0.002, 0.0, 0.0], other=[0.5, 0.499, 0.3], powers=None)
@example(means=[0.0, 0.5], other=[0.1, 0.2], powers=[8.0] * 8 + [-8.0])
def test_a_start_from_anywhere_ends_where_a_cold_one_does(means, other, powers):
    solver = blank_solver(len(means))
    other = (other * len(means))[: len(means)]
    if powers:
        solver.ratios[:] = [10.0**power for power in powers[: len(means)]]
        solver.level[0] = 10.0 ** powers[-1]
    elif other.count(max(other)) == 1:
        weights_of(other, solver)
    cold = weights_of(means)
    assert Optimality(means, cold).conditions < 1e-7
    np.testing.assert_allclose(weights_of(means, solver), cold, rtol=1e-9, atol=1e-9)


def test_arms_that_cannot_be_told_apart_share_as_in_the_limit():
    for means, expected in [
        ([0.0, 0.0], [0.5, 0.5]),
        ([1.0, 0.2, 1.0], [0.5, 0.0, 0.5]),
        ([0.5] * 5, [1 / 3, *([1 / 6] * 4)]),
        ([0.6, math.nextafter(0.6, 0.0)], [0.5, 0.5]),
        ([1.0, math.nextafter(1.0, 0.0)], [(math.e - 1) / math.e, 1 / math.e]),
        ([1e-18, 0.0], [1 / math.e, (math.e - 1) / math.e]),
    ]:
        solver, before = blank_solver(len(means)), [0.9, *([0.2] * (len(means) - 1))]
        assert weights_of(means) == pytest.approx(expected, abs=1e-11)
        weights_of(before, solver)
        assert weights_of(means, solver) == pytest.approx(expected, abs=1e-11)
        assert weights_of(before, solver) == pytest.approx(weights_of(before))


def hard_problems(rng):
    """Means of which one comes near to another, by a relative or an absolute distance."""
    tiny = 10.0 ** rng.uniform(-18, 0, 2)
    means = rng.choice([0.0, 0.5, 1.0, rng.random(), tiny[0], 1.0 - tiny[1]], 3).tolist()
    for _ in range(rng.integers(1, 5)):
        arm, other, sign, away = *rng.integers(3, size=2), rng.choice([-1, 1]), rng.uniform(-18, 0)
        distance = sign * 10.0**away * (means[other] if arm > other else 1.0)
        near = means[other] + distance if away > -16 else math.nextafter(means[other], sign)
        means[arm] = float(min(1.0, max(0.0, near)))
        means[arm] *= float(means[arm] > 1e-18)  # less than one success in all that can be counted
        yield means


@pytest.mark.slow
def test_hard_problems_are_solved_to_the_digits_that_rounding_leaves():
    rng = np.random.default_rng(0)
    for _ in range(120):
        solver = blank_solver(3)
        for means in hard_problems(rng):
            weights = weights_of(means, solver)
            assert all(0.0 <= weight <= 1.0 for weight in weights)
            assert sum(weights) == pytest.approx(1.0, abs=1e-12)
            second, best = sorted(means)[-2:]
            if best > second:
                # Newton's mean is rounded at 1e-16, relative to the gap. Beside two near arms a
                # weight has an error of up to 2e-14 of the sum of all weights.
                gap = best - second
                allowed = 1e-10 if gap <= CLOSE * best else 1e-10 + 4e-15 * best / gap
                allowed += 2e-14 / max(min(weights), 1e-300)
                assert Optimality(means, weights).conditions <= allowed, (means, solver)
