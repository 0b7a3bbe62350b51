import math

import numpy as np
import pytest
from scipy import integrate, stats

from explorative_user_env.studies.tuning import Decision, judge, log_evidence


def evidence(failures: int, n: int, delta: float) -> tuple[float, float]:
    below, above = log_evidence(np.array([failures]), np.array([n]), delta)
    return math.exp(below[0]), math.exp(above[0])


@pytest.mark.parametrize("delta", [0.005, 0.1, 0.6])
@pytest.mark.parametrize(("failures", "n"), [(0, 1), (1, 1), (0, 40), (3, 40), (30, 40)])
def test_the_evidence_is_the_mixture_of_likelihood_ratios(
    failures: int, n: int, delta: float
) -> None:
    law = stats.beta(0.5, 0.5 * (1 - delta) / delta)

    def ratio(root: float) -> float:
        """The integrand over the root of q, which has no pole at 0."""
        q = root**2
        likelihood = (q / delta) ** failures * ((1 - q) / (1 - delta)) ** (n - failures)
        return float(likelihood * law.pdf(q) * 2 * root)

    below = integrate.quad(ratio, 0, delta**0.5, limit=200)[0] / law.cdf(delta)
    above = integrate.quad(ratio, delta**0.5, 1, limit=200)[0] / law.sf(delta)
    assert evidence(failures, n, delta) == pytest.approx((below, above), rel=1e-6)


def test_at_delta_the_evidence_is_on_average_what_it_was() -> None:
    """Hand-worked: a martingale at q = delta, and it begins at 1."""
    delta = 0.1
    for failures, n in [(0, 0), (0, 7), (2, 7), (7, 7), (3, 100)]:
        now = evidence(failures, n, delta)
        failed, succeeded = evidence(failures + 1, n + 1, delta), evidence(failures, n + 1, delta)
        for before, bad, good in zip(now, failed, succeeded, strict=True):
            assert delta * bad + (1 - delta) * good == pytest.approx(before, rel=1e-9)
    assert evidence(0, 0, delta) == pytest.approx((1, 1), rel=1e-12)


def probability_of(decision: str, q: float, delta: float, error: float, horizon: int) -> float:
    """The exact probability that the test says `decision` in `horizon` trials, by all states."""
    undecided = {0: 1.0}
    said = 0.0
    for n in range(1, horizon + 1):
        after: dict[int, float] = {}
        for failures, weight in undecided.items():
            after[failures] = after.get(failures, 0.0) + weight * (1 - q)
            after[failures + 1] = after.get(failures + 1, 0.0) + weight * q
        states = np.array(list(after))
        below, above = log_evidence(states, np.full(len(states), n), delta)
        undecided = {}
        for failures, good, bad in zip(after, below, above, strict=True):
            if max(good, bad) < math.log(1 / error):
                undecided[failures] = after[failures]
            elif (good > bad) == (decision == "good"):
                said += after[failures]
    return said


@pytest.mark.parametrize(("decision", "q"), [("good", 0.1 + 1e-9), ("bad", 0.1)])
def test_the_exact_error_at_the_border_keeps_to_what_is_allowed(decision: str, q: float) -> None:
    wrong = probability_of(decision, q, delta=0.1, error=0.1, horizon=400)
    assert 0.02 < wrong < 0.1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("q", "right", "least"),
    [(0.03, "good", 271), (0.1, "good", 0), (0.11, "bad", 0), (0.2, "bad", 271)],
)
def test_streams_are_judged_wrongly_as_rarely_as_allowed(
    q: float, right: Decision, least: int
) -> None:
    """300 streams of up to 400 trials: error 0.1 allows 30 wrong decisions on average at most.

    Far from delta nearly all are decided by then; near it there is no saying how many.
    """
    rng = np.random.default_rng(5)
    decisions = [judge(rng.random(400) < q, 0.1, 0.1)[0] for _ in range(300)]
    wrong: Decision = "bad" if right == "good" else "good"
    assert decisions.count(wrong) <= 30
    assert decisions.count(right) >= least


def test_far_from_delta_it_is_quick() -> None:
    """Without a failure, evidence is at most (1 - delta)^-n: log(1/error) / -log(1 - delta)."""
    least = math.log(1 / 0.01) / -math.log(1 - 0.1)
    none = judge(np.zeros(1000, bool), 0.1, 0.01)
    assert none[::2] == ("good", 0)
    assert least <= none[1] < 1.7 * least
    assert judge(np.ones(1000, bool), 0.1, 0.01)[:2] == ("bad", 4)


def test_it_does_not_matter_how_trials_are_portioned() -> None:
    failed = np.random.default_rng(3).random(2000) < 0.13
    whole = judge(failed, 0.1, 0.01)
    assert whole[0] == "bad"
    before = (0, 0)
    for start in range(0, 2000, 7):
        verdict = judge(failed[start : start + 7], 0.1, 0.01, before)
        before = verdict[1:]
        if verdict[0] != "undecided":
            break
    assert verdict == whole
    assert whole[2] == failed[: whole[1]].sum()


@pytest.mark.parametrize(("side", "decision"), [(0, "good"), (1, "bad")])
def test_it_decides_as_soon_as_the_evidence_is_1_over_error(side: int, decision: str) -> None:
    trial = side == 1
    for error in (0.2, 0.01):
        said, n, _ = judge(np.full(500, trial), 0.1, error)
        now, before = (evidence(each * trial, each, 0.1)[side] for each in (n, n - 1))
        assert said == decision
        assert before < 1 / error <= now


def test_too_few_trials_decide_nothing() -> None:
    assert judge(np.array([True, False, False]), 0.3, 0.05) == ("undecided", 3, 1)
