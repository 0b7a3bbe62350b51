"""A disk that refuses, once or from then on, at any touch of a command's folder."""

import builtins
import contextlib
import errno
import io
import os
import re
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import tiny_commands
from fuzz.command_line import run

from explorative_user_env.commands.run import RUN_FILE
from explorative_user_env.files import MADE_BY, PREFIX, check_one_run, digests_in

TOUCHES = ("open", "mkdir", "replace", "rmdir", "unlink", "listdir", "scandir", "stat", "lstat")

ERRORS = (errno.ENOSPC, errno.EACCES, errno.EIO, errno.EROFS, errno.ENOENT, errno.ENOTDIR)


class Disk:
    """Counts the touches of what is below a folder, and refuses some.

    Args:
        below: the folder.
        place: the touch that is refused; None for none.
        number: what is refused with.
        lasts: whether all touches after it are refused as well.
    """

    def __init__(self, below: Path, place: int | None, number: int, lasts: bool) -> None:
        self.below, self.place, self.number, self.lasts = str(below), place, number, lasts
        self.touches = 0

    def touched(self, path: Any) -> None:
        if not isinstance(path, str | os.PathLike) or not str(path).startswith(self.below):
            return
        here, self.touches = self.touches, self.touches + 1
        if self.place is not None and (here == self.place or (self.lasts and here > self.place)):
            raise OSError(self.number, os.strerror(self.number), str(path))

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            for home, names in ((os, TOUCHES), (io, ["open"]), (builtins, ["open"])):
                for name in names:
                    usual = getattr(home, name)
                    patch.setattr(home, name, self._watched(usual))
            yield

    def _watched(self, usual: Any) -> Any:
        def touch(path: Any = ".", *arguments: Any, **options: Any) -> Any:
            self.touched(path)
            return usual(path, *arguments, **options)

        return touch


def faults(name: str, place: Path, errors: tuple[int, ...] = ERRORS) -> Iterator[str]:
    """Try every fault of one command of `tiny_commands`, and yield what is wrong, or nothing.

    Args:
        name: the command's.
        place: a folder in which to try.
        errors: what the disk refuses with.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(place))
        usual = Disk(place / "usual", None, 0, False)
        with usual.at_work():
            code, printed, _ = _run(name, place / "usual")
        assert code == 0
        numbers = count()
        for touch in range(usual.touches):
            for number in errors:
                for lasts in (False, True):
                    folder = place / f"fault-{next(numbers)}" / "out"
                    folder.parent.mkdir()
                    disk = Disk(folder, touch, number, lasts)
                    with disk.at_work():
                        found = _run(name, folder)
                    wrong = _wrong(found, printed, folder, lasts)
                    yield f"{name}, touch {touch}, {number}, {lasts}: {wrong}" if wrong else ""


def _run(name: str, folder: Path) -> tuple[int, str, str]:
    with tiny_commands.made_small(name):
        return run(*tiny_commands.WORDS[name].split(), "--output", str(folder))


def _wrong(found: tuple[int, str, str], printed: str, folder: Path, lasts: bool) -> str:
    """Return what is not as it should be after a fault: nothing lost, nothing in halves.

    A disk that refuses even to delete leaves a part of the files, and no manifest among them.
    """
    code, shown, said = found
    if code not in (0, 2) or "Traceback" in said or said.count("error: ") != (code > 0):
        return f"exit code {code}, {said[-300:]!r}"
    check_one_run("output", folder, ())  # what a dead disk has kept from being put back, is now
    files = [path.name for path in folder.glob("*") if not path.name.startswith((PREFIX, RUN_FILE))]
    torn = lasts and MADE_BY not in files
    if files and not torn and {*files} != {*digests_in(folder), MADE_BY}:
        return f"half of the files: {files}"
    check_one_run("output", folder, files)
    if code == 0:
        return "" if files else "no files"
    ran = "takes the files" in said
    tables = printed.rsplit("Files:", 1)[0].replace("usual", folder.parent.name)
    if ran and not shown.startswith(tables[:200]):
        return f"no tables, {shown[:200]!r}"
    elsewhere = re.search(r"they are in (\S+) now", said)
    if ran and not elsewhere and str(folder.parent) not in said:
        return f"nowhere, {said!r}"
    return ""
