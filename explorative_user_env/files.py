"""Files that appear whole: written in a temporary folder beside their place, then moved there.

The files of a `Folder` are of one run. A manifest, `made_by.json`, is moved last: it says what made
the files, and has a digest of each, so that a mixture of two runs is recognised.
"""

import hashlib
import json
import os
import shutil
import tempfile
import time
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from explorative_user_env.validation import InvalidArgumentError

#: The manifest of a folder.
MADE_BY = "made_by.json"

#: Entries of the manifest: an identifier of the run, and the digests of the files by name.
RUN, FILES = "run", "files"

#: How the name of a temporary folder begins.
PREFIX = ".unfinished-"

#: Seconds that writing takes at most.
LONGEST_WRITING = 3600.0

#: By the name of a file, the function that writes it.
Files = Mapping[str, Callable[[Path], object]]


def from_json(text: str | bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValueError: if the text is not JSON, or nested too deep.
    """
    try:
        return json.loads(text or "")  # NULL in a broken database
    except RecursionError as error:
        raise ValueError("nested too deep to be read") from error


#: The largest manifest that is read, in bytes.
LARGEST_MANIFEST = 10_000_000


def digests_in(folder: Path) -> dict[str, str]:
    """Return the digests of a folder's manifest, of files in the folder itself.

    Empty without a readable manifest: a regular file of a bounded size.
    """
    path = folder / MADE_BY
    try:
        if not path.is_file() or path.stat().st_size > LARGEST_MANIFEST:
            return {}
        digests = from_json(path.read_text(encoding="utf-8"))[FILES]
        return {name: str(digest) for name, digest in digests.items() if Path(name).name == name}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def has_digest(path: Path, digest: str) -> bool:
    """Return whether a file exists and has this digest."""
    try:
        return path.is_file() and _digest_of(path) == digest
    except OSError:
        return False


def _digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _refusals(argument: str, path: Path, what: str = "folder") -> Iterator[None]:
    """Turn an error of the disk into one line that names the argument."""
    try:
        yield
    except OSError as error:
        allowed = f"a {what} that can be written to ({error.strerror or error})"
        raise InvalidArgumentError(argument, str(path), allowed) from error


def check_one_run(argument: str, folder: Path, names: Iterable[str]) -> None:
    """Check that files of a folder are as its manifest says, if it has one.

    Args:
        argument: the argument that named the folder.
        folder: the folder.
        names: the files that are about to be read.

    Raises:
        InvalidArgumentError: naming the first file that is another.
    """
    digests = digests_in(folder)
    for name in names:
        if name in digests and not has_digest(folder / name, digests[name]):
            allowed = f"a folder whose files are all as its run has written them ({name} is not)"
            raise InvalidArgumentError(argument, str(folder), allowed)


def finished_file(argument: str, folder: Path, name: str) -> Path:
    """Return the path of a file that a run writes when it is finished.

    Raises:
        InvalidArgumentError: if the file is missing, or is not as the run has written it.
    """
    if not (folder / name).exists():
        allowed = f"a folder with {name}, which is written when a run is finished"
        raise InvalidArgumentError(argument, str(folder), allowed)
    check_one_run(argument, folder, [name])
    return folder / name


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Return the name and both values of each entry of `now` that is different in `before`.

    Inner records are compared entry by entry: "agents.BAIR" is the entry BAIR of the inner record
    agents. The outermost names only sort the entries, and are left out.
    """
    was, is_now = _flat({name: before.get(name) for name in now}), _flat(now)
    names = [name for name in is_now | was if was.get(name) != is_now.get(name)]
    return [(name, was.get(name), is_now.get(name)) for name in names]


def _flat(record: Mapping[str, Any], *place: str) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in record.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, *place, name)
        else:
            flat[".".join((*place[1:], name))] = value
    return flat


def other_run(folder: Path, made_by: Mapping[str, Any]) -> str:
    """Return how the run that made a folder's files differs from another; empty if it does not."""
    try:
        before = from_json((folder / MADE_BY).read_text(encoding="utf-8"))
        found = differences(before, json.loads(json.dumps(made_by)))
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except (OSError, ValueError, AttributeError):
        return "what cannot be read" if made_by else ""
    return ", ".join(f"no {name}" if was is None else f"{name}={was}" for name, was, _ in found)


class Folder:
    """A folder for the files of one run, checked before the work and filled at once after it.

    Args:
        path: the folder; it is made if it does not exist.
        made_by: what makes the files, as JSON can hold it, for the manifest.
        overwrite: whether the files of another run may be written over.

    Raises:
        InvalidArgumentError: if the folder cannot be written to, or has the files of another run.
    """

    def __init__(self, path: Path, made_by: Any = None, overwrite: bool = False) -> None:
        self.path = path
        self.others: list[Path] = []  # files of the run that other code writes
        self.made_by = dict(made_by or {})
        self._requested = None if overwrite else dict(self.made_by)
        if other := self._other_run():
            allowed = f"another folder, as it has {other}; --overwrite writes over that"
            raise InvalidArgumentError("output", str(path), allowed)
        with _refusals("output", path):
            path.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=path):
                pass
            for left in path.glob(f"{PREFIX}*"):  # by a process that was killed
                if time.time() - left.stat().st_mtime > LONGEST_WRITING:
                    shutil.rmtree(left, ignore_errors=True)

    def _other_run(self) -> str:
        other = "" if self._requested is None else other_run(self.path, self._requested)
        return other and f"a run with {other}"

    def note(self, **details: Any) -> None:
        """Add entries to the manifest that are known only after the work."""
        self.made_by |= details

    def write(self, files: Files) -> list[Path]:
        """Write files by name, all or none, with the manifest last.

        Files that an earlier run has written here, and this one does not, are deleted unless they
        were changed since. A process that is killed before the manifest is moved leaves the old
        one, by which the folder is recognised as a mixture. What else fails changes nothing.

        Returns:
            Their paths.

        Raises:
            InvalidArgumentError: if the disk refuses, or another run has written here meanwhile.
        """
        path = self.path
        with _refusals("output", path):
            path.mkdir(parents=True, exist_ok=True)  # it may have been deleted during the work
            with _temporary_folder(dir=path) as root:
                temporary, old = Path(root), Path(root, "old")
                for name, write in files.items():
                    write(temporary / name)
                digests = {name: _digest_of(temporary / name) for name in files}
                run = hashlib.sha256(json.dumps(digests).encode()).hexdigest()[:16]
                manifest = json.dumps({**self.made_by, RUN: run, FILES: digests}, indent=2)
                (temporary / MADE_BY).write_text(manifest + "\n", encoding="utf-8")
                if other := self._other_run():
                    raise OSError(f"it has {other} by now")
                before, coming = digests_in(path), [*files, MADE_BY]
                leaving = [name for name in before if has_digest(path / name, before[name])]
                old.mkdir()
                try:
                    for name in dict.fromkeys([*leaving, *coming]):
                        if (path / name).is_dir() and not (path / name).is_symlink():
                            raise IsADirectoryError(f"{name} is a folder")
                        if name != MADE_BY and os.path.lexists(path / name):
                            os.replace(path / name, old / name)
                    for name in coming:
                        os.replace(temporary / name, path / name)
                except BaseException:
                    if (temporary / MADE_BY).exists():  # else all was done
                        for name in coming:
                            if not (temporary / name).exists():
                                (path / name).unlink(missing_ok=True)
                        for name in os.listdir(old):
                            os.replace(old / name, path / name)
                    raise
        return [path / name for name in files]


_temporary_folder = partial(tempfile.TemporaryDirectory, prefix=PREFIX, ignore_cleanup_errors=True)


#: The names of files that were to be added: those that were written, those that existed with the
#: same content, and those with another content, which stays.
Added = namedtuple("Added", "new same edited")


def add_files(argument: str, folder: Path, files: Mapping[str, bytes]) -> Added:
    """Add files to a folder, and keep every file that is there.

    Args:
        argument: the argument that named the folder.
        folder: the folder; it is made if it does not exist.
        files: the content of each file by its name, which may have folders.

    Raises:
        InvalidArgumentError: if the disk refuses, with nothing added.
    """
    added = Added([], [], [])
    with _refusals(argument, folder):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, data in files.items():
                path = folder / name
                if not os.path.lexists(path):
                    _write_and_move(path, partial(Path.write_bytes, data=data))
                    added.new.append(name)
                else:
                    same = path.is_file() and path.read_bytes() == data
                    (added.same if same else added.edited).append(name)
        except BaseException:
            for name in added.new:
                (folder / name).unlink(missing_ok=True)
            raise
    return added


def _write_and_move(path: Path, write: Callable[[Path], object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with _temporary_folder(dir=path.parent) as temporary:
        write(Path(temporary, path.name))
        os.replace(Path(temporary, path.name), path)


def check_new_file(argument: str, path: Path, overwrite: bool = False) -> None:
    """Check that a file does not exist yet, unless it may be written over.

    Raises:
        InvalidArgumentError: naming the argument, if it exists.
    """
    if path.exists() and not overwrite:
        allowed = "a new file, as it is there already; --overwrite writes over it"
        raise InvalidArgumentError(argument, str(path), allowed)


def write_file(
    argument: str, path: Path, write: Callable[[Path], object], overwrite: bool = False
) -> None:
    """Write a file beside its place, and move it there when it is complete.

    Args:
        argument: the argument that named the file.
        path: the file; its folder is made if it does not exist.
        write: writes the file at the path that it is called with.
        overwrite: whether an existing file is written over.

    Raises:
        InvalidArgumentError: if the file exists, or the disk refuses.
    """
    with _refusals(argument, path, "file"):
        check_new_file(argument, path, overwrite)
        _write_and_move(path, write)
