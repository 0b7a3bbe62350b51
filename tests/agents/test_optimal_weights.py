"""The divergence and the characteristic weights, against many digits and Theorem 5."""

import math
import random
from collections.abc import Iterator, Sequence
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from pairs import pairs
from scipy import special

import explorative_user_env as eu
from explorative_user_env.agents import TrackAndStop, optimal_weights, track_and_stop
from explorative_user_env.agents.optimal_weights import (
    FAST_ITERATIONS,
    HALVINGS,
    STEPS,
    Solver,
    bernoulli_kl,
    blank_solver,
    characteristic_weights,
    follows,
    transport_cost,
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


def exact_kl(p: Decimal, q: Decimal) -> Decimal:
    """kl(p, q) in the digits of the context."""
    total = Decimal(0)
    for a, b in ((p, q), (1 - p, 1 - q)):
        if a > 0:
            total += a * (a / b).ln() if b > 0 else Decimal("inf")
    return total


def weights_of(means: Sequence[float], solver: Solver | None = None) -> list[float]:
    solver = blank_solver(len(means)) if solver is None else solver
    characteristic_weights(list(means), int(np.argmax(means)), solver)
    return list(solver.weights)


def problems() -> st.SearchStrategy[list[float]]:
    """Means as counts make them, with one best arm."""
    rates = st.integers(1, 300).flatmap(
        lambda n: st.integers(0, n).map(lambda successes: successes / n)
    )
    return st.lists(rates, min_size=2, max_size=8).filter(
        lambda means: means.count(max(means)) == 1
    )


class Optimality:
    """How far Theorem 5's conditions, and optimality itself, are from holding, in 110 digits."""

    def __init__(self, means: Sequence[float], weights: Sequence[float]) -> None:
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
def test_the_divergence_loses_no_digits(p: float, q: float) -> None:
    with localcontext() as context:
        context.prec = 400
        expected = float(exact_kl(Decimal(p), Decimal(q)))
    assert bernoulli_kl(p, q) == pytest.approx(expected, rel=2e-11, abs=1e-287)  # 1e-290 is 0
    assert bernoulli_kl(p, p) == 0.0


@pytest.mark.parametrize(("m_b", "m_a"), [(0.7, 0.4), (1.0, 0.0), (1.0, 0.25), (0.5, 0.0)])
def test_the_transport_cost_is_the_likelihood_ratio(m_b: float, m_a: float) -> None:
    # The log-likelihood of both samples apart, less that of one common mean.
    def likelihood(n: float, mean: float) -> float:
        return n * float(special.xlogy(mean, mean) + special.xlog1py(1.0 - mean, -mean))

    for n_b, n_a in ((10, 3), (400, 7)):
        pooled = (n_b * m_b + n_a * m_a) / (n_b + n_a)
        ratio = likelihood(n_b, m_b) + likelihood(n_a, m_a) - likelihood(n_b + n_a, pooled)
        assert transport_cost(n_b, m_b, n_a, m_a) == pytest.approx(ratio, rel=1e-9)


@pytest.mark.parametrize("means", PROBLEMS)
def test_no_weights_have_a_larger_least_transport_cost(means: list[float]) -> None:
    warm = blank_solver(len(means))
    weights_of([*means[:-1], min(1.0, 2 * max(means))], warm)
    for weights in (weights_of(means), weights_of(means, warm)):
        found = Optimality(means, weights)
        assert found.below_the_best == pytest.approx(0.0, abs=1e-9)
        assert found.conditions < 1e-7
        assert sum(weights) == pytest.approx(1.0, abs=1e-14)


@given(means=problems())
def test_any_weights_meet_the_conditions_of_the_theorem(means: list[float]) -> None:
    assert Optimality(means, weights_of(means)).conditions < 1e-7


@given(m_b=st.integers(0, 1000), m_k=st.integers(0, 1000))
def test_two_arms_split_at_the_mean_equally_far_from_both(m_b: int, m_k: int) -> None:
    assume(m_b > m_k)
    with localcontext() as context:
        context.prec = 60
        p, q = Decimal(m_b / 1000), Decimal(m_k / 1000)

        def negentropy(x: Decimal) -> Decimal:
            return sum((share * share.ln() for share in (x, 1 - x) if share > 0), Decimal(0))

        # kl(p, mu) = kl(q, mu) is linear in the logit of mu.
        mu = 1 / (1 + ((negentropy(q) - negentropy(p)) / (p - q)).exp())
        expected = [float((mu - q) / (p - q)), float((p - mu) / (p - q))]
    np.testing.assert_allclose(weights_of([m_b / 1000, m_k / 1000]), expected, atol=1e-9)


@settings(max_examples=80)
@given(
    means=problems(),
    other=problems(),
    powers=st.none() | st.lists(st.floats(-8, 8), min_size=9, max_size=9),
)
@example(means=[0.0, 0.01], other=[0.0, 1.0], powers=None)
@example(means=[0.0, 1.0], other=[0.0, 0.01], powers=None)
@example(means=[0.002, 0.0, 0.0], other=[0.5, 0.499, 0.3], powers=None)
@example(means=[0.0, 0.5], other=[0.1, 0.2], powers=[8.0] * 8 + [-8.0])
def test_a_start_from_anywhere_ends_where_a_cold_one_does(
    means: list[float], other: list[float], powers: list[float] | None
) -> None:
    solver = blank_solver(len(means))
    other = (other * len(means))[: len(means)]
    if powers:
        solver.ratios[:] = [10.0**power for power in powers[: len(means)]]
        solver.level[0] = 10.0 ** powers[-1]
    elif other.count(max(other)) == 1:
        weights_of(other, solver)
    np.testing.assert_allclose(weights_of(means, solver), weights_of(means), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n_arms", [2, 5, 20])
def test_following_means_that_move_finds_what_a_search_from_nothing_does(n_arms: int) -> None:
    rng = np.random.default_rng(n_arms)
    followed = 0
    for _ in range(4):
        recommended = rng.integers(3, 200, n_arms)
        accepted = (recommended * rng.uniform(0.3, 1.0, n_arms)).astype(int)
        solver = blank_solver(n_arms)
        for _ in range(80):
            arm = rng.integers(n_arms)
            recommended[arm] += 1
            accepted[arm] += rng.random() < 0.8
            means = (accepted / recommended).tolist()
            if means.count(max(means)) == 1:
                followed += follows(means, int(np.argmax(means)), solver)
                found = weights_of(means, solver)
                np.testing.assert_allclose(found, weights_of(means), rtol=1e-10)
    assert followed > 200  # of 320: the search from nothing is the exception


def test_a_short_series_is_a_logarithm_to_the_last_digits() -> None:
    for u in np.linspace(-optimal_weights.NEARBY, optimal_weights.NEARBY, 401).tolist():
        assert optimal_weights._logarithm(u) == pytest.approx(math.log1p(u), rel=5e-16, abs=0.0)


def test_a_best_arm_that_comes_close_or_changes_is_followed_and_not_searched_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched: list[list[float]] = []
    search = optimal_weights.bracketed_ratios

    def counting(means: list[float], best: int, ratios: list[float]) -> float:
        searched.append(means)
        return search(means, best, ratios)

    solver, rest = blank_solver(6), [0.4, 0.35, 0.3, 0.1]
    gaps = (0.1, 0.01, 0.001, 1e-5, 0.02, -0.02, -0.001, 0.001, 0.1)
    problems = [[0.6 + gap / 2, 0.6 - gap / 2, *rest] for gap in gaps]
    cold = [weights_of(means) for means in problems]
    monkeypatch.setattr(optimal_weights, "bracketed_ratios", counting)
    for means, weights in zip(problems, cold, strict=True):
        np.testing.assert_allclose(weights_of(means, solver), weights, rtol=1e-8)
    assert len(searched) <= 2


@pytest.mark.parametrize(
    ("means", "expected"),
    [
        ([0.0, 0.0], [0.5, 0.5]),
        ([1.0, 0.2, 1.0], [0.5, 0.0, 0.5]),
        ([0.5] * 5, [1 / 3, *([1 / 6] * 4)]),
        ([0.6, math.nextafter(0.6, 0.0)], [0.5, 0.5]),
        ([1.0, math.nextafter(1.0, 0.0)], [(math.e - 1) / math.e, 1 / math.e]),
        ([1e-18, 0.0], [1 / math.e, (math.e - 1) / math.e]),
    ],
)
def test_arms_that_cannot_be_told_apart_share_as_in_the_limit(
    means: list[float], expected: list[float]
) -> None:
    solver, before = blank_solver(len(means)), [0.9, *([0.2] * (len(means) - 1))]
    assert weights_of(means) == pytest.approx(expected, abs=1e-11)
    weights_of(before, solver)
    assert weights_of(means, solver) == pytest.approx(expected, abs=1e-11)
    assert weights_of(before, solver) == pytest.approx(weights_of(before))


def rate(chance: random.Random) -> float:
    kind = chance.random()
    if kind < 0.15:
        return chance.choice([0.0, 0.5, 1.0])
    if kind < 0.4:
        tiny = math.pow(10.0, chance.uniform(-18, 0))
        return tiny if kind < 0.3 else 1.0 - max(tiny, 1e-16)
    if kind < 0.7:
        tries = chance.choice([1, 2, 10, 300, 10**6, 10**15])
        return chance.randint(0, tries) / tries
    return chance.random()


def near(chance: random.Random, mean: float) -> float:
    """A mean beside another: the next float, or some digits away."""
    kind = chance.random()
    away: float = chance.choice([-1.0, 1.0]) * math.pow(10.0, chance.uniform(-16, 0))
    if kind < 0.4:
        return math.nextafter(mean, chance.choice([0.0, 1.0]))
    found = mean * (1.0 + away) if kind < 0.7 else 1.0 - (1.0 - mean) * (1.0 + away)
    return min(1.0, max(0.0, found))


def hard_problems(seed: int, n: int) -> Iterator[tuple[list[float], int, Solver]]:
    """Means of all kinds, one after the other for the same solver as they are for an agent."""
    chance = random.Random(seed)
    for _ in range(n // 4):
        n_arms = chance.choice([2, 3, 5, 20]) if chance.random() < 0.1 else chance.choice([2, 3])
        means = [rate(chance) for _ in range(n_arms)]
        solver = blank_solver(n_arms)
        for _ in range(4):
            arm, other = chance.randrange(n_arms), chance.randrange(n_arms)
            means[arm] = rate(chance) if chance.random() < 0.3 else near(chance, means[other])
            if means[arm] < 1e-18:  # less than one success in all that can be counted
                means[arm] = 0.0
            yield list(means), means.index(max(means)), solver


@pytest.mark.slow
def test_the_weights_are_optimal_to_the_digits_that_rounding_leaves() -> None:
    n_close = 0
    for means, best, solver in hard_problems(seed=1, n=300):
        characteristic_weights(means, best, solver)
        gap = means[best] - max(mean for arm, mean in enumerate(means) if arm != best)
        if gap > 0.0:
            close = gap <= optimal_weights.CLOSE * means[best]
            n_close += close
            # Newton's mean is rounded at 1e-16 of it, of which the gap is what counts.
            allowed = 1e-10 if close else 1e-10 + 4e-15 * means[best] / gap
            assert Optimality(means, solver.weights).conditions <= allowed, (means, solver)
    assert n_close > 20


@pytest.fixture
def divergences(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many divergences the search for weights has computed."""
    found = [0]

    def counting(of: Any, n: int) -> Any:
        def counted(*given: Any) -> Any:
            found[0] += n
            return of(*given)

        return counted

    for name, each in (("bernoulli_kl", 1), ("costs_at", 2)):
        monkeypatch.setattr(optimal_weights, name, counting(getattr(optimal_weights, name), each))
    return found


@pytest.mark.slow
def test_no_search_is_longer_than_its_bound(divergences: list[int]) -> None:
    bound = 3 * FAST_ITERATIONS + 2 * (3 + (STEPS + HALVINGS) * (STEPS + HALVINGS + 2))
    longest = 0.0
    for means, best, solver in hard_problems(seed=0, n=1000):
        divergences[0] = 0
        characteristic_weights(means, best, solver)
        longest = max(longest, divergences[0] / len(means))
        assert all(0.0 <= weight <= 1.0 for weight in solver.weights)
        assert sum(solver.weights) == pytest.approx(1.0, abs=1e-12)
    assert longest <= 400 <= bound  # far below it, as it is mostly


@pairs(
    tied=["random", "least recommended"],
    primed=[False, True],
    options=[
        {"noise": 1.0},
        {"n_arms": 7, "seed": 671182, "noise": 1.0, "alpha": 1e-12, "gap": 1e-8},
        {"n_arms": 2, "noise": 0.3, "alpha": 1e-12, "gap": 1e-8},
    ],
)
def test_no_step_of_track_and_stop_crawls(
    divergences: list[int],
    monkeypatch: pytest.MonkeyPatch,
    options: dict[str, Any],
    tied: Any,
    primed: bool,
) -> None:
    steps = []

    def weighing(means: list[float], best: int, solver: Solver) -> None:
        divergences[0] = 0
        characteristic_weights(means, best, solver)
        steps.append(divergences[0] / len(means))

    monkeypatch.setattr(track_and_stop, "characteristic_weights", weighing)
    options = {"n_arms": 5, **options}
    seed = options.pop("seed", 0)
    agent = TrackAndStop(tied=tied, primed=primed, delta=0.1, max_steps=300)
    eu.rollout(eu.ExplorativeUserEnv(**options), agent, seed=seed)
    assert 0 < len(steps) <= 300
    assert max(steps) <= 200  # a few tens on a usual step
