"""The folder of a submission: how much is in it, and how it goes away whatever is."""

import os
import secrets
from collections.abc import Iterator
from contextlib import suppress

MOST_WRITTEN = 256 << 20
"""Bytes of all files that a submission may keep."""

LEAST_COUNTED = 4096
"""Bytes that a file or folder takes of the disk, and be it empty."""

DEEPEST_FOLDER = 100
"""Folders within one another that are removed as they are: what removes them may recurse."""


def too_much_in(folder: str) -> str:
    """Say why a submission that has written all this is to be stopped; nothing if it is not."""
    total = 0
    try:
        for entry in _within(folder):
            total += max(entry.stat(follow_symlinks=False).st_blocks * 512, LEAST_COUNTED)
            if total > MOST_WRITTEN:
                return f"it wrote more than {MOST_WRITTEN >> 20} MB"
    except FileNotFoundError:  # it is removing something just now
        return ""
    except OSError as error:  # a path that is too long, or a folder that cannot be read
        return f"nobody can see how much it has written ({error.strerror})"
    return ""


def _within(folder: str) -> Iterator[os.DirEntry[str]]:
    ahead = [folder]
    while ahead:
        with os.scandir(ahead.pop()) as entries:
            for entry in entries:
                yield entry
                if entry.is_dir(follow_symlinks=False):
                    ahead.append(entry.path)


def flatten(folder: str) -> None:
    """Bring folders that lie deep to the top, and make all readable, so that all can be removed."""
    mark, n_moved = secrets.token_hex(8), 0
    ahead = [(folder, 0)]
    while ahead:
        path, depth = ahead.pop()
        with suppress(OSError):
            os.chmod(path, 0o700)
            with os.scandir(path) as entries:
                inner = [each.path for each in entries if each.is_dir(follow_symlinks=False)]
            for each in inner:
                if depth < DEEPEST_FOLDER:
                    ahead.append((each, depth + 1))
                    continue
                n_moved += 1
                to = os.path.join(folder, f"{mark}-{n_moved}")
                os.rename(each, to)
                ahead.append((to, 0))
