"""Exercises and the mistakes that people make in them, which a grader tells apart by what they do.

An exercise holds the right answer as a function, the cases in which an answer is tried, and the
mistakes that are known, each as a function that makes it. An answer that does in every case what a
mistake does is told what that mistake is; another one, the first case in which it goes wrong.
"""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.course.endless import EndlessError, broken_off
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
    """Return what an answer gives in a case, the arguments it is called with.

    They are copies: an answer may write into its arguments, and the next one is to get the same.
    Lists come as arrays to one that can do nothing with lists: both ways to write it are right.
    """
    try:
        return answer(*copy.deepcopy(case))
    except (TypeError, AttributeError):
        if any(isinstance(each, list) for each in case):
            try:
                return answer(*(np.array(x) if isinstance(x, list) else x for x in case))
            except Exception:  # then what is told is what it makes of lists
                pass
        raise


def equal(given: Any, expected: Any) -> bool:
    """Return whether two outcomes are the same, numbers up to rounding."""
    ours, theirs = _numbers(given), _numbers(expected)
    if ours is None or theirs is None:
        return _says_it_is(given, expected)
    return ours.shape == theirs.shape and bool(
        np.allclose(ours, theirs, rtol=1e-9, atol=1e-12, equal_nan=True)
    )


def _numbers(outcome: Any) -> Any:
    """Return an outcome as an array of numbers; None if it is none, or holds what is none.

    NumPy would take None for nan, and the text "1" for 1.
    """
    try:
        array = np.asarray(outcome)
        if array.dtype.kind == "O" and not all(isinstance(each, Real) for each in array.flat):
            return None
        return array.astype(float) if array.dtype.kind in "biufO" else None
    except (TypeError, ValueError, OverflowError):
        return None


def _says_it_is(given: Any, expected: Any) -> bool:
    """Return whether two outcomes compare as equal; what cannot be compared does not."""
    try:
        return bool(given == expected)
    except Exception:  # whatever a student's class, or a list of arrays, makes of it
        return False


def differs(case: tuple[Any, ...], given: Any, expected: Any) -> str:
    """Say in which case an outcome is not the right one."""
    with np.printoptions(legacy="1.21"):  # 2.5, and not np.float64(2.5)
        told = f"for {_called_with(case)} it gives {given!r}, where {expected!r} is right"
    return one_line(told, 400)


def _called_with(case: tuple[Any, ...]) -> str:
    return f"({', '.join(repr(argument) for argument in case)})"


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
        patience: seconds that an answer may take in a case; then it is taken for endless.
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
    patience: float = 30.0

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
        if not callable(answer):
            return f"it has to be {self.asks}, but it is {one_line(repr(answer), 100)}"
        expected = self.outcomes(self.right)  # first: what has to be compiled is, and takes no time
        given, failed = self._given(answer)
        if not failed and all(one is None or one is ... for one in given):
            return f"it returns nothing yet; it asks for {self.asks}"
        trios = zip(self.cases, given, expected, strict=False)  # up to where it failed
        parted = next((trio for trio in trios if not self.same(trio[1], trio[2])), None)
        if parted is None:
            return failed
        first = self.told(*parted)
        for mistake in self.mistakes:
            made = self.outcomes(mistake.answer)
            if all(self.same(mine, theirs) for mine, theirs in zip(given, made, strict=False)):
                return f"{mistake.words} ({first})" if self.where else mistake.words
        return first

    def _given(self, answer: Any) -> tuple[list[Any], str | None]:
        """Return what an answer gives in the cases up to where it fails, and how it does."""
        given: list[Any] = []
        for case in self.cases:
            try:
                with broken_off(self.patience):
                    given.append(self.tried(answer, case))
            except EndlessError:
                seconds = f"{self.patience:g} seconds: is there a loop that never ends?"
                return given, f"for {_called_with(case)} it is not done after {seconds}"
            except Exception as error:  # whatever a student's code may do
                said = f"for {_called_with(case)} it fails with {type(error).__name__}: {error}"
                return given, one_line(said, 400)
        return given, None
