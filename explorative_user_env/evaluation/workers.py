"""The places where runs are done: here, in threads or processes, on a cluster, by an executor."""

import functools
import multiprocessing
import os
import pickle
import platform
import queue
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Protocol

import cloudpickle
import gymnasium as gym
import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from joblib.externals.loky import ProcessPoolExecutor, cpu_count
from joblib.parallel import ParallelBackendBase, get_active_backend

from explorative_user_env.display.progress import can_start_threads, notice
from explorative_user_env.kernels.presence import compiling_told
from explorative_user_env.protocol import MOST_WORKERS, Array, name_of
from explorative_user_env.results.records import stream_fingerprint, versions_of
from explorative_user_env.validation import (
    CallableError,
    InvalidArgumentError,
    choice,
    count,
    is_found,
    one_line,
    require,
)

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


Env = gym.Env[Any, Any]


class HaltedError(Exception):
    """The run was broken off by who asked for it, and nobody waits for its result."""


def new_halt() -> Array:
    """Return what runs of this process look at as they go: 0 is to go on, 1 to end at once."""
    return np.zeros(1, np.int64)


def go_on(halt: Array | None) -> None:
    """Do nothing, unless what runs is to end at once.

    Raises:
        HaltedError: if it is.
    """
    if halt is not None and halt[0]:
        raise HaltedError


def halting(env: Env, halt: Array | None) -> Env:
    """Return an environment that looks before each step whether the run is to end at once."""
    return env if halt is None else _Halting(env, halt)


class _Halting(gym.Wrapper[Any, Any, Any, Any]):
    def __init__(self, env: Env, halt: Array) -> None:
        super().__init__(env)
        self._halt = halt

    def step(self, action: Any) -> Any:
        """Take a step, if there is to be another."""
        go_on(self._halt)
        return self.env.step(action)


@contextmanager
def halts(halt: Array | None) -> Iterator[None]:
    """Tell runs to end at once if the block does not end as it should."""
    try:
        yield
    except BaseException:
        if halt is not None:
            halt[0] = 1
        raise


# type: ignore[import-untyped]


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


Seeds = Sequence[int]

HERE, THREADS, PROCESSES, ELSEWHERE = "here", "threads", "processes", "elsewhere"
"""Places, from the thread of who asks to another machine."""

LISTEN_AGAIN = 0.5
"""Seconds until it is seen that an interrupt came, on systems where it ends no wait."""

RETRIES = 3
"""How often a chunk is done again whose worker was lost, each time alone."""

WORKER_LOST: tuple[type[BaseException], ...] = (BrokenExecutor, CancelledError)
"""The errors that say that the worker of a chunk is no longer there."""


def lost_by(name: str, error: BaseException, where: str, often: str = "") -> CallableError:
    """Return what is said of an agent whose worker is no longer there.

    Args:
        name: the agent's.
        error: how the loss was told.
        where: with whom, or where.
        often: how often it was lost, if more than once.
    """
    how = one_line(": ".join(filter(None, [type(error).__name__, str(error)])))
    return CallableError(f"{name} lost its worker{often}: {how}", where)


class Engine(Protocol):
    """What does chunks of runs.

    Attributes:
        place: how far it is.
        halt: what runs look at, in this process, to learn that they are to end; None elsewhere.
    """

    place: str
    halt: Array | None

    def results(self, job: Job, chunks: Iterable[Seeds], name: str) -> Iterator[Any]:
        """Yield what comes of each chunk, in their order; when closed, drop what has not begun.

        Args:
            job: called with each chunk, where the work is done.
            chunks: the seeds of some users each.
            name: the agent's, for errors.
        """


@dataclass
class Submitting:
    """An engine that is an executor.

    Attributes:
        executor: takes chunks.
        place: see `Engine`.
        in_flight: how many chunks are with it at once, at most.
        halt: see `Engine`.
        renew: replaces workers and drops their work; None where they are somebody else's.
        lost: the errors that say that a worker is no longer there.
    """

    executor: Executor
    place: str
    in_flight: int
    halt: Array | None = None
    renew: Callable[[], None] | None = None
    lost: tuple[type[BaseException], ...] = WORKER_LOST

    def results(self, job: Job, chunks: Iterable[Seeds], name: str) -> Iterator[Any]:
        """Yield what comes of each chunk, in their order; see `Engine`."""
        coming = iter(chunks)
        waiting: deque[tuple[Seeds, Future[Any]]] = deque()
        suspects = 0  # chunks that were at work, any of them, when a worker was lost
        try:
            while True:
                while not suspects and len(waiting) < self.in_flight:
                    if (chunk := next(coming, None)) is None:
                        break
                    waiting.append((chunk, self._submitted(job, chunk)))
                if not waiting:
                    return
                chunk, future = waiting[0]
                try:
                    result = _heard(future)
                except self.lost as error:
                    if not suspects:
                        suspects = len(waiting)
                        self._renewed()
                    result = self._again(job, chunk, name, error)
                waiting.popleft()
                suspects = max(0, suspects - 1)
                yield result
        finally:
            self._let_go([future for _, future in waiting])

    def _let_go(self, waiting: Sequence[Future[Any]]) -> None:
        """See to it that nothing goes on for who has gone."""
        if waiting and self.renew is not None:
            self.renew()  # they end with their work; of what was cancelled first loky's thread dies
        else:
            for future in waiting:
                future.cancel()

    def _submitted(self, job: Job, chunk: Seeds) -> Future[Any]:
        """Hand in a chunk; that there is nobody to take it is found when its turn comes."""
        try:
            if self.halt is None:
                return self.executor.submit(job, chunk)
            return self.executor.submit(job, chunk, halt=self.halt)
        except RuntimeError as error:  # it is broken, or was shut down
            future: Future[Any] = Future()
            future.set_exception(BrokenExecutor(one_line(str(error))))
            return future

    def _renewed(self) -> None:
        if self.renew is not None:
            self.renew()

    def _again(self, job: Job, chunk: Seeds, name: str, error: BaseException) -> Any:
        """Do a chunk once more whose worker was lost, alone: if it is again, that is its doing."""
        tries = RETRIES if self.renew is not None else 0
        for _ in range(tries):
            try:
                return _heard(self._submitted(job, chunk))
            except self.lost as another:
                error = another
                self._renewed()
        often = f" {tries + 1} times" if tries else ""
        where = f"with {len(chunk)} of the users, that of seed {chunk[0]} first"
        raise lost_by(name, error, where, often) from error


def _heard(future: Future[Any]) -> Any:
    """Return the result when it is there; an interrupt ends the wait."""
    while not wait([future], LISTEN_AGAIN).done:
        continue
    return future.result()


DASK = "dask"

BACKENDS = (THREADS, PROCESSES, DASK)
"""Where runs can be asked to be done."""

ONE_HERE = 1
"""Workers where nothing is said."""


@dataclass(frozen=True)
class Workforce:
    """Who does the runs; no number depends on it.

    Attributes:
        workers: how many runs go on at once, at least 1.
        backend: "threads", "processes" or "dask". None is threads in compiled code and processes
            in the readable loop, or what a `joblib.parallel_config` around the call says.
        scheduler: the address of a dask scheduler, for that backend.
        executor: any `concurrent.futures.Executor`, in place of a backend.

    Raises:
        InvalidArgumentError: naming what is out of range, or means nothing beside the others.
        MissingExtraError: if dask is asked for and not installed.
    """

    workers: int = ONE_HERE
    backend: str | None = None
    scheduler: str | None = None
    executor: Executor | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "workers", count("workers", self.workers, 1, MOST_WORKERS))
        if self.backend is not None:
            choice("backend", self.backend, BACKENDS)
        self._check_executor()
        self._check_scheduler()
        if self.elsewhere and self.workers != ONE_HERE:
            allowed = "left out where a scheduler or an executor has workers of its own"
            raise InvalidArgumentError("workers", self.workers, allowed)

    def _check_executor(self) -> None:
        if self.executor is None:
            return
        if not isinstance(self.executor, Executor):
            allowed = "a concurrent.futures.Executor, as client.get_executor() of dask is one"
            raise InvalidArgumentError("executor", self.executor, allowed)
        if self.backend is not None:
            raise InvalidArgumentError("backend", self.backend, "left out beside an executor")

    def _check_scheduler(self) -> None:
        if self.backend == DASK:
            if not isinstance(self.scheduler, str) or not self.scheduler:
                allowed = 'the address of a dask scheduler, as "tcp://127.0.0.1:8786"'
                raise InvalidArgumentError("scheduler", self.scheduler, allowed)
            require("the backend dask needs", DASK, ["distributed"])
        elif self.scheduler is not None:
            allowed = "left out, except for the backend dask"
            raise InvalidArgumentError("scheduler", self.scheduler, allowed)

    @property
    def elsewhere(self) -> bool:
        """Whether somebody else knows how many workers there are."""
        return self.backend == DASK or self.executor is not None

    def cannot_send(self, agent: object, reason: str) -> InvalidArgumentError:
        """Return the error that says in one line why an agent cannot be sent to the workers."""
        name, what = name_of(agent), f"which cannot be sent to another process ({reason})"
        if self.executor is not None:
            return InvalidArgumentError("executor", self.executor, f"left out for {name}, {what}")
        if self.backend is not None:
            return InvalidArgumentError("backend", self.backend, f"left out for {name}, {what}")
        if self.workers > ONE_HERE:
            return InvalidArgumentError("workers", self.workers, f"1 for {name}, {what}")
        allowed = "one that can be sent to another process, where a parallel_config around the call"
        return InvalidArgumentError("agent", name, f"{allowed} has it go ({reason})")


def workforce_of(
    workers: int | Workforce,
    backend: str | None = None,
    scheduler: str | None = None,
    executor: Executor | None = None,
) -> Workforce:
    """Return who does the runs: the record, or the one of these options.

    Raises:
        InvalidArgumentError: as `Workforce` does, or if there are a record and options.
    """
    if not isinstance(workers, Workforce):
        return Workforce(workers, backend, scheduler, executor)
    for name, value in (("backend", backend), ("scheduler", scheduler), ("executor", executor)):
        if value is not None:
            raise InvalidArgumentError(name, value, "left out where workers is a Workforce")
    return workers


A_SLICE = 4
"""Chunks for each worker of a backend that says nothing before all it was given is done."""


def outer_backend() -> ParallelBackendBase | None:
    """Return the backend that a `parallel_config` names, None where none does."""
    backend, _ = get_active_backend()
    again, _ = get_active_backend()
    return backend if backend is again else None  # joblib makes its usual one for each who asks


class ThroughJoblib:
    """An engine, see `engines.Engine`, that is joblib with the backend around the call."""

    def __init__(self, backend: ParallelBackendBase, workers: int) -> None:
        _, asked = get_active_backend()
        if asked is None:  # a cluster's usual is all its workers
            asked = workers if workers > 1 else getattr(backend, "default_n_jobs", 1)
        self.n_jobs = effective_n_jobs(asked)
        self._backend = type(backend).__name__
        self._streams = backend.supports_return_generator
        threads = getattr(backend, "supports_sharedmem", False)
        self.place = THREADS if threads else ELSEWHERE
        self.halt = new_halt() if threads else None

    def results(self, job: Job, chunks: Iterable[Seeds], name: str) -> Iterator[Any]:
        """Yield what comes of each chunk, in their order."""
        call = delayed(job)
        shared = {} if self.halt is None else {"halt": self.halt}
        tasks = (call(chunk, **shared) for chunk in chunks)
        try:
            yield from self._in_order(tasks)
        except WORKER_LOST as error:
            raise lost_by(name, error, f"joblib's {self._backend}") from error

    def _in_order(self, tasks: Iterator[Any]) -> Iterator[Any]:
        if self._streams:
            yield from Parallel(self.n_jobs, return_as="generator")(tasks)
            return
        with Parallel(self.n_jobs) as parallel:
            while some := list(islice(tasks, A_SLICE * self.n_jobs)):
                yield from parallel(some)


EACH = 2
"""Chunks that a worker has, or finds when it is done with one."""

NONE_START = "this Python, as one in a browser, starts no other workers"

WITH_OTHERS = 1024
"""Chunks that are with somebody at once who alone knows how many workers there are."""


@contextmanager
def done(
    workforce: Workforce, job: Job, chunks: Sequence[Seeds], agent: object, usual: str
) -> Iterator[Iterator[Any]]:
    """Do chunks of runs in the block; however it ends, none goes on behind it.

    Args:
        workforce: who does them.
        job: called with each chunk; in threads of this process also with `halt`.
        chunks: the seeds of some users each.
        agent: who meets them.
        usual: the place where the workforce names none; `THREADS` for a job that they may share.

    Yields:
        What comes of each chunk, in their order.

    Raises:
        InvalidArgumentError: if the agent cannot be sent where the runs are done, there is nobody,
            or a worker draws or computes as another version does.
        CallableError: if a chunk's worker is lost again and again.
    """
    try:
        with _engine(workforce, usual, len(chunks)) as engine:
            shared = engine.place == HERE or engine.place == usual == THREADS
            if not shared:  # what an agent remembers is of the users of one chunk
                job = packed(job, shares_path=engine.place == PROCESSES)
            results = engine.results(job, chunks, name_of(agent))
            with closing(results), halts(engine.halt):  # type: ignore[type-var]
                yield results
    except UnsendableError as error:
        raise workforce.cannot_send(agent, str(error)) from error


def _engine(workforce: Workforce, usual: str, n_chunks: int) -> AbstractContextManager[Engine]:
    """Return where the chunks are done, open as long as its block lasts."""
    if workforce.executor is not None:
        return _executor(workforce.executor)
    if workforce.backend == DASK:
        return _cluster(str(workforce.scheduler))
    place, n_workers = workforce.backend or usual, min(workforce.workers, n_chunks)
    if workforce.backend is None:
        if (backend := outer_backend()) is not None:
            outer = ThroughJoblib(backend, workforce.workers)
            if outer.n_jobs > 1:
                return nullcontext(outer)
            n_workers = 1
        if place == HERE or (place == PROCESSES and n_workers == 1) or not can_start(place):
            if workforce.workers > 1 and not can_start(place):
                notice(f"{NONE_START}, so runs are done one after the other")
            return nullcontext(Submitting(_Here(), HERE, in_flight=1))
    elif not can_start(place):
        raise InvalidArgumentError("backend", place, f"left out here: {NONE_START}")
    if place == THREADS:
        return _threads(n_workers)
    return _processes(n_workers, workforce.workers)


def can_start(place: str) -> bool:
    """Return whether workers can start in this place."""
    return can_start_threads() if place == THREADS else is_found("_multiprocessing")


class _Here(Executor):
    """Does what it is given at once."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(function(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


@contextmanager
def _threads(n_workers: int) -> Iterator[Engine]:
    """Open threads; one will do to hear an interrupt here, while compiled code hears none."""
    executor = ThreadPoolExecutor(n_workers, "explorative-user")
    try:
        yield Submitting(executor, THREADS, EACH * n_workers, new_halt())
    finally:
        executor.shutdown(cancel_futures=True)


@contextmanager
def _processes(least: int, most: int) -> Iterator[Engine]:
    pass  # which a browser cannot import

    with pool_of(least, most) as pool:
        yield Submitting(pool, PROCESSES, EACH * pool.n_workers, renew=pool.renew)


@contextmanager
def _executor(executor: Executor) -> Iterator[Engine]:
    """Use an executor of somebody else, who also ends it."""
    if isinstance(executor, ThreadPoolExecutor):
        yield Submitting(executor, THREADS, WITH_OTHERS, new_halt())
    else:
        yield Submitting(executor, ELSEWHERE, WITH_OTHERS)


@contextmanager
def _cluster(address: str) -> Iterator[Engine]:
    """Use the workers of a dask scheduler, which does itself again what a lost one had."""
    from distributed import Client, KilledWorker

    try:
        client = Client(address, set_as_default=False)
    except (OSError, ValueError) as error:  # a timeout is an OSError
        allowed = f"the address of a dask scheduler that answers ({error})"
        raise InvalidArgumentError("scheduler", address, allowed) from error
    with client:
        executor = client.get_executor(pure=False)  # a chunk done once more is done
        try:
            yield Submitting(executor, ELSEWHERE, WITH_OTHERS, lost=(*WORKER_LOST, KilledWorker))
        finally:
            executor.shutdown(wait=False)
