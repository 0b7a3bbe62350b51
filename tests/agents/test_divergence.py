import itertools
import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy import special

from explorative_user_env.agents import divergence
from explorative_user_env.agents.divergence import (
    Solver,
    bernoulli_kl,
    blank_solver,
    characteristic_weights,
    start_solver,
    transport_cost,
)

ExactKl = Callable[[float, float], Decimal]

CLOSE = [10.0**-power for power in range(1, 13)]

GRID = [0.0, 0.001, 0.02, 0.1, 1 / 3, 0.5, 0.75, 0.93, 0.999, 1.0]

PROBLEMS = [
    [0.6, 0.4],
    [1.0, 0.5],
    [0.5, 0.0],
    [0.02, 0.01],
    [0.3, 0.5, 0.45],
    [0.9, 0.2, 0.2],
    [1.0, 0.6, 0.0],
    [0.5, 0.45, 0.43, 0.4, 0.1],
    [0.2, 0.2, 0.8, 0.2, 0.2],
    [0.0, 0.25, 0.0, 0.75, 1.0],
    [0.3, 0.21, 0.2, 0.19, 0.18],
    [0.95 - 0.04 * arm for arm in range(20)],
    [0.9] + [0.5] * 19,
    [0.7, *([0.6] * 10), *([0.1] * 9)],
]


def weights_of(means: Sequence[float], solver: Solver | None = None) -> list[float]:
    solver = blank_solver(len(means)) if solver is None else solver
    characteristic_weights(list(means), int(np.argmax(means)), solver)
    return list(solver.weights)


def costs_of(means: Sequence[float], weights: Sequence[float]) -> Any:
    """w_b kl(m_b, m) + w_k kl(m_k, m) for each other arm k, by SciPy."""
    best = int(np.argmax(means))
    m, w = np.delete(means, best), np.delete(weights, best)
    pooled = (weights[best] * means[best] + w * m) / (weights[best] + w)

    def kl(p: Any, q: Any) -> Any:
        return special.rel_entr(p, q) + special.rel_entr(1.0 - np.asarray(p), 1.0 - q)

    return weights[best] * kl(means[best], pooled) + w * kl(m, pooled)


def problems(largest: int = 8) -> st.SearchStrategy[list[float]]:
    """Means as counts make them, with one best arm."""
    rates = st.integers(1, 300).flatmap(
        lambda n: st.integers(0, n).map(lambda successes: successes / n)
    )
    return st.lists(rates, min_size=2, max_size=largest).filter(
        lambda means: means.count(max(means)) == 1
    )


@pytest.mark.parametrize(("p", "q"), list(itertools.product(GRID[1:-1], repeat=2)))
def test_the_divergence_is_exact_on_a_grid(p: float, q: float, exact_kl: ExactKl) -> None:
    assert bernoulli_kl(p, q) == pytest.approx(float(exact_kl(p, q)), rel=2e-11, abs=0.0)


@pytest.mark.parametrize("distance", CLOSE)
@pytest.mark.parametrize("p", [1e-9, 0.01, 0.3, 0.5, 0.9])
def test_close_means_lose_no_digits(p: float, distance: float, exact_kl: ExactKl) -> None:
    for q in (p * (1.0 + distance), p * (1.0 - distance)):
        assert bernoulli_kl(p, q) == pytest.approx(float(exact_kl(p, q)), rel=2e-11, abs=0.0)
        assert bernoulli_kl(q, p) == pytest.approx(float(exact_kl(q, p)), rel=2e-11, abs=0.0)


@pytest.mark.parametrize("tiny", [1e-6, 1e-9, 1e-12, 1e-16, 1e-20, 1e-300, 1e-323])
@pytest.mark.parametrize("p", [1e-3, 0.5, 1.0 - 1e-3])
def test_far_apart_means_lose_no_digits(p: float, tiny: float, exact_kl: ExactKl) -> None:
    assert bernoulli_kl(p, tiny) == pytest.approx(float(exact_kl(p, tiny)), rel=2e-11, abs=0.0)
    assert bernoulli_kl(tiny, p) == pytest.approx(float(exact_kl(tiny, p)), rel=2e-11, abs=0.0)


@pytest.mark.parametrize("q", [1e-12, 0.3, 0.9, 1.0 - 1e-12])
def test_certain_laws_have_the_closed_form(q: float, exact_kl: ExactKl) -> None:
    assert bernoulli_kl(0.0, q) == pytest.approx(float(exact_kl(0.0, q)), rel=1e-15, abs=0.0)
    assert bernoulli_kl(1.0, q) == pytest.approx(float(exact_kl(1.0, q)), rel=1e-15, abs=0.0)


@pytest.mark.parametrize("p", GRID)
def test_a_law_does_not_diverge_from_itself(p: float) -> None:
    assert bernoulli_kl(p, p) == 0.0


@pytest.mark.parametrize(
    ("p", "q"), [(0.5, 0.0), (1.0, 0.0), (1e-9, 0.0), (0.5, 1.0), (0.0, 1.0), (1.0 - 1e-9, 1.0)]
)
def test_an_impossible_outcome_diverges_infinitely(p: float, q: float) -> None:
    assert bernoulli_kl(p, q) == math.inf


@given(p=st.floats(0, 1), q=st.floats(0, 1))
def test_the_divergence_is_never_negative(p: float, q: float) -> None:
    assert bernoulli_kl(p, q) >= 0.0


@pytest.mark.parametrize(("n_b", "n_a"), [(10, 3), (1, 1), (400, 7)])
@pytest.mark.parametrize(("m_b", "m_a"), [(0.7, 0.4), (1.0, 0.0), (1.0, 0.25), (0.5, 0.0)])
def test_the_transport_cost_is_the_likelihood_ratio(
    n_b: int, n_a: int, m_b: float, m_a: float
) -> None:
    # The log-likelihood of both samples apart, less that of one common mean.
    def likelihood(n: float, mean: float) -> float:
        return n * float(special.xlogy(mean, mean) + special.xlog1py(1.0 - mean, -mean))

    pooled = (n_b * m_b + n_a * m_a) / (n_b + n_a)
    ratio = likelihood(n_b, m_b) + likelihood(n_a, m_a) - likelihood(n_b + n_a, pooled)
    assert transport_cost(n_b, m_b, n_a, m_a) == pytest.approx(ratio, rel=1e-9)


@pytest.mark.parametrize("means", PROBLEMS)
def test_no_weights_have_a_larger_least_transport_cost(
    means: list[float], exact_kl: ExactKl
) -> None:
    # A certificate, not another optimiser, which may stop early on some processor: each cost is at
    # most w_b kl(m_b, mu) + w_k kl(m_k, mu) for any mu, so a mixture of these over the k bounds
    # the least cost of ALL weights; its maximum over the simplex is its largest coefficient.
    weights, best = weights_of(means), max(range(len(means)), key=means.__getitem__)
    lines = []
    for arm in range(len(means)):
        if arm != best:
            share = weights[arm] / (weights[best] + weights[arm])
            mu = means[best] + share * (means[arm] - means[best])
            lines.append((exact_kl(means[best], mu), exact_kl(means[arm], mu)))
    scale = 1 / sum(
        (1 / of_arm for _, of_arm in lines), Decimal(0)
    )  # makes the coefficients of all w_k alike
    bound = scale * max(
        Decimal(1), sum((of_best / of_arm for of_best, of_arm in lines), Decimal(0))
    )
    assert min(costs_of(means, weights)) == pytest.approx(float(bound), rel=1e-9)


@pytest.mark.parametrize("means", PROBLEMS)
def test_the_weights_are_those_of_nested_root_finding(
    means: list[float], slow_weights: Callable[[Sequence[float]], list[float]]
) -> None:
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
    p, q = m_b / 1000, m_k / 1000

    def negentropy(x: float) -> float:
        return float(special.xlogy(x, x) + special.xlog1py(1.0 - x, -x))

    # kl(p, mu) = kl(q, mu) is linear in the logit of mu.
    mu = special.expit((negentropy(p) - negentropy(q)) / (p - q))
    np.testing.assert_allclose(
        weights_of([p, q]), [(mu - q) / (p - q), (p - mu) / (p - q)], atol=1e-9
    )


def assert_optimal(means: Sequence[float], weights: Sequence[float], exact_kl: ExactKl) -> None:
    """Theorem 5: equal transport costs, and sum of kl(m_b, mu_k) / kl(m_k, mu_k) is 1."""
    best = max(range(len(means)), key=means.__getitem__)
    costs = []
    total = Decimal(0)
    for arm, mean in enumerate(means):
        if arm == best:
            continue
        mu = (weights[best] * means[best] + weights[arm] * mean) / (weights[best] + weights[arm])
        from_best, from_arm = exact_kl(means[best], mu), exact_kl(mean, mu)
        assert from_arm > 0
        total += from_best / from_arm
        costs.append(Decimal(weights[best]) * from_best + Decimal(weights[arm]) * from_arm)
    assert float(total) == pytest.approx(1.0, abs=1e-7)
    assert float(max(costs) / min(costs)) == pytest.approx(1.0, abs=1e-9)


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


@settings(max_examples=120)
@given(means=problems(), other=problems())
@example(means=[0.0, 0.01], other=[0.0, 1.0])
@example(means=[0.0, 1.0], other=[0.0, 0.01])
@example(means=[0.002, 0.0, 0.0], other=[0.5, 0.499, 0.3])
def test_a_start_from_any_other_problem_ends_where_a_cold_one_does(
    means: list[float], other: list[float]
) -> None:
    other = (other * len(means))[: len(means)]
    assume(other.count(max(other)) == 1)
    solver = blank_solver(len(means))
    characteristic_weights(other, int(np.argmax(other)), solver)
    cold = weights_of(means)
    assert all(0.0 < weight < 1.0 for weight in cold)
    np.testing.assert_allclose(weights_of(means, solver), cold, rtol=1e-9, atol=1e-9)


@settings(max_examples=80)
@given(
    means=problems(),
    powers=st.lists(st.floats(-8, 8), min_size=8, max_size=8),
    level=st.floats(-8, 3),
)
@example(means=[0.0, 0.5], powers=[0.0, 0.0], level=2.0)
@example(means=[0.0, 0.5], powers=[8.0, 8.0], level=-8.0)
def test_a_start_from_any_positive_numbers_ends_where_a_cold_one_does(
    means: list[float], powers: list[float], level: float
) -> None:
    n_arms = len(means)
    solver = Solver([10.0**power for power in powers[:n_arms]], [10.0**level], [0.0] * n_arms)
    np.testing.assert_allclose(weights_of(means, solver), weights_of(means), rtol=1e-9, atol=1e-9)


def test_a_slowly_changing_problem_can_be_followed_for_ever() -> None:
    rng = np.random.default_rng(0)
    tries, successes = np.ones(5), np.ones(5)
    solver = blank_solver(5)
    for _ in range(400):
        arm = rng.integers(5)
        tries[arm] += 1
        successes[arm] += rng.random() < 0.9 - 0.1 * arm
        means = (successes / tries).tolist()
        if means.count(max(means)) == 1:
            warm = weights_of(means, solver)
            np.testing.assert_allclose(warm, weights_of(means), rtol=1e-9, atol=1e-9)


def test_a_started_solver_is_a_blank_one() -> None:
    solver = blank_solver(3)
    weights_of([0.1, 0.5, 0.3], solver)
    start_solver(solver)
    assert solver == blank_solver(3)


@pytest.mark.parametrize("n_arms", [2, 5, 20])
def test_following_means_that_move_finds_what_a_search_from_nothing_does(n_arms: int) -> None:
    rng = np.random.default_rng(n_arms)
    followed = 0
    for _ in range(8):
        recommended = rng.integers(3, 200, n_arms)
        accepted = (recommended * rng.uniform(0.3, 1.0, n_arms)).astype(int)
        solver = blank_solver(n_arms)
        for _ in range(40):
            arm = rng.integers(n_arms)
            recommended[arm] += 1
            accepted[arm] += rng.random() < 0.8
            means = (accepted / recommended).tolist()
            if means.count(max(means)) > 1:
                continue
            fresh = blank_solver(n_arms)
            followed += divergence._follows(means, int(np.argmax(means)), solver)
            np.testing.assert_allclose(
                weights_of(means, solver), weights_of(means, fresh), rtol=1e-10
            )
    assert followed > 200  # of 320: the nested search is the exception


@pytest.mark.parametrize("level", [1e-9, 0.3, 1e3])
@pytest.mark.parametrize("ratio", [1e-6, 1.0, 1e6])
def test_wherever_a_search_begins_it_ends_at_the_same_weights(level: float, ratio: float) -> None:
    means = [0.8, 0.75, 0.5, 0.1]
    solver = blank_solver(4)
    solver.level[0] = level
    solver.ratios[:] = [ratio] * 4
    np.testing.assert_allclose(weights_of(means, solver), weights_of(means), rtol=1e-10)
