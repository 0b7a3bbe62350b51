"""How often each of the paper's bounds was broken, against how often it may be."""

import numpy as np
import pandas as pd

from explorative_user_env.monitors.check import CLAIMS, Claim
from explorative_user_env.results.intervals import proportion_interval
from explorative_user_env.validation import InvalidArgumentError, risk


def broken_table(checks: pd.DataFrame, delta: float | None = None) -> pd.DataFrame:
    """Return how often each bound was broken, against how often it may be.

    Where a claim rests on the best arm not being eliminated, the paper promises that with 1 - delta
    for its own N_1; a smaller one (SE's is 0) may break it more often, and so much is allowed.

    Args:
        checks: one row a run, as `Results.checks` has them.
        delta: what is allowed is a multiple of this, in (0, 1); None is each agent's own.

    Returns:
        One row an agent and claim: `agent`, `claim`, `source` (where in the paper), `broken` of
        `n_runs`, `put_to_test` (runs in which there was something to break: a round, a rejection
        of Phase 2, an answer), `share` with its exact interval `low` to `high`, `allowed` (delta,
        or what this N_1 allows; 2 delta for what rests on two events, 0 for what is sure) and
        `holds`: whether any run put it to the test and `low` is at most `allowed`, so that the
        runs do not speak against the claim.

    Raises:
        InvalidArgumentError: for a delta out of range, or a table without checks.
    """
    if delta is not None:
        delta = risk("delta", delta)
    flags = [f"{claim.name}_broken" for claim in CLAIMS]
    if not {"agent", "delta", "error_bound", *flags} <= set(checks.columns):
        raise InvalidArgumentError("checks", list(checks.columns), "a table with one row a check")
    rows = []
    for (agent, own), runs in checks.groupby(["agent", "delta"], sort=False):
        for claim, flag in zip(CLAIMS, flags, strict=True):
            broken, n_runs = int(runs[flag].sum()), len(runs)
            low, high = proportion_interval(broken, n_runs)
            allowed = _allowed(claim, own if delta is None else delta, runs["error_bound"].max())
            put_to_test = int(_has_something(claim, runs).sum())
            rows.append(
                {
                    "agent": agent,
                    "claim": claim.name,
                    "source": claim.source,
                    "broken": broken,
                    "n_runs": n_runs,
                    "put_to_test": put_to_test,
                    "share": broken / n_runs,
                    "low": low,
                    "high": high,
                    "allowed": allowed,
                    "holds": put_to_test > 0 and low <= allowed,
                }
            )
    return pd.DataFrame(rows)


def _allowed(claim: Claim, delta: float, error_bound: float) -> float:
    """Return how often a claim may be broken."""
    return min(1.0, claim.on_bands * delta + claim.on_answer * max(delta, error_bound))


def _has_something(claim: Claim, runs: pd.DataFrame) -> pd.Series:
    """Return in which runs something happened that the claim is about."""
    if claim.name == "answer":
        return ~runs["censored"]
    if f"{claim.name}_margin" in runs:
        return np.isfinite(runs[f"{claim.name}_margin"])
    return runs[claim.name.removesuffix("_printed")] > 0
