"""Wrong answers to exercises, as students write them, and what is asked of what they are told."""

from collections.abc import Sequence
from typing import Any

import pytest

from explorative_user_env.teach import check_exercise

WrongAnswer = tuple[str, Any, str]
"""The number of an exercise, an answer to it, and words that tell what is wrong with it."""

TRIED_ON_MANY = {"6.4"}
"""Exercises whose answers are tried on many users."""


def each_of(wrong: Sequence[WrongAnswer]) -> pytest.MarkDecorator:
    """Return what runs a test with each wrong answer in turn."""
    return pytest.mark.parametrize(
        ("number", "answer", "words"),
        [
            pytest.param(
                *each,
                marks=[pytest.mark.slow] * (each[0] in TRIED_ON_MANY),
                id=f"{each[0]}-{each[1].__name__}",
            )
            for each in wrong
        ],
    )


def assert_told(number: str, answer: Any, words: str) -> None:
    """Make sure that an answer is not taken for right, and is told what is wrong with it."""
    remark = check_exercise(number, answer)
    assert not remark.right
    assert words in remark.words


def assert_told_apart(wrong: Sequence[WrongAnswer]) -> None:
    """Make sure that no two wrong answers are told the same."""
    said = [check_exercise(number, answer).words for number, answer, _ in wrong]
    assert len(set(said)) == len(said)
