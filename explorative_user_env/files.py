"""Write files atomically: write a file in a temporary folder next to its path, then move the file.

A `Folder` holds the files of one run. Its manifest `made_by.json` contains the arguments of the run
and a digest of each file, so that readers detect files of different runs.
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

#: File name of a folder's manifest.
MADE_BY = "made_by.json"

#: File name of a folder's runs.
RUN_FILE = "run.sqlite"

#: Entries of the manifest: the run's identifier, and the digests by file name.
RUN, FILES = "run", "files"

#: First letters of the name of a temporary folder.
PREFIX = ".unfinished-"

#: Age in seconds from which a temporary folder counts as abandoned.
LONGEST_WRITING = 3600.0

#: File name to the function that writes the file.
Files = Mapping[str, Callable[[Path], object]]


def from_json(text: str | bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValueError: if the text is not JSON, or is nested too deep.
    """
    try:
        return json.loads(text or "")  # `text` is None for NULL in a broken database
    except RecursionError as error:
        raise ValueError("the JSON text is nested too deep") from error


#: Size limit of a manifest, in bytes.
LARGEST_MANIFEST = 10_000_000


def digests_in(folder: Path) -> dict[str, str]:
    """Return the digests of a folder's files, by file name, from the folder's manifest.

    Returns an empty dict if the manifest is missing, unreadable or larger than `LARGEST_MANIFEST`.
    """
    try:
        digests = _manifest_in(folder)[FILES]
        return {name: str(digest) for name, digest in digests.items() if Path(name).name == name}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _manifest_in(folder: Path) -> Any:
    path = folder / MADE_BY
    if path.exists() and not (path.is_file() and path.stat().st_size <= LARGEST_MANIFEST):
        raise ValueError(f"{path} is not a regular file, or too large")
    return from_json(path.read_text(encoding="utf-8"))


def has_digest(path: Path, digest: str) -> bool:
    """Return whether a regular file exists and has this SHA-256."""
    try:
        return path.is_file() and _digest_of(path) == digest
    except OSError:
        return False


def _digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _refusals(argument: str, path: Path, what: str = "folder") -> Iterator[None]:
    """Turn an OSError into an error that names the argument."""
    try:
        yield
    except OSError as error:
        allowed = f"a {what} that can be written to ({error.strerror or error})"
        raise InvalidArgumentError(argument, str(path), allowed) from error


def check_one_run(argument: str, folder: Path, names: Iterable[str]) -> None:
    """Check files against the digests of the folder's manifest, if it has one.

    Args:
        argument: name of the argument that holds the folder.
        folder: the folder.
        names: names of the files to check.

    Raises:
        InvalidArgumentError: if the digest of a file differs; the message names the file.
    """
    digests = digests_in(folder)
    for name in names:
        if name in digests and not has_digest(folder / name, digests[name]):
            allowed = f"a folder whose files are as its run wrote them ({name} differs)"
            raise InvalidArgumentError(argument, str(folder), allowed)


def finished_file(argument: str, folder: Path, name: str) -> Path:
    """Return the path of a file that a finished run has written.

    Raises:
        InvalidArgumentError: if the file is missing, or its digest differs from the manifest.
    """
    if not (folder / name).exists():
        allowed = f"a folder with {name}, which a finished run writes"
        raise InvalidArgumentError(argument, str(folder), allowed)
    check_one_run(argument, folder, [name])
    return folder / name


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Return the name, old value and new value of each entry that differs between two records.

    An entry of a nested record has a dotted name without the outermost key:
    `{"options": {"agents": {"BAIR": 1}}}` has the entry "agents.BAIR".
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
    """Return how a folder's manifest differs from `made_by`; "" means equal or no manifest."""
    try:
        before = _manifest_in(folder)
        changes = differences(before, json.loads(json.dumps(made_by)))
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except (OSError, ValueError, AttributeError):
        return "an unreadable manifest" if made_by else ""
    return ", ".join(f"no {name}" if was is None else f"{name}={was}" for name, was, _ in changes)


class Folder:
    """The output folder of one run. The constructor checks the folder; `write` fills it at once.

    Args:
        path: the folder; created if missing.
        made_by: the arguments of the run, as JSON values; the manifest contains them.
        overwrite: whether to replace the files of another run.

    Raises:
        InvalidArgumentError: if the folder is not writable, or has the files of another run.
    """

    def __init__(self, path: Path, made_by: Any = None, overwrite: bool = False) -> None:
        self.path = path
        self.others: list[Path] = []  # files of the run that `write` does not write
        self.made_by = dict(made_by or {})
        self._requested = None if overwrite else dict(self.made_by)
        if other := self._other_run():
            allowed = f"a folder without another run (it has {other}); --overwrite replaces files"
            raise InvalidArgumentError("output", str(path), allowed)
        with _refusals("output", path):
            path.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=path):
                pass
            for left in path.glob(f"{PREFIX}*"):  # a killed process left them
                if time.time() - left.stat().st_mtime > LONGEST_WRITING:
                    shutil.rmtree(left, ignore_errors=True)

    def _other_run(self) -> str:
        other = "" if self._requested is None else other_run(self.path, self._requested)
        return other and f"a run with {other}"

    def note(self, **details: Any) -> None:
        """Add entries to the manifest."""
        self.made_by |= details

    def write(self, files: Files) -> list[Path]:
        """Write all files or none, the manifest last.

        Files that only an earlier run wrote are deleted, unless they have changed since. If the
        process is killed before it moves the manifest, the old manifest stays, and its digests show
        that the files are of different runs. Any other failure restores the folder.

        Returns:
            The paths of the files.

        Raises:
            InvalidArgumentError: if writing fails, or another run has written to the folder.
        """
        path = self.path
        with _refusals("output", path):
            path.mkdir(parents=True, exist_ok=True)  # another process may have deleted it
            with _temporary_folder(dir=path) as root:
                temporary, old = Path(root), Path(root, "old")
                for name, write in files.items():
                    write(temporary / name)
                digests = {name: _digest_of(temporary / name) for name in files}
                run = hashlib.sha256(json.dumps(digests).encode()).hexdigest()[:16]
                manifest = json.dumps({**self.made_by, RUN: run, FILES: digests}, indent=2)
                (temporary / MADE_BY).write_text(manifest + "\n", encoding="utf-8")
                if other := self._other_run():
                    raise OSError(f"it now has {other}")
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
                    # The manifest is moved last: if it is still here, not all files were moved.
                    if (temporary / MADE_BY).exists():
                        for name in coming:
                            if not (temporary / name).exists():
                                (path / name).unlink(missing_ok=True)
                        for name in os.listdir(old):
                            os.replace(old / name, path / name)
                    raise
        return [path / name for name in files]


_temporary_folder = partial(tempfile.TemporaryDirectory, prefix=PREFIX, ignore_cleanup_errors=True)


#: Names of files by the outcome of `add_files`: written, unchanged, or left as edited by others.
Added = namedtuple("Added", "new same edited")


def add_files(argument: str, folder: Path, files: Mapping[str, bytes]) -> Added:
    """Add files to a folder without changing existing files.

    Args:
        argument: name of the argument that holds the folder.
        folder: the folder; created if missing.
        files: relative path to content.

    Raises:
        InvalidArgumentError: if writing fails; then no file is added.
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
    """Check that a file does not exist, unless `overwrite`.

    Raises:
        InvalidArgumentError: if the file exists.
    """
    if path.exists() and not overwrite:
        allowed = "a new file; --overwrite replaces an existing file"
        raise InvalidArgumentError(argument, str(path), allowed)


def write_file(
    argument: str, path: Path, write: Callable[[Path], object], overwrite: bool = False
) -> None:
    """Write a file atomically.

    Args:
        argument: name of the argument that holds the path.
        path: the file; its folder is created if missing.
        write: function that writes the file at a given temporary path.
        overwrite: whether to replace an existing file.

    Raises:
        InvalidArgumentError: if writing fails, or if the file exists and `overwrite` is False.
    """
    with _refusals(argument, path, "file"):
        check_new_file(argument, path, overwrite)
        _write_and_move(path, write)
