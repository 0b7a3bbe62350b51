"""Walls that Linux itself keeps around the process of a submission, whatever runs in it.

The hook of `guard` is Python, and stands where a stranger's Python runs: who takes it away is at
these. Landlock opens files of the libraries for reading and the submission's own folder, and no
others; a filter of system calls lets no other process be started, reached or sent a signal.
"""

import ctypes
import errno
import os
import platform
import struct
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from explorative_user_env.grading.forbidden import OPEN_TO_ALL

OPEN_BESIDE = (
    *("/usr", "/lib", "/lib64", "/sys", "/dev/zero", "/dev/full"),
    *("/etc/ld.so.cache", "/etc/fonts", "/etc/passwd", "/etc/nsswitch.conf"),
)
"""What else libraries load and read."""

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""Landlock's system calls."""

BENEATH = 1
"""The kind of a rule on a file or folder and all that is in it."""

READ, READ_FOLDER, WRITE, TRUNCATE = 1 << 2, 1 << 3, 1 << 1, 1 << 14
RIGHTS_OF = {1: (1 << 13) - 1, 2: 1 << 13, 3: TRUNCATE}
"""Rights to files, by the version of Landlock that came with them."""

OF_NETWORK, OF_SCOPE = (4, 3), (6, 3)
"""The version that keeps from TCP, and that from processes outside, and all that each can keep."""

SET_SECCOMP, BY_FILTER = 22, 2
"""What Linux calls by `prctl`."""

LOAD, IF_EQUAL, IF_FROM, IF_ANY, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
"""Instructions of a filter: load a word, compare it, and say what becomes of the call."""

ALLOW, REFUSE = 0x7FFF0000, 0x00050000
"""What becomes of a call; refused ones fail with the error that is added."""

NUMBER_AT, MACHINE_AT, ARGUMENTS_AT = 0, 4, 16
"""Where the words of a call are; each argument takes two."""

A_THREAD = 0x00010000
"""The flag of `clone` by which what begins is a thread of the same process."""

OTHER_NUMBERS = 0x40000000
"""From here on x86-64 has its system calls once more."""

MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

CLONE, CLONE3, SET_LIMITS = {"x86_64": 56, "aarch64": 220}, 435, {"x86_64": 302, "aarch64": 261}
"""System calls that are refused by what they are asked for."""

REFUSED = {
    "x86_64": {
        **{"socket": 41, "connect": 42, "fork": 57, "vfork": 58, "execve": 59, "execveat": 322},
        **{"kill": 62, "tkill": 200, "rt_sigqueueinfo": 129, "rt_tgsigqueueinfo": 297},
        **{"ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311},
        **{"setrlimit": 160, "setpriority": 141, "unshare": 272, "setns": 308},
        **{"shmget": 29, "semget": 64, "msgget": 68, "mq_open": 240},
        **{"add_key": 248, "request_key": 249, "keyctl": 250},
        **{"perf_event_open": 298, "bpf": 321, "userfaultfd": 323},
    },
    "aarch64": {
        **{"socket": 198, "connect": 203, "execve": 221, "execveat": 281},
        **{"kill": 129, "tkill": 130, "rt_sigqueueinfo": 138, "rt_tgsigqueueinfo": 240},
        **{"ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271},
        **{"setrlimit": 164, "setpriority": 140, "unshare": 97, "setns": 268},
        **{"shmget": 194, "semget": 190, "msgget": 186, "mq_open": 180},
        **{"add_key": 217, "request_key": 218, "keyctl": 219},
        **{"perf_event_open": 241, "bpf": 280, "userfaultfd": 282},
    },
}
"""System calls that no agent needs, by the machine. They start, reach or signal other processes,
lift limits, or leave something behind."""

REFUSED_ALIKE = {
    **{"pidfd_open": 434, "pidfd_send_signal": 424, "pidfd_getfd": 438, "io_uring_setup": 425}
}
"""Those that have the same number everywhere."""


def libc() -> Any:
    """Return the functions of the system.

    Raises:
        OSError: where it is not Linux.
    """
    if not sys.platform.startswith("linux"):
        raise OSError("only Linux knows this")
    return ctypes.CDLL(None, use_errno=True)


def files_of_others_closed(folder: Path, libraries: Iterable[str]) -> None:
    """Leave this process the files of a folder, and of libraries to read; all others are closed.

    Args:
        folder: its own.
        libraries: folders.

    Raises:
        OSError: where the system has no Landlock.
    """
    version = _asked(CREATE_RULESET, None, 0, 1)
    rights = sum(some for since, some in RIGHTS_OF.items() if since <= version)
    words = [rights] + [all_ for since, all_ in (OF_NETWORK, OF_SCOPE) if since <= version]
    rules = struct.pack(f"={len(words)}Q", *words)
    opened = _asked(CREATE_RULESET, rules, len(rules), 0)
    shared = {*libraries, *OPEN_TO_ALL, *OPEN_BESIDE}
    shared |= {str(sysconfig.get_config_var("LIBDIR") or "/lib"), f"{sys.base_prefix}/lib"}
    # Nothing may be executed, and no device be made.
    own = rights & ~(1 | 1 << 6 | 1 << 11)
    for path, allowed in [(str(folder), own), *((each, READ | READ_FOLDER) for each in shared)]:
        _open_beneath(opened, path, allowed & rights)
    _open_beneath(opened, os.devnull, (READ | WRITE | TRUNCATE) & rights)
    _asked(RESTRICT_SELF, opened, 0)
    os.close(opened)


def _open_beneath(opened: int, path: str, allowed: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # not everything is everywhere
        return
    if not os.path.isdir(path):
        allowed &= READ | WRITE | TRUNCATE
    _asked(ADD_RULE, opened, BENEATH, struct.pack("=Qi", allowed, place), 0)
    os.close(place)


def _asked(number: int, *arguments: int | bytes | None) -> int:
    """Return what a system call answers.

    Raises:
        OSError: if it refuses.
    """
    # Handed on by `syscall` as words: an int would be half of one.
    whole = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    answer = int(libc().syscall(ctypes.c_long(number), *whole))
    if answer < 0:
        raise OSError(ctypes.get_errno(), "the system refuses")
    return answer


class _Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def other_processes_closed() -> None:
    """Let this process start no other from now on, nor reach any, nor lift its limits.

    Raises:
        OSError: where the system has no such filter.
    """
    program = b"".join(struct.pack("=HBBI", *each) for each in _instructions(platform.machine()))
    whole = _Filter(len(program) // 8, program)
    if libc().prctl(SET_SECCOMP, BY_FILTER, ctypes.byref(whole), 0, 0):
        raise OSError(ctypes.get_errno(), "the system refuses")


def _instructions(machine: str) -> list[tuple[int, int, int, int]]:
    """Return the filter as instructions: what to do, how many to skip if so and if not, a number.

    Raises:
        OSError: for a machine whose system calls are not known.
    """
    if machine not in MACHINES:
        raise OSError(f"the system calls of {machine} are not known")
    refuse = (RETURN, 0, 0, REFUSE + errno.EPERM)
    made = [(LOAD, 0, 0, MACHINE_AT), (IF_EQUAL, 1, 0, MACHINES[machine]), refuse]
    made += [(LOAD, 0, 0, NUMBER_AT), (IF_FROM, 0, 1, OTHER_NUMBERS), refuse]
    for number in (*REFUSED[machine].values(), *REFUSED_ALIKE.values()):
        made += [(IF_EQUAL, 0, 1, number), refuse]
    # Threads are begun by `clone` where there is no `clone3`, whose flags no filter sees.
    made += [(IF_EQUAL, 0, 1, CLONE3), (RETURN, 0, 0, REFUSE + errno.ENOSYS)]
    made += [(IF_EQUAL, 0, 3, CLONE[machine]), (LOAD, 0, 0, ARGUMENTS_AT)]
    made += [(IF_ANY, 1, 0, A_THREAD), refuse, (LOAD, 0, 0, NUMBER_AT)]
    # Limits are asked for, with no new ones, and not set: the third argument is where those are.
    made += [(IF_EQUAL, 0, 5, SET_LIMITS[machine]), (LOAD, 0, 0, ARGUMENTS_AT + 16)]
    made += [(IF_EQUAL, 0, 2, 0), (LOAD, 0, 0, ARGUMENTS_AT + 20), (IF_EQUAL, 1, 0, 0), refuse]
    return [*made, (RETURN, 0, 0, ALLOW)]


def powers_dropped() -> None:
    """Give up what root may do beyond others.

    Raises:
        OSError: if the system refuses.
    """
    header, none = struct.pack("=Ii", 0x20080522, 0), struct.pack("=6I", *[0] * 6)
    if libc().capset(header, none):
        raise OSError(ctypes.get_errno(), "the system refuses")
