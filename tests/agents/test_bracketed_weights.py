"""How long the search for the characteristic weights can be, and what it finds where it is long."""

import math
import random
from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext
from typing import Any

import pytest
from pairs import pairs
from weights import weights_of

import explorative_user_env as eu
from explorative_user_env.agents import TrackAndStop, optimal_weights, track_and_stop
from explorative_user_env.agents import optimal_weights as bracketed_weights
from explorative_user_env.agents import optimal_weights as divergence
from explorative_user_env.agents import optimal_weights as followed_weights
from explorative_user_env.agents.optimal_weights import (
    FAST_ITERATIONS,
    HALVINGS,
    LARGEST_RATIO,
    LOWEST,
    STEPS,
    Solver,
    blank_solver,
)

ROOT = 64
"""The most evaluations of a function whose root is sought."""

NEWTON = 3 * FAST_ITERATIONS
"""The most divergences an arm that Newton's method on all of them looks at."""

BRACKETED = 2 * (3 + (STEPS + HALVINGS) * (STEPS + HALVINGS + 2))
"""The most of them after that."""


class Counter:
    """How many divergences have been computed."""

    def __init__(self) -> None:
        self.divergences = 0
        self.most_a_root = 0

    def counting(self, function: Callable[..., Any], each: int) -> Callable[..., Any]:
        def counted(*arguments: Any) -> Any:
            self.divergences += each
            return function(*arguments)

        return counted

    def rooted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def found(*arguments: Any) -> Any:
            before = self.divergences
            root = function(*arguments)
            self.most_a_root = max(self.most_a_root, (self.divergences - before) // 2)
            return root

        return found


@pytest.fixture
def counter(monkeypatch: pytest.MonkeyPatch) -> Counter:
    """Count the divergences from here on."""
    counter = Counter()
    one, two = divergence.bernoulli_kl, divergence.costs_at
    for module in (divergence, followed_weights, optimal_weights):
        monkeypatch.setattr(module, "bernoulli_kl", counter.counting(one, 1))
    monkeypatch.setattr(bracketed_weights, "costs_at", counter.counting(two, 2))
    rooted = counter.rooted(bracketed_weights._bracketed_ratio)
    monkeypatch.setattr(bracketed_weights, "_bracketed_ratio", rooted)
    return counter


def rate(chance: random.Random) -> float:
    kind = chance.random()
    if kind < 0.15:
        return chance.choice([0.0, 0.5, 1.0])
    if kind < 0.3:
        return math.pow(10.0, chance.uniform(-18, 0))
    if kind < 0.4:
        return 1.0 - math.pow(10.0, chance.uniform(-15.9, 0))
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
    if kind < 0.7:
        return min(1.0, max(0.0, mean * (1.0 + away)))
    return min(1.0, max(0.0, 1.0 - (1.0 - mean) * (1.0 + away)))


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


def relative_gap(means: list[float], best: int) -> float:
    nearest = max(mean for arm, mean in enumerate(means) if arm != best)
    return (means[best] - nearest) / means[best] if means[best] > 0.0 else 0.0


def residual(means: list[float], best: int, weights: list[float]) -> float:
    """How far Theorem 5's two conditions are from holding, in 110 digits."""

    def kl(p: Decimal, q: Decimal) -> Decimal:
        return sum((a * (a / b).ln() for a, b in ((p, q), (1 - p, 1 - q)) if a > 0), Decimal(0))

    with localcontext() as context:
        context.prec = 110  # the divergence of neighbours near 1e-18 begins at the 70th
        top, share = Decimal(means[best]), Decimal(weights[best])
        costs, total = [], Decimal(0)
        for arm in range(len(means)):
            if arm != best:
                mean, weight = Decimal(means[arm]), Decimal(weights[arm])
                mu = (share * top + weight * mean) / (share + weight)
                of_best, of_arm = kl(top, mu), kl(mean, mu)
                total += of_best / of_arm
                costs.append(share * of_best + weight * of_arm)
        return float(max(abs(total - 1), max(costs) / min(costs) - 1))


@pytest.mark.slow
def test_no_search_is_longer_than_its_bound(counter: Counter) -> None:
    longest = 0.0
    for means, best, solver in hard_problems(seed=0, n=1000):
        before = counter.divergences
        optimal_weights.characteristic_weights(means, best, solver)
        each = (counter.divergences - before) / len(means)
        longest = max(longest, each)
        assert each <= NEWTON + BRACKETED
        assert all(0.0 <= weight <= 1.0 for weight in solver.weights)
        assert sum(solver.weights) == pytest.approx(1.0, abs=1e-12)
    assert counter.most_a_root <= ROOT
    assert longest <= 400  # far below it, as it is mostly


@pytest.mark.slow
def test_the_weights_are_optimal_to_the_digits_that_rounding_leaves() -> None:
    n_close = 0
    for means, best, solver in hard_problems(seed=1, n=300):
        optimal_weights.characteristic_weights(means, best, solver)
        gap = relative_gap(means, best)
        if gap > 0.0:
            close = gap <= followed_weights.CLOSE
            n_close += close
            # Newton's mean is rounded at 1e-16 of it, of which the gap is what counts.
            allowed = 1e-10 if close else 1e-10 + 4e-15 / gap
            assert residual(means, best, solver.weights) <= allowed, (means, solver)
    assert n_close > 20


@pytest.mark.parametrize(
    ("means", "expected"),
    [
        ([0.3, 0.3], [0.5, 0.5]),
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
    assert weights_of(means) == pytest.approx(expected, abs=1e-11)
    assert weights_of(means, weighed([0.9, *([0.2] * (len(means) - 1))])) == pytest.approx(
        expected, abs=1e-11
    )


def weighed(means: list[float]) -> Solver:
    """A solver that has solved for these means."""
    solver = blank_solver(len(means))
    weights_of(means, solver)
    return solver


def test_after_a_tie_the_search_begins_anew() -> None:
    solver = weighed([0.4, 0.4, 0.2])
    assert weights_of([0.5, 0.4, 0.1], solver) == pytest.approx(weights_of([0.5, 0.4, 0.1]))


def test_the_solution_lies_within_the_brackets() -> None:
    for means, best, _ in hard_problems(seed=2, n=2000):
        top = means[best]
        for other in means:
            if other < top:
                of_best, of_other = divergence.costs_at(top, other, LARGEST_RATIO)
                whole = of_best + LARGEST_RATIO * of_other
                assert of_best >= of_other  # F is at least 1 where an x_k is 2
                for ratio in (1e-30, 1e-9, 1e-3, 0.25):
                    of_best, of_other = divergence.costs_at(top, other, ratio)
                    assert of_best <= ratio * of_other
                    upper = (of_best + ratio * of_other) * LARGEST_RATIO / whole
                    assert LOWEST * upper <= ratio <= upper * (1.0 + 1e-11)


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
    counter: Counter,
    monkeypatch: pytest.MonkeyPatch,
    options: dict[str, Any],
    tied: Any,
    primed: bool,
) -> None:
    steps = []

    def weighing(means: list[float], best: int, solver: Solver) -> None:
        before = counter.divergences
        optimal_weights.characteristic_weights(means, best, solver)
        steps.append((counter.divergences - before) / len(means))

    monkeypatch.setattr(track_and_stop, "characteristic_weights", weighing)
    options = {"n_arms": 5, "seed": 0, **options}
    env = eu.ExplorativeUserEnv(**{name: options[name] for name in options if name != "seed"})
    agent = TrackAndStop(tied=tied, primed=primed, delta=0.1, max_steps=300)
    eu.rollout(env, agent, seed=options["seed"])
    assert 0 < len(steps) <= 300
    assert max(steps) <= 200  # a few tens on a usual step
