"""One file, written whole or not at all."""

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from explorative_user_env.validation import InvalidArgumentError


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
    if path.exists() and not overwrite:
        allowed = "a new file, as it is there already; --overwrite writes over it"
        raise InvalidArgumentError(argument, str(path), allowed)
    unfinished: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        os.close(handle)
        unfinished = Path(name)
        write(unfinished)
        os.chmod(unfinished, 0o666 & ~_umask())
        os.replace(unfinished, path)
        unfinished = None
    except OSError as error:
        allowed = f"a file that can be written to ({error.strerror or error})"
        raise InvalidArgumentError(argument, str(path), allowed) from error
    finally:
        if unfinished is not None:
            with suppress(OSError):
                unfinished.unlink()


def _umask() -> int:
    """Return what files of this process are not allowed; a temporary one is nobody else's."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
