"""A folder of result files, with nothing half-written in it, which says what made them."""

import errno
import json
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from explorative_user_env.files.difference import differences
from explorative_user_env.files.exchange import NEW, alone_in, exchange, settle, unfinished_in
from explorative_user_env.files.manifest import MADE_BY, unchanged, write_manifest
from explorative_user_env.files.reading import from_json
from explorative_user_env.validation import InvalidArgumentError

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
