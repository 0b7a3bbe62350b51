"""What a student hands in may be anything: a grader says so in a line, and never fails itself."""

import math
import re
import time
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from explorative_user_env.teach import LESSONS, Exercise, check_exercise, exercises_of, hint, reveal
from explorative_user_env.teach.exercises import by_calling, equal, time_limit
from explorative_user_env.teach.notebooks import cells_of, read_source
from explorative_user_env.validation import InvalidArgumentError


class Odd:
    def __eq__(self, other):
        raise RuntimeError

    __hash__ = None


def test_outcomes_are_the_same_up_to_rounding_and_whatever_holds_them():
    the_same = [(0.1 + 0.2, 0.3), ([1, 2], (1.0, 2.0)), (math.nan, math.nan), (np.array(0.5), 0.5)]
    others = [
        *(([1], 1), (0.3001, 0.3), (math.nan, None), (None, math.nan), (["0.5"], [0.5])),
        *((np.ones(3), "a"), (Odd(), 3.0), ([np.ones(2), np.ones(3)], np.zeros(3))),
    ]
    assert all(equal(*pair) for pair in the_same)
    assert not any(equal(*pair) for pair in others)


def writes(levels, epsilon, gamma, arm, accepted):
    after = exercises_of(3)[1].right(levels, epsilon, gamma, arm, accepted)
    levels[arm] += 1.0
    return after


def with_arrays(levels, epsilon, gamma, arm, accepted, copies=True):
    """An answer for arrays alone: a list has no `max`."""

    def chances(levels):
        weights = np.exp(levels - levels.max())
        return (1 - epsilon) * weights / weights.sum() + epsilon / len(weights)

    before, levels = chances(levels), levels.copy() if copies else levels
    levels[arm] += gamma * accepted / before[arm]
    return chances(levels)


def test_an_answer_for_arrays_is_checked_for_changing_its_argument_too():
    assert check_exercise("3.2", with_arrays).right
    remark = check_exercise("3.2", lambda *case: with_arrays(*case, copies=False))
    assert not remark.right
    assert "work on a copy" in remark.words


def solutions():
    """Yield the number and the code between the marks of each exercise with a check."""
    for lesson in LESSONS:
        for cell, after in pairwise(cells_of(read_source(f"{lesson.name}.py"))):
            if "exercise" in cell.tags and (
                check := re.match(r'check_exercise\("(.+?)"', after.text)
            ):
                yield check[1], re.findall(r"BEGIN SOLUTION\n(.*?)# END", cell.text, re.DOTALL)


def test_every_exercise_has_hints_on_two_levels_that_do_not_contain_its_solution():
    seen = dict(solutions())
    assert [*seen] == [one.number for lesson in LESSONS for one in exercises_of(lesson.number)]
    texts = []
    for number, parts in seen.items():
        hints = [hint(number), hint(float(number), level=2)]
        texts += [one.words for one in hints]
        assert [one.verdict for one in hints] == ["hint 1", "hint 2"]
        packed = re.sub(r"[\s`]", "", " ".join(one.words for one in hints))
        for line in "\n".join(parts).splitlines():
            code = re.sub(r"\s|return", "", line.split("#")[0])
            assert len(code) < 16 or code not in packed, (number, line)
    assert len({*texts}) == 2 * 29
    with pytest.raises(InvalidArgumentError, match=r"level must be one of 1, 2, got '3'"):
        hint("4.2", level=3)


def test_what_is_no_right_answer_is_told_why():
    rows = [
        (2.5, ..., "it is still blank; the task is a function of her estimate"),
        ("2.5", lambda *given: np.float64(2.5), "it gives 2.5, where 4 is right"),
        # Wrong for the first case, and failing in a later one
        ("3.3", lambda p, q: q * math.log(q / p) + (1 - q) * math.log((1 - q) / (1 - p)), "swap"),
        ("3.2", writes, "work on a copy"),
    ]
    for number, answer, words in rows:
        remark = check_exercise(number, answer)
        assert not remark.right
        assert words in remark.words
    case = ([1.0, 2.0],)
    by_calling(list.clear, case)  # an answer that changes its argument changes a copy
    assert case == ([1.0, 2.0],)


def endless_and_deaf(estimate, bound, gamma):
    with suppress(BaseException):  # as `except:` without a name does
        while True:
            pass
    while True:
        pass


@pytest.mark.slow
def test_a_loop_that_never_ends_is_broken_off():
    remark = replace(exercises_of(2)[4], patience=0.5).check(endless_and_deaf)
    assert not remark.right
    assert remark.words.startswith("for (-0.5, 0.5, 4.0) it is still running after 0.5 seconds")


def test_an_interrupt_by_the_student_goes_through():
    def interrupted(n, delta):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check_exercise("1.1", interrupted)


def test_nothing_is_broken_off_once_it_is_done():
    with time_limit(0.05):
        pass
    for _ in range(20):
        time.sleep(0.01)  # what was still to come would come here


def test_an_exercise_of_a_lecturer_explains_her_mistakes():
    mine = Exercise(
        "mine.1",
        asks="a function of a and b that returns the sum",
        right=lambda a, b: a + b,
        cases=[(1, 2), (2, 2)],
        shows="sums are symmetric.",
        mistakes={"it fails.": lambda a, b: 1 / 0, "that is the product.": lambda a, b: a * b},
    )
    assert str(mine.check(lambda a, b: b + a)) == "mine.1 is right: sums are symmetric."
    assert str(mine.check(lambda a, b: a * b)) == "mine.1 not yet: that is the product."
    assert mine.check(lambda a, b: a).words == "for (1, 2) it gives 1, where 3 is right"


def test_a_guess_comes_before_what_happened():
    rows = [
        (None, "is missing: 'accepts' or 'rejects'?"),
        (..., "is missing: 'accepts' or 'rejects'?"),
        ("rejects", "is right: rejects, because it begins above"),
        ("accepts", "is wrong: rejects, because it begins above"),
        ([], "is invalid: it must be 'accepts' or 'rejects', got []"),
    ]
    for guess, words in rows:
        remark = reveal(guess, "rejects", because="it begins above")
        assert (str(remark), remark.right) == (f"your prediction {words}", guess == "rejects")
    assert reveal(np.int64(2), 2, choices=range(5)).right
    assert not reveal(2.0, 3, choices=(1, 2, 3)).right


def test_what_does_not_exist_is_refused():
    with pytest.raises(InvalidArgumentError, match=r"number must be one of 1\.1"):
        check_exercise("9.9", None)
    with pytest.raises(InvalidArgumentError, match="happened must be one of 'accepts' or"):
        reveal(None, "yes")
