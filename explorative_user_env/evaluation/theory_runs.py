"""What the paper proves, held against many runs of BAIR."""

from collections.abc import Sequence
from dataclasses import asdict

import pandas as pd
from joblib import delayed

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.display.progress import OnProgress, silent
from explorative_user_env.evaluation.workers import SLOW, Travelling, results_of
from explorative_user_env.meeting import environment_of
from explorative_user_env.monitors import TheoryCheck, check_run
from explorative_user_env.population import Population
from explorative_user_env.tasks import MOST_WORKERS
from explorative_user_env.validation import count

WATCHED_AT_ONCE = 20
"""Users that a worker takes at a time."""


def check_theory(
    agent: AlgorithmAgent,
    population: Population,
    seeds: Sequence[int],
    *,
    max_steps: int | None = None,
    workers: int = 1,
    progress: OnProgress = silent,
) -> pd.DataFrame:
    """Run BAIR with the users of these seeds under a monitor.

    Args:
        agent: a `BAIR(...)`, with the user's alpha and rho_0 where N_1 needs them.
        population: the kind of user and instance.
        seeds: the users' seeds.
        max_steps: step cap of a run; None is the agent's own, if any.
        workers: how many processes run at once; the result is the same for any number.
        progress: called with what is going on, how many runs are done and how many there are.

    Returns:
        One row a run, with the fields of `monitors.TheoryCheck`.

    Raises:
        InvalidArgumentError: for an agent that is no BAIR, or no workers.
    """
    chunks = [
        seeds[first : first + WATCHED_AT_ONCE] for first in range(0, len(seeds), WATCHED_AT_ONCE)
    ]
    what = f"{agent.name}, theory"
    rows: list[TheoryCheck] = []
    progress(what, 0, len(seeds))
    n_jobs = max(1, min(count("workers", workers, 1, MOST_WORKERS), len(chunks)))
    check = delayed(Travelling(_check))
    tasks = (check(agent, population, chunk, max_steps) for chunk in chunks)
    for part in results_of(tasks, n_jobs, SLOW):
        rows += part
        progress(what, len(rows), len(seeds))
    return pd.DataFrame([asdict(row) for row in rows])


def _check(
    agent: AlgorithmAgent, population: Population, seeds: Sequence[int], max_steps: int | None
) -> list[TheoryCheck]:
    env = environment_of(population, agent)
    return [check_run(env, agent, seed, max_steps) for seed in seeds]
