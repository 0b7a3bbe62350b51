"""Wrong answers to notebook 5, as students write them, are each told what is wrong with them."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import binomtest, norm
from wrong_answers import assert_told, assert_told_apart, each_of

from explorative_user_env.teach import check_exercise
from explorative_user_env.theory import hard_pair


def against_delta(deltas: Sequence[float], times: Sequence[float]) -> Any:
    return np.polyfit(np.log10(deltas), np.log10(times), 1)[0]


def half_logarithmic(deltas: Sequence[float], times: Sequence[float]) -> Any:
    return np.polyfit([math.log(1 / delta) for delta in deltas], times, 1)[0]


def swapped(deltas: Sequence[float], times: Sequence[float]) -> Any:
    return np.polyfit(np.log(times), np.log(1 / np.array(deltas)), 1)[0]


def by_the_ends(deltas: Sequence[float], times: Sequence[float]) -> float:
    rise = math.log(times[-1]) - math.log(times[0])
    return rise / (math.log(deltas[0]) - math.log(deltas[-1]))


def above_1(n1: float, n_arms: int, alpha: float, rho_0: float) -> Any:
    return 2 * (n_arms - 1) / (rho_0 * n1) ** alpha


def all_arms(n1: float, n_arms: int, alpha: float, rho_0: float) -> Any:
    return min(1, 2 * n_arms / (rho_0 * n1) ** alpha)


def one_interval(n1: float, n_arms: int, alpha: float, rho_0: float) -> Any:
    return min(1, sum((rho_0 * n1) ** -alpha for _ in range(n_arms - 1)))


def best_arm_once(n1: float, n_arms: int, alpha: float, rho_0: float) -> Any:
    return min(1, sum((rho_0 * n1) ** -alpha for _ in range(n_arms)))


def independent(n1: float, n_arms: int, alpha: float, rho_0: float) -> Any:
    each = min(1.0, 2 * (rho_0 * n1) ** -alpha)
    return 1 - math.prod([1 - each] * (n_arms - 1))


def no_alpha(n1: float, n_arms: int, alpha: float, rho_0: float) -> Any:
    return min(1, 2 * (n_arms - 1) / rho_0 / n1)


def b(n0: int, alpha: float) -> float:
    root = math.sqrt(n0 - 1)
    return math.sqrt(2 * alpha * math.log(n0)) * (1 + 1 / root) + (
        2 / root * math.sqrt(math.log(2 * (n0 - 1)))
    )


def swapped_users(n0: int, alpha: float, gap: float) -> tuple[float, float]:
    return 1 + gap, 1 - b(n0, alpha)


def below_the_best(n0: int, alpha: float, gap: float) -> tuple[float, float]:
    return 1 + gap - b(n0, alpha), 1 + gap


def from_zero(n0: int, alpha: float, gap: float) -> tuple[float, float]:
    return 1 - b(n0, alpha), gap


def any_alpha(n0: int, alpha: float, gap: float) -> tuple[float, float]:
    return 1 - b(n0, 1), 1 + gap


def other_way_round(d: float, prior: float) -> Any:
    return norm.sf(d)


def a_ratio(d: float, prior: float) -> Any:
    return 2 * norm.cdf(-d)


def half_and_half(d: float, prior: float) -> Any:
    return norm.cdf(-d) / (norm.cdf(-d) + 0.5)


def wrong_sign(d: float, prior: float) -> Any:
    return prior * norm.cdf(d) / (prior * norm.cdf(d) + (1 - prior) / 2)


def as_odds(d: float, prior: float) -> Any:
    return 2 * norm.cdf(-d) * prior / (1 - prior)


def first(n1s: Sequence[int], keeps: Any) -> int | None:
    return next((n1 for n1, keep in zip(n1s, keeps, strict=True) if keep), None)


def by_share(n1s: Sequence[int], wrong: Sequence[int], n_runs: int, delta: float) -> int | None:
    return first(n1s, [count / n_runs <= delta for count in wrong])


def two_sided(n1s: Sequence[int], wrong: Sequence[int], n_runs: int, delta: float) -> int | None:
    return first(n1s, [binomtest(c, n_runs).proportion_ci().high <= delta for c in wrong])


def textbook(n1s: Sequence[int], wrong: Sequence[int], n_runs: int, delta: float) -> int | None:
    shares = np.array(wrong) / n_runs
    return first(
        n1s, shares + 1.6448536269514722 * np.sqrt(shares * (1 - shares) / n_runs) <= delta
    )


def not_bad(n1s: Sequence[int], wrong: Sequence[int], n_runs: int, delta: float) -> int | None:
    tests = [binomtest(c, n_runs, delta, alternative="greater").pvalue >= 0.05 for c in wrong]
    return first(n1s, tests)


def the_largest(n1s: Sequence[int], wrong: Sequence[int], n_runs: int, delta: float) -> int | None:
    proved = [binomtest(c, n_runs, delta, alternative="less").pvalue <= 0.05 for c in wrong]
    return first(n1s[::-1], proved[::-1])


WRONG: list[tuple[str, Any, str]] = [
    ("5.1", against_delta, "the sign is wrong"),
    ("5.1", half_logarithmic, "T has to be, too"),
    ("5.1", swapped, "the axes are swapped"),
    ("5.1", by_the_ends, "only the first and the last point"),
    ("5.2", above_1, "it is more than 1 for a short Phase 1"),
    ("5.2", all_arms, "one arm too many"),
    ("5.2", best_arm_once, "the best arm's interval counts once"),
    ("5.2", one_interval, "one interval misses for each rival"),
    ("5.2", independent, "takes the rivals to be independent"),
    ("5.2", no_alpha, "it is right for α = 1 only"),
    ("5.3", swapped_users, "the two are in the wrong order"),
    ("5.3", below_the_best, "b is counted from the best arm"),
    ("5.3", from_zero, "the gap is counted from 0"),
    ("5.3", any_alpha, "α is missing"),
    ("5.4", other_way_round, "how likely so low a reward is for a user of ν'"),
    ("5.4", a_ratio, "that is the likelihood ratio"),
    ("5.4", half_and_half, "the prior is missing"),
    ("5.4", wrong_sign, "the sign of d is wrong"),
    ("5.4", as_odds, "these are the odds"),
    ("5.5", by_share, "it trusts the share of wrong runs as it is"),
    ("5.5", two_sided, "that interval is two-sided"),
    ("5.5", textbook, "the normal approximation"),
    ("5.5", not_bad, "every N_1 that is not proved bad"),
    ("5.5", the_largest, "the largest N_1 that is enough"),
]


@each_of(WRONG)
def test_a_wrong_answer_is_told_what_is_wrong(number: str, answer: Any, words: str) -> None:
    assert_told(number, answer, words)


def test_each_is_told_something_of_its_own() -> None:
    assert_told_apart(WRONG)


def test_an_unknown_mistake_is_told_a_case() -> None:
    words = check_exercise("5.2", lambda n1, n_arms, alpha, rho_0: 0.5).words
    assert words.startswith("for (100, 2, 1.0, 1.0) it gives 0.5, where 0.0")


def test_the_hard_pair_of_two_arms_needs_no_delta() -> None:
    assert hard_pair(0.1, 0.5, n0=9, gap=1.0).nu == hard_pair(0.001, 0.5, n0=9, gap=1.0).nu


def test_a_run_that_is_never_wrong_is_enough_only_in_a_large_study() -> None:
    def by_test(n1s: Any, wrong: Any, n_runs: int, delta: float) -> int | None:
        tests = [binomtest(c, n_runs, delta, alternative="less").pvalue <= 0.05 for c in wrong]
        return first(n1s, tests)

    assert check_exercise("5.5", by_test).right  # another way to ask the same
    assert by_test([1], [0], 20, 0.1) is None
    assert by_test([1], [0], 30, 0.1) == 1
