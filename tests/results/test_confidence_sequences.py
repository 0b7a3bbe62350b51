"""The interval that holds whenever one stops, against closed forms and streams stopped at will."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import integrate, optimize

from explorative_user_env.results.intervals import log_evidence_against, sequence_interval
from explorative_user_env.studies.tuning import judge


@pytest.mark.slow
@pytest.mark.parametrize("q", [0.02, 0.1, 0.3])
def test_the_interval_holds_q_where_the_test_stops(q: float) -> None:
    """200 streams; where 95% or more hold q, at least 180 do (3 standard errors: 9)."""
    rng = np.random.default_rng(11)
    held = 0
    for _ in range(200):
        _, n, failures = judge(rng.random(300) < q, 0.1, 0.05)
        low, high = sequence_interval(failures, n, 0.05)
        held += low <= q <= high
    assert held > 180


@pytest.mark.parametrize(("successes", "n"), [(1, 3), (4, 100), (99, 100)])
def test_the_interval_ends_where_the_evidence_is_1_over_error(successes: int, n: int) -> None:
    mixture = (
        math.lgamma(successes + 0.5) + math.lgamma(n - successes + 0.5) - math.lgamma(n + 1)
    ) - math.log(math.pi)
    for p in sequence_interval(successes, n, 0.05):
        likelihood = successes * math.log(p) + (n - successes) * math.log1p(-p)
        assert mixture - likelihood == pytest.approx(math.log(20), rel=1e-6)


def test_the_interval_of_one_kind_of_trial_is_one_sided() -> None:
    assert sequence_interval(0, 0, 0.05) == (0.0, 1.0)
    assert sequence_interval(0, 50, 0.05)[0] == 0.0 < sequence_interval(0, 50, 0.05)[1] < 0.2
    assert sequence_interval(50, 50, 0.05)[1] == 1.0 > sequence_interval(50, 50, 0.05)[0] > 0.8


@pytest.mark.parametrize("error", [0.5, 0.05, 1e-12, 1e-300])
def test_an_interval_is_found_soon_for_any_counts(
    error: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = []
    brentq = optimize.brentq

    def counting(*arguments: Any, **options: Any) -> float:
        root, report = brentq(*arguments, **options, full_output=True)
        taken.append(report.function_calls)
        return float(root)

    monkeypatch.setattr(optimize, "brentq", counting)
    for n in (0, 1, 2, 40, 1001, 10**6, 10**12, 10**15):
        for successes in sorted({0, min(1, n), n // 3, max(0, n - 1), n}):
            low, high = sequence_interval(successes, n, error)
            estimate = successes / n if n else 0.5
            assert 0.0 <= low <= estimate <= high <= 1.0
    assert max(taken) <= 64


@pytest.mark.parametrize(("successes", "n"), [(0, 4), (3, 4), (30, 40)])
def test_the_evidence_is_the_mixture_beside_one_probability(successes: int, n: int) -> None:

    def mixed(angle: float) -> float:
        """The integrand over the angle whose squared sine is p, which has no pole."""
        p = math.sin(angle) ** 2
        return p**successes * (1 - p) ** (n - successes) * 2 / math.pi

    mixture = integrate.quad(mixed, 0, math.pi / 2)[0]
    for p in (0.1, 0.75):
        likelihood = p**successes * (1 - p) ** (n - successes)
        found = math.exp(log_evidence_against(p, successes, n))
        assert found == pytest.approx(mixture / likelihood)


def ever_missed(p: float, horizon: int, error: float) -> float:
    """The exact probability that the interval misses p after any of the trials, by all states."""
    held, missed = np.array([1.0]), 0.0
    for n in range(1, horizon + 1):
        after = np.append(held * (1 - p), 0.0) + np.append(0.0, held * p)
        outside = log_evidence_against(p, np.arange(n + 1), n) >= -math.log(error)
        missed += float(after[outside].sum())
        held = np.where(outside, 0.0, after)
    return missed


@pytest.mark.parametrize("p", [0.001, 0.05, 0.5, 0.99])
def test_the_worst_time_to_stop_makes_it_miss_no_more_often_than_it_says(p: float) -> None:
    """Whoever stops as soon as it misses, in 1000 trials: exactly, not by simulation."""
    assert ever_missed(p, 1000, 0.05) <= 0.05


def test_it_does_miss_where_it_may_more_often() -> None:
    assert 0.02 < ever_missed(0.5, 1000, 0.2) < 0.2
