"""The files that students hand in, each with a name."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from explorative_user_env.display.text import in_line
from explorative_user_env.validation import InvalidArgumentError

LARGEST_SUBMISSION = 1_000_000
"""Bytes of a submission."""

LONGEST_STUDENT_NAME = 150
"""Bytes of a student's name, which the names of files are made of."""

PLACES = "a .py file, FILE:Class or a folder of files"
"""Where submissions may be."""

IS_NOT = ("_", ".")
"""How files and folders begin that are no submissions."""


@dataclass(frozen=True)
class Submission:
    """What a student has handed in.

    Attributes:
        student: what the leaderboard calls it.
        path: its file.
        class_name: the agent's class, where it is said.
        fault: why it cannot be run, if it cannot.
    """

    student: str
    path: Path
    class_name: str | None = None
    fault: str = ""

    def source(self) -> bytes:
        """Return what the file holds.

        Raises:
            OSError: if it cannot be read.
        """
        with self.path.open("rb") as file:
            return file.read(LARGEST_SUBMISSION + 1)


def submissions_at(places: Iterable[str]) -> list[Submission]:
    """Return the submissions at some places, in the order of their names.

    Args:
        places: files, as "agent.py" or "agent.py:Class", or folders. Of a folder each file is a
            student's, and each folder in it with one file; files that begin with "_" are not.

    Raises:
        InvalidArgumentError: for a place with nothing.
    """
    found = [each for place in places for each in _at(place)]
    counted = Counter(each.student.casefold() for each in found)
    told_apart = [
        each
        if counted[each.student.casefold()] == 1
        else Submission(_longer_name(each.path), each.path, each.class_name, each.fault)
        for each in found
    ]
    names = Counter(each.student.casefold() for each in told_apart)
    for each in told_apart:
        if names[each.student.casefold()] > 1:
            raise InvalidArgumentError("submission", str(each.path), "given once")
    return sorted(told_apart, key=lambda each: each.student.casefold())


def _called(name: str) -> str:
    """Return a name as it is shown, and short enough to stand in the name of a file."""
    shown = in_line(name)
    if len(shown.encode()) <= LONGEST_STUDENT_NAME:
        return shown
    mark = hashlib.sha256(name.encode(errors="backslashreplace")).hexdigest()[:8]
    return f"{shown.encode()[: LONGEST_STUDENT_NAME - 9].decode(errors='ignore')}-{mark}"


def _longer_name(path: Path) -> str:
    whole = path.resolve()
    return _called(f"{whole.parent.name}-{whole.stem}")


def _at(place: str) -> Iterator[Submission]:
    path, name = Path(place), None
    if not path.exists() and ":" in path.name:
        whole, _, name = place.rpartition(":")
        path = Path(whole)
    if path.is_dir() and name is None:
        within = list(_in(path))
        if not within:
            raise InvalidArgumentError("submission", place, "a folder with .py files in it")
        yield from within
    elif path.is_file():
        yield Submission(_called(path.stem), path, name)
    else:
        raise InvalidArgumentError("submission", place, PLACES)


def _in(folder: Path) -> Iterator[Submission]:
    """Yield the submissions of a folder: its files, and its folders with one file each."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith(IS_NOT):
            continue
        if path.is_dir():
            files = _python_files(path)
            fault = "" if len(files) == 1 else f"its folder has {len(files)} Python files, not one"
            if files:
                fault = fault or _fault_of(files[0], folder)
                yield Submission(_called(path.name), files[0], None, fault)
        elif path.suffix == ".py":
            yield Submission(_called(path.stem), path, None, _fault_of(path, folder))


def one_submission(place: str) -> Submission:
    """Return the one submission at a place, with its fault if there is not one.

    Args:
        place: a file, or a folder that has one.
    """
    path = Path(place)
    if path.is_file():
        return Submission(_called(path.stem), path)
    files = _python_files(path)
    fault = "" if len(files) == 1 else f"it has {len(files)} Python files, not one"
    fault = fault or _fault_of(files[0], path)
    return Submission(
        _called(files[0].stem) if files else "submission", (files or [path])[0], None, fault
    )


def _fault_of(path: Path, folder: Path) -> str:
    """Say why nobody's file is read: a link leads to another's, and a pipe has no end."""
    if path.resolve() != folder.resolve() / path.relative_to(folder):
        return "its file is a link, and not a file of its own"
    return "" if path.is_file() else "it is not a file"


def _python_files(folder: Path) -> list[Path]:
    return [each for each in sorted(folder.rglob("*.py")) if not each.name.startswith(IS_NOT)]
