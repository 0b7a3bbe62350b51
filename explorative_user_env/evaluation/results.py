"""What an evaluation found: one row a run, one row an agent, and the table a person reads."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from explorative_user_env.evaluation.metrics import summarize
from explorative_user_env.evaluation.tables import as_text, summary_table


@dataclass(frozen=True)
class Results:
    """The runs of one or more agents on the same users.

    Attributes:
        runs: one row a run. `instance`, `user_seed` (replays the run: `rollout(env, agent,
            seed=user_seed)`), `agent`, `best_arm`, `answer`, `correct`, `censored`,
            `interactions`, `acceptances`, and `stopping_time` and `rejections` as the setting
            reports them (the released setting counts its private draws).
        cell: what all runs share: `setting`, `n_arms`, `delta`, `alpha`, `gap`, `noise`,
            `horizon` (T of the agents that need one), `seed`.
        rejection_rate: the headline form, "mean of ratios" or "ratio of means".
        drops_censored: whether times and rejection rates leave censored runs out.
        deltas: delta of the agents that have one of their own.
    """

    runs: pd.DataFrame
    cell: Mapping[str, Any]
    rejection_rate: str = "mean of ratios"
    drops_censored: bool = False
    deltas: Mapping[str, float] = field(default_factory=dict)

    def summary(self) -> pd.DataFrame:
        """Return one row an agent, in the order they were given, with 95% intervals."""
        rows = []
        for agent, runs in self.runs.groupby("agent", sort=False):
            figures = summarize(
                runs["stopping_time"].to_numpy(),
                runs["rejections"].to_numpy(),
                runs["correct"].to_numpy(),
                runs["censored"].to_numpy(),
                delta=self.deltas.get(str(agent), self.cell["delta"]),
                rejection_rate=self.rejection_rate,
                drops_censored=self.drops_censored,
            )
            rows.append({**self.cell, "agent": agent, **figures})
        return pd.DataFrame(rows)

    def __str__(self) -> str:
        return as_text(summary_table(self.summary()))
