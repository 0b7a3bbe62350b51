"""The runs of one agent, in portions: threads in compiled code, processes in the readable loop."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pickle import PicklingError
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from joblib.externals.loky import reusable_executor
from joblib.externals.loky.process_executor import BrokenProcessPool, TerminatedWorkerError

from explorative_user_env.display.progress import OnProgress
from explorative_user_env.evaluation import in_step
from explorative_user_env.evaluation.compiled import compiles
from explorative_user_env.evaluation.paths import Paths
from explorative_user_env.population import Population
from explorative_user_env.protocol import Agent, Array, ManyUserAgent, name_of
from explorative_user_env.validation import CallableError, InvalidArgumentError

Work = Callable[..., Array]

CHUNK = 10
"""Users that a worker takes at a time, at least: few, so that the bar moves and workers end
together."""

LARGEST_CHUNK = 1000
CHUNKS = 50
"""How many times a worker comes for more in a study of ordinary size."""

LONGEST_PLAY = 5_000_000
"""Steps of all users of a portion together where every step is kept."""


_FORKED_WITH: list[Any] = []
"""The parent's workers, in a child: kept, as they would be told to stop when they are let go."""


def _forget_workers() -> None:
    """Let a forked child start workers of its own: those it knows answer to its parent alone."""
    _FORKED_WITH.append(reusable_executor._executor)
    reusable_executor._executor = reusable_executor._executor_kwargs = None
    reusable_executor._executor_lock = threading.RLock()


if hasattr(os, "register_at_fork"):  # not where nothing forks
    os.register_at_fork(after_in_child=_forget_workers)


def runs_of(
    paths: Paths,
    agent: Agent,
    population: Population,
    seeds: Sequence[int],
    *,
    cap: int,
    horizon: int | None,
    workers: int,
    compiled: bool,
    progress: OnProgress,
) -> pd.DataFrame:
    """Return the runs of one agent with the users of these seeds, one row a user."""
    name, n_done = name_of(agent), 0
    progress(name, 0, len(seeds))
    most = max(1, LONGEST_PLAY // cap) if paths.keeps_steps else len(seeds)
    if compiled and isinstance(agent, ManyUserAgent):
        size, n_jobs, backend = min(in_step.USERS, most), 1, "sequential"
        work: Work = partial(_told_whose, paths.in_step, paths.readable)
    else:
        size = min(max(CHUNK, len(seeds) // CHUNKS), LARGEST_CHUNK, most)
        fast = compiled and compiles(
            population,
            agent,
            seeds[0],
            horizon,
            paths.tried,
            on_compiling=lambda: progress(f"{name} compiling", 0, len(seeds)),
        )
        told = partial(_told_whose, paths.compiled, paths.readable)
        work, backend = (told, "threading") if fast else (paths.readable, "loky")
        n_jobs = workers
        progress(name, 0, len(seeds))  # it is compiled
    chunks = [seeds[first : first + size] for first in range(0, len(seeds), size)]
    parallel = Parallel(n_jobs=min(n_jobs, len(chunks)), backend=backend, return_as="generator")
    tasks = (delayed(work)(population, agent, chunk, cap, horizon) for chunk in chunks)
    rows: list[Array] = []
    with _told_of_pickling(name, workers):
        for part in parallel(tasks):
            rows.append(part)
            n_done += len(part)
            progress(name, n_done, len(seeds))
    return paths.frame(agent, population, seeds, np.concatenate(rows))


def _told_whose(
    work: Work,
    readable: Work,
    population: Population,
    agent: Agent,
    seeds: Sequence[int],
    cap: int,
    horizon: int | None,
) -> Array:
    """Return what `work` does; where it fails, the readable loop tells with whom and when."""
    try:
        return work(population, agent, seeds, cap, horizon)
    except Exception as error:
        if isinstance(agent, ManyUserAgent) and type(error) is InvalidArgumentError:
            raise  # it says what is wrong
        for seed in seeds:
            try:
                work(population, agent, [seed], cap, horizon)
            except Exception:
                readable(population, agent, [seed], cap, horizon)
        where = f"with {len(seeds)} users, that of seed {seeds[0]} first, and with none alone"
        raise CallableError.of(name_of(agent), error, where) from error


@contextmanager
def _told_of_pickling(name: str, workers: int) -> Iterator[None]:
    """Say in one line that an agent cannot be sent to another process."""
    try:
        yield
    except (BrokenProcessPool, PicklingError) as error:
        if isinstance(error, TerminatedWorkerError):
            raise
        allowed = f"1 for {name}, which cannot be sent to another process"
        raise InvalidArgumentError("workers", workers, allowed) from error
