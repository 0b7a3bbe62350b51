"""Jobs that are done away from here, and workers who are lost over them."""

import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from explorative_user_env.evaluation.workers import Crew, done

CHUNKS = [[chunk] for chunk in range(12)]


def done_by(job, usual, **crew):
    with closing(done(job, CHUNKS, "mine", usual, Crew(**crew))) as found:
        return [result for _, result in sorted(found)]


def spawned():
    """Two processes that know nothing of this one."""
    return ProcessPoolExecutor(2, multiprocessing.get_context("spawn"))


class Gathering:
    """A job that tells which process and thread did it, when so many others have come as well."""

    def __init__(self, folder, n_workers):
        self._marks, self._n_workers = folder, n_workers

    def __call__(self, seeds, halt=None):
        me = os.getpid(), threading.get_ident()
        (self._marks / f"{me[0]}-{me[1]}").touch()
        end = time.monotonic() + 60.0
        while len(list(self._marks.iterdir())) < self._n_workers:
            assert time.monotonic() < end, "nobody else has come"
            time.sleep(0.01)
        return me


def gathered(folder, usual, n_workers=2, **crew):
    with TemporaryDirectory(dir=folder) as marks:
        return set(done_by(Gathering(Path(marks), n_workers), usual, **crew))


class Deadly:
    """A job that ends its worker whenever it comes to one of the chunks."""

    def __init__(self, chunk):
        self._chunk = chunk

    def __call__(self, seeds, halt=None):
        time.sleep(0.05)
        if seeds == self._chunk:
            os.kill(os.getpid(), signal.SIGKILL)
        return seeds[0]
