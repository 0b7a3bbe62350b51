"""What tests of the characteristic weights share: problems, and what makes weights optimal."""

from collections.abc import Callable, Sequence
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import strategies as st

from explorative_user_env.agents.optimal_weights import Solver, blank_solver, characteristic_weights

ExactKl = Callable[[float, float], Decimal]

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


def problems(largest: int = 8) -> st.SearchStrategy[list[float]]:
    """Means as counts make them, with one best arm."""
    rates = st.integers(1, 300).flatmap(
        lambda n: st.integers(0, n).map(lambda successes: successes / n)
    )
    return st.lists(rates, min_size=2, max_size=largest).filter(
        lambda means: means.count(max(means)) == 1
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
