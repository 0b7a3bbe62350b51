"""Exercises: one checker that reads right answers and mistakes as data, and the time limit."""

import copy
import ctypes
import html
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, field, replace
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.display.progress import can_start_threads
from explorative_user_env.validation import InvalidArgumentError, one_line

#: The arguments of one trial of an answer.
Case = tuple[Any, ...]


class Remark(NamedTuple):
    """The remark on an answer or on a prediction."""

    exercise: str  # number of the exercise, as "2.3"
    right: bool  # whether the answer is right
    words: str  # the mistake, or the lesson of a right answer
    verdict: str = ""  # words between number and remark; empty is "is right" or "not yet"

    def __str__(self) -> str:
        verdict = self.verdict or ("is right" if self.right else "not yet")
        return f"{self.exercise} {verdict}: {self.words}"

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        style = f"border-left: 4px solid {'#2e7d32' if self.right else '#b26a00'}"
        return f'<div style="{style}; padding: .2em .8em">{html.escape(str(self))}</div>'


class EndlessError(BaseException):
    """Raised in code that takes too long; no `except Exception` catches it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Break the block off after some seconds, where threads can be started.

    Code in C runs to its end. The student's own interrupt works as usual.

    Raises:
        EndlessError: after `seconds`, and again if the block catches it.
    """
    if not can_start_threads():
        yield
        return
    thread, lock, over = ctypes.c_ulong(threading.get_ident()), threading.Lock(), threading.Event()

    def watch() -> None:
        while not over.wait(seconds):
            with lock:
                if not over.is_set():
                    error = ctypes.py_object(EndlessError)
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, error)

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        with lock:
            over.set()


def by_calling(answer: Any, case: Case) -> Any:
    """Return what an answer returns for copies of the arguments.

    An answer that fails with lists gets arrays: both ways to write it are right.
    """
    try:
        return answer(*copy.deepcopy(case))
    except (TypeError, AttributeError):
        if any(isinstance(each, list) for each in case):
            try:
                return answer(*(np.array(x) if isinstance(x, list) else x for x in case))
            except Exception:  # the first error is the one to report
                pass
        raise


def equal(given: Any, expected: Any) -> bool:
    """Return whether two outcomes are the same, numbers up to rounding."""
    ours, theirs = _numbers(given), _numbers(expected)
    if ours is None or theirs is None:
        try:
            return bool(given == expected)
        except Exception:  # a class of the student's, or a list of arrays
            return False
    return ours.shape == theirs.shape and bool(
        np.allclose(ours, theirs, rtol=1e-9, atol=1e-12, equal_nan=True)
    )


def _numbers(outcome: Any) -> Any:
    """Return an outcome as an array; None if not all of it are numbers.

    NumPy takes None for nan, and the text "1" for 1.
    """
    try:
        array = np.asarray(outcome)
        if array.dtype.kind == "O" and not all(isinstance(each, Real) for each in array.flat):
            return None
        return array.astype(float) if array.dtype.kind in "biufO" else None
    except (TypeError, ValueError, OverflowError):
        return None


def differs(case: Case, given: Any, expected: Any) -> str:
    """Describe a wrong outcome: the arguments, the outcome and the right one."""
    with np.printoptions(legacy="1.21"):  # 2.5, and not np.float64(2.5)
        text = f"for {_written(case)} it gives {given!r}, where {expected!r} is right"
    return one_line(text, 400)


def _written(case: Case) -> str:
    return f"({', '.join(map(repr, case))})"


def around(middle: float, width: float) -> tuple[float, float]:
    """Return the ends of an interval."""
    return middle - width, middle + width


@dataclass(frozen=True)
class Exercise:
    """An exercise: the question, the cases that try an answer, and the known mistakes.

    Attributes:
        number: number of the exercise, as "2.3"; a lesson's follow from its order.
        asks: the wanted answer, as "a function of n and delta that returns epsilon".
        right: a right answer.
        cases: arguments of each trial, the easiest first.
        shows: the remark on a right answer, one sentence.
        mistakes: a wrong answer for each remark, the likeliest first. An answer whose outcomes are
            those of a wrong answer gets its remark.
        uses: numbers of the exercises whose answers are called by this one.
        keeps: whether an answer must leave lists that it is given as they are.
        tried: returns the outcome of an answer in a case; by default it calls the answer.
        same: compares two outcomes.
        told: describes a wrong outcome, given the case, the outcome and the right one.
        where: whether the remark on a known mistake adds that description.
        patience: seconds for each case.
    """

    number: str = ""
    _: KW_ONLY
    asks: str
    right: Any
    cases: Sequence[Case]
    shows: str
    mistakes: Mapping[str, Any] = field(default_factory=dict)
    uses: Sequence[str] = ()
    keeps: bool = False
    tried: Callable[[Any, Case], Any] = by_calling
    same: Callable[[Any, Any], bool] = equal
    told: Callable[[Case, Any, Any], str] = differs
    where: bool = False
    patience: float = 30.0

    def with_mistakes(self, *rows: Any) -> "Exercise":
        """Return the exercise with known mistakes: remarks and wrong answers in turn."""
        return replace(self, mistakes=dict(zip(rows[::2], rows[1::2], strict=True)))

    def outcomes(self, answer: Any) -> list[Any]:
        """Return the outcome of an answer in every case."""
        return [self.tried(answer, case) for case in self.cases]

    def check(self, answer: Any) -> Remark:
        """Return the remark on an answer."""
        wrong = self._wrong(answer)
        return Remark(self.number, wrong is None, wrong or self.shows)

    def _wrong(self, answer: Any) -> str | None:
        if _is_blank(answer):
            return f"it is still blank; it asks for {self.asks}"
        if not callable(answer):
            return f"it has to be {self.asks}, but it is {one_line(repr(answer), 100)}"
        uses = " or ".join(self.uses)
        blank_before = f"; is {uses}, which it uses, still blank?" if uses else ""
        expected = self.outcomes(self.right)  # first, as it may compile: that is not timed
        given: list[Any] = []
        failed = None
        try:
            for case in self.cases:
                with time_limit(self.patience):
                    given.append(self.tried(answer, case))
        except EndlessError:
            seconds = f"{self.patience:g} seconds: is there a loop that never ends?"
            failed = f"for {_written(case)} it is not done after {seconds}"
        except Exception as error:  # whatever the student's code does
            text = f"for {_written(case)} it fails with {type(error).__name__}: {error}"
            failed = one_line(text, 400) + (blank_before if "NoneType" in str(error) else "")
        if not failed and all(map(_is_blank, given)):
            return f"it returns nothing yet; it asks for {self.asks}{blank_before}"
        trios = zip(self.cases, given, expected, strict=False)  # up to the failure
        parted = next((trio for trio in trios if not self.same(trio[1], trio[2])), None)
        if parted is not None:
            told = self.told(*parted)
            for words, mistaken in self.mistakes.items():
                made = self.outcomes(mistaken)
                if all(map(self.same, given, made)):
                    return f"{words} ({told})" if self.where else words
            return told
        for case in self.cases if self.keeps and not failed else ():
            answer(*(kept := copy.deepcopy(case)))
            if not all(map(equal, kept, case)):
                return f"it is right, but it changes a list of {_written(case)}: work on a copy"
        return failed


def _is_blank(answer: Any) -> bool:
    return answer is None or answer is ...


#: The subject of a remark on a prediction, in place of a number.
PREDICTION = "your prediction"


def reveal(
    prediction: Any,
    happened: Any,
    choices: Sequence[Any] = ("accepts", "rejects"),
    because: str = "",
) -> Remark:
    """Return the remark on a prediction; it shows what happened once there is a prediction.

    Args:
        prediction: the student's choice; None and `...` are blank.
        happened: what happened, one of `choices`.
        choices: the possible predictions.
        because: the reason, one sentence.

    Raises:
        InvalidArgumentError: if `happened` is not one of `choices`.
    """
    possible = " or ".join(map(repr, choices))
    if not any(equal(happened, choice) for choice in choices):
        raise InvalidArgumentError("happened", happened, f"one of {possible}")
    if _is_blank(prediction):
        return Remark(PREDICTION, False, f"make it first: {possible}?")
    if not any(equal(prediction, choice) for choice in choices):
        given = one_line(repr(prediction), 100)
        return Remark(PREDICTION, False, f"{given} is none of {possible}")
    right = equal(prediction, happened)
    words = f"{happened}, because {because}" if because else str(happened)
    return Remark(PREDICTION, right, words, "is right" if right else "is wrong")
