"""A guess comes before what happened: nothing is told to who has not made one."""

from typing import Any

import numpy as np
import pytest

from explorative_user_env.teach import reveal
from explorative_user_env.validation import InvalidArgumentError

BECAUSE = "the interval of arm 2 begins above"


@pytest.mark.parametrize("blank", [None, ...])
def test_who_has_not_guessed_is_asked_to_and_told_nothing(blank: Any) -> None:
    remark = reveal(blank, "rejects", because=BECAUSE)
    assert not remark.right
    assert str(remark) == "your prediction not yet: make it first: 'accepts' or 'rejects'?"


@pytest.mark.parametrize(("guess", "verdict"), [("rejects", "right"), ("accepts", "wrong")])
def test_who_has_guessed_is_told_what_happened_and_why(guess: str, verdict: str) -> None:
    remark = reveal(guess, "rejects", because=BECAUSE)
    assert remark.right == (verdict == "right")
    assert str(remark) == f"your prediction is {verdict}: rejects, because {BECAUSE}"


def test_a_reason_may_be_left_out() -> None:
    assert str(reveal("rejects", "rejects")) == "your prediction is right: rejects"


@pytest.mark.parametrize("guess", ["reject", 1, lambda: "rejects", np.ones(3), [], "x" * 500])
def test_a_guess_that_is_none_of_the_choices_is_told_them_and_not_the_answer(guess: Any) -> None:
    remark = reveal(guess, "rejects", because=BECAUSE)
    assert "is none of 'accepts' or 'rejects'" in remark.words
    assert BECAUSE not in remark.words
    assert len(remark.words) < 200


@pytest.mark.parametrize("guess", [2, 2.0, np.int64(2)])
def test_there_is_more_to_guess_than_yes_and_no(guess: Any) -> None:
    assert reveal(guess, 2, choices=range(5)).right
    assert not reveal(guess, 3, choices=(1, 2, 3)).right


def test_what_happened_has_to_be_a_choice() -> None:
    with pytest.raises(InvalidArgumentError, match="happened must be one of 'accepts' or"):
        reveal(None, "yes")
