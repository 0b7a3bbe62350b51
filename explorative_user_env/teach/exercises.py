"""Where the notebooks of the course are: beside the package in a checkout, inside it in a wheel."""

import copy
import ctypes
import html
import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.display.progress import can_start_threads
from explorative_user_env.validation import InvalidArgumentError, one_line


class Remark(NamedTuple):
    """What a grader says of an answer.

    Attributes:
        exercise: the number of the exercise, as "2.3".
        right: whether the answer is right.
        words: what is wrong, or what the answer shows.
        verdict: what is said of it before the words, where it is neither right nor to be mended.
    """

    exercise: str
    right: bool
    words: str
    verdict: str = ""

    def __str__(self) -> str:
        verdict = self.verdict or ("is right" if self.right else "not yet")
        return f"{self.exercise} {verdict}: {self.words}"

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        colour = "#2e7d32" if self.right else "#b26a00"
        return (
            f'<div style="border-left: 4px solid {colour}; padding: .2em .8em">'
            f"{html.escape(str(self))}</div>"
        )


class EndlessError(BaseException):
    """Raised in code that takes too long; no `except Exception` of a student's catches it."""


@contextmanager
def broken_off(seconds: float) -> Iterator[None]:
    """Break off what the block does when it takes too long, where threads can be started.

    Code in C is waited for. A student's own interrupt stays what it is.

    Args:
        seconds: after which it is too long.

    Raises:
        EndlessError: if it was.
    """
    if not can_start_threads():
        yield
        return
    runs, lock, over = ctypes.c_ulong(threading.get_ident()), threading.Lock(), threading.Event()

    def watch() -> None:
        while not over.wait(seconds):  # again, if it was caught
            with lock:
                if not over.is_set():
                    raise_in(runs, ctypes.py_object(EndlessError))

    raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc
    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        with lock:
            over.set()


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


class Lesson(NamedTuple):
    """A notebook of the course.

    Attributes:
        number: its place in the course, from 1.
        topic: what its file is named after.
        title: its title.
    """

    number: int
    topic: str
    title: str

    @property
    def name(self) -> str:
        """What its file is called, without what it ends with."""
        return f"lesson_{self.number}_{self.topic}"

    @property
    def heading(self) -> str:
        """Its title with its number, the first line of the notebook."""
        return f"{self.number}. {self.title}"


LESSONS = (
    Lesson(1, "best_arm", "Bandits and best-arm identification"),
    Lesson(2, "explorative_user", "The explorative user"),
    Lesson(3, "why_they_struggle", "Why UNI, EXP3 and Track-and-Stop struggle"),
    Lesson(4, "bair", "BAIR, step by step"),
    Lesson(5, "revealed_preference", "The price of revealed preference"),
    Lesson(6, "learning_agents", "Learning agents against BAIR"),
)
"""The notebooks, in order."""


def trust(notebooks: Iterable[bytes]) -> None:
    """Sign notebooks for who runs this, as `jupyter trust` does, where there is a Jupyter.

    Of a notebook that was not signed it shows neither SVG nor films: pictures become bare words.
    Where it can keep no signatures, as in a home that is read-only, they are so until they run.

    Args:
        notebooks: what is in each; their outputs are of this package's making.
    """
    try:
        import nbformat
        from jupyter_core.paths import jupyter_data_dir
        from nbformat.sign import NotebookNotary
    except ImportError:
        return
    silent = logging.Logger("silent", logging.CRITICAL + 1)
    try:
        folder = Path(jupyter_data_dir())
        folder.mkdir(parents=True, exist_ok=True)
        with NotebookNotary(data_dir=str(folder), log=silent) as notary:
            for notebook in notebooks:
                notary.sign(nbformat.reads(notebook.decode(), as_version=4))
    except Exception:  # a home that is read-only, a broken store: the notebooks are written
        return


NOTEBOOKS, SOLUTIONS = "notebooks", "solutions"
"""What the folders are called, of the students' notebooks and of those with the answers."""

_HOMES = (Path(__file__).parent, Path(__file__).parents[2] / "examples" / "course")


def notebook_files(solutions: bool = False) -> dict[str, bytes]:
    """Return what is in the notebooks, by the names that they have in a student's folder.

    Args:
        solutions: whether those with the answers are there as well, in a folder inside.

    Raises:
        InvalidArgumentError: if this installation has no notebooks.
    """
    found = {}
    for folder, inside in {NOTEBOOKS: "", SOLUTIONS: f"{SOLUTIONS}/"}.items():
        if folder == NOTEBOOKS or solutions:
            for lesson in LESSONS:
                name = f"{lesson.name}.ipynb"
                found[inside + name] = _read(folder, name)
    return found


def _read(folder: str, name: str) -> bytes:
    for home in _HOMES:
        if (path := home / folder / name).is_file():
            return path.read_bytes()
    allowed = f"part of this installation, which has none in {' or '.join(map(str, _HOMES))}"
    raise InvalidArgumentError("the notebook", name, allowed)
