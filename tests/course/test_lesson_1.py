"""Wrong answers to notebook 1, as students write them, are each told what is wrong with them."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest, norm
from wrong_answers import assert_told, assert_told_apart, each_of

from explorative_user_env.teach import check_exercise, exercises_of


def one_sided(n: int, delta: float) -> float:
    return math.sqrt(-2 * math.log(delta) / n)


def squared(n: int, delta: float) -> float:
    return 2 / n * math.log(2 / delta)


def over_n(n: int, delta: float) -> Any:
    return np.sqrt(2 * np.log(2 / delta)) / n


def forgets_the_variance(n: int, delta: float) -> Any:
    return np.sqrt(np.log(2 / delta) / n)


def end_to_end(n: int, delta: float) -> Any:
    return 2 * np.sqrt(2 * np.log(2 / delta) / n)


def always_95(n: int, delta: float) -> Any:
    return 1.96 * n**-0.5


def negative(n: int, delta: float) -> float:
    return math.sqrt(2 * math.log(delta / 2) / n)


def one_too_few(gap: float, delta: float) -> int:
    return int(8 * math.log(2 / delta) / gap**2)


def one_too_many(gap: float, delta: float) -> int:
    n = 1
    while math.sqrt(2 * math.log(2 / delta) / n) > gap / 2:
        n += 1
    return n + 1


def all_the_way(gap: float, delta: float) -> int:
    n = 1
    while math.sqrt(2 * math.log(2 / delta) / n) > gap:
        n += 1
    return n


def both_arms(gap: float, delta: float) -> int:
    return 2 * math.ceil(8 * math.log(2 / delta) / gap**2)


def first_best(means: Any, half_widths: Any) -> Any:
    return [int(np.argmax(means))]


def by_the_leader(means: Any, half_widths: Any) -> list[int]:
    best = int(np.argmax(means))
    bar = means[best] - half_widths[best]
    return [i for i in range(len(means)) if i == best or means[i] + half_widths[i] > bar]


def the_dropped(means: Any, half_widths: Any) -> list[int]:
    m, w = np.array(means), np.array(half_widths)
    return [i for i in range(len(m)) if any(np.delete(m - w, i) >= m[i] + w[i])]


def strictly(means: Any, half_widths: Any) -> set[int]:
    m, w = np.array(means), np.array(half_widths)
    return {i for i in range(len(m)) if not any(np.delete(m - w, i) > m[i] + w[i])}


def a_mask(means: Any, half_widths: Any) -> Any:
    m, w = np.array(means), np.array(half_widths)
    return np.array([not any(np.delete(m - w, i) >= m[i] + w[i]) for i in range(len(m))])


def itself(means: Any, half_widths: Any) -> Any:
    m, w = np.array(means), np.array(half_widths)
    return np.flatnonzero(m + w > (m - w).max())


def textbook(successes: int, n: int) -> tuple[float, float]:
    p = successes / n
    z = norm.ppf(0.975)
    return p - z * math.sqrt(p * (1 - p) / n), p + z * math.sqrt(p * (1 - p) / n)


def wilson(successes: int, n: int) -> Any:
    return binomtest(successes, n).proportion_ci(0.95, "wilson")


def ninety(successes: int, n: int) -> Any:
    interval = binomtest(successes, n).proportion_ci(0.90)
    return interval.low, interval.high


WRONG = [
    ("1.1", one_sided, "it bounds one side only"),
    ("1.1", squared, "it is the square of a half-width"),
    ("1.1", over_n, "it shrinks like 1/n"),
    ("1.1", forgets_the_variance, "a factor is lost"),
    ("1.1", end_to_end, "the whole interval"),
    ("1.1", always_95, "it does not depend on delta"),
    ("1.1", negative, "for (1, 0.1) it fails with ValueError"),
    ("1.2", one_too_few, "it rounds down"),
    ("1.2", one_too_many, "one more than is needed"),
    ("1.2", all_the_way, "these reach all the way"),
    ("1.2", both_arms, "both arms together"),
    ("1.3", first_best, "the largest estimate alone"),
    ("1.3", by_the_leader, "it asks the arm with the largest estimate only"),
    ("1.3", the_dropped, "the arms that go"),
    ("1.3", strictly, "intervals that just touch"),
    ("1.3", a_mask, "a truth value for each arm"),
    ("1.3", itself, "an arm with itself"),
    ("1.4", textbook, "with 300 successes of 300 its width is 0"),
    ("1.4", wilson, "Wilson's interval"),
    ("1.4", ninety, "its level is .9"),
]


@each_of(WRONG)
def test_a_wrong_answer_is_told_what_is_wrong(number: str, answer: Any, words: str) -> None:
    assert_told(number, answer, words)


def test_each_is_told_something_of_its_own() -> None:
    assert_told_apart(WRONG)


def test_arms_may_come_in_any_order_and_in_whatever_holds_them() -> None:
    right = exercises_of(1)[2].right
    for form in (lambda arms: arms[::-1], set, tuple, np.array):
        assert check_exercise("1.3", lambda m, w, form=form: form(right(m, w))).right


@pytest.mark.parametrize("answer", [lambda m, w: 1, lambda m, w: "no", lambda m, w: [[0], 1]])
def test_what_is_no_list_of_arms_is_told_a_case(answer: Any) -> None:
    assert check_exercise("1.3", answer).words.startswith("for ([0.2, 1.0, 0.9], [0.1, 0.1, 0.1])")
