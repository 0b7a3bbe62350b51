"""A guess before the answer is seen: nothing is told to who has not guessed."""

from collections.abc import Sequence
from typing import Any

from explorative_user_env.course.exercises import equal
from explorative_user_env.course.remarks import Remark
from explorative_user_env.validation import InvalidArgumentError, one_line

PREDICTION = "your prediction"
"""What a remark on a guess is about, where that on an exercise has its number."""


def reveal(
    prediction: Any,
    happened: Any,
    choices: Sequence[Any] = ("accepts", "rejects"),
    because: str = "",
) -> Remark:
    """Return what is to be said of a guess, and say what happened to who has made one.

    Args:
        prediction: the student's guess; None, or `...`, is none yet.
        happened: what happened, one of the choices.
        choices: what there is to guess from.
        because: why it happened, in a sentence.

    Raises:
        InvalidArgumentError: if what happened is none of the choices.
    """
    if not any(equal(happened, choice) for choice in choices):
        raise InvalidArgumentError("happened", happened, f"one of {_spelled(choices)}")
    if prediction is None or prediction is ...:
        return Remark(PREDICTION, False, f"make it first: {_spelled(choices)}?")
    if not any(equal(prediction, choice) for choice in choices):
        given = one_line(repr(prediction), 100)
        return Remark(PREDICTION, False, f"{given} is none of {_spelled(choices)}")
    right = equal(prediction, happened)
    told = f"{happened}, because {because}" if because else str(happened)
    return Remark(PREDICTION, right, told, "is right" if right else "is wrong")


def _spelled(choices: Sequence[Any]) -> str:
    """Return choices as a student would type them."""
    return " or ".join(repr(choice) for choice in choices)
