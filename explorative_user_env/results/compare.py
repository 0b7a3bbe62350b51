"""Compare two agents on the same users, or one agent with all others of a line-up.

The values of both agents with the same user form a pair, so differences between users cancel. If
runs are censored, the stopping time T is replaced by min(T, tau), where tau is the stopping time of
the shortest censored run. Censoring does not bias the mean of min(T, tau), the restricted mean
(Royston and Parmar 2013, "Restricted mean survival time"). The restricted mean assumes no model of
hazards. A log-rank test would ignore the pairing.

Intervals and tests assume a fixed number of users. They are also valid if `evaluate` adds users
until the interval of success has the width `until_width`, because this rule does not depend on
differences between agents.
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

#: Kinds of metrics: a mean, a share of runs, and the probability that the first agent is better.
AS_MEANS, AS_SHARES, AS_PROBABILITY = "mean", "share", "probability"

#: The first two metrics, their column, and the third metric with its kind: without and with a
#: horizon.
FIGURES = (
    ("stopping time", "P(stops sooner)", "stopping_time", "success", AS_SHARES),
    ("regret", "P(less regret)", "regret", "utility", AS_MEANS),
)

#: The columns that identify the user of a run.
PAIRS = ["instance", "user_seed"]

#: Fewest training seeds, and fewest users, for an estimate of variance.
FEWEST = 2

PAIRED_LEGEND = (
    "Same users; differences are first minus second. P: probability that the first has the lower "
    "value with a user; ties count half. p: t-test of the interval for means, McNemar's exact test "
    "for shares and P."
)


@dataclass(frozen=True)
class PairedDifference:
    """The difference of two agents in one metric.

    Attributes:
        figure: name of the metric.
        kind: `AS_MEANS`, `AS_SHARES` or `AS_PROBABILITY`.
        first: value of the first agent; NaN if `kind` is `AS_PROBABILITY`.
        second: value of the second agent; NaN if `kind` is `AS_PROBABILITY`.
        value: first minus second, or P(the first agent is better); ties count half.
        low: lower end of the interval of `value`.
        high: upper end of the interval of `value`.
        p_value: p-value of the hypothesis that the difference is 0, or that P is 1/2.
        dominated: whether more than half of the variance of a mean comes from one user. Such a mean
            is unreliable.
        tau: stopping time of the shortest censored run, which replaces all longer stopping times;
            NaN without censored runs.
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
        """The difference and its interval, as text."""
        writes = {AS_MEANS: "{:+.1f}".format, AS_SHARES: "{:+.3f}".format, AS_PROBABILITY: share}
        value, low, high = map(writes[self.kind], (self.value, self.low, self.high))
        value += "*" * self.dominated
        return value if math.isnan(self.low) else f"{value} [{low}, {high}]"


def paired_difference(
    figure: str, kind: str, first: Array, second: Array, level: float = intervals.LEVEL
) -> PairedDifference:
    """Compare the values of two agents on the same users.

    For means, the interval and the test use the difference of the two values of each user. For
    shares, McNemar's exact test uses the users with whom only one agent succeeded. The probability
    that the first value is lower is (1 + P(lower) - P(higher)) / 2, so ties count half. The
    interval of P(lower) - P(higher) gives the interval of this probability. The test is the sign
    test.

    Args:
        figure: name of the metric.
        kind: `AS_MEANS`, `AS_SHARES` or `AS_PROBABILITY`.
        first: values of the first agent, shape (users,); for shares, whether it succeeded (bool).
        second: values of the second agent on the same users, shape (users,).
        level: coverage of the interval, in (0, 1).
    """
    from scipy import stats

    means = float(np.mean(first)), float(np.mean(second))
    if kind == AS_MEANS:
        pairs = first - second
        low, high = intervals.mean_interval(pairs, level)
        p_value, dominated = intervals.mean_p_value(pairs), intervals.one_dominates(pairs)
        value = float(np.mean(pairs))
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
    """Return the differences with p-values adjusted for multiple testing (Holm).

    With probability at least 1 - alpha, no true hypothesis of the family has an adjusted p-value
    below alpha (Holm 1979, "A simple sequentially rejective multiple test procedure").
    """
    ps = np.array([each.p_value for each in family])
    order = np.argsort(ps, kind="stable")
    holm = np.maximum.accumulate(np.fmin(1.0, np.arange(len(ps), 0, -1) * ps[order]))
    values = zip(family, holm[np.argsort(order)].tolist(), strict=True)
    return [replace(each, p_value=p_value) for each, p_value in values]


def crossed_difference(
    figure: str, trained: Array, against: Array, level: float = intervals.LEVEL
) -> PairedDifference:
    """Compare a trained policy with an agent; the interval includes the variance of training seeds.

    The half-width is sqrt(a^2 + b^2), where a is the half-width of Student's interval from the mean
    of each training, and b is the half-width of `mean_interval` from the mean of each user. Both
    include the variance within runs, so the interval is conservative.

    Args:
        figure: name of the metric.
        trained: values of the policy, shape (trainings, users).
        against: values of the agent on the same users, shape (users,).
        level: coverage of the interval, in (0, 1).

    Raises:
        InvalidArgumentError: for fewer than two trainings or users, or if policy and agent have
            different numbers of users.
    """
    from scipy import optimize, stats

    if trained.ndim != 2 or min(trained.shape) < FEWEST:
        allowed = f"a table of at least {FEWEST} trainings and {FEWEST} users"
        raise InvalidArgumentError("trained", trained.shape, allowed)
    if against.shape != trained.shape[1:]:
        allowed = f"({trained.shape[1]},), one value for each user"
        raise InvalidArgumentError("shape of the argument against", against.shape, allowed)
    pairs = trained - against
    value, of_trainings = float(pairs.mean()), pairs.mean(axis=1)
    error = float(stats.sem(of_trainings))

    def half(level: float) -> float:
        quantile = float(stats.t.ppf(0.5 + level / 2.0, len(of_trainings) - 1))
        low, high = intervals.mean_interval(pairs.mean(axis=0), level)
        return math.hypot(quantile * error, (high - low) / 2.0)

    def beyond(level: float) -> float:
        return half(level) - abs(value)  # at most 0 if the interval excludes 0

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
    """The common methods of comparisons: print a table with notes, and draw a plot."""

    def _parts(self) -> tuple[Table, Sequence[str], "Sequence[Comparison]"]:
        """Return the table, its notes, and the comparisons to plot."""
        raise NotImplementedError

    def plot(self, figure: str | None = None, axes: "Axes | None" = None) -> "Axes":
        """Plot the differences of one metric and return Matplotlib's axes.

        Args:
            figure: name of the metric to plot, as in `differences`; None plots the first metric.
            axes: Matplotlib axes for the plot; None creates new axes.

        Raises:
            InvalidArgumentError: if the comparison has no such metric.
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
    """The comparison of two agents on the same users; printing shows the table.

    Attributes:
        first: the first agent's name.
        second: the second agent's name.
        n_users: number of users that both agents have run with.
        level: coverage of each interval.
        censored: share of censored runs of the first and of the second agent.
        left: share of the first and of the second agent's runs that ended because the user left.
        differences: the difference in each metric.
    """

    first: str
    second: str
    n_users: int
    level: float
    censored: Sequence[float]
    left: Sequence[float]
    differences: Sequence[PairedDifference]

    def frame(self) -> pd.DataFrame:
        """Return one row per metric, with the names of both agents."""
        shared = {"agent": self.first, "against": self.second, "n_users": self.n_users}
        return pd.DataFrame([shared | vars(each) for each in self.differences])

    def notes(self) -> list[str]:
        """Return notes on censored runs, users who left, and unreliable means."""

        def of_both(shares: Sequence[float]) -> str:
            return f"{shares[0]:.3f} of {self.first}'s and {shares[1]:.3f} of {self.second}'s"

        notes = []
        if any(self.censored):
            notes.append(
                f"The step cap ended {of_both(self.censored)} runs: their stopping times are "
                "compared as restricted means."
            )
        if any(self.left):
            notes.append(f"Users left in {of_both(self.left)} runs, which end there.")
        return notes + [
            f"* one user has most of the variance of {self.first} minus {self.second}: the "
            f"difference of the mean {each.figure} is unreliable; P is not affected."
            for each in self.differences
            if each.dominated
        ]

    def _parts(self) -> tuple[Table, Sequence[str], "Sequence[Comparison]"]:
        def figure(row: PairedDifference, value: float) -> str:
            return f"{value:.1f}" if row.kind == AS_MEANS else share(value)

        columns = [
            Column("metric", lambda row: row.figure + _up_to(row.tau, ", up to "), left=True),
            Column(self.first, lambda row: figure(row, row.first)),
            Column(self.second, lambda row: figure(row, row.second)),
            Column(f"difference [{100.0 * self.level:.3g}%]", "in_words"),
            Column("p", "p_value", _p_value),
        ]
        notes = [f"{self.n_users} users.", *self.notes(), PAIRED_LEGEND]
        return table(self.differences, columns, padding=1), notes, [self]


@dataclass(frozen=True)
class LineUpComparison(_Page):
    """The comparison of one agent with all others of a line-up; printing shows the table.

    Attributes:
        against: name of the agent with which all others are compared.
        comparisons: one comparison with `against` for each other agent. With probability at least
            95%, all intervals of a metric hold (Bonferroni). The p-values of a metric are adjusted
            (Holm), so that the family-wise error of the tests at level .05 is at most 5%.
    """

    against: str
    comparisons: Sequence[Comparison]

    def frame(self) -> pd.DataFrame:
        """Return one row for each agent and metric."""
        return pd.concat([each.frame() for each in self.comparisons], ignore_index=True)

    def _parts(self) -> tuple[Table, Sequence[str], "Sequence[Comparison]"]:
        pairs = self.comparisons
        censored = any(not math.isnan(pair.differences[0].tau) for pair in pairs)
        columns = [Column(f"minus {self.against}", left=True), Column("up to")][: 1 + censored]
        rows = [[pair.first, _up_to(pair.differences[0].tau)][: 1 + censored] for pair in pairs]
        for each in pairs[0].differences:
            columns += [Column(f"{each.figure} [95%]"), Column("p", attached=True)]
        for row, pair in zip(rows, pairs, strict=True):
            for each in pair.differences:
                row += [each.in_words, _p_value(each.p_value)]
        n = len(pairs)
        family = (
            f"{pairs[0].n_users} users. The {n} intervals of a metric hold jointly with 95% "
            f"(Bonferroni); its {n} p-values control the family-wise error (Holm)."
        )
        notes = [family, *(note for each in pairs for note in each.notes()), PAIRED_LEGEND]
        return table(rows, columns, padding=1, leading=1 + censored), notes, pairs


def compare(results: Any, first: str, second: str, level: float = intervals.LEVEL) -> Comparison:
    """Compare two agents on the same users; differences are first minus second.

    In best-arm identification the metrics are the stopping time, the probability that the first
    agent stops sooner, and the success. The stopping time of the shortest censored run replaces all
    longer stopping times. In tasks with a horizon the metrics are the regret, the probability that
    the first agent has less regret, and the utility.

    Args:
        results: the `Results`.
        first: name of an agent.
        second: name of another agent.
        level: coverage of each interval, in (0, 1).

    Raises:
        InvalidArgumentError: if a name is unknown, both names are equal, or the users differ.
    """
    runs, over_horizon = results.runs, results.over_horizon
    names = list(dict.fromkeys(runs["agent"]))
    if choice("the argument first", first, names) == choice("the argument second", second, names):
        raise InvalidArgumentError("the argument second", second, f"an agent other than {first}")
    both = [runs[runs["agent"] == name].set_index(PAIRS).sort_index() for name in (first, second)]
    if not both[0].index.equals(both[1].index):
        allowed = f"an agent with the same users as {first}"
        raise InvalidArgumentError("the argument second", second, allowed)
    censored, left = (  # 0.0 if the runs have no such column
        tuple(float(each[column].mean()) if column in each else 0.0 for each in both)
        for column in ("censored", "left")
    )
    figure, less, column, other, kind = FIGURES[over_horizon]
    tau = math.nan
    if not over_horizon:
        lengths = [each.loc[each["censored"], column] for each in both]
        tau = float(pd.concat(lengths).min())  # NaN without censored runs
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
    """Compare all other agents with `against`; each metric has a family-wise error of at most 5%.

    Args:
        results: the `Results`.
        against: name of an agent.

    Raises:
        InvalidArgumentError: for an unknown name, a single agent, or agents with different users.
    """
    names = list(dict.fromkeys(results.runs["agent"]))
    others = [name for name in names if name != choice("the argument against", against, names)]
    if not others:
        raise InvalidArgumentError("the argument against", against, "one of two or more agents")
    level = 1.0 - (1.0 - intervals.LEVEL) / len(others)
    pairs = [compare(results, name, against, level) for name in others]
    by_figure = zip(*(each.differences for each in pairs), strict=True)
    by_agent = zip(*map(adjusted, by_figure), strict=True)
    rows = zip(pairs, by_agent, strict=True)
    return LineUpComparison(against, [replace(pair, differences=each) for pair, each in rows])
