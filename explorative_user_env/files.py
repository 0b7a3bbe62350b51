"""A folder of result files, with nothing half-written in it."""

import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from explorative_user_env.validation import InvalidArgumentError


class Folder:
    """A folder for result files, checked before the work and filled all at once after it.

    Args:
        path: the folder; it is made if it is not there.

    Raises:
        InvalidArgumentError: if it cannot be written to.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=path):
                pass
        except OSError as error:
            raise InvalidArgumentError(
                "output", str(path), f"a folder that can be written to ({error.strerror})"
            ) from error

    def write(self, files: Mapping[str, Callable[[Path], object]]) -> list[Path]:
        """Write files by name, each by its function; either all of them are new, or none is.

        Raises:
            InvalidArgumentError: if the disk refuses, with nothing changed.
        """
        with tempfile.TemporaryDirectory(dir=self.path, prefix=".unfinished-") as unfinished:
            try:
                for name, write in files.items():
                    write(Path(unfinished) / name)
            except OSError as error:
                raise InvalidArgumentError(
                    "output", str(self.path), f"a folder with room for the files ({error.strerror})"
                ) from error
            for name in files:
                os.replace(Path(unfinished) / name, self.path / name)
        return [self.path / name for name in files]
