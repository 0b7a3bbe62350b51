"""Exercises and the mistakes that people make in them, which a grader tells apart by what they do.

An exercise holds the right answer as a function, the cases in which an answer is tried, and the
mistakes that are known, each as a function that makes it. An answer that does in every case what a
mistake does is told what that mistake is; another one, the first case in which it goes wrong.
"""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.course.remarks import Remark
from explorative_user_env.validation import one_line


class Mistake(NamedTuple):
    """A known way to get an exercise wrong.

    Attributes:
        words: what is wrong, said to the student, without the answer.
        answer: an answer that makes the mistake.
    """

    words: str
    answer: Any


def by_calling(answer: Any, case: tuple[Any, ...]) -> Any:
    """Return what an answer that is a function gives in a case, the arguments it is called with.

    They are copies: an answer may write into its arguments, and the next one is to get the same.
    """
    return answer(*copy.deepcopy(case))


def as_value(answer: Any, case: tuple[Any, ...]) -> Any:
    """Return an answer that is a value."""
    return answer


def equal(given: Any, expected: Any) -> bool:
    """Return whether two outcomes are the same, numbers up to rounding."""
    if isinstance(given, str) or isinstance(expected, str):
        return _says_it_is(given, expected)
    try:
        ours, theirs = np.asarray(given, float), np.asarray(expected, float)
    except (TypeError, ValueError):
        return _says_it_is(given, expected)
    return ours.shape == theirs.shape and bool(
        np.allclose(ours, theirs, rtol=1e-9, atol=1e-12, equal_nan=True)
    )


def _says_it_is(given: Any, expected: Any) -> bool:
    """Return whether two outcomes compare as equal; what cannot be compared does not."""
    try:
        return bool(given == expected)
    except Exception:  # whatever a student's class, or a list of arrays, makes of it
        return False


def differs(case: tuple[Any, ...], given: Any, expected: Any) -> str:
    """Say in which case an outcome is not the right one."""
    arguments = ", ".join(repr(argument) for argument in case)
    return one_line(f"for ({arguments}) it gives {given!r}, where {expected!r} is right", 400)


@dataclass(frozen=True)
class Exercise:
    """An exercise of the course.

    Attributes:
        number: its number, as "2.3".
        asks: what the answer is to be, as "the half width of her interval".
        right: an answer that is right.
        cases: the cases in which an answer is tried; the first ones are the easiest.
        shows: what who has it right has shown, in a sentence.
        mistakes: known mistakes, the likeliest first.
        tried: what an answer gives in a case: by default it is called with the case's arguments.
        same: whether two outcomes are the same.
        told: says where an outcome differs from the right one.
        where: whether of a known mistake, too, it is said where it first shows.
    """

    number: str
    asks: str
    right: Any
    cases: Sequence[tuple[Any, ...]]
    shows: str
    mistakes: Sequence[Mistake] = ()
    tried: Callable[[Any, tuple[Any, ...]], Any] = by_calling
    same: Callable[[Any, Any], bool] = equal
    told: Callable[[tuple[Any, ...], Any, Any], str] = field(default=differs)
    where: bool = False

    def outcomes(self, answer: Any) -> list[Any]:
        """Return what an answer gives in every case."""
        return [self.tried(answer, case) for case in self.cases]

    def remark(self, answer: Any) -> Remark:
        """Return what is to be said of an answer."""
        wrong = self._wrong(answer)
        return Remark(self.number, wrong is None, wrong or self.shows)

    def _wrong(self, answer: Any) -> str | None:
        """Say what is wrong with an answer, None if nothing is."""
        if answer is None or answer is ...:
            return f"it is still blank; it asks for {self.asks}"
        if self.tried is by_calling and not callable(answer):
            return f"it has to be a function, {self.asks}, but it is {one_line(repr(answer), 100)}"
        given = []
        for case in self.cases:
            try:
                given.append(self.tried(answer, case))
            except Exception as error:  # whatever a student's code may do
                arguments = ", ".join(repr(argument) for argument in case)
                said = f"{type(error).__name__}: {error}"
                return one_line(f"for ({arguments}) it fails with {said}", 400)
        if all(one is None or one is ... for one in given):
            return f"it returns nothing yet; it asks for {self.asks}"
        expected = self.outcomes(self.right)
        pairs = list(zip(self.cases, given, expected, strict=True))
        if all(self.same(mine, right) for _, mine, right in pairs):
            return None
        case, mine, right = next(trio for trio in pairs if not self.same(trio[1], trio[2]))
        first = self.told(case, mine, right)
        for mistake in self.mistakes:
            made = self.outcomes(mistake.answer)
            if all(self.same(mine, theirs) for mine, theirs in zip(given, made, strict=True)):
                return f"{mistake.words} ({first})" if self.where else mistake.words
        return first
