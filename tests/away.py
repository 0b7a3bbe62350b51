"""Jobs that are done away from here, and workers who are lost over them."""

import os
import signal
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from explorative_user_env.protocol import Array

Worker = tuple[int, int]


def whoami(seeds: Sequence[int], halt: Array | None = None) -> Worker:
    """A job that tells which process and thread did it."""
    time.sleep(0.05)
    return os.getpid(), threading.get_ident()


def endless(seeds: Sequence[int], halt: Array | None = None) -> None:
    """A job that ends when it is told to, and after minutes."""
    end = time.monotonic() + 200.0
    while time.monotonic() < end and not (halt is not None and halt[0]):
        time.sleep(0.01)


class Deadly:
    """A job that ends its worker with one of the chunks, the first so many times."""

    def __init__(self, folder: Path, chunk: Sequence[int], times: int) -> None:
        self._marks, self._chunk, self._times = folder, chunk, times

    def __call__(self, seeds: Sequence[int], halt: Array | None = None) -> int:
        time.sleep(0.05)
        done = len(list(self._marks.iterdir()))
        if seeds == self._chunk and done < self._times:
            (self._marks / str(done)).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return seeds[0]
