"""Every exercise knows its right answer, its blank, and its mistakes one from another."""

import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest
from wrong_answers import TRIED_ON_MANY

from explorative_user_env.teach import LESSONS, Exercise, check_exercise, exercises_of
from explorative_user_env.validation import InvalidArgumentError

EVERY = [one for lesson in LESSONS for one in exercises_of(lesson.number)]


each_exercise = pytest.mark.parametrize(
    "exercise",
    [
        pytest.param(one, marks=[pytest.mark.slow] * (one.number in TRIED_ON_MANY), id=one.number)
        for one in EVERY
    ],
)


def outcomes_of_mistakes(exercise: Exercise) -> Iterator[tuple[str, list[Any]]]:
    for words, answer in exercise.mistakes.items():
        yield words, exercise.outcomes(answer)


def same(exercise: Exercise, outcomes: list[Any], others: list[Any]) -> bool:
    return all(exercise.same(a, b) for a, b in zip(outcomes, others, strict=True))


@pytest.mark.parametrize("lesson", LESSONS, ids=[lesson.topic for lesson in LESSONS])
def test_exercises_are_numbered_by_their_lessons(lesson: Any) -> None:
    numbers = [one.number for one in exercises_of(lesson.number)]
    assert numbers == [f"{lesson.number}.{place}" for place in range(1, len(numbers) + 1)]


@each_exercise
def test_the_right_answer_is_right(exercise: Exercise) -> None:
    remark = check_exercise(exercise.number, exercise.right)
    assert remark.right, remark
    assert remark.words == exercise.shows


@each_exercise
@pytest.mark.parametrize("blank", [None, ...])
def test_a_blank_is_told_what_is_asked_for(exercise: Exercise, blank: Any) -> None:
    remark = check_exercise(exercise.number, blank)
    assert not remark.right
    assert exercise.asks in remark.words


@each_exercise
def test_every_mistake_is_one_and_is_told_by_words_of_its_own(exercise: Exercise) -> None:
    right = exercise.outcomes(exercise.right)
    made = list(outcomes_of_mistakes(exercise))
    for words, outcomes in made:
        assert not same(exercise, outcomes, right), words
    for (words, outcomes), (others, other) in combinations(made, 2):
        assert words != others
        assert not same(exercise, outcomes, other), f"{words} / {others}"
    for words, answer in exercise.mistakes.items():
        remark = check_exercise(exercise.number, answer)
        where = r" \(.+\)" if exercise.where else ""
        assert re.fullmatch(re.escape(words) + where, remark.words)
        assert not remark.right


def test_a_number_without_quotes_is_understood() -> None:
    assert check_exercise(2.3, None) == check_exercise("2.3", None)


def test_a_number_that_no_exercise_has_is_refused_by_name() -> None:
    with pytest.raises(InvalidArgumentError, match=r"number must be one of 1\.1"):
        check_exercise("9.9", None)


def test_an_exercise_of_a_lecturer_explains_her_mistakes() -> None:
    mine = Exercise(
        "mine.1",
        asks="a function of a and b that returns the sum",
        right=lambda a, b: a + b,
        cases=[(1, 2), (2, 2)],
        shows="sums are symmetric.",
        mistakes={"that is the product.": lambda a, b: a * b},
    )
    assert str(mine.check(lambda a, b: b + a)) == "mine.1 is right: sums are symmetric."
    assert str(mine.check(lambda a, b: a * b)) == "mine.1 not yet: that is the product."
    assert mine.check(lambda a, b: a).words == "for (1, 2) it gives 1, where 3 is right"


def test_a_right_answer_that_changes_the_list_it_must_keep_is_not_right() -> None:
    right = next(one for one in EVERY if one.number == "3.2").right

    def writes(levels: Any, epsilon: float, gamma: float, arm: int, accepted: bool) -> Any:
        after = right(levels, epsilon, gamma, arm, accepted)
        levels[arm] += 1.0
        return after

    remark = check_exercise("3.2", writes)
    assert not remark.right
    assert "work on a copy" in remark.words


def test_an_answer_made_of_a_blank_one_is_told_which_may_be_blank() -> None:
    remark = check_exercise("3.4", lambda n_b, m_b, n_a, m_a: n_b * (lambda p, q: None)(m_b, m_a))
    assert "is 3.3, which it uses, still blank?" in remark.words
