"""Jobs that are done away from here, and workers who are lost over them."""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from explorative_user_env.evaluation.workers import Crew, done
from explorative_user_env.protocol import Array

CHUNKS = [[chunk] for chunk in range(12)]


def done_by(job: Any, usual: str, **crew: Any) -> list[Any]:
    """Do a job with all chunks, and return what comes of them in their order."""
    with closing(done(job, CHUNKS, "mine", usual, Crew(**crew))) as found:
        return [result for _, result in sorted(found)]


def spawned() -> Executor:
    """Two processes of Python's own, which know nothing of this one."""
    return ProcessPoolExecutor(2, multiprocessing.get_context("spawn"))


class Gathering:
    """A job that tells which process and thread did it, when so many others have come as well."""

    def __init__(self, folder: Path, n_workers: int) -> None:
        self._marks, self._n_workers = folder, n_workers

    def __call__(self, seeds: Sequence[int], halt: Array | None = None) -> tuple[int, int]:
        me = os.getpid(), threading.get_ident()
        (self._marks / f"{me[0]}-{me[1]}").touch()
        end = time.monotonic() + 60.0
        while len(list(self._marks.iterdir())) < self._n_workers:
            assert time.monotonic() < end, "nobody else has come"
            time.sleep(0.01)
        return me


def gathered(folder: Path, usual: str, n_workers: int = 2, **crew: Any) -> set[tuple[int, int]]:
    """Return who does chunks, when so many have come."""
    with TemporaryDirectory(dir=folder) as marks:
        return set(done_by(Gathering(Path(marks), n_workers), usual, **crew))


class Deadly:
    """A job that ends its worker whenever it comes to one of the chunks."""

    def __init__(self, chunk: Sequence[int]) -> None:
        self._chunk = chunk

    def __call__(self, seeds: Sequence[int], halt: Array | None = None) -> int:
        time.sleep(0.05)
        if seeds == self._chunk:
            os.kill(os.getpid(), signal.SIGKILL)
        return seeds[0]
