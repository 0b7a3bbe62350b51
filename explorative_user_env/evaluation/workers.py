"""Processes of our own that do runs: they wait for more, hear nothing, and end when we do."""

import functools
import multiprocessing
import os
import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from typing import Any

from joblib.externals.loky import ProcessPoolExecutor, cpu_count
from joblib.parallel import ParallelBackendBase

LOOK_AGAIN = 1.0
"""Seconds until a worker looks again whether its parent is there, where nothing tells it."""

IDLE = 300.0
"""Seconds until workers that nobody has work for end by themselves."""


class Pool(Executor):
    """So many processes, which start with the first work; lost ones are replaced if asked for."""

    def __init__(self, n_workers: int) -> None:
        self.n_workers = n_workers
        self._processes = self._new()

    def _new(self) -> ProcessPoolExecutor:
        share = str(max(1, cpu_count() // self.n_workers))  # of the cores, for a library's threads
        names = ParallelBackendBase.MAX_NUM_THREADS_VARS
        with _unheard_by_workers():
            return ProcessPoolExecutor(
                self.n_workers,
                timeout=IDLE,
                initializer=_end_with_parent,
                env={name: os.environ.get(name, share) for name in names},
            )

    def renew(self) -> None:
        """Take new processes, where those that were there are lost, and their work with them."""
        self.shutdown(cancel_futures=True)
        self._processes = self._new()

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Hand in work, for which processes start if there are none."""
        with _unheard_by_workers():
            future: Future[Any] = self._processes.submit(function, *args, **kwargs)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let the processes end, at once and in the middle of their work if it is cancelled."""
        if cancel_futures:
            # What waits is forgotten first: loky's thread would look for it, in vain, and die.
            with suppress(queue.Empty):
                while True:
                    self._processes._work_ids.get_nowait()
        self._processes.shutdown(wait=wait, kill_workers=cancel_futures)


_lock = threading.Lock()
_idle: list[Pool] = []
"""The pool that waits for more, if there is one: processes take seconds to start."""

_FORKED_WITH: list[Pool] = []
"""The parent's, in a child: kept, as its workers would be told to stop when they are let go."""


@contextmanager
def pool_of(least: int, most: int) -> Iterator[Pool]:
    """Lend a pool that nobody else uses; after an error nothing is left of it.

    Args:
        least: how many processes it has, if it has to be made.
        most: how many it may have, if it is there.
    """
    pool = _taken(least, most) or Pool(least)
    try:
        yield pool
    except BaseException:
        pool.shutdown(cancel_futures=True)
        raise
    with _lock:
        others, _idle[:] = _idle[:], [pool]
    for other in others:
        other.shutdown()


def _taken(least: int, most: int) -> Pool | None:
    with _lock:
        fitting = [pool for pool in _idle if least <= pool.n_workers <= most]
        for pool in fitting[:1]:
            _idle.remove(pool)
            return pool
    return None


def _forget_workers() -> None:
    """Let a forked child start workers of its own: those it knows answer to its parent alone."""
    global _lock
    _FORKED_WITH.extend(_idle)
    _idle.clear()
    _lock = threading.Lock()  # another thread may have held it


if hasattr(os, "register_at_fork"):  # not where nothing forks
    os.register_at_fork(after_in_child=_forget_workers)


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
