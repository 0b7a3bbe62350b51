"""Workers, which run groups of users: this thread, threads, joblib's processes, or an executor."""

import functools
import os
import pickle
import platform
import signal
import sys
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np

from explorative_user_env import validation
from explorative_user_env.display.progress import OnProgress, notice, silent
from explorative_user_env.kernels.compiler import on_compiling
from explorative_user_env.protocol import MOST_WORKERS, Array, name_of
from explorative_user_env.results.records import stream_fingerprint, versions_of
from explorative_user_env.validation import CallableError, InvalidArgumentError, one_line

#: Called with the seeds of a chunk; compiled runs in threads also take `halt`.
Job = Callable[..., Any]

#: Where runs execute without an executor or a `joblib.parallel_config`.
HERE, THREADS, PROCESSES = "here", "threads", "processes"

#: Most chunks submitted at a time; only the executor knows its number of workers.
IN_FLIGHT = 1024

#: Seconds between wake-ups of a waiting thread, so that Windows notices Ctrl-C.
LISTEN_AGAIN = 0.5

#: Seconds without a result after which a dask cluster without workers is reported.
DESERTED = 5.0

NONE_START = "this Python, as one in a browser, starts no other workers"

#: Default number of workers.
ONE_HERE = 1


class UnsendableError(Exception):
    """A job cannot be pickled here, or unpickled in a worker."""


@dataclass(frozen=True)
class Crew:
    """The workers and the progress callback; the attributes are arguments of `evaluate`.

    Raises:
        InvalidArgumentError: if an argument is out of range.
    """

    workers: int = ONE_HERE
    executor: Executor | None = None
    compiled: bool = True
    progress: OnProgress = silent

    def __post_init__(self) -> None:
        if self.executor is not None and not isinstance(self.executor, Executor):
            allowed = "a concurrent.futures.Executor, such as client.get_executor() of dask"
            raise InvalidArgumentError("executor", self.executor, allowed)
        if self.executor is not None and self.workers != ONE_HERE:
            allowed = "left out if executor is given"
            raise InvalidArgumentError("workers", self.workers, allowed)
        validation.flag("compiled", self.compiled)
        workers = validation.count("workers", self.workers, 1, MOST_WORKERS)
        object.__setattr__(self, "workers", workers)


def done(job: Job, chunks: Sequence[Any], agent: object, usual: str, crew: Crew) -> Generator[Any]:
    """Yield the index and the result of each chunk as it ends; `close` cancels pending chunks.

    Args:
        job: called with each chunk; other processes call a copy.
        chunks: a list of chunks; each is a list of users' seeds.
        agent: the agent of the runs, for error messages.
        usual: the kind of workers if there is no executor: `THREADS` for compiled runs,
            `PROCESSES` for readable runs, `HERE` for agents that act for many users at once.
        crew: the executor or the workers.

    Raises:
        InvalidArgumentError: if the agent cannot be pickled, or if a worker has other versions of
            Python or a library than the caller.
        CallableError: if a worker is lost.
    """
    if not chunks:
        return
    halt, executor = np.zeros(1, np.int64), crew.executor
    n_workers = min(crew.workers, len(chunks))
    halted = functools.partial(job, halt=halt)
    dask: Any = sys.modules.get("distributed")
    lost = (BrokenExecutor, CancelledError, *([dask.KilledWorker] if dask else []))
    try:
        if executor is not None:
            shared = usual == THREADS and isinstance(executor, ThreadPoolExecutor)
            call: Job = halted if shared else Packed(job)
            yield from _as_they_end(executor, call, chunks, halt)
        elif (parallel := _parallel(usual, n_workers, crew.workers)) is not None:
            from joblib import delayed

            shared = usual == THREADS and getattr(parallel._backend, "supports_sharedmem", False)
            call = halted if shared else Packed(job)
            with _signals_blocked():
                results = parallel(delayed(_placed)(call, *each) for each in enumerate(chunks))
            try:
                for each in results:  # noqa: UP028 - `yield from` would close `results` too early
                    yield each
            finally:
                with warnings.catch_warnings():  # joblib warns of results that nobody read
                    warnings.simplefilter("ignore")
                    getattr(results, "close", list)()  # a backend without streaming returns a list
        elif usual == THREADS:
            # A thread even for one worker: compiled code in the main thread ignores Ctrl-C.
            with ThreadPoolExecutor(n_workers, "explorative-user") as threads:
                try:
                    yield from _as_they_end(threads, halted, chunks, halt)
                finally:
                    halt[0] = 1  # at its end the `with` block waits for the threads
        else:
            for place, chunk in enumerate(chunks):
                yield place, job(chunk)
    except UnsendableError as error:
        allowed = f"one that can be pickled ({error})"
        raise InvalidArgumentError("agent", name_of(agent), allowed) from error
    except lost as error:
        worker = "scheduler or executor" if isinstance(error, CancelledError) else "worker"
        reason = one_line(": ".join(filter(None, [type(error).__name__, str(error)])))
        where = "finished runs are in the store, if there is one"
        raise CallableError(f"{name_of(agent)} lost its {worker}: {reason}", where) from error
    finally:
        halt[0] = 1


def _as_they_end(executor: Any, call: Job, chunks: Sequence[Any], halt: Array) -> Iterator[Any]:
    """Yield the index and result of each chunk as it ends; submit `IN_FLIGHT` chunks at a time."""
    places: dict[Future[Any], int] = {}
    ended: SimpleQueue[Future[Any]] = SimpleQueue()
    coming, silence = enumerate(chunks), 0.0
    try:
        while True:
            for place, chunk in islice(coming, IN_FLIGHT - len(places)):
                try:
                    future = executor.submit(call, chunk)
                except RuntimeError as error:  # the executor was shut down
                    raise BrokenExecutor(one_line(str(error))) from error
                places[future] = place
                future.add_done_callback(ended.put)
            if not places:
                return
            try:
                future = ended.get(timeout=LISTEN_AGAIN)
            except Empty:
                silence += LISTEN_AGAIN
                if silence == DESERTED:
                    with suppress(Exception):  # only dask's executor has a client
                        if not executor._client.scheduler_info()["workers"]:
                            notice("the dask scheduler has no worker; runs wait for one")
                continue
            silence = 0.0
            yield places.pop(future), future.result()
    finally:
        halt[0] = 1  # runs in threads end within milliseconds
        for future in places:
            future.cancel()


def _parallel(usual: str, n_workers: int, workers: int) -> Any:
    """Return joblib's `Parallel` if the caller set a `parallel_config` or runs need processes."""
    if "joblib" in sys.modules:
        from joblib import Parallel, effective_n_jobs
        from joblib.parallel import get_active_backend

        backend, n_jobs = get_active_backend()
        if backend is get_active_backend()[0]:  # the caller set a `parallel_config`
            if n_jobs is None:  # a cluster's default is all its workers
                n_jobs = workers if workers > 1 else getattr(backend, "default_n_jobs", 1)
            n_jobs = effective_n_jobs(n_jobs)
            streams = "generator_unordered" if backend.supports_return_generator else "list"
            return Parallel(n_jobs, return_as=streams) if n_jobs > 1 else None
    if usual != PROCESSES or n_workers == 1:
        return None
    if not can_start_processes():
        notice(f"{NONE_START}, so runs are sequential")
        return None
    from joblib import Parallel

    return Parallel(n_workers, backend="loky", return_as="generator_unordered")


def _placed(call: Job, place: int, chunk: Sequence[int]) -> tuple[int, Any]:
    return place, call(chunk)


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """Protect the processes that start in this `with` block from Ctrl-C and SIGHUP.

    The calling process stops the workers; a signal would make each worker print a traceback.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker as pythons

    from joblib.externals.loky.backend import resource_tracker as joblibs

    sent = {signal.SIGINT, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, sent)
    try:
        for tracker in (pythons, joblibs):
            tracker.ensure_running()  # unblocks SIGINT and SIGHUP
        signal.pthread_sigmask(signal.SIG_BLOCK, sent)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def can_start_processes() -> bool:
    """Return whether this Python can start processes."""
    return validation.is_importable("_multiprocessing")


class Packed:
    """A pickled job; a scheduler can pass it on without importing the job's code.

    A call in a worker first checks that the worker has the same library versions and the same
    random streams as the calling process.

    Raises:
        UnsendableError: if the job cannot be pickled, or if a call cannot unpickle the job.
        InvalidArgumentError: if a worker and the caller have different `traits`; names the worker.
    """

    def __init__(self, job: Job) -> None:
        import cloudpickle  # type: ignore[import-untyped]

        self._traits = traits()
        self._path = [os.path.abspath(place) for place in sys.path]
        try:
            self._content = cloudpickle.dumps(job)
        except Exception as error:  # user code may raise any class while it is pickled
            raise UnsendableError(f"{type(error).__name__}: {error}") from error

    def __call__(self, seeds: Sequence[int]) -> Any:
        """Do the job."""
        # The caller's sys.path may have grown after the worker started.
        sys.path += [place for place in self._path if place not in sys.path]
        here = traits()
        for what, wanted in self._traits.items():
            if here.get(what) != wanted:
                trait = f"{what} of the worker {platform.node()}:{os.getpid()}"
                allowed = f"{wanted}, as in the calling process"
                raise InvalidArgumentError(trait, here.get(what), allowed)
        try:
            job = pickle.loads(self._content)
        except Exception as error:
            raise UnsendableError(f"{type(error).__name__}: {error}") from error
        with on_compiling(lambda begins: None):
            return job(seeds)


@functools.cache
def traits() -> dict[str, str]:
    """Return the library versions and the fingerprint of random streams; runs depend on both."""
    return {**versions_of(), "streams": stream_fingerprint()}


@contextmanager
def dask_executor(address: str) -> Iterator[Executor]:
    """Connect to a dask scheduler, e.g. at "tcp://127.0.0.1:8786", and yield its executor.

    Raises:
        InvalidArgumentError: if no scheduler answers.
        MissingExtraError: if dask is not installed.
    """
    validation.require("a dask cluster needs", "dask", ["distributed"])
    from distributed import Client

    # The finalizer of a client that did not connect waits for a minute; `with` closes all others.
    unfinalized: Any = type("Client", (Client,), {"__del__": lambda client: None})
    try:
        client = unfinalized(address, set_as_default=False)
    except (OSError, ValueError) as error:  # a timeout is an OSError
        allowed = f"the address of a dask scheduler that answers ({error})"
        raise InvalidArgumentError("dask", address, allowed) from error
    with client:
        executor = client.get_executor(pure=False)
        try:
            yield executor
        finally:
            executor.shutdown(wait=False)
