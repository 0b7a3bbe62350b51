"""What the paper proves, held against many runs of BAIR."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial

import pandas as pd

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.display.progress import OnProgress, silent
from explorative_user_env.evaluation.engines import PROCESSES
from explorative_user_env.evaluation.halting import halting
from explorative_user_env.evaluation.places import done
from explorative_user_env.evaluation.workforce import Workforce, workforce_of
from explorative_user_env.meeting import environment_of
from explorative_user_env.monitors import TheoryCheck, check_run
from explorative_user_env.population import Population
from explorative_user_env.protocol import Array
from explorative_user_env.results.parts import NoPieces, Pieces
from explorative_user_env.results.records import from_record, record_of

NOTHING_KEPT = NoPieces()

WATCHED_AT_ONCE = 20
"""Users that a worker takes at a time."""


def check_theory(
    agent: AlgorithmAgent,
    population: Population,
    seeds: Sequence[int],
    *,
    max_steps: int | None = None,
    workers: int | Workforce = 1,
    progress: OnProgress = silent,
    kept: Pieces = NOTHING_KEPT,
) -> pd.DataFrame:
    """Run BAIR with the users of these seeds under a monitor.

    Args:
        agent: a `BAIR(...)`, with the user's alpha and rho_0 where N_1 needs them.
        population: the kind of user and instance.
        seeds: the users' seeds.
        max_steps: step cap of a run; None is the agent's own, if any.
        workers: how many processes run at once, or who does the runs; the result is the same.
        progress: called with what is going on, how many runs are done and how many there are.
        kept: where the checks are kept, if anywhere; those that are there are not made again.

    Returns:
        One row a run, with the fields of `monitors.TheoryCheck`.

    Raises:
        InvalidArgumentError: for an agent that is no BAIR, or no workers.
    """
    chunks = [
        seeds[first : first + WATCHED_AT_ONCE] for first in range(0, len(seeds), WATCHED_AT_ONCE)
    ]
    what = f"{agent.name}, theory"
    there = kept.found()
    rows = [from_record(row) for part in there for row in part]
    progress(what, len(rows), len(seeds))
    if left := chunks[len(there) :]:
        job = partial(_check, agent, population, max_steps)
        with done(workforce_of(workers), job, left, agent, PROCESSES) as parts:
            for part in parts:
                found = [asdict(row) for row in part]
                kept.add(record_of(found))
                rows += found
                progress(what, len(rows), len(seeds))
    return pd.DataFrame(rows)


def _check(
    agent: AlgorithmAgent,
    population: Population,
    max_steps: int | None,
    seeds: Sequence[int],
    halt: Array | None = None,
) -> list[TheoryCheck]:
    env = halting(environment_of(population, agent), halt)
    return [check_run(env, agent, seed, max_steps) for seed in seeds]
