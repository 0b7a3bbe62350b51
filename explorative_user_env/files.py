"""Result files: those of a folder are of one run, all there or none, and say what made them."""

import errno
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, NamedTuple

from explorative_user_env.validation import InvalidArgumentError

__all__ = ["MADE_BY", "Files", "Folder", "check_one_run", "finished_file", "from_json"]


def from_json(text: str | bytes) -> Any:
    """Return what JSON says.

    Raises:
        ValueError: if it is none, or lists and records are nested too deep.
    """
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deep to be read") from error


MADE_BY = "made_by.json"
"""The file that says what made the others of a folder."""

RUN, FILES = "run", "files"
"""Where the manifest has an identifier of the run, and the digest of every file by name."""


def write_manifest(folder: Path, names: Iterable[str], made_by: Mapping[str, Any]) -> None:
    """Write the manifest of the files of these names beside them."""
    digests = {name: digest_of(folder / name) for name in names}
    run = hashlib.sha256(json.dumps(digests).encode()).hexdigest()[:16]
    text = json.dumps({**made_by, RUN: run, FILES: digests}, indent=2)
    (folder / MADE_BY).write_text(text + "\n", encoding="utf-8")


def digests_in(folder: Path) -> dict[str, str]:
    """Return the digests that a folder's manifest has, which are none where it has no manifest."""
    try:
        manifest = from_json((folder / MADE_BY).read_text(encoding="utf-8"))
        return {str(name): str(digest) for name, digest in manifest[FILES].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def digest_of(path: Path) -> str:
    """Return what tells a file's content from any other."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def unchanged(folder: Path) -> list[str]:
    """Return the names of the files that are as the manifest says."""
    return [name for name, digest in digests_in(folder).items() if is_as(folder / name, digest)]


def is_as(path: Path, digest: str) -> bool:
    """Return whether a file is there and has this digest."""
    try:
        return digest_of(path) == digest
    except OSError:
        return False


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


def check_one_run(argument: str, folder: Path, names: Iterable[str]) -> None:
    """Make sure that files of a folder are as its manifest says, where it has one.

    Files that a killed process had begun to replace are put back first.

    Args:
        argument: what the folder was given as.
        folder: the folder.
        names: the files that are about to be read.

    Raises:
        InvalidArgumentError: naming a file that is another.
    """
    settle(folder)
    if not is_settled(folder):
        allowed = "a folder whose files are all of one run (its writing was cut off)"
        raise InvalidArgumentError(argument, str(folder), allowed)
    digests = digests_in(folder)
    for name in names:
        if name in digests and not is_as(folder / name, digests[name]):
            allowed = f"a folder whose files are all as its run has written them ({name} is not)"
            raise InvalidArgumentError(argument, str(folder), allowed)


def finished_file(argument: str, folder: Path, name: str) -> Path:
    """Return the place of a file that a run writes into its folder when it is finished.

    Args:
        argument: what the folder was given as.
        folder: the folder.
        name: the file's.

    Raises:
        InvalidArgumentError: if it is not there, or is another than the run has written.
    """
    settle(folder)
    if not (folder / name).exists():
        allowed = f"a folder with {name}, which is written when a run is finished"
        raise InvalidArgumentError(argument, str(folder), allowed)
    check_one_run(argument, folder, [name])
    return folder / name


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Return the names of what `now` says and `before` does not, with what both say.

    Args:
        before: a record, of which only that counts which `now` has a name for.
        now: a record; those inside it are taken apart.
    """
    was, is_now = flat({name: before.get(name) for name in now}), flat(now)
    names = [name for name in {**is_now, **was} if was.get(name) != is_now.get(name)]
    return [(name, was.get(name), is_now.get(name)) for name in names]


def flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with those inside it taken apart: "agents.BAIR" is BAIR's of the agents.

    The first level only sorts what was asked for, and does not count in the names.
    """
    taken: dict[str, Any] = {}
    for name, value in record.items():
        taken |= _inner("", value) if isinstance(value, Mapping) else {name: value}
    return taken


def _inner(before: str, record: Mapping[str, Any]) -> dict[str, Any]:
    taken: dict[str, Any] = {}
    for name, value in record.items():
        inside = isinstance(value, Mapping)
        taken |= _inner(f"{before}{name}.", value) if inside else {f"{before}{name}": value}
    return taken


Files = Mapping[str, Callable[[Path], object]]
"""What writes each file, by its name."""


class Folder:
    """A folder for result files, checked before the work and filled all at once after it.

    Args:
        path: the folder; it is made if it is not there.
        made_by: what makes the files, as JSON can hold it; it stands beside them in the manifest.
            Empty for files that say so themselves.
        overwrite: whether files may be written over that something else has made.

    Raises:
        InvalidArgumentError: if it cannot be written to, or what is there was made by another run.
    """

    def __init__(
        self, path: Path, made_by: Mapping[str, Any] | None = None, overwrite: bool = False
    ) -> None:
        self.path = path
        self.beside: list[Path] = []  # files of the same run that somebody else writes
        self.made_by = dict(made_by or {})
        self._asked = dict(self.made_by)
        self._overwrite = overwrite
        settle(path)
        if other := self._other_run(path):
            allowed = f"another folder, as it has a run with {other}; --overwrite writes over that"
            raise InvalidArgumentError("output", str(path), allowed)
        try:
            path.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=path):
                pass
        except OSError as error:
            allowed = f"a folder that can be written to ({_reason(error)})"
            raise InvalidArgumentError("output", str(path), allowed) from error

    def _other_run(self, path: Path) -> str:
        """Return in words how the run in a folder differs from this one, if there is another."""
        if not self._asked or self._overwrite:
            return ""
        try:
            before = from_json((path / MADE_BY).read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            return ""
        except (OSError, ValueError):
            before = None
        return _other(before, json.loads(json.dumps(self._asked)))

    def note(self, **details: Any) -> None:
        """Say more of what made the files, known only after the work."""
        self.made_by |= details

    def write(self, files: Files) -> list[Path]:
        """Write files by name, each by its function; either all of them are new, or none is.

        The manifest stands beside them: what made them, and what each of them holds. What an
        earlier run has written here and this one has not is taken away, unless somebody has
        changed it since.

        Returns:
            Where they are.

        Raises:
            InvalidArgumentError: if the disk refuses, or another run has written here meanwhile,
                with nothing changed; the files are in another place then, which the message tells
                unless there is none that takes them.
        """
        try:
            return self._write_to(self.path, files)
        except OSError as error:
            why = f"a folder that takes the files ({_reason(error)})"
            if elsewhere := self._write_elsewhere(files):
                why += f"; they are in {elsewhere} now"
            raise InvalidArgumentError("output", str(self.path), why) from error

    def _write_to(self, path: Path, files: Files) -> list[Path]:
        path.mkdir(parents=True, exist_ok=True)  # it was there before the work
        with unfinished_in(path) as inside:
            for name, write in files.items():
                write(inside / NEW / name)
            write_manifest(inside / NEW, files, self.made_by)
            with alone_in(path):
                if other := self._other_run(path):
                    raise FileExistsError(errno.EEXIST, f"it has a run with {other} by now")
                exchange(inside, unchanged(path), [*files, MADE_BY])
        return [path / name for name in files]

    def _write_elsewhere(self, files: Files) -> Path | None:
        """Write the files beside the folder or among temporary ones, and return where."""
        for parent in (self.path.parent, Path(tempfile.gettempdir())):
            with suppress(OSError):
                path = Path(tempfile.mkdtemp(dir=parent, prefix=f"{self.path.name}-"))
                try:
                    self._write_to(path, files)
                except OSError:
                    path.rmdir()
                    raise
                return path
        return None


def _reason(error: OSError) -> str:
    """Return in a few words why the disk refuses."""
    return error.strerror or str(error)


def _other(before: Any, now: Mapping[str, Any]) -> str:
    """Return in words what of `now` is something else in `before`; nothing, if all is the same."""
    if not isinstance(before, Mapping):
        return "what cannot be read"
    return ", ".join(
        f"no {name}" if was is None else f"{name}={was}"
        for name, was, _ in differences(before, now)
    )


class Added(NamedTuple):
    """What became of files that were to be added, each list in their order.

    Attributes:
        new: those that are there now.
        same: those that were there, and are the same.
        kept: those in whose place is something else, which stays.
    """

    new: list[str]
    same: list[str]
    kept: list[str]


def add_files(argument: str, folder: Path, files: Mapping[str, bytes]) -> Added:
    """Add files to a folder, but for those in whose place there is something.

    Args:
        argument: what the folder was given as.
        folder: the folder; it is made if it is not there.
        files: what is in each, by its name, which may begin with that of a folder inside.

    Raises:
        InvalidArgumentError: if the disk refuses, with nothing added.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        settle(folder)
        there = {name for name in files if os.path.lexists(folder / name)}
        same = [name for name in files if name in there and _holds(folder / name, files[name])]
        new = [name for name in files if name not in there]
        if new:
            _move_in(folder, {name: files[name] for name in new})
    except OSError as error:
        allowed = f"a folder that can be written to ({error.strerror or error})"
        raise InvalidArgumentError(argument, str(folder), allowed) from error
    return Added(new, same, [name for name in files if name in there and name not in same])


def _holds(path: Path, data: bytes) -> bool:
    return path.is_file() and path.read_bytes() == data


def _move_in(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files beside their places and move them there when all of them are complete."""
    with unfinished_in(folder) as inside:
        for name, data in files.items():
            for place in (inside / NEW / name, folder / name):
                place.parent.mkdir(parents=True, exist_ok=True)
            (inside / NEW / name).write_bytes(data)
        try:
            for name in files:
                os.replace(inside / NEW / name, folder / name)
        except BaseException:
            for name in files:
                if not (inside / NEW / name).exists():  # it has moved
                    (folder / name).unlink(missing_ok=True)
            raise


def free_place(argument: str, path: Path, overwrite: bool = False) -> None:
    """Make sure that nothing is where a file is to be, unless it may be written over.

    Raises:
        InvalidArgumentError: naming the argument, if something is.
    """
    if path.exists() and not overwrite:
        allowed = "a new file, as it is there already; --overwrite writes over it"
        raise InvalidArgumentError(argument, str(path), allowed)


def write_whole(
    argument: str, path: Path, write: Callable[[Path], object], overwrite: bool = False
) -> None:
    """Write a file beside its place, and move it there when it is complete.

    Args:
        argument: what the path was given as.
        path: its place; a folder that is not there is made.
        write: what writes it.
        overwrite: whether something may be there.

    Raises:
        InvalidArgumentError: if something is there, or the disk refuses.
    """
    try:
        free_place(argument, path, overwrite)
        path.parent.mkdir(parents=True, exist_ok=True)
        with unfinished_in(path.parent) as inside:
            write(inside / NEW / path.name)
            os.replace(inside / NEW / path.name, path)
    except OSError as error:
        allowed = f"a file that can be written to ({error.strerror or error})"
        raise InvalidArgumentError(argument, str(path), allowed) from error
