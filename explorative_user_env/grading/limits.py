"""What the process of a submission may take, and what else is kept from it."""

import os
import sys
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from explorative_user_env.grading.walls import (
    files_of_others_closed,
    libc,
    other_processes_closed,
    powers_dropped,
)
from explorative_user_env.validation import integer, positive

LARGEST_WRITTEN = 16 << 20
"""Bytes of a file that a submission may write."""

MOST_OPEN_FILES = 128

LARGEST_MEMORY = 1 << 30
"""MB that can be asked for: a petabyte, so that all is within what the system counts with."""

LONGEST_TIME = 1e7
"""Seconds that can be asked for."""

NEW_USERS, NEW_NETWORK = 0x10000000, 0x40000000
"""What Linux calls by `unshare`."""

DIES_WITH_PARENT, WHETHER_DUMPABLE, IS_DUMPABLE, NO_NEW_PRIVILEGES = 1, 3, 4, 38
"""What Linux calls by `prctl`."""

NOBODY = 65534


@dataclass(frozen=True)
class Limits:
    """What a submission may take.

    Attributes:
        seconds: in all, from the start of its process.
        call_seconds: of one call of a method.
        memory: MB, beside what Python and the package take.

    Raises:
        InvalidArgumentError: for what is no number above 0.
    """

    seconds: float = 300.0
    call_seconds: float = 10.0
    memory: int = 1024

    def __post_init__(self) -> None:
        for name in ("seconds", "call_seconds"):
            given = positive(_SPELLED[name], getattr(self, name))
            object.__setattr__(self, name, min(given, LONGEST_TIME))
        integer("memory_limit", self.memory, 1, LARGEST_MEMORY)


_SPELLED = {"seconds": "time_limit", "call_seconds": "call_limit"}

Enforced = Callable[[], object]


def closed_in(limits: Limits, folder: Path) -> list[str]:
    """Limit this process, for good, before code of a stranger runs in it.

    Args:
        limits: what it may take.
        folder: the folder that is its own.

    Returns:
        What could not be enforced on this system.
    """
    libraries = list(chain(*trusted_folders().values()))
    steps: dict[str, Enforced] = {
        "no network": _without_network,
        "a user of its own": lambda: _as_nobody(folder),
        "processor time": lambda: _limit("RLIMIT_CPU", int(limits.seconds) + 2),
        "sizes of files": lambda: _limit("RLIMIT_FSIZE", LARGEST_WRITTEN),
        "open files": lambda: _limit("RLIMIT_NOFILE", MOST_OPEN_FILES),
        "memory": lambda: _limit("RLIMIT_AS", _taken() + (limits.memory << 20)),
        "powers of root": powers_dropped,
        "files of others": lambda: files_of_others_closed(folder, libraries),
        "other processes": _without_processes,  # last: no limit can be set after it
    }
    missing = []
    with suppress(OSError, AttributeError, ImportError, ValueError):
        _limit("RLIMIT_CORE", 0)
        _prctl(DIES_WITH_PARENT, 9)
        _prctl(NO_NEW_PRIVILEGES, 1)
    for what, step in steps.items():
        try:
            step()
        except (OSError, AttributeError, ImportError, ValueError):
            missing.append(what)
    return missing


@contextmanager
def unreadable_to_others() -> Iterator[None]:
    """Keep in the block what this process remembers from others of its user, where Linux can."""
    before = 1
    with suppress(OSError, AttributeError):
        before = libc().prctl(WHETHER_DUMPABLE, 0, 0, 0, 0)
        _prctl(IS_DUMPABLE, 0)
    try:
        yield
    finally:
        with suppress(OSError, AttributeError):
            _prctl(IS_DUMPABLE, before)


def trusted_folders() -> dict[str, list[str]]:
    """Return where code stands that is no stranger's: Python's own, and that of libraries."""
    paths = sysconfig.get_paths()
    package = Path(__file__).resolve().parents[1]
    libraries = [
        paths["purelib"],
        paths["platlib"],
        str(package),
        str((package / "agents").resolve()),
    ]
    libraries += [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    own = [paths["stdlib"], paths["platstdlib"]]
    own += [path for path in sys.path if path.endswith(".zip")]
    return {
        "python": sorted({_as_folder(path) for path in own}),
        "libraries": sorted({_as_folder(path) for path in libraries}),
    }


def _as_folder(path: str) -> str:
    return os.path.realpath(path).rstrip(os.sep) + os.sep


def _limit(name: str, most: int) -> None:
    import resource

    which = getattr(resource, name)
    if sys.platform == "darwin" and name == "RLIMIT_AS":
        raise OSError("it is not enforced there")
    hard = resource.getrlimit(which)[1]
    allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(which, (allowed, allowed))


def _taken() -> int:
    """Return how many bytes of addresses the process has."""
    pages = Path("/proc/self/statm").read_text().split()[0]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _without_processes() -> None:
    """Let no process be started: by the filter, under which threads may be, or by their number."""
    try:
        other_processes_closed()
    except OSError:
        _limit("RLIMIT_NPROC", 0)
        if os.geteuid() == 0:  # root may start as many as it likes
            raise


def _without_network() -> None:
    unshare = libc().unshare
    if unshare(NEW_NETWORK) and unshare(NEW_USERS | NEW_NETWORK):
        raise OSError("it cannot be cut off")


def _as_nobody(folder: Path) -> None:
    """Go on as a user who owns nothing but the folder, where Python can still be read then."""
    if os.geteuid() != 0:
        raise OSError("only root can be somebody else")
    if not all(_is_open_to_all(path) for paths in trusted_folders().values() for path in paths):
        raise OSError("nobody else can read Python here")
    os.chown(folder, NOBODY, NOBODY)
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


def _is_open_to_all(path: str) -> bool:
    """Whether whoever it is can go to a folder."""
    return all(place.stat().st_mode & 0o001 for place in (Path(path), *Path(path).parents))


def _prctl(option: int, value: int) -> None:
    if libc().prctl(option, value, 0, 0, 0):
        raise OSError("prctl refuses")
