"""What travels to another process: work and whom it is done with, to be opened by its equals."""

import functools
import os
import pickle
import platform
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import cloudpickle  # type: ignore[import-untyped]

from explorative_user_env.compiled.waiting import compiling_told
from explorative_user_env.protocol import Array
from explorative_user_env.results.fingerprint import stream_fingerprint
from explorative_user_env.results.provenance import versions_of
from explorative_user_env.validation import InvalidArgumentError

Job = Callable[..., Any]
"""Called with the seeds of a chunk and, in the process that asks for it, `halt`."""

Traits = tuple[tuple[str, str], ...]


class UnsendableError(Exception):
    """Work cannot be packed here, or what it needs is not there where it is opened."""


def packed(job: Job, *, shares_path: bool) -> Job:
    """Return a job that any process can be handed.

    It takes along what it rests on, in bytes: so whoever passes it on needs to know nothing, and
    what fails when it is opened is an error of this chunk alone.

    Args:
        job: what is to be done.
        shares_path: whether modules are to be found there where they are found here.

    Raises:
        UnsendableError: if something in it cannot be packed.
    """
    try:
        content = cloudpickle.dumps(job)
    except Exception as error:  # of any class: it is for what was handed in to say how it packs
        raise UnsendableError(_reason(error)) from error
    path = tuple(map(_from_anywhere, sys.path)) if shares_path else ()
    return partial(_opened, traits(), path, content)


def _from_anywhere(entry: str) -> str:
    """Return where modules are found, for any folder; what an installer's hook goes by stays."""
    return os.path.abspath(entry) if not entry or os.path.exists(entry) else entry


def _opened(
    expected: Traits,
    path: Sequence[str],
    content: bytes,
    seeds: Sequence[int],
    halt: Array | None = None,
) -> Any:
    """Do a job that may have come from elsewhere."""
    if path:
        sys.path[:] = path
    _compare(expected)
    try:
        job = pickle.loads(content)
    except Exception as error:
        raise UnsendableError(_reason(error)) from error
    with compiling_told(lambda begins: None):  # nobody waits here
        return job(seeds) if halt is None else job(seeds, halt=halt)


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


@functools.cache
def traits() -> Traits:
    """Return what the numbers of this process may depend on, each with its name."""
    return (*versions_of().items(), ("streams", stream_fingerprint()))


@functools.cache  # once a process, if all is well
def _compare(expected: Traits) -> None:
    """Make sure that this process draws and computes as who sent it work.

    Raises:
        InvalidArgumentError: naming the worker and the first thing that is another here.
    """
    here = dict(traits())
    for what, wanted in expected:
        if here.get(what) != wanted:
            worker = f"{what} of the worker {platform.node()}:{os.getpid()}"
            raise InvalidArgumentError(
                worker, here.get(what), f"{wanted}, as where the work is from"
            )
