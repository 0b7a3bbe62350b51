"""A folder of result files, with nothing half-written in it, which says what made them."""

import json
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from explorative_user_env.validation import InvalidArgumentError

MADE_BY = "made_by.json"
"""The file that says what made the others of a folder."""


def from_json(text: str | bytes) -> Any:
    """Return what JSON says.

    Raises:
        ValueError: if it is none, or lists and records are nested too deep.
    """
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deep to be read") from error


class Folder:
    """A folder for result files, checked before the work and filled all at once after it.

    Args:
        path: the folder; it is made if it is not there.
        made_by: what makes the files, as JSON can hold it; it stands beside them in a file of its
            own. Empty for files that say so themselves.
        overwrite: whether files may be written over that something else has made.

    Raises:
        InvalidArgumentError: if it cannot be written to, or what is there was made by another run.
    """

    def __init__(
        self, path: Path, made_by: Mapping[str, Any] | None = None, overwrite: bool = False
    ) -> None:
        self.path = path
        self.made_by = dict(made_by or {})
        if self.made_by and not overwrite:
            self._check_maker()
        try:
            path.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=path):
                pass
        except OSError as error:
            raise InvalidArgumentError(
                "output", str(path), f"a folder that can be written to ({error.strerror})"
            ) from error

    def _check_maker(self) -> None:
        try:
            before = from_json((self.path / MADE_BY).read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            return
        except (OSError, ValueError):
            before = None
        other = _other(before, json.loads(json.dumps(self.made_by)))
        if other:
            allowed = f"another folder, as it has a run with {other}; --overwrite writes over that"
            raise InvalidArgumentError("output", str(self.path), allowed)

    def note(self, **details: Any) -> None:
        """Say more of what made the files, known only after the work."""
        self.made_by |= details

    def write(self, files: Mapping[str, Callable[[Path], object]]) -> list[Path]:
        """Write files by name, each by its function; either all of them are new, or none is.

        Returns:
            Where they are; what made them stands beside.

        Raises:
            InvalidArgumentError: if the disk refuses, with nothing changed.
        """
        with tempfile.TemporaryDirectory(dir=self.path, prefix=".unfinished-") as unfinished:
            everything = {**files, MADE_BY: self._say} if self.made_by else files
            try:
                for name, write in everything.items():
                    write(Path(unfinished) / name)
            except OSError as error:
                raise InvalidArgumentError(
                    "output", str(self.path), f"a folder with room for the files ({error.strerror})"
                ) from error
            for name in everything:
                os.replace(Path(unfinished) / name, self.path / name)
        return [self.path / name for name in files]

    def _say(self, path: Path) -> None:
        path.write_text(json.dumps(self.made_by, indent=2) + "\n", encoding="utf-8")


def _other(before: Any, now: Mapping[str, Any]) -> str:
    """Return in words what of `now` is something else in `before`; nothing, if all is the same."""
    if not isinstance(before, Mapping):
        return "what cannot be read"
    was, is_now = _flat({name: before.get(name) for name in now}), _flat(now)
    names = [name for name in {**is_now, **was} if was.get(name) != is_now.get(name)]
    return ", ".join(
        f"no {name}" if was.get(name) is None else f"{name}={was[name]}" for name in names
    )


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with those inside it taken apart."""
    flat: dict[str, Any] = {}
    for name, value in record.items():
        flat |= _flat(value) if isinstance(value, Mapping) else {name: value}
    return flat
