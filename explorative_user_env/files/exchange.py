"""Old files of a folder given up for new ones: all of them or none, even for who is killed.

What is written stands first in a folder inside, `new`. Then the old files move beside it, into
`old`, and the new ones out of it; the manifest is the first to go and the last to come, so that
where it is still inside, the exchange is not over, and it says which files are to go back.
"""

import errno
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from explorative_user_env.files.manifest import FILES, MADE_BY
from explorative_user_env.files.reading import from_json

PREFIX = ".unfinished-"
NEW, OLD = "new", "old"

LONGEST_WRITING = 3600.0
"""Seconds after which nobody is still at work on what is not finished."""


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Wait until no other process exchanges files in this folder, and let none begin."""
    try:
        import fcntl
    except ImportError:  # as on Windows, where the manifest alone tells two runs apart
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # as on file systems without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


@contextmanager
def unfinished_in(folder: Path) -> Iterator[Path]:
    """Give a new folder inside for files that are not finished, and take it away in the end.

    It stays where an exchange could be neither finished nor undone: the old files are there.
    """
    inside = Path(tempfile.mkdtemp(dir=folder, prefix=PREFIX))
    try:
        (inside / NEW).mkdir()
        yield inside
    finally:
        if not _is_at_it(inside):
            shutil.rmtree(inside, ignore_errors=True)


def exchange(inside: Path, leaving: Iterable[str], coming: Sequence[str]) -> None:
    """Exchange files of the folder around `inside`, with the manifest last in `coming`.

    Args:
        inside: a folder of `unfinished_in`, with the new files.
        leaving: files that are not needed any more, beside those that new ones replace.
        coming: the new files.

    Raises:
        OSError: if the disk refuses, with nothing changed.
    """
    folder = inside.parent
    names = dict.fromkeys([*reversed(coming), *leaving])
    present = [name for name in names if os.path.lexists(folder / name)]
    for name in present:
        if (folder / name).is_dir() and not (folder / name).is_symlink():
            raise IsADirectoryError(errno.EISDIR, f"{name} is a folder")
    (inside / OLD).mkdir()
    try:
        for name in present:
            os.replace(folder / name, inside / OLD / name)
        for name in coming:
            os.replace(inside / NEW / name, folder / name)
    except BaseException:
        _undo(inside)
        raise


def settle(folder: Path) -> None:
    """Undo the exchanges of who was killed, and take away files that nobody is writing any more.

    Where the disk refuses, as where one may only read, they stay.
    """
    with suppress(OSError):
        left = [inside for inside in folder.glob(f"{PREFIX}*") if inside.is_dir()]
        with alone_in(folder) if left else nullcontext():
            for inside in left:
                if at_it := _is_at_it(inside):  # whoever it was is gone, or we would not be alone
                    _undo(inside)
                if at_it or is_left_behind(inside.stat()):
                    shutil.rmtree(inside, ignore_errors=True)


def is_left_behind(status: os.stat_result) -> bool:
    """Return whether nobody is still writing what has this status."""
    return time.time() - status.st_mtime > LONGEST_WRITING


def is_settled(folder: Path) -> bool:
    """Return whether there is no exchange in a folder that is not over."""
    return (folder / MADE_BY).exists() or not any(map(_is_at_it, folder.glob(f"{PREFIX}*")))


def _is_at_it(inside: Path) -> bool:
    """Whether there is an exchange inside, or nobody but its owner can know."""
    if not os.access(inside, os.R_OK | os.X_OK):
        return True
    return (inside / OLD).is_dir() and (inside / NEW / MADE_BY).exists()


def _undo(inside: Path) -> None:
    """Put back what has moved; what was put back already, by who was killed then, stays so."""
    folder, new, old = inside.parent, inside / NEW, inside / OLD
    for name in from_json((new / MADE_BY).read_text(encoding="utf-8"))[FILES]:
        if not (new / name).exists() and os.path.lexists(folder / name):
            os.replace(folder / name, new / name)
    names = os.listdir(old)
    for name in sorted(names, key=MADE_BY.__eq__):  # the manifest last, again
        os.replace(old / name, folder / name)
    old.rmdir()
