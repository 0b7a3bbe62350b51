"""What a student hands in may be anything: a grader says so in a line, and never fails itself."""

import math
import time
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from explorative_user_env.teach import check_exercise, exercises_of
from explorative_user_env.teach.exercises import equal, time_limit


class Odd:
    """What fails when it is compared."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize("given", [np.ones(3), Odd(), [np.ones(2), np.ones(3)], None, 1, {}, "b"])
@pytest.mark.parametrize("expected", ["a", ("a", 2), 3.0, (1.0, 2.0), np.zeros(3), {"a": 1}])
def test_what_cannot_be_compared_is_not_the_same(given: Any, expected: Any) -> None:
    assert not equal(given, expected)


def test_numbers_are_the_same_up_to_rounding() -> None:
    assert equal(0.1 + 0.2, 0.3)
    assert equal([1, 2], (1.0, 2.0))
    assert not equal([1], 1)
    assert not equal(0.3001, 0.3)


@pytest.mark.parametrize(
    ("given", "expected"),
    [(math.nan, None), (None, math.nan), ([0.5, None], [0.5, math.nan]), (["0.5"], [0.5])],
)
def test_nothing_and_text_are_no_numbers(given: Any, expected: Any) -> None:
    assert not equal(given, expected)


@pytest.mark.parametrize("given", [Fraction(1, 2), np.float32(0.5), np.array(0.5), Decimal("0.5")])
def test_a_number_of_any_kind_is_a_number(given: Any) -> None:
    assert equal(given, 0.5)


ARRAY_ARITHMETIC: dict[str, Any] = {
    "1.3": lambda means, widths: [
        arm
        for arm, high in enumerate(means + widths)
        if not (np.delete(means - widths, arm) >= high).any()
    ],
    "2.3": lambda arm, lower, upper: ((lower >= upper[arm]) & (np.arange(lower.size) != arm)).any(),
    "3.1": lambda arms, accepted, n_arms: [
        accepted[arms == arm].mean() if (arms == arm).any() else math.nan for arm in range(n_arms)
    ],
    "3.5": lambda times, correct, censored, step_cost: (
        (step_cost * times).mean() + (~correct | censored).mean()
    ),
    "5.1": lambda deltas, times: np.polyfit(np.log(1 / deltas), np.log(times), 1)[0],
    "6.1": lambda acceptances: np.argsort(-acceptances, kind="stable"),
    "6.3": lambda chances, features, arm: features[arm] - chances @ features,
}


@pytest.mark.parametrize("number", ARRAY_ARITHMETIC)
def test_who_takes_the_arguments_for_arrays_is_right(number: str) -> None:
    remark = check_exercise(number, ARRAY_ARITHMETIC[number])
    assert remark.right, remark


def test_who_fails_with_lists_and_arrays_is_told_of_lists() -> None:
    remark = check_exercise("5.1", lambda deltas, times: 1 / deltas @ times["T"])
    assert "for ([0.1, 0.01, 0.001], [100.0, 1000.0, 10000.0]) it fails with" in remark.words
    assert "'list'" in remark.words


def test_numbers_are_told_without_their_types() -> None:
    remark = check_exercise("2.5", lambda estimate, bound, gamma: np.float64(2.5))
    assert "it gives 2.5, where 4 is right" in remark.words


def endless_where_it_is_never(estimate: float, bound: float, gamma: float) -> float:
    n = 1
    while estimate + math.sqrt(gamma / n) > bound:
        n += 1
    return n


def endless_and_deaf(estimate: float, bound: float, gamma: float) -> float:
    with suppress(BaseException):  # as `except:` without a name does
        while True:
            pass
    while True:
        pass


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "case"),
    [(endless_where_it_is_never, "(0.5, 0.25, 4.0)"), (endless_and_deaf, "(-0.5, 0.5, 4.0)")],
)
def test_a_loop_that_never_ends_is_broken_off(answer: Any, case: str) -> None:
    asked = next(one for one in exercises_of(2) if one.number == "2.5")
    remark = replace(asked, patience=0.5).check(answer)
    assert not remark.right
    assert remark.words == (
        f"for {case} it is not done after 0.5 seconds: is there a loop that never ends?"
    )


def test_an_interrupt_by_the_student_goes_through() -> None:
    def interrupted(n: int, delta: float) -> float:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check_exercise("1.1", interrupted)


def test_nothing_is_broken_off_once_it_is_done() -> None:
    with time_limit(0.05):
        pass
    for _ in range(20):
        time.sleep(0.01)  # what was still to come would come here


def test_who_is_wrong_before_it_fails_is_told_what_is_wrong() -> None:
    def without_borders(p: float, q: float) -> float:
        return q * math.log(q / p) + (1 - q) * math.log((1 - q) / (1 - p))

    assert check_exercise("3.3", without_borders).words.startswith("p and q are swapped")
