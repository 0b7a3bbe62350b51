"""Who does the runs: so many threads or processes, a cluster, or whoever one has."""

from concurrent.futures import Executor
from dataclasses import dataclass

from explorative_user_env.evaluation.engines import PROCESSES, THREADS
from explorative_user_env.extras import require
from explorative_user_env.protocol import name_of
from explorative_user_env.tasks import MOST_WORKERS
from explorative_user_env.validation import InvalidArgumentError, choice, count

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
