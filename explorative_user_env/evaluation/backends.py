"""The runs of one agent, in portions: threads in compiled code, processes in the readable loop."""

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from explorative_user_env.compiled.waiting import compiling_told
from explorative_user_env.display.progress import OnProgress
from explorative_user_env.evaluation import in_step
from explorative_user_env.evaluation.compiled import compiles
from explorative_user_env.evaluation.engines import HERE, PROCESSES, THREADS
from explorative_user_env.evaluation.halting import go_on
from explorative_user_env.evaluation.paths import Paths
from explorative_user_env.evaluation.places import done
from explorative_user_env.evaluation.readable import RUN_COLUMNS
from explorative_user_env.evaluation.workforce import Workforce
from explorative_user_env.population import Population
from explorative_user_env.protocol import Agent, Array, ManyUserAgent, name_of
from explorative_user_env.results.columns import frame_of
from explorative_user_env.results.parts import Columns, Kept
from explorative_user_env.tasks import CENSORED
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

MOST_ARMS_AT_ONCE = 10_000_000
"""Arms of all users of a portion together: a few numbers of each are in memory."""


def runs_of(
    paths: Paths,
    agent: Agent,
    population: Population,
    seeds: Sequence[int],
    *,
    cap: int,
    cap_is_asked: bool = True,
    horizon: int | None,
    workforce: Workforce,
    compiled: bool,
    progress: OnProgress,
    kept: Kept,
) -> pd.DataFrame:
    """Return the runs of one agent with the users of these seeds, one row a user.

    Those that are kept already are not run again, and the others are kept as they end.

    Warns, where nobody asked for the cap, of an agent of one's own that does not stop before it.
    """
    name, parts = name_of(agent), _finished(kept, len(seeds))
    n_done = sum(len(part["instance"]) for part in parts)

    def tell_compiling(begins: bool) -> None:
        progress(f"{name} compiling" if begins else name, n_done, len(seeds))

    progress(name, n_done, len(seeds))
    with compiling_told(tell_compiling):
        if left := seeds[n_done:]:
            way = _way_of(paths, agent, population, left, cap, horizon, compiled)
            job = partial(_met, way.work, population, agent, cap, horizon)
            with done(workforce, job, way.chunks(left), agent, way.usual) as chunks:
                for rows in chunks:
                    first, n_done = n_done, n_done + len(rows)
                    whose = {"instance": np.arange(first, n_done)}
                    whose["user_seed"] = np.array(seeds[first:n_done])
                    parts.append(whose | paths.columns(agent, population, rows))
                    kept.add(parts[-1])
                    progress(name, n_done, len(seeds))
                    if way.waits and not (first or cap_is_asked or paths.keeps_steps):
                        _warn_if_it_never_stops(name, rows, cap, len(seeds))
    whole = {column: np.concatenate([part[column] for part in parts]) for column in parts[0]}
    return frame_of(paths.task.name, name, whole)


def _finished(kept: Kept, n_users: int) -> list[Columns]:
    """Return the runs with the first users that are kept already, as one part if there are any."""
    there = kept.columns()
    return [{name: values[:n_users] for name, values in there.items()}] if there else []


class _Way(NamedTuple):
    """How runs are done: by what, how many at a time, and where if nothing else is asked for."""

    work: Work
    size: int
    usual: str
    waits: bool  # whether a run of very many steps is long

    def chunks(self, seeds: Sequence[int]) -> list[Sequence[int]]:
        """Return the seeds of the users that are met together, all in their order."""
        # The first user of a slow path comes alone: what is to be said of it is said soon.
        alone = 1 if self.usual == PROCESSES else 0
        firsts = range(alone, len(seeds), self.size)
        return [seeds[:alone]] * alone + [seeds[first : first + self.size] for first in firsts]


def _way_of(
    paths: Paths,
    agent: Agent,
    population: Population,
    seeds: Sequence[int],
    cap: int,
    horizon: int | None,
    compiled: bool,
) -> _Way:
    """Return the fastest way there is for this agent, compiled by now."""
    most = max(1, MOST_ARMS_AT_ONCE // population.n_arms)
    if paths.keeps_steps:
        most = min(most, max(1, LONGEST_PLAY // cap))
    if compiled and isinstance(agent, ManyUserAgent):
        work: Work = partial(_told_whose, paths.in_step, paths.readable)
        return _Way(work, min(in_step.USERS, most), HERE, True)
    size = min(max(CHUNK, len(seeds) // CHUNKS), LARGEST_CHUNK, most)
    if compiled and compiles(population, agent, seeds[0], horizon, paths.tried):
        work = partial(_told_whose, paths.compiled, paths.readable)
        return _Way(work, size, THREADS, False)
    return _Way(paths.readable, size, PROCESSES, True)


def _met(
    work: Work,
    population: Population,
    agent: Agent,
    cap: int,
    horizon: int | None,
    seeds: Sequence[int],
    halt: Array | None = None,
) -> Array:
    """Return the rows of a chunk, wherever that is done."""
    return work(population, agent, seeds, cap, horizon, halt=halt)


def _warn_if_it_never_stops(name: str, part: Array, cap: int, n_users: int) -> None:
    """Say what is to come where all the first users were met up to the cap."""
    n_met = len(part)
    if (part[:, RUN_COLUMNS.index("end")] == CENSORED).all():
        whom = "the first user" if n_met == 1 else f"any of the first {n_met} users"
        warnings.warn(
            f"{name} did not stop with {whom} within {cap} steps, where it was cut off; of "
            f"{n_users} users each may take as long: give a smaller max_steps=, to evaluate or as "
            f"an attribute of {name}",
            stacklevel=2,
        )


def _told_whose(
    work: Work,
    readable: Work,
    population: Population,
    agent: Agent,
    seeds: Sequence[int],
    cap: int,
    horizon: int | None,
    halt: Array | None = None,
) -> Array:
    """Return what `work` does; where it fails, the readable loop tells with whom and when."""
    try:
        return work(population, agent, seeds, cap, horizon, halt=halt)
    except Exception as error:
        if isinstance(agent, ManyUserAgent) and type(error) is InvalidArgumentError:
            raise  # it says what is wrong
        for seed in seeds:
            go_on(halt)  # what was broken off has not failed
            try:
                work(population, agent, [seed], cap, horizon, halt=halt)
            except Exception:
                readable(population, agent, [seed], cap, horizon, halt=halt)
        where = f"with {len(seeds)} users, that of seed {seeds[0]} first, and with none alone"
        raise CallableError.of(name_of(agent), error, where) from error
