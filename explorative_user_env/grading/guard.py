"""A hook in the process of a submission that tells on code that goes where it has no business.

It keeps no secret: the user is not in the process, and whoever gets round the hook finds nothing
there. What it tells can only lower a score.
"""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from types import FrameType
from typing import Any

PYTHONS, LIBRARYS, THEIRS = "python", "libraries", "theirs"
"""Whose a line of code is."""

HANDLED = {
    "gc.get_objects": "memory",
    "gc.get_referrers": "memory",
    "gc.get_referents": "memory",
    "sys._getframe": "frames",
    "sys._current_frames": "frames",
    "sys._current_exceptions": "frames",
    "sys.settrace": "frames",
    "sys.setprofile": "frames",
    "sys.addaudithook": "frames",
    "sys.monitoring.register_callback": "frames",
    "code.__new__": "code",
    "marshal.loads": "code",
}
"""Events that are asked for by a line of one's own, and what they are called in `REASONS`."""

FORBIDDEN = {
    "subprocess.Popen": "processes",
    "os.exec": "processes",
    "os.fork": "processes",
    "os.forkpty": "processes",
    "os.posix_spawn": "processes",
    "os.spawn": "processes",
    "os.startfile": "processes",
    "os.system": "processes",
    "pty.spawn": "processes",
    "os.kill": "signals",
    "os.killpg": "signals",
    "signal.pthread_kill": "signals",
    "resource.setrlimit": "limits",
    "resource.prlimit": "limits",
}
"""Events that are nobody's business, through whatever of Python's own they come."""

FAMILIES = {"socket.": "network", "ctypes.": "code", "winreg.": "files"}
"""The same, by how they begin."""

NAMED_FILES: Mapping[str, int] = {
    "open": 1,
    "sqlite3.connect": 1,
    "os.chdir": 1,
    "os.chmod": 1,
    "os.chown": 1,
    "os.link": 2,
    "os.listdir": 1,
    "os.mkdir": 1,
    "os.remove": 1,
    "os.rename": 2,
    "os.rmdir": 1,
    "os.scandir": 1,
    "os.symlink": 2,
    "os.truncate": 1,
    "os.utime": 1,
    "os.walk": 1,
    "glob.glob": 1,
    "shutil.copyfile": 2,
    "shutil.move": 2,
    "shutil.rmtree": 1,
}
"""Events that name files, and how many."""

FRAMES: Sequence[str] = ("tb_frame", "gi_frame", "cr_frame", "ag_frame", "f_code", "gi_code")
"""Attributes that lead from what anyone has to frames of code that calls."""

OPEN_TO_ALL: tuple[str, ...] = (
    "/dev/null",
    "/dev/urandom",
    "/dev/random",
    "/etc/localtime",
    "/proc/cpuinfo",
)
OPEN_TO_ALL += ("/proc/meminfo", "/sys/", "/usr/share/zoneinfo/")
"""What libraries read of the machine."""

Caught = Callable[[str, str], None]


class _Whose:
    """Tells by its file whose code runs."""

    def __init__(self, trusted: Mapping[str, Sequence[str]]) -> None:
        self._folders = {whose: tuple(paths) for whose, paths in trusted.items()}
        self._known: dict[str, str] = {}

    def file(self, path: str) -> str:
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
            if real.startswith(self._folders[whose]):
                return whose
        return THEIRS

    def may_read(self, path: str, folder: str) -> bool:
        """Return whether a file is code, the machine's own, or in a folder."""
        real = os.path.realpath(path)
        places = (*OPEN_TO_ALL, folder, *self._folders[LIBRARYS], *self._folders[PYTHONS])
        return (real + os.sep).startswith(places)


def guarded(folder: str, trusted: Mapping[str, Sequence[str]], caught: Caught) -> None:
    """Watch this process from now on; nothing takes the hook away.

    Args:
        folder: the folder that the submission may use.
        trusted: folders of code that is not watched, see `limits.trusted_folders`.
        caught: is told the kind of reason and what was done; it does not return.
    """
    whose = _Whose(trusted)
    own = os.path.realpath(folder) + os.sep
    busy = False
    get_frame = sys._getframe

    def hook(event: str, details: tuple[Any, ...]) -> None:
        nonlocal busy
        if busy:
            return
        busy = True  # what is asked here raises events, too
        try:
            _judge(event, details, get_frame(1), whose, own, caught)
        finally:
            busy = False

    sys.addaudithook(hook)


def _judge(
    event: str,
    details: tuple[Any, ...],
    frame: FrameType | None,
    whose: _Whose,
    folder: str,
    caught: Caught,
) -> None:
    if event in HANDLED:
        if _asker(frame, whose, ("inspect.py",)) == THEIRS:
            caught(HANDLED[event], event)
    elif event == "object.__getattr__":
        if details[1] in FRAMES and _asker(frame, whose, ()) == THEIRS:
            caught("frames", str(details[1]))
    elif event == "object.__setattr__":
        if details[1] == "__code__" and _asker(frame, whose, ()) == THEIRS:
            caught("code", "__code__")
    elif event == "compile":
        name = details[1]
        named = (
            isinstance(name, str)
            and not name.startswith("<")
            and _asker(frame, whose, ()) == THEIRS
        )
        if named and whose.file(name) != THEIRS:
            caught("code", f"compile as {name}")
    elif event in NAMED_FILES:
        _judge_paths(event, details, frame, whose, folder, caught)
    else:
        kind = FORBIDDEN.get(event) or _family(event)
        if kind is not None:
            asker, imports = _through_python(frame, whose)
            if asker == THEIRS and not imports:
                caught(kind, event)
            if not event.startswith("ctypes."):  # which libraries are bound by
                raise PermissionError(f"{event} is not allowed here")


def _judge_paths(
    event: str,
    details: tuple[Any, ...],
    frame: FrameType | None,
    whose: _Whose,
    folder: str,
    caught: Caught,
) -> None:
    """Tell on code that opens or changes a file which is not its own."""
    paths = [
        os.fsdecode(each)
        for each in details[: NAMED_FILES[event]]
        if isinstance(each, str | bytes | os.PathLike)
    ]
    writes = event not in ("open", "os.listdir", "os.scandir", "os.walk", "glob.glob", "os.chdir")
    if event == "open":
        mode, flags = str(details[1] or ""), int(details[2] or 0)
        writes = any(letter in mode for letter in "wax+") or bool(flags & (os.O_WRONLY | os.O_RDWR))
    for path in paths:
        inside = (os.path.realpath(path) + os.sep).startswith(folder)
        if inside or path == os.devnull or (not writes and whose.may_read(path, folder)):
            continue
        if not writes and _through_python(frame, whose)[1]:
            continue  # an import looks where it likes
        caught("files", path)


def _family(event: str) -> str | None:
    return next((kind for start, kind in FAMILIES.items() if event.startswith(start)), None)


def _asker(frame: FrameType | None, whose: _Whose, seen_through: Sequence[str]) -> str:
    """Return whose the line is that asks, seen through some files of Python's own."""
    while frame is not None:
        path = frame.f_code.co_filename
        if os.path.basename(path) not in seen_through:
            return whose.file(path)
        frame = frame.f_back
    return PYTHONS


def _through_python(frame: FrameType | None, whose: _Whose) -> tuple[str, bool]:
    """Return whose the nearest line is that is not Python's own, and whether it is being imported.

    A library that is being imported does as it likes; a submission's own lines do not.
    """
    imports, asker = False, PYTHONS
    while frame is not None:
        path = frame.f_code.co_filename
        owner = whose.file(path)
        if owner == THEIRS:
            return (asker if asker != PYTHONS else THEIRS), imports
        if path == "<frozen importlib._bootstrap>":  # its loaders alone may be anyone's
            imports = True
        if owner == LIBRARYS and asker == PYTHONS:
            asker = LIBRARYS
        frame = frame.f_back
    return asker, imports
