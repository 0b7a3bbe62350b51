"""Files of runs made small, to be sent and kept: read where they are, as the others."""

import lzma
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from explorative_user_env.files.single import write_whole
from explorative_user_env.validation import InvalidArgumentError

ENDINGS = (".sqlite", ".sqlite3", ".db")
"""How a path ends that is a file of runs, and no folder."""

PACKED = ".xz"
"""How the name of a packed file ends, after what it was called."""

MOST_UNPACKED = 2_000_000_000
"""Bytes that are unpacked at most: a small file may say that it is a very large one."""

_AT_ONCE = 1 << 20


def pack(path: Path, output: Path, overwrite: bool = False) -> None:
    """Write a file of runs once more, packed.

    Args:
        path: the file.
        output: where it goes, its name ending in `PACKED`.
        overwrite: whether something may be there.

    Raises:
        InvalidArgumentError: if something is, or the disk refuses.
    """
    if output.suffix != PACKED:
        raise InvalidArgumentError("output", str(output), f"a name that ends in {PACKED}")

    def write(place: Path) -> None:
        with path.open("rb") as source, lzma.open(place, "wb") as target:
            shutil.copyfileobj(source, target)

    write_whole("output", output, write, overwrite)


@contextmanager
def unpacked(path: Path, argument: str) -> Iterator[Path]:
    """Yield where a file can be read: itself, or what is in it for as long as the block runs.

    Args:
        path: the file.
        argument: what it was given as.

    Raises:
        InvalidArgumentError: if it is no packed file, or too much is in it.
    """
    if path.suffix != PACKED or not path.is_file():
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        inside = Path(folder) / path.stem
        try:
            _unpack(path, inside, argument)
        except (lzma.LZMAError, EOFError) as error:
            allowed = f"a file that was packed whole ({error})"
            raise InvalidArgumentError(argument, str(path), allowed) from error
        yield inside


def _unpack(path: Path, inside: Path, argument: str) -> None:
    size = 0
    with lzma.open(path) as source, inside.open("wb") as target:
        while piece := source.read(_AT_ONCE):
            size += len(piece)
            if size > MOST_UNPACKED:
                allowed = f"a file with at most {MOST_UNPACKED} bytes in it"
                raise InvalidArgumentError(argument, str(path), allowed)
            target.write(piece)
