"""Exercises: the check of a student's answer, with known mistakes and a time limit."""

import copy
import ctypes
import html
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import KW_ONLY, dataclass, field, replace
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.display.progress import can_start_threads
from explorative_user_env.validation import InvalidArgumentError, one_line

#: The arguments of one call of a student's answer.
Case = tuple[Any, ...]


class Remark(NamedTuple):
    """The result of checking a student's answer or prediction."""

    exercise: str  # number of the exercise, as "2.3"
    right: bool  # whether the answer is right
    words: str  # the mistake, or a remark on the right answer
    verdict: str = ""  # text between `exercise` and `words`; by default "is right" or "not yet"

    def __str__(self) -> str:
        verdict = self.verdict or ("is right" if self.right else "not yet")
        return f"{self.exercise} {verdict}: {self.words}"

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        style = f"border-left: 4px solid {'#2e7d32' if self.right else '#b26a00'}"
        return f'<div style="{style}; padding: .2em .8em">{html.escape(str(self))}</div>'


class EndlessError(BaseException):
    """Interrupts code that exceeds its time limit; `except Exception` does not catch it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Interrupt the `with` block after `seconds`, on platforms that can start threads.

    A running call of C code is not interrupted. KeyboardInterrupt works as usual.

    Raises:
        EndlessError: after `seconds`, and again if the block catches the error.
    """
    if not can_start_threads():
        yield
        return
    thread, lock, done = ctypes.c_ulong(threading.get_ident()), threading.Lock(), threading.Event()

    def watch() -> None:
        while not done.wait(seconds):
            with lock:
                if not done.is_set():
                    error = ctypes.py_object(EndlessError)
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, error)

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        with lock:
            done.set()


def by_calling(answer: Any, case: Case) -> Any:
    """Call a student's answer with copies of the arguments of `case`.

    If the answer fails with lists, call the answer again with arrays instead of lists.
    """
    return _outcome_and_arguments(answer, case)[0]


def _outcome_and_arguments(answer: Any, case: Case) -> tuple[Any, Case]:
    arguments = copy.deepcopy(case)
    try:
        return answer(*arguments), arguments
    except (TypeError, AttributeError):
        if any(isinstance(each, list) for each in case):
            arguments = tuple(np.array(x) if isinstance(x, list) else x for x in case)
            with suppress(Exception):  # report the first error, not the error with arrays
                return answer(*arguments), arguments
        raise


def equal(given: Any, expected: Any) -> bool:
    """Return whether two outcomes are equal; numbers are compared up to rounding."""
    ours, theirs = _numbers(given), _numbers(expected)
    if ours is None or theirs is None:
        try:
            return bool(given == expected)
        except Exception:  # `==` of a student's class, or of lists of arrays, may fail
            return False
    return ours.shape == theirs.shape and bool(
        np.allclose(ours, theirs, rtol=1e-9, atol=1e-12, equal_nan=True)
    )


def _numbers(outcome: Any) -> Any:
    """Return an outcome as an array of floats, or None if an element is not a number.

    The check is needed because NumPy converts None to nan, and the text "1" to 1.
    """
    try:
        array = np.asarray(outcome)
        if array.dtype.kind == "O" and not all(isinstance(each, Real) for each in array.flat):
            return None
        return array.astype(float) if array.dtype.kind in "biufO" else None
    except (TypeError, ValueError, OverflowError):
        return None


def differs(case: Case, given: Any, expected: Any) -> str:
    """Describe a wrong outcome: the arguments, the outcome and the right outcome."""
    with np.printoptions(legacy="1.21"):  # prints 2.5 instead of np.float64(2.5)
        text = f"for {_written(case)} it gives {given!r}, where {expected!r} is right"
    return one_line(text, 400)


def _written(case: Case) -> str:
    return f"({', '.join(map(repr, case))})"


def around(middle: float, half_width: float) -> tuple[float, float]:
    """Return the ends of the interval middle -+ half_width."""
    return middle - half_width, middle + half_width


@dataclass(frozen=True)
class Exercise:
    """An exercise: the task, the test cases and the known mistakes.

    Attributes:
        number: number of the exercise, such as "2.3"; `exercises_of` sets the numbers.
        asks: the task, such as "a function of n and delta that returns epsilon".
        right: a right answer.
        cases: tuples of arguments to test an answer with, the easiest first.
        shows: the remark on a right answer, one sentence.
        mistakes: the known wrong answers as a dict {remark: wrong answer}, the likeliest first. A
            student gets a remark if the student's answer has the outcomes of the wrong answer in
            all cases.
        uses: numbers of the exercises whose answers the student's answer calls.
        keeps: whether an answer must not change its list arguments.
        tried: function of an answer and a case that returns the answer's outcome, by default the
            value that the answer returns.
        same: function that compares two outcomes.
        describe: function of case, outcome and right outcome that describes a wrong outcome.
        where: whether the remark on a known mistake includes the text of `describe`.
        patience: time limit for each case, in seconds.
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
    describe: Callable[[Case, Any, Any], str] = differs
    where: bool = False
    patience: float = 30.0

    def with_mistakes(self, *rows: Any) -> "Exercise":
        """Return a copy with the mistakes in `rows`, which alternates remarks and wrong answers."""
        return replace(self, mistakes=dict(zip(rows[::2], rows[1::2], strict=True)))

    def outcomes(self, answer: Any) -> list[Any]:
        """Return the outcome of an answer in each case."""
        return [self.tried(answer, case) for case in self.cases]

    def check(self, answer: Any) -> Remark:
        """Check a student's answer and return a remark on it."""
        wrong = self._wrong(answer)
        return Remark(self.number, wrong is None, wrong or self.shows)

    def _wrong(self, answer: Any) -> str | None:
        if _is_blank(answer):
            return f"it is still blank; the task is {self.asks}"
        if not callable(answer):
            return f"it must be {self.asks}, got {one_line(repr(answer), 100)}"
        uses = " or ".join(self.uses)
        blank_before = f"; it calls your answer to {uses}: is that still blank?" if uses else ""
        expected = self.outcomes(self.right)  # no time limit, as `right` may compile first
        given, failed = list[Any](), None
        try:
            for case in self.cases:
                with time_limit(self.patience):
                    given.append(self.tried(answer, case))
        except EndlessError:
            seconds = f"{self.patience:g} seconds: is there a loop that never ends?"
            failed = f"for {_written(case)} it is still running after {seconds}"
        except Exception as error:  # a student's code may raise any error
            text = f"for {_written(case)} it fails with {type(error).__name__}: {error}"
            failed = one_line(text, 400) + (blank_before if "NoneType" in str(error) else "")
        if not failed and all(map(_is_blank, given)):
            it = "its `act`" if isinstance(answer, type) else "it"
            return f"{it} returns nothing yet; the task is {self.asks}{blank_before}"
        trios = zip(self.cases, given, expected, strict=False)  # after a failure `given` is shorter
        wrong = next((trio for trio in trios if not self.same(trio[1], trio[2])), None)
        if wrong is not None:
            description = self.describe(*wrong)
            for remark, mistake in self.mistakes.items():
                with suppress(Exception):  # a mistake of a custom exercise may raise an error
                    if all(map(self.same, given, self.outcomes(mistake))):
                        return f"{remark} ({description})" if self.where else remark
            return description
        for case in self.cases if self.keeps and not failed else ():
            if not all(map(equal, _outcome_and_arguments(answer, case)[1], case)):
                return f"it is right, but it changes a list of {_written(case)}: work on a copy"
        return failed


def _is_blank(answer: Any) -> bool:
    return answer is None or answer is ...


#: `Remark.exercise` of a prediction.
PREDICTION = "your prediction"


def reveal(
    prediction: Any,
    happened: Any,
    choices: Sequence[Any] = ("accepts", "rejects"),
    because: str = "",
) -> Remark:
    """Compare a student's prediction with the outcome; show the outcome only after a prediction.

    Args:
        prediction: the student's prediction; None and `...` are blank.
        happened: the outcome, one of `choices`.
        choices: the possible predictions.
        because: the reason for the outcome, one sentence.

    Raises:
        InvalidArgumentError: if `happened` is not one of `choices`.
    """
    possible = " or ".join(map(repr, choices))
    if not any(equal(happened, choice) for choice in choices):
        raise InvalidArgumentError("happened", happened, f"one of {possible}")
    if _is_blank(prediction):
        return Remark(PREDICTION, False, f"{possible}?", "is missing")
    if not any(equal(prediction, choice) for choice in choices):
        given = one_line(repr(prediction), 100)
        return Remark(PREDICTION, False, f"it must be {possible}, got {given}", "is invalid")
    right = equal(prediction, happened)
    words = f"{happened}, because {because}" if because else str(happened)
    return Remark(PREDICTION, right, words, "is right" if right else "is wrong")
