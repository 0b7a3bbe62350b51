"""The places where runs are done: here, in threads or processes, on a cluster, by an executor."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from typing import Any

from explorative_user_env.display.notices import notice
from explorative_user_env.display.threads import can_start_threads
from explorative_user_env.evaluation.engines import (
    ELSEWHERE,
    HERE,
    PROCESSES,
    THREADS,
    WORKER_LOST,
    Engine,
    Seeds,
    Submitting,
)
from explorative_user_env.evaluation.halting import halts, new_halt
from explorative_user_env.evaluation.parcels import Job, UnsendableError, packed
from explorative_user_env.evaluation.through_joblib import ThroughJoblib, outer_backend
from explorative_user_env.evaluation.workforce import DASK, Workforce
from explorative_user_env.extras import is_found
from explorative_user_env.protocol import name_of
from explorative_user_env.validation import InvalidArgumentError

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
    from explorative_user_env.evaluation.workers import pool_of  # which a browser cannot import

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
