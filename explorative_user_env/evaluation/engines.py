"""One seam for whoever does runs, `submit(chunk) -> Future`: a window of chunks, in their order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, wait
from dataclasses import dataclass
from typing import Any, Protocol

from explorative_user_env.evaluation.parcels import Job
from explorative_user_env.protocol import Array
from explorative_user_env.validation import CallableError, one_line

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
