"""One file, written whole or not at all."""

import os
from collections.abc import Callable
from pathlib import Path

from explorative_user_env.files.exchange import NEW, unfinished_in
from explorative_user_env.validation import InvalidArgumentError


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
