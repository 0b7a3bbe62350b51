"""What the paper proves, held against many runs of BAIR, and how often each bound was broken."""

from collections.abc import Sequence
from dataclasses import asdict

import pandas as pd
from joblib import Parallel, delayed

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.display.progress import OnProgress, silent
from explorative_user_env.evaluation.study import Study
from explorative_user_env.monitors import CLAIMS, TheoryCheck, check_run
from explorative_user_env.results.intervals import wilson_interval
from explorative_user_env.validation import InvalidArgumentError, integer, risk

CHUNK = 20
"""Users that a worker takes at a time."""


def check_theory(
    agent: AlgorithmAgent,
    study: Study,
    seeds: Sequence[int],
    *,
    max_steps: int | None = None,
    workers: int = 1,
    report: OnProgress = silent,
) -> pd.DataFrame:
    """Run BAIR with the users of these seeds under a monitor.

    Args:
        agent: a `BAIR(...)`, with the user's alpha and rho_0 where N_1 needs them.
        study: the kind of user and instance.
        seeds: the users' seeds.
        max_steps: step cap of a run; None is the agent's own, if any.
        workers: how many processes run at once; the result is the same for any number.
        report: called with what is going on, how many runs are done and how many there are.

    Returns:
        One row a run, with the fields of `monitors.TheoryCheck`.

    Raises:
        InvalidArgumentError: for an agent that is no BAIR, or no workers.
    """
    chunks = [seeds[first : first + CHUNK] for first in range(0, len(seeds), CHUNK)]
    what = f"{agent.name}, theory"
    rows: list[TheoryCheck] = []
    report(what, 0, len(seeds))
    n_jobs = max(1, min(integer("workers", workers, 1), len(chunks)))
    parallel = Parallel(n_jobs=n_jobs, return_as="generator")
    for part in parallel(delayed(_check)(agent, study, chunk, max_steps) for chunk in chunks):
        rows += part
        report(what, len(rows), len(seeds))
    return pd.DataFrame([asdict(row) for row in rows])


def broken_table(checks: pd.DataFrame, delta: float | None = None) -> pd.DataFrame:
    """Return how often each bound was broken, against how often it may be.

    The answers and intervals are promised for the paper's N_1; with a smaller one (SE's is 0) they
    may well be broken.

    Args:
        checks: one row a run, as `check_theory` and `Results.checks` have them.
        delta: what is allowed is a multiple of this, in (0, 1); None is each agent's own.

    Returns:
        One row an agent and claim: `agent`, `claim`, `source` (where in the paper), `broken` of
        `n_runs`, `share` with its Wilson interval `low` to `high`, `allowed` (delta, 2 delta for
        what rests on two events, 0 for what is sure) and `holds`: whether `low` is at most
        `allowed`, so that the runs do not speak against the claim.

    Raises:
        InvalidArgumentError: for a delta out of range, or a table without checks.
    """
    if delta is not None:
        delta = risk("delta", delta)
    flags = [f"{claim.name}_broken" for claim in CLAIMS]
    if not {"agent", "delta", *flags} <= set(checks.columns):
        raise InvalidArgumentError("checks", list(checks.columns), "a table with one row a check")
    rows = []
    for (agent, own), runs in checks.groupby(["agent", "delta"], sort=False):
        for claim, flag in zip(CLAIMS, flags, strict=True):
            broken, n_runs = int(runs[flag].sum()), len(runs)
            low, high = wilson_interval(broken, n_runs)
            allowed = claim.times_delta * (own if delta is None else delta)
            rows.append(
                {
                    "agent": agent,
                    "claim": claim.name,
                    "source": claim.source,
                    "broken": broken,
                    "n_runs": n_runs,
                    "share": broken / n_runs,
                    "low": low,
                    "high": high,
                    "allowed": allowed,
                    "holds": low <= allowed,
                }
            )
    return pd.DataFrame(rows)


def _check(
    agent: AlgorithmAgent, study: Study, seeds: Sequence[int], max_steps: int | None
) -> list[TheoryCheck]:
    env = study.environment_of(agent)
    return [check_run(env, agent, seed, max_steps) for seed in seeds]
