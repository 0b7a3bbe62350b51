"""How often each of the paper's bounds was broken, against how often it may be."""

import pandas as pd

from explorative_user_env.monitors.check import CLAIMS
from explorative_user_env.results.intervals import wilson_interval
from explorative_user_env.validation import InvalidArgumentError, risk


def broken_table(checks: pd.DataFrame, delta: float | None = None) -> pd.DataFrame:
    """Return how often each bound was broken, against how often it may be.

    The answers and intervals are promised for the paper's N_1; with a smaller one (SE's is 0) they
    may well be broken.

    Args:
        checks: one row a run, as `Results.checks` has them.
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
