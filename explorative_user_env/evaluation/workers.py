"""Workers of the readable loop: processes that find what is found here, and end when we do."""

import functools
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from joblib import Parallel
from joblib.externals.loky import reusable_executor

SLOW = "loky"
"""Joblib's name for the workers of the readable loop."""

LOOK_AGAIN = 1.0
"""Seconds until a worker looks again whether its parent is there, where nothing tells it."""

_FORKED_WITH: list[Any] = []
"""The parent's workers, in a child: kept, as they would be told to stop when they are let go."""


def _forget_workers() -> None:
    """Let a forked child start workers of its own: those it knows answer to its parent alone."""
    _FORKED_WITH.append(reusable_executor._executor)
    reusable_executor._executor = reusable_executor._executor_kwargs = None
    reusable_executor._executor_lock = threading.RLock()


if hasattr(os, "register_at_fork"):  # not where nothing forks
    os.register_at_fork(after_in_child=_forget_workers)


def results_of(tasks: Iterable[Any], n_jobs: int, backend: str) -> Iterator[Any]:
    """Return what comes of joblib's delayed `tasks`, one by one in their order.

    Args:
        tasks: where they are for `SLOW`, of `Travelling` work.
        n_jobs: how many are at work at once.
        backend: joblib's name for who does them.
    """
    processes = backend == SLOW and n_jobs > 1
    with _unheard_by_workers() if processes else nullcontext():
        results: Iterator[Any] = Parallel(n_jobs, backend=backend, return_as="generator")(tasks)
    return results


@contextmanager
def _unheard_by_workers() -> Iterator[None]:
    """Keep from processes that start in the block what a terminal sends to all it has.

    Who hears an interrupt here sees to the workers. They, and what clears up after them, would each
    tell of it in a traceback of their own.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker as pythons

    from joblib.externals.loky.backend import resource_tracker as joblibs

    unheard = {signal.SIGINT, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, unheard)
    try:
        for tracker in (pythons, joblibs):
            tracker.ensure_running()  # now, as it has interrupts heard again when it has begun
        signal.pthread_sigmask(signal.SIG_BLOCK, unheard)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)  # what came meanwhile comes now


class Travelling:
    """Work that finds in another process the modules that are found here.

    Workers outlive an evaluation: those of an earlier one know the path of modules as it was then.
    A task's work is unpickled before what it is done with.
    """

    def __init__(self, work: Callable[..., Any]) -> None:
        self._work = work

    def __call__(self, *task: Any) -> Any:
        """Do the work."""
        return self._work(*task)

    def __reduce__(self) -> tuple[Any, ...]:
        return _arrived, (self._work, [os.path.abspath(folder) for folder in sys.path])


def _arrived(work: Callable[..., Any], path: list[str]) -> Travelling:
    sys.path[:] = path
    _end_with_parent()
    return Travelling(work)


@functools.cache
def _end_with_parent() -> None:
    """See to it, once a process, that a worker is no longer there than who works with it.

    A parent that is killed tells nobody: its workers would wait for tasks, and hold its semaphores
    and shared memory. When they are gone, joblib's own trackers clear these away.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:  # in a worker
        threading.Thread(target=_outlive_by_little, args=(parent,), daemon=True).start()


def _outlive_by_little(parent: Any) -> None:
    if parent.sentinel is None:  # so for joblib's processes, but on Windows
        while os.getppid() == parent.pid:
            time.sleep(LOOK_AGAIN)
    else:
        parent.join()
    os._exit(1)
