"""Two agents on the same users, figure by figure; or a line-up, all against one.

Users are paired, so what differs between them is in no difference. Where a step cap ended a run,
its stopping time is not known: times are then compared up to tau, the least length at which a run
of either agent was cut off, as min(T, tau). The mean of that is the restricted mean, which censored
runs do not make uncertain, and no model of hazards is needed (Royston and Parmar 2013, "Restricted
mean survival time"). A log-rank test would leave out that the users are the same.

Intervals and tests take the number of users as given, also of an evaluation `until_width`: that has
looked at how narrow success is known, and never at a difference.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pandas as pd
from rich.table import Table
from rich.text import Text

from explorative_user_env.display.plots import (
    LONGEST_NAME,
    SERIES,
    TEXT_SIZE,
    colour_of,
    dress,
    plot_axes,
    verbatim,
)
from explorative_user_env.display.tables import as_text, html_table, new_table, paragraphs
from explorative_user_env.display.text import share
from explorative_user_env.protocol import Array
from explorative_user_env.results.intervals import (
    LEVEL,
    mean_interval,
    mean_p_value,
    one_dominates,
    paired_difference_interval,
)
from explorative_user_env.results.metrics import succeeded
from explorative_user_env.validation import InvalidArgumentError, choice

if TYPE_CHECKING:
    from matplotlib.axes import Axes


AS_MEANS, AS_SHARES, AS_PROBABILITY = "mean", "share", "probability"
"""Kinds of figures: a mean, a share of runs, and how often the first agent is the better."""


@dataclass(frozen=True)
class PairedDifference:
    """How far apart two agents are in one figure.

    Attributes:
        figure: what is compared.
        kind: `AS_MEANS`, `AS_SHARES` or `AS_PROBABILITY`.
        first: the first agent's figure; NaN for a probability, which is of both.
        second: the second agent's.
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


def mean_difference(figure: str, first: Array, second: Array, level: float) -> PairedDifference:
    """Return how far apart two means are, by the differences of each pair.

    Args:
        figure: what is compared.
        first: the first agent's values, one a user.
        second: the second agent's, of the same users.
        level: probability that the interval holds the difference.
    """
    apart = first - second
    low, high = mean_interval(apart, level)
    return PairedDifference(
        figure,
        AS_MEANS,
        float(np.mean(first)),
        float(np.mean(second)),
        float(np.mean(apart)),
        low,
        high,
        mean_p_value(apart),
        one_dominates(apart),
    )


def share_difference(figure: str, first: Array, second: Array, level: float) -> PairedDifference:
    """Return how far apart two shares are, by the users with whom only one agent succeeded.

    The test is McNemar's, exact for any number of users.

    Args:
        figure: what is compared.
        first: whether the first agent succeeded with each user, bool.
        second: whether the second did.
        level: probability that the interval holds the difference.
    """
    only_first, only_second = int(np.sum(first & ~second)), int(np.sum(second & ~first))
    shares = float(np.mean(first)), float(np.mean(second))
    low, high = paired_difference_interval(only_first, only_second, len(first), level)
    value = (only_first - only_second) / len(first)
    p_value = _sign_test(only_first, only_second)
    return PairedDifference(figure, AS_SHARES, *shares, value, low, high, p_value)


def probability_of_less(figure: str, first: Array, second: Array, level: float) -> PairedDifference:
    """Return how probable it is that the first agent has less with a user; ties count half.

    That is half of 1 + P(less) - P(more), so its interval is that of a difference of shares, and
    its test the sign test.

    Args:
        figure: what is compared.
        first: the first agent's values, one a user.
        second: the second agent's, of the same users.
        level: probability that the interval holds the probability.
    """
    less, more = int(np.sum(first < second)), int(np.sum(first > second))
    ends = paired_difference_interval(less, more, len(first), level)
    value, low, high = (
        0.5 * (1.0 + difference) for difference in ((less - more) / len(first), *ends)
    )
    p_value = _sign_test(less, more)
    return PairedDifference(figure, AS_PROBABILITY, math.nan, math.nan, value, low, high, p_value)


def _sign_test(firsts: int, seconds: int) -> float:
    from scipy import stats

    unequal = firsts + seconds
    return float(stats.binomtest(firsts, unequal).pvalue) if unequal else 1.0


def adjusted(family: Sequence[PairedDifference]) -> list[PairedDifference]:
    """Return differences with their p-values adjusted for how many there are.

    Holm 1979, "A simple sequentially rejective multiple test procedure": at most a share alpha of
    families has any adjusted p-value below alpha where there is no difference.

    Args:
        family: differences that are asked about together.
    """
    order = sorted(range(len(family)), key=lambda place: family[place].p_value)
    found, least = list(family), 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, (len(family) - rank) * family[place].p_value))
        found[place] = replace(family[place], p_value=least)
    return found


FEWEST = 2
"""Trainings, and users, without which nothing is known of how they vary."""


def crossed_difference(
    figure: str, trained: Array, against: Array, level: float = LEVEL
) -> PairedDifference:
    """Return how far a policy is from an agent, with an interval over users and training seeds.

    The interval over trainings, of each one's mean over all users, and that over users, of each
    one's mean over all trainings, are put together as squares. Chance within a run is in both, so
    the interval is rather too long than too short; that of trainings is Student's with one degree
    of freedom fewer than there are, which for three is 2.2 times as long as for many.

    Args:
        figure: what is compared.
        trained: the policy's values, a row for each training and a column for each user.
        against: the agent's, one for each of the same users.
        level: probability that the interval holds the difference.

    Raises:
        InvalidArgumentError: for fewer than two trainings or users, or other users for the agent.
    """
    if trained.ndim != 2 or min(trained.shape) < FEWEST:
        allowed = f"a table of at least {FEWEST} trainings and {FEWEST} users"
        raise InvalidArgumentError("trained", trained.shape, allowed)
    if against.shape != trained.shape[1:]:
        allowed = f"one value for each of {trained.shape[1]} users"
        raise InvalidArgumentError("against", against.shape, allowed)
    apart = trained - against
    value = float(apart.mean())
    by_training, by_user = apart.mean(axis=1), apart.mean(axis=0)
    half = crossed_half_width(by_training, by_user, level)
    return PairedDifference(
        figure,
        AS_MEANS,
        float(trained.mean()),
        float(against.mean()),
        value,
        value - half,
        value + half,
        _p_value(value, by_training, by_user),
    )


def crossed_half_width(by_training: Array, by_user: Array, level: float) -> float:
    """Return half the length of the interval, from the means of trainings and those of users."""
    from scipy import stats

    spread = float(stats.sem(by_training))
    of_trainings = float(stats.t.ppf(0.5 + level / 2.0, len(by_training) - 1)) * spread
    low, high = mean_interval(by_user, level)
    return math.hypot(of_trainings, (high - low) / 2.0)


def _p_value(value: float, by_training: Array, by_user: Array) -> float:
    """Return 1 minus the level of the interval that ends at 0."""
    from scipy import optimize

    def apart(level: float) -> float:
        return crossed_half_width(by_training, by_user, level) - abs(value)

    if apart(0.0) >= 0.0:
        return 1.0
    surest = 1.0 - 1e-12
    return 1.0 - (surest if apart(surest) <= 0.0 else float(optimize.brentq(apart, 0.0, surest)))


PAIRED_LEGEND = (
    "Same users; differences are first minus second. P: that the first has less with a user, ties "
    "count half. p: of means by the t-test behind their intervals, of shares and P by McNemar's "
    "exact test."
)

SIGNS = {AS_MEANS: "+.1f", AS_SHARES: "+.3f"}
"""How a difference of each kind is written."""


def comparison_table(
    first: str, second: str, differences: Sequence[PairedDifference], level: float
) -> Table:
    """Return a row a figure, both agents' beside each other.

    Args:
        first: the first agent's name.
        second: the second agent's.
        differences: the figures.
        level: of their intervals.
    """
    heading = f"difference [{100.0 * level:.3g}%]"
    table = new_table(("figure", first, second, heading, "p"), left=("figure",), padding=1)
    for each in differences:
        own = [_figure(each.kind, value) for value in (each.first, each.second)]
        name = each.figure if math.isnan(each.tau) else f"{each.figure}, up to {each.tau:.0f}"
        table.add_row(name, *own, _difference(each), _p_value_comparison_tables(each.p_value))
    return table


def line_up_table(against: str, rows: Mapping[str, Sequence[PairedDifference]]) -> Table:
    """Return a row an agent, and beside each figure's difference its p-value.

    Args:
        against: the agent that all others are compared with.
        rows: the figures of each of the others.
    """
    figures = [each.figure for each in next(iter(rows.values()))]
    restricted = any(not math.isnan(each.tau) for row in rows.values() for each in row)
    lead = [f"minus {against}", *(["up to"] if restricted else [])]
    columns = [heading for figure in figures for heading in (f"{figure} [95%]", "p")]
    table = new_table([*lead, *columns], left=lead[:1], padding=1, leading=len(lead), beside=("p",))
    for agent, differences in rows.items():
        first = differences[0].tau
        until = ["" if math.isnan(first) else f"{first:.0f}"] if restricted else []
        cells = [
            (_difference(each), _p_value_comparison_tables(each.p_value)) for each in differences
        ]
        table.add_row(agent, *until, *(text for pair in cells for text in pair))
    return table


def lost_notes(
    first: str, second: str, censored: tuple[float, float], left: tuple[float, float]
) -> list[str]:
    """Return a note where runs of two agents ended before these stopped.

    Args:
        first: the first agent's name.
        second: the second agent's.
        censored: share of the runs of each that the step cap ended.
        left: share of those whose users left.
    """

    def of_both(shares: tuple[float, float]) -> str:
        told = zip(shares, (first, second), strict=True)
        return " and ".join(f"{share:.3f} of {name}'s" for share, name in told)

    notes = []
    if any(censored):
        notes.append(
            f"The step cap ended {of_both(censored)} runs: their stopping times are compared up to "
            "where it did, as restricted means."
        )
    if any(left):
        notes.append(f"Users left in {of_both(left)} runs, which end there.")
    return notes


def dominated_notes(first: str, second: str, differences: Sequence[PairedDifference]) -> list[str]:
    """Return a line for each mean that is one user's doing.

    Args:
        first: the first agent's name.
        second: the second agent's.
        differences: the figures.
    """
    return [
        f"* one user has most of the variance of {first} minus {second}: the difference of the "
        f"mean {each.figure} says little; P does not rest on it."
        for each in differences
        if each.dominated
    ]


def _figure(kind: str, value: float) -> str:
    if math.isnan(value):
        return ""
    return f"{value:.1f}" if kind == AS_MEANS else share(value)


def _difference(each: PairedDifference) -> str:
    if each.kind == AS_PROBABILITY:
        return f"{share(each.value)} [{share(each.low)}, {share(each.high)}]"
    value, low, high = (format(end, SIGNS[each.kind]) for end in (each.value, each.low, each.high))
    value += "*" if each.dominated else ""
    return value if math.isnan(each.low) else f"{value} [{low}, {high}]"


def _p_value_comparison_tables(value: float) -> str:
    if math.isnan(value):
        return ""
    return "<.001" if value < 0.0005 else share(value)


ROW_HEIGHT = 0.32
"""Inches of a line of a plot of differences."""


class ComparedPair(Protocol):
    """Two agents on the same users: `Comparison`."""

    @property
    def first(self) -> str:
        """The first agent's name."""

    @property
    def second(self) -> str:
        """The second agent's."""

    @property
    def n_users(self) -> int:
        """How many users both have met."""

    @property
    def level(self) -> float:
        """Probability with which each interval holds."""

    @property
    def differences(self) -> Sequence[PairedDifference]:
        """The figures."""


def paired_differences(
    comparisons: Sequence[ComparedPair], figure: str | None = None, axes: "Axes | None" = None
) -> "Axes":
    """Draw how far others are from one agent with the same users: a line an agent, its interval.

    Args:
        comparisons: each of the others with the one.
        figure: which of their figures; None is the first.
        axes: where it is drawn; None is a new figure.

    Returns:
        The axes, whose figure can be saved.

    Raises:
        InvalidArgumentError: for a figure that they have not.
        MissingExtraError: without Matplotlib.
    """
    known = [each.figure for each in comparisons[0].differences]
    place = known.index(choice("figure", figure, known)) if figure is not None else 0
    rows = [(each.first, each.differences[place]) for each in comparisons]
    axes = plot_axes(axes, 1.1 + ROW_HEIGHT * max(2, len(rows)))
    values = np.array([[found.value, found.low, found.high] for _, found in rows])
    errors = np.abs(values[:, 1:] - values[:, :1]).T
    places = range(len(rows))
    how: dict[str, Any] = {"color": SERIES[0], "capsize": 4, "markersize": 7, "lw": 1.8}
    axes.errorbar(values[:, 0], places, xerr=errors, fmt="o", **how)
    kind = rows[0][1].kind
    same = 0.5 if kind == AS_PROBABILITY else 0.0
    axes.axvline(same, color=colour_of("quiet"), lw=1, ls=":", zorder=0)
    dress(axes, _heading(comparisons[0], rows[0][1]), _meaning(rows[0][1]), "")
    axes.set_yticks(places, [_name(*row) for row in rows], fontsize=TEXT_SIZE)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    return axes


def _name(agent: str, found: PairedDifference) -> str:
    name = verbatim(agent, LONGEST_NAME) + "*" * found.dominated
    return name if np.isnan(found.tau) else f"{name}\nup to {found.tau:.0f}"


def _heading(pair: ComparedPair, found: PairedDifference) -> str:
    than = f" than {pair.second}" if found.kind == AS_PROBABILITY else f", minus {pair.second}"
    return f"{found.figure}{than}: {pair.n_users} users, {100 * pair.level:.3g}% intervals"


def _meaning(found: PairedDifference) -> str:
    """Return what the horizontal axis is."""
    if found.kind == AS_PROBABILITY:
        return "probability, ties count half"
    if found.kind == AS_SHARES:
        return "difference of shares"
    unit = ", in recommendations" if found.figure == "stopping time" else ""
    return f"difference of means{unit}"


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
        pass

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
