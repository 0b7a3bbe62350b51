"""How tasks rank the agents, against the paper's central cell: what the suite is for."""

from collections.abc import Collection, Mapping
from itertools import permutations

import pandas as pd

from explorative_user_env.studies.suite.records import CENTRAL
from explorative_user_env.studies.suite.scoring import Replicates

Losses = Mapping[str, Mapping[str, Replicates]]
"""Mean losses by task and agent."""


def rankings_of(
    losses: Losses, references: Collection[str] = (), against: str = CENTRAL
) -> pd.DataFrame:
    """Return one row a task: how it ranks the agents, and how another task does.

    Args:
        losses: by task and agent.
        references: agents that are left out; so is who did not run on both tasks.
        against: the other task's name; without it there are no rows.

    Returns:
        `task`; `order`, the agents from the least loss on; `tau`, Kendall's rank correlation with
        the other task (1 the same order, -1 the reverse; NaN for a single agent); and `reversed`,
        the pairs "A > B" of which A loses less here and B there, both with a 95% interval of the
        difference that excludes 0.
    """
    from scipy import stats

    rows, there = [], losses.get(against, {})
    for task, here in losses.items() if there else ():
        both = [name for name in here if name in there and name not in references]
        own, other = ([cell[name].value for name in both] for cell in (here, there))
        turned = [
            f"{one} > {two}"
            for one, two in permutations(both, 2)
            if surely_less(here[one], here[two]) and surely_less(there[two], there[one])
        ]
        tau = float(stats.kendalltau(own, other).statistic) if len(both) > 1 else float("nan")
        order = sorted(both, key=lambda name: here[name].value)
        rows.append({"task": task, "order": order, "tau": tau, "reversed": turned})
    return pd.DataFrame(rows, columns=["task", "order", "tau", "reversed"])


def surely_less(one: Replicates, other: Replicates) -> bool:
    """Return whether one loss is below the other: the interval of the difference lies below 0."""
    apart = Replicates(one.value - other.value, one.drawn - other.drawn)
    return apart.interval()[1] < 0.0
