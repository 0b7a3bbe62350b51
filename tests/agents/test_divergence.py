import itertools
import math
from collections.abc import Callable
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from explorative_user_env.agents.optimal_weights import bernoulli_kl, transport_cost

ExactKl = Callable[[float, float], Decimal]

CLOSE = [10.0**-power for power in range(1, 13)]

GRID = [0.0, 0.001, 0.02, 0.1, 1 / 3, 0.5, 0.75, 0.93, 0.999, 1.0]


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


@pytest.mark.slow
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
