"""Files added to a folder that somebody works in: all or none, and never over what is there."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from explorative_user_env.files.exchange import NEW, settle, unfinished_in
from explorative_user_env.validation import InvalidArgumentError


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
