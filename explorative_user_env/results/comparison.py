"""Two agents on the same users, figure by figure; or a line-up, all against one.

Users are paired, so what differs between them is in no difference. Where a step cap ended a run,
its stopping time is not known: times are then compared up to tau, the least length at which a run
of either agent was cut off, as min(T, tau). The mean of that is the restricted mean, which censored
runs do not make uncertain, and no model of hazards is needed (Royston and Parmar 2013, "Restricted
mean survival time"). A log-rank test would leave out that the users are the same.

Intervals and tests take the number of users as given, also of an evaluation `until_width`: that has
looked at how narrow success is known, and never at a difference.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from rich.table import Table
from rich.text import Text

from explorative_user_env.display.html import html_table, paragraphs
from explorative_user_env.display.tables import as_text
from explorative_user_env.results.comparison_tables import (
    PAIRED_LEGEND,
    comparison_table,
    dominated_notes,
    line_up_table,
    lost_notes,
)
from explorative_user_env.results.intervals import LEVEL
from explorative_user_env.results.metrics import succeeded
from explorative_user_env.results.paired import (
    PairedDifference,
    adjusted,
    mean_difference,
    probability_of_less,
    share_difference,
)
from explorative_user_env.validation import InvalidArgumentError, choice

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PAIRS = ["instance", "user_seed"]
"""What says which user of a run it is."""


class _Shown:
    """What is a table with notes below it, printed or in a notebook."""

    def _table(self) -> Table:
        raise NotImplementedError

    def _all_notes(self) -> list[str]:
        raise NotImplementedError

    def _pairs(self) -> "Sequence[Comparison]":
        raise NotImplementedError

    def plot(self, figure: str | None = None, axes: "Axes | None" = None) -> "Axes":
        """Draw how far apart agents are in a figure, and return Matplotlib's axes.

        Args:
            figure: which of the figures, by its name in `differences`; None is the first.
            axes: where it is drawn; None is a new figure.

        Raises:
            InvalidArgumentError: for a figure that there is none of.
        """
        from explorative_user_env.results.figures_of_comparisons import paired_differences

        return paired_differences(self._pairs(), figure, axes)

    def __str__(self) -> str:
        notes = [as_text(Text(note)) for note in self._all_notes()]
        return "\n".join([as_text(self._table()), *notes])

    def _repr_html_(self) -> str:
        return html_table(self._table()) + paragraphs(self._all_notes())


@dataclass(frozen=True)
class Comparison(_Shown):
    """Two agents on the same users. Printed, or in a notebook, it is the table.

    Attributes:
        first: the first agent's name.
        second: the second agent's.
        n_users: how many users both have met.
        level: probability with which each interval holds.
        censored: share of the runs of the first and of the second that the cap ended.
        left: share of those whose users left.
        differences: the figures.
    """

    first: str
    second: str
    n_users: int
    level: float
    censored: tuple[float, float]
    left: tuple[float, float]
    differences: Sequence[PairedDifference]

    def frame(self) -> pd.DataFrame:
        """Return one row a figure, with the names of both agents."""
        shared = {"agent": self.first, "against": self.second, "n_users": self.n_users}
        return pd.DataFrame([shared | vars(each) for each in self.differences])

    def notes(self) -> list[str]:
        """Return what is to be said of these runs: which were cut off, which mean says little."""
        names = (self.first, self.second)
        lost = lost_notes(*names, self.censored, self.left)
        return [*lost, *dominated_notes(*names, self.differences)]

    def _pairs(self) -> "Sequence[Comparison]":
        return [self]

    def _all_notes(self) -> list[str]:
        return [f"{self.n_users} users.", *self.notes(), PAIRED_LEGEND]

    def _table(self) -> Table:
        return comparison_table(self.first, self.second, self.differences, self.level)


@dataclass(frozen=True)
class LineUpComparison(_Shown):
    """All agents of a line-up against one. Printed, or in a notebook, it is the table.

    Attributes:
        against: the one.
        comparisons: each of the others with it. The intervals of a figure all hold at once with a
            probability of 95% (Bonferroni), and its p-values are adjusted for how many they are
            (Holm): with 95% none is below .05 of an agent that does not differ.
    """

    against: str
    comparisons: Sequence[Comparison]

    def frame(self) -> pd.DataFrame:
        """Return one row an agent and figure."""
        return pd.concat([each.frame() for each in self.comparisons], ignore_index=True)

    def _pairs(self) -> Sequence[Comparison]:
        return self.comparisons

    def _all_notes(self) -> list[str]:
        n_agents = len(self.comparisons)
        family = (
            f"{self.comparisons[0].n_users} users. The {n_agents} intervals of a figure hold at "
            f"once with 95% (Bonferroni), its {n_agents} p-values are for a family-wise error "
            "(Holm)."
        )
        return [
            family,
            *(note for each in self.comparisons for note in each.notes()),
            PAIRED_LEGEND,
        ]

    def _table(self) -> Table:
        rows = {each.first: each.differences for each in self.comparisons}
        return line_up_table(self.against, rows)


def compare(
    runs: pd.DataFrame, first: str, second: str, *, over_horizon: bool, level: float = LEVEL
) -> Comparison:
    """Return how two agents compare on the users that both have met: first minus second.

    Of best-arm identification the stopping time (up to where a step cap ended a run of either, if
    it did), how probable the first is to stop sooner, and the success; over a horizon the regret,
    how probable the first is to have less, and the utility.

    Args:
        runs: as in `Results`.
        first: the name of an agent.
        second: of another.
        over_horizon: whether the task is "regret".
        level: probability with which each interval is to hold.

    Raises:
        InvalidArgumentError: for a name that is none, one agent twice, or other users for each.
    """
    names = list(dict.fromkeys(runs["agent"]))
    if choice("first", first, names) == choice("second", second, names):
        raise InvalidArgumentError("second", second, "another agent than the first")
    one, other = (
        runs[runs["agent"] == name].set_index(PAIRS).sort_index() for name in (first, second)
    )
    if not one.index.equals(other.index):
        allowed = f"an agent that has met the same users as {first}"
        raise InvalidArgumentError("second", second, allowed)
    shared = (first, second, len(one), level)
    left = 0.0, 0.0  # where users come one after another, all stay
    if "left" in one:
        left = float(one["left"].mean()), float(other["left"].mean())
    if over_horizon:
        return Comparison(*shared, (0.0, 0.0), left, _of_plays(one, other, level))
    censored = float(one["censored"].mean()), float(other["censored"].mean())
    return Comparison(*shared, censored, left, _of_times(one, other, level))


def compare_all(runs: pd.DataFrame, against: str, *, over_horizon: bool) -> LineUpComparison:
    """Return how all agents compare with one, with a family-wise error of 5% for each figure.

    Args:
        runs: as in `Results`.
        against: the one's name.
        over_horizon: whether the task is "regret".

    Raises:
        InvalidArgumentError: for a name that is none, nobody else, or other users for some.
    """
    names = list(dict.fromkeys(runs["agent"]))
    others = [name for name in names if name != choice("against", against, names)]
    if not others:
        raise InvalidArgumentError("against", against, "one of at least two agents")
    level = 1.0 - (1.0 - LEVEL) / len(others)
    found = [
        compare(runs, name, against, over_horizon=over_horizon, level=level) for name in others
    ]
    figures = zip(*(each.differences for each in found), strict=True)
    by_agent = zip(*map(adjusted, figures), strict=True)
    return LineUpComparison(
        against,
        [replace(each, differences=own) for each, own in zip(found, by_agent, strict=True)],
    )


def _of_times(one: pd.DataFrame, other: pd.DataFrame, level: float) -> list[PairedDifference]:
    first, second = (runs["stopping_time"].to_numpy(float) for runs in (one, other))
    lengths = [runs.loc[runs["censored"], "stopping_time"] for runs in (one, other)]
    tau = float(pd.concat(lengths).min())  # NaN where no run was cut off
    first, second = np.fmin(first, tau), np.fmin(second, tau)
    right, also = (succeeded(runs).to_numpy() for runs in (one, other))
    return [
        replace(mean_difference("stopping time", first, second, level), tau=tau),
        replace(probability_of_less("P(stops sooner)", first, second, level), tau=tau),
        share_difference("success", right, also, level),
    ]


def _of_plays(one: pd.DataFrame, other: pd.DataFrame, level: float) -> list[PairedDifference]:
    regret, other_regret = (runs["regret"].to_numpy(float) for runs in (one, other))
    utility, other_utility = (runs["utility"].to_numpy(float) for runs in (one, other))
    return [
        mean_difference("regret", regret, other_regret, level),
        probability_of_less("P(less regret)", regret, other_regret, level),
        mean_difference("utility", utility, other_utility, level),
    ]
