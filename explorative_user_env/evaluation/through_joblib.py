"""The backend that a `joblib.parallel_config` around the call names does the chunks."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import ParallelBackendBase, get_active_backend

from explorative_user_env.evaluation.engines import ELSEWHERE, THREADS, WORKER_LOST, Seeds, lost_by
from explorative_user_env.evaluation.halting import new_halt
from explorative_user_env.evaluation.parcels import Job

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
