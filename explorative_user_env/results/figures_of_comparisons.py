"""Plots of paired differences, with the intervals that the tables have."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from explorative_user_env.display.colours import SERIES
from explorative_user_env.display.series import (
    LONGEST_NAME,
    TEXT_SIZE,
    colour_of,
    dress,
    plot_axes,
    verbatim,
)
from explorative_user_env.results.paired import AS_PROBABILITY, AS_SHARES, PairedDifference
from explorative_user_env.validation import choice

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
