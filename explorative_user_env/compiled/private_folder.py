"""A folder of one's own whose files may be run: nobody else can have written what is in it.

What it gives back is as it was written, or not given back at all: each file has its hash in front,
and is read only if it and the folder belong to who runs this, are no links and cannot be written
to by others. Whoever may write to the folder above can put another in its place, so all of that is
asked of what was opened, not of a name. On Windows, which has no such modes, a folder of the
user's own application data is hers by where it stands, and only the hash is checked.
"""

import errno
import hashlib
import os
import stat
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from explorative_user_env.files.exchange import is_left_behind

BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH

UNFINISHED = ".unfinished"

HASH_BYTES = hashlib.sha256().digest_size

_NO_LINK: int = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_BINARY: int = getattr(os, "O_BINARY", 0)


class PrivateFolder:
    """Files by name, read and written whole.

    Args:
        path: the folder; it is made, for its owner only, when something is first written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, name: str) -> bytes | None:
        """Return what was written under `name`; None, and nothing is left of it, if it is not that.

        Raises:
            OSError: if the folder cannot be trusted, or read.
        """
        with suppress(FileNotFoundError), self._opened() as folder:
            with suppress(OSError):
                data = self._content(name, folder)
                if hashlib.sha256(data[HASH_BYTES:]).digest() == data[:HASH_BYTES]:
                    return data[HASH_BYTES:]
            self._remove(name, folder)
        return None

    def write(self, name: str, data: bytes) -> None:
        """Write a file whole, or leave all as it was.

        Raises:
            OSError: if the folder cannot be trusted, or the disk refuses.
        """
        self._make()
        unfinished = f"{name}.{uuid.uuid4().hex}{UNFINISHED}"
        with self._opened() as folder:
            self._sweep(folder)
            try:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK | _BINARY
                handle = os.open(self._in(folder, unfinished), flags, 0o600, dir_fd=folder)
                with os.fdopen(handle, "wb") as file:
                    file.write(hashlib.sha256(data).digest() + data)
                    file.flush()
                    os.fsync(file.fileno())
                before, after = self._in(folder, unfinished), self._in(folder, name)
                os.replace(before, after, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                self._remove(unfinished, folder)
                raise

    def remove(self, name: str) -> None:
        """Leave nothing of a file, if that can be."""
        with suppress(OSError), self._opened() as folder:
            self._remove(name, folder)

    def _make(self) -> None:
        if not self.path.is_absolute():  # "~/...", where nobody knows whose home that is
            raise FileNotFoundError(errno.ENOENT, "there is no home folder")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            self.path.mkdir(mode=stat.S_IRWXU)

    @contextmanager
    def _opened(self) -> Iterator[int | None]:
        """Open the folder if it can be trusted; None where files are opened by their whole path."""
        if os.open not in os.supports_dir_fd:
            _check(os.lstat(self.path))
            yield None
            return
        folder = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | _NO_LINK)
        try:
            _check(os.fstat(folder))
            yield folder
        finally:
            os.close(folder)

    def _in(self, folder: int | None, name: str) -> str:
        return str(self.path / name) if folder is None else name

    def _content(self, name: str, folder: int | None) -> bytes:
        handle = os.open(self._in(folder, name), os.O_RDONLY | _NO_LINK | _BINARY, dir_fd=folder)
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(file.fileno())
            _check(status)
            if not stat.S_ISREG(status.st_mode):
                raise OSError(errno.EINVAL, "it is no file")
            return file.read()

    def _sweep(self, folder: int | None) -> None:
        """Remove what those have left who were killed while they wrote."""
        with suppress(OSError):
            for name in os.listdir(self.path if folder is None else folder):
                if not name.endswith(UNFINISHED):
                    continue
                if is_left_behind(os.lstat(self._in(folder, name), dir_fd=folder)):
                    self._remove(name, folder)

    def _remove(self, name: str, folder: int | None) -> None:
        with suppress(OSError):
            os.unlink(self._in(folder, name), dir_fd=folder)


def _check(status: os.stat_result) -> None:
    """Raise where others own or may write what this is the status of, or it is a link."""
    if stat.S_ISLNK(status.st_mode):
        raise PermissionError(errno.EPERM, "it is a link")
    if hasattr(os, "geteuid"):
        if status.st_uid != os.geteuid():
            raise PermissionError(errno.EPERM, "it belongs to somebody else")
        if status.st_mode & BY_OTHERS:
            raise PermissionError(errno.EPERM, "others may write to it")
