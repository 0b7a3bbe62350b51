"""Two agents on the same users, figure by figure; or a line-up, all against one.

Users are paired, so what differs between them is in no difference. Where a step cap ended a run,
its stopping time is not known: times are then compared up to tau, the least length at which a run
of either agent was cut off, as min(T, tau). The mean of that is the restricted mean, which censored
runs do not make uncertain, and no model of hazards is needed (Royston and Parmar 2013, "Restricted
mean survival time"). A log-rank test would leave out that the users are the same.

Intervals and tests take the number of users as given, also of an evaluation `until_width`, which
has never looked at a difference.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from rich.table import Table
from rich.text import Text

from explorative_user_env.display.tables import Column, as_text, html_table, paragraphs, table
from explorative_user_env.display.text import share
from explorative_user_env.protocol import Array
from explorative_user_env.results import intervals
from explorative_user_env.results.metrics import succeeded
from explorative_user_env.validation import InvalidArgumentError, choice

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Kinds of figures: a mean, a share of runs, and how often the first agent is the better.
AS_MEANS, AS_SHARES, AS_PROBABILITY = "mean", "share", "probability"

#: The names of the first two figures, their column, and the third with its kind, by whether the
#: task has a horizon.
FIGURES = (
    ("stopping time", "P(stops sooner)", "stopping_time", "success", AS_SHARES),
    ("regret", "P(less regret)", "regret", "utility", AS_MEANS),
)

#: The columns that identify the user of a run.
PAIRS = ["instance", "user_seed"]

#: The least number of trainings, and of users, whose spread can be estimated.
FEWEST = 2

PAIRED_LEGEND = (
    "Same users; differences are first minus second. P: that the first has less with a user, ties "
    "count half. p: of means by the t-test behind their intervals, of shares and P by McNemar's "
    "exact test."
)


@dataclass(frozen=True)
class PairedDifference:
    """How far apart two agents are in one figure.

    Attributes:
        figure: what is compared.
        kind: `AS_MEANS`, `AS_SHARES` or `AS_PROBABILITY`.
        first: the first agent's figure; NaN for a probability, which is of both.
        second: the second agent's figure.
        value: first minus second, or the probability that the first is the better, ties half.
        low: the lower end of its interval.
        high: the upper end.
        p_value: of no difference, or of a probability of one half.
        dominated: whether one user has most of the variance, so that a mean says little.
        tau: up to where values are compared, as min(value, tau); NaN where they are all known.
    """

    figure: str
    kind: str
    first: float
    second: float
    value: float
    low: float
    high: float
    p_value: float
    dominated: bool = False
    tau: float = math.nan

    @property
    def in_words(self) -> str:
        """The difference with its interval."""
        writes = {AS_MEANS: "{:+.1f}".format, AS_SHARES: "{:+.3f}".format, AS_PROBABILITY: share}
        value, low, high = map(writes[self.kind], (self.value, self.low, self.high))
        value += "*" * self.dominated
        return value if math.isnan(self.low) else f"{value} [{low}, {high}]"


def paired_difference(
    figure: str, kind: str, first: Array, second: Array, level: float = intervals.LEVEL
) -> PairedDifference:
    """Return how far apart two agents are with the same users.

    Means are compared by the differences of each pair. Shares are compared by the users with whom
    only one agent succeeded, by McNemar's test, exact for any number of users. The probability that
    the first has less with a user, where ties count half, is half of 1 + P(less) - P(more): its
    interval is that of a difference of shares, and its test the sign test.

    Args:
        figure: what is compared.
        kind: `AS_MEANS`, `AS_SHARES` or `AS_PROBABILITY`.
        first: the first agent's values, one a user; of shares whether it succeeded, bool.
        second: the second agent's values, of the same users.
        level: probability with which the interval holds.
    """
    from scipy import stats

    means = float(np.mean(first)), float(np.mean(second))
    if kind == AS_MEANS:
        apart = first - second
        low, high = intervals.mean_interval(apart, level)
        p_value, dominated = intervals.mean_p_value(apart), intervals.one_dominates(apart)
        value = float(np.mean(apart))
        return PairedDifference(figure, kind, *means, value, low, high, p_value, dominated)
    more, less = int(np.sum(first > second)), int(np.sum(first < second))
    counts = (more, less) if kind == AS_SHARES else (less, more)
    low, high = intervals.paired_difference_interval(*counts, len(first), level)
    value = (counts[0] - counts[1]) / len(first)
    p_value = float(stats.binomtest(counts[0], more + less).pvalue) if more + less else 1.0
    if kind == AS_PROBABILITY:
        means = math.nan, math.nan
        value, low, high = (0.5 * (1.0 + each) for each in (value, low, high))
    return PairedDifference(figure, kind, *means, value, low, high, p_value)


def adjusted(family: Sequence[PairedDifference]) -> list[PairedDifference]:
    """Return differences with their p-values adjusted for their number.

    Holm 1979, "A simple sequentially rejective multiple test procedure": at most a share alpha of
    families has any adjusted p-value below alpha where there is no difference.
    """
    ps = np.array([each.p_value for each in family])
    order = np.argsort(ps, kind="stable")
    holm = np.maximum.accumulate(np.fmin(1.0, np.arange(len(ps), 0, -1) * ps[order]))
    found = zip(family, holm[np.argsort(order)].tolist(), strict=True)
    return [replace(each, p_value=p_value) for each, p_value in found]


def crossed_difference(
    figure: str, trained: Array, against: Array, level: float = intervals.LEVEL
) -> PairedDifference:
    """Return how far a policy is from an agent, with an interval over users and training seeds.

    Half its length is the root of the sum of two squares: of the interval over trainings, of each
    one's mean over all users (Student's), and of that over users, of each one's mean over all
    trainings. Chance within a run is in both, so it is rather too long than too short.

    Args:
        figure: what is compared.
        trained: the policy's values, a row for each training and a column for each user.
        against: the agent's values, one for each of the same users.
        level: probability with which the interval holds.

    Raises:
        InvalidArgumentError: for fewer than two trainings or users, or other users for the agent.
    """
    from scipy import optimize, stats

    if trained.ndim != 2 or min(trained.shape) < FEWEST:
        allowed = f"a table of at least {FEWEST} trainings and {FEWEST} users"
        raise InvalidArgumentError("trained", trained.shape, allowed)
    if against.shape != trained.shape[1:]:
        allowed = f"one value for each of {trained.shape[1]} users"
        raise InvalidArgumentError("against", against.shape, allowed)
    apart = trained - against
    value, of_trainings = float(apart.mean()), apart.mean(axis=1)
    error = float(stats.sem(of_trainings))

    def half(level: float) -> float:
        quantile = float(stats.t.ppf(0.5 + level / 2.0, len(of_trainings) - 1))
        low, high = intervals.mean_interval(apart.mean(axis=0), level)
        return math.hypot(quantile * error, (high - low) / 2.0)

    def beyond(level: float) -> float:
        return half(level) - abs(value)  # how far 0 is inside the interval

    surest, p_value = 1.0 - 1e-12, 1.0
    if beyond(0.0) < 0.0:
        ends_at_0 = surest if beyond(surest) <= 0.0 else optimize.brentq(beyond, 0.0, surest)
        p_value = 1.0 - float(ends_at_0)
    means, width = (float(trained.mean()), float(against.mean())), half(level)
    return PairedDifference(figure, AS_MEANS, *means, value, value - width, value + width, p_value)


def _p_value(value: float) -> str:
    return "" if math.isnan(value) else "<.001" if value < 0.0005 else share(value)


def _up_to(tau: float, words: str = "") -> str:
    return "" if math.isnan(tau) else f"{words}{tau:.0f}"


class _Page:
    """A table with notes below it, printed or in a notebook, and a plot."""

    def _parts(self) -> tuple[Table, Sequence[str], "Sequence[Comparison]"]:
        """Return the table, its notes, and the pairs that are plotted."""
        raise NotImplementedError

    def plot(self, figure: str | None = None, axes: "Axes | None" = None) -> "Axes":
        """Draw how far apart agents are in a figure, and return Matplotlib's axes.

        Args:
            figure: one of the figures, by its name in `differences`; None is the first.
            axes: where it is drawn; None is a new figure.

        Raises:
            InvalidArgumentError: for another figure.
        """
        from explorative_user_env.results.plots import paired_differences

        return paired_differences(self._parts()[2], figure, axes)  # type: ignore[no-any-return]

    def __str__(self) -> str:
        rows, notes, _ = self._parts()
        return "\n".join([as_text(rows), *(as_text(Text(note)) for note in notes)])

    def _repr_html_(self) -> str:
        rows, notes, _ = self._parts()
        return html_table(rows) + paragraphs(notes)


@dataclass(frozen=True)
class Comparison(_Page):
    """Two agents on the same users. Printed, or in a notebook, it is the table.

    Attributes:
        first: the first agent's name.
        second: the second agent's name.
        n_users: number of users that both have met.
        level: probability with which each interval holds.
        censored: share of the runs of the first and of the second that the cap ended.
        left: share of those whose users left.
        differences: the figures.
    """

    first: str
    second: str
    n_users: int
    level: float
    censored: Sequence[float]
    left: Sequence[float]
    differences: Sequence[PairedDifference]

    def frame(self) -> pd.DataFrame:
        """Return one row a figure, with the names of both agents."""
        shared = {"agent": self.first, "against": self.second, "n_users": self.n_users}
        return pd.DataFrame([shared | vars(each) for each in self.differences])

    def notes(self) -> list[str]:
        """Return notes on runs that were cut off, and on means that one user dominates."""

        def of_both(shares: Sequence[float]) -> str:
            return f"{shares[0]:.3f} of {self.first}'s and {shares[1]:.3f} of {self.second}'s"

        notes = []
        if any(self.censored):
            notes.append(
                f"The step cap ended {of_both(self.censored)} runs: their stopping times are "
                "compared up to where it did, as restricted means."
            )
        if any(self.left):
            notes.append(f"Users left in {of_both(self.left)} runs, which end there.")
        return notes + [
            f"* one user has most of the variance of {self.first} minus {self.second}: the "
            f"difference of the mean {each.figure} says little; P does not rest on it."
            for each in self.differences
            if each.dominated
        ]

    def _parts(self) -> tuple[Table, Sequence[str], "Sequence[Comparison]"]:
        def figure(row: PairedDifference, value: float) -> str:
            return f"{value:.1f}" if row.kind == AS_MEANS else share(value)

        columns = [
            Column("figure", lambda row: row.figure + _up_to(row.tau, ", up to "), left=True),
            Column(self.first, lambda row: figure(row, row.first)),
            Column(self.second, lambda row: figure(row, row.second)),
            Column(f"difference [{100.0 * self.level:.3g}%]", "in_words"),
            Column("p", "p_value", _p_value),
        ]
        notes = [f"{self.n_users} users.", *self.notes(), PAIRED_LEGEND]
        return table(self.differences, columns, padding=1), notes, [self]


@dataclass(frozen=True)
class LineUpComparison(_Page):
    """All agents of a line-up against one. Printed, or in a notebook, it is the table.

    Attributes:
        against: the one.
        comparisons: each of the others with it. The intervals of a figure all hold at once with a
            probability of 95% (Bonferroni), and its p-values are adjusted for their number (Holm):
            with 95% none is below .05 of an agent that does not differ.
    """

    against: str
    comparisons: Sequence[Comparison]

    def frame(self) -> pd.DataFrame:
        """Return one row an agent and figure."""
        return pd.concat([each.frame() for each in self.comparisons], ignore_index=True)

    def _parts(self) -> tuple[Table, Sequence[str], "Sequence[Comparison]"]:
        pairs = self.comparisons
        cut = any(not math.isnan(pair.differences[0].tau) for pair in pairs)
        columns = [Column(f"minus {self.against}", left=True), Column("up to")][: 1 + cut]
        rows = [[pair.first, _up_to(pair.differences[0].tau)][: 1 + cut] for pair in pairs]
        for each in pairs[0].differences:
            columns += [Column(f"{each.figure} [95%]"), Column("p", attached=True)]
        for row, pair in zip(rows, pairs, strict=True):
            for each in pair.differences:
                row += [each.in_words, _p_value(each.p_value)]
        n = len(pairs)
        family = (
            f"{pairs[0].n_users} users. The {n} intervals of a figure hold at once with 95% "
            f"(Bonferroni), its {n} p-values are for a family-wise error (Holm)."
        )
        notes = [family, *(note for each in pairs for note in each.notes()), PAIRED_LEGEND]
        return table(rows, columns, padding=1, leading=1 + cut), notes, pairs


def compare(results: Any, first: str, second: str, level: float = intervals.LEVEL) -> Comparison:
    """Return how two agents compare on the users that both have met: first minus second.

    Of best-arm identification the stopping time (up to where a step cap ended a run of either), the
    probability that the first stops sooner, and the success; over a horizon the regret, the
    probability that the first has less, and the utility.

    Args:
        results: the `Results`.
        first: the name of an agent.
        second: the name of another.
        level: probability with which each interval holds.

    Raises:
        InvalidArgumentError: for an unknown name, one agent twice, or other users for each.
    """
    runs, over_horizon = results.runs, results.over_horizon
    names = list(dict.fromkeys(runs["agent"]))
    if choice("first", first, names) == choice("second", second, names):
        raise InvalidArgumentError("second", second, "another agent than the first")
    both = [runs[runs["agent"] == name].set_index(PAIRS).sort_index() for name in (first, second)]
    if not both[0].index.equals(both[1].index):
        allowed = f"an agent that has met the same users as {first}"
        raise InvalidArgumentError("second", second, allowed)
    censored, left = (  # 0 in tasks that do not have it
        tuple(float(each[column].mean()) if column in each else 0.0 for each in both)
        for column in ("censored", "left")
    )
    figure, less, column, other, kind = FIGURES[over_horizon]
    tau = math.nan
    if not over_horizon:
        lengths = [each.loc[each["censored"], column] for each in both]
        tau = float(pd.concat(lengths).min())  # NaN where no run was cut off
        both = [each.assign(success=succeeded(each)) for each in both]

    def compared(name: str, kind: str, column: str, most: float = math.nan) -> PairedDifference:
        values, others = (np.fmin(each[column].to_numpy(float), most) for each in both)
        return replace(paired_difference(name, kind, values, others, level), tau=most)

    differences = [
        compared(figure, AS_MEANS, column, tau),
        compared(less, AS_PROBABILITY, column, tau),
        compared(other, kind, other),
    ]
    return Comparison(first, second, len(both[0]), level, censored, left, differences)


def compare_all(results: Any, against: str) -> LineUpComparison:
    """Return how all agents compare with one, with a family-wise error of 5% for each figure.

    Args:
        results: the `Results`.
        against: the name of the one.

    Raises:
        InvalidArgumentError: for an unknown name, no other agent, or other users for some.
    """
    names = list(dict.fromkeys(results.runs["agent"]))
    others = [name for name in names if name != choice("against", against, names)]
    if not others:
        raise InvalidArgumentError("against", against, "one of at least two agents")
    level = 1.0 - (1.0 - intervals.LEVEL) / len(others)
    found = [compare(results, name, against, level) for name in others]
    by_figure = zip(*(each.differences for each in found), strict=True)
    by_agent = zip(*map(adjusted, by_figure), strict=True)
    pairs = zip(found, by_agent, strict=True)
    return LineUpComparison(against, [replace(each, differences=own) for each, own in pairs])
