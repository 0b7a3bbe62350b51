"""A hook in the process of a submission that tells on code that goes where it has no business.

It keeps no secret: the user is not in the process, and whoever gets round the hook finds nothing
there. What it tells can only lower a score.
"""

import importlib
import importlib.util
import os
import socket
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from types import FrameType
from typing import Any, NamedTuple

from explorative_user_env.grading.forbidden import (
    FAMILIES,
    FORBIDDEN,
    FRAMES,
    HANDLED,
    LIBRARYS,
    LISTS,
    METADATA,
    NAMED_FILES,
    OPEN_TO_ALL,
    PYTHONS,
    READS,
    SEEN_THROUGH,
    THEIRS,
    UNTOLD,
)

Caught = Callable[[str, str], None]


LOCAL = getattr(socket, "AF_UNIX", None)
"""The family of sockets that reach no other machine; to connect one is told on all the same."""


class _Asker(NamedTuple):
    """Who asks for what happens.

    Attributes:
        whose: the nearest line's that is not Python's own.
        imports: whether something is being imported, by the stranger or further in.
        is_there: whether a line of the stranger's is among those that called.
    """

    whose: str
    imports: bool
    is_there: bool


def guarded(folder: str, trusted: Mapping[str, Sequence[str]], caught: Caught) -> None:
    """Watch this process from now on; nothing takes the hook away.

    Args:
        folder: the folder that the submission may use.
        trusted: folders of code that is not watched, see `limits.trusted_folders`.
        caught: is told the kind of reason and what was done; it does not return.
    """
    guard = _Guard(os.path.realpath(folder) + os.sep, trusted, caught)
    busy: set[int] = set()  # threads: what is asked here raises events, too
    get_frame, this_thread = sys._getframe, threading.get_ident

    def hook(event: str, details: tuple[Any, ...]) -> None:
        thread = this_thread()
        if thread in busy:
            return
        busy.add(thread)
        try:
            guard.judge(event, details, get_frame(1))
        finally:
            busy.discard(thread)

    sys.addaudithook(hook)
    for module, name, kind in UNTOLD:
        guard.watch(module, name, kind)


class _Guard:
    def __init__(self, folder: str, trusted: Mapping[str, Sequence[str]], caught: Caught) -> None:
        self._folder, self._caught = folder, caught
        self._trusted = {whose: tuple(paths) for whose, paths in trusted.items()}
        self._known: dict[str, str] = {}

    def judge(self, event: str, details: tuple[Any, ...], frame: FrameType) -> None:
        """Tell on what happens if it is a stranger's doing."""
        if event in HANDLED:
            if self._is_theirs(frame, SEEN_THROUGH):
                self._caught(HANDLED[event], event)
        elif event == "object.__getattr__":
            if details[1] in FRAMES and self._is_theirs(frame):
                self._caught("frames", str(details[1]))
        elif event == "object.__setattr__":
            if details[1] == "__code__" and self._is_theirs(frame):
                self._caught("code", "__code__")
        elif event == "compile":
            name = details[1]
            disguised = isinstance(name, str) and self._whose(name) != THEIRS
            if disguised and self._is_theirs(frame):
                self._caught("code", f"compile as {name}")
        elif event == "import":
            if str(details[1] or "").startswith(self._folder):  # of machine code alone
                self._caught("code", f"import of {details[0]}")
        elif event in NAMED_FILES:
            self._judge_files(event, details, frame)
        elif event == "socket.__new__" and details[1] == LOCAL:
            return
        elif (kind := FORBIDDEN.get(event) or _family(event)) is not None:
            asker = self._asker(frame)
            if asker.whose == THEIRS and not asker.imports:
                self._caught(kind, event)
            if not event.startswith("ctypes."):  # which libraries are bound by
                raise PermissionError(f"{event} is not allowed here")

    def watch(self, module: str, name: str, kind: str) -> None:
        """Put in the place of a function, where there is one, what tells on who calls it."""
        where = importlib.import_module(module) if importlib.util.find_spec(module) else None
        get_frame = sys._getframe

        def told(*arguments: Any, **options: Any) -> None:
            if self._asker(get_frame(1)).is_there:
                self._caught(kind, name)
            raise PermissionError(f"{name} is not allowed here")

        if hasattr(where, name):
            setattr(where, name, told)

    def _judge_files(self, event: str, details: tuple[Any, ...], frame: FrameType) -> None:
        given = (each for each in details[: NAMED_FILES[event]] if not isinstance(each, int))
        paths = [_as_it_is(each) for each in given if each is not None]
        writes = event not in READS
        if event == "open":
            mode, flags = str(details[1] or ""), int(details[2] or 0)
            writes = not set(mode).isdisjoint("wax+") or bool(flags & (os.O_WRONLY | os.O_RDWR))
        for path in paths:
            real = os.path.realpath(path) + os.sep
            if real.startswith(self._folder) or path == os.devnull:
                continue
            if not writes and (real.startswith(self._readable) or _says_what_is_there(event, path)):
                continue
            asker = self._asker(frame)
            if asker.is_there and (writes or not asker.imports):  # imports look where they like
                self._caught("files", path)

    @property
    def _readable(self) -> tuple[str, ...]:
        return (*OPEN_TO_ALL, *self._trusted[LIBRARYS], *self._trusted[PYTHONS])

    def _whose(self, path: str) -> str:
        """Return whose code a file is."""
        if path not in self._known:
            self._known[path] = self._found(path)
        return self._known[path]

    def _found(self, path: str) -> str:
        if path.startswith("<frozen ") or path == "<__array_function__ internals>":
            return PYTHONS
        real = os.path.realpath(path)
        # Libraries first: they may stand in a folder of Python's.
        for whose in (LIBRARYS, PYTHONS):
            if real.startswith(self._trusted[whose]):
                return whose
        return THEIRS

    def _is_theirs(self, frame: FrameType | None, seen_through: Sequence[str] = ()) -> bool:
        """Return whether the very line that asks is the stranger's."""
        while frame is not None and os.path.basename(frame.f_code.co_filename) in seen_through:
            frame = frame.f_back
        return frame is not None and self._whose(frame.f_code.co_filename) == THEIRS

    def _asker(self, frame: FrameType | None) -> _Asker:
        imports, nearest = False, PYTHONS
        while frame is not None:
            path = frame.f_code.co_filename
            whose = self._whose(path)
            nearest = whose if nearest == PYTHONS else nearest
            if whose == THEIRS:
                return _Asker(nearest, imports, True)
            imports |= path == "<frozen importlib._bootstrap>"  # its loaders alone are anyone's
            frame = frame.f_back
        return _Asker(nearest, imports, False)


def _family(event: str) -> str | None:
    return next((kind for start, kind in FAMILIES.items() if event.startswith(start)), None)


def _says_what_is_there(event: str, path: str) -> bool:
    """Return whether a file or folder is one by which Python finds what is installed.

    A folder that cannot be listed is tried as an archive by who looks for packages.
    """
    listed = path in sys.path and (event in LISTS or os.path.isdir(path))
    return listed or any(part.endswith(METADATA) for part in path.split(os.sep)[-2:])


def _as_it_is(path: Any) -> str:
    """Return a path as the system is told it, whatever a stranger's class makes of itself."""
    if isinstance(path, bytes):
        return os.fsdecode(bytes(memoryview(path)))
    return str.__str__(path) if isinstance(path, str) else str.__str__(os.fspath(path))
