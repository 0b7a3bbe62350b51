"""Plots of what was held against the paper's bounds."""

from typing import TYPE_CHECKING

import numpy as np

from explorative_user_env.display.series import (
    colour_of,
    dress,
    line_style,
    logarithmic,
    name_lines,
    plot_axes,
    spread_out,
)
from explorative_user_env.results.plotted import PlottedRuns, heading_of, label_of
from explorative_user_env.validation import InvalidArgumentError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def phase1_rounds(results: PlottedRuns, axes: "Axes | None" = None) -> "Axes":
    """Draw which share of runs had at most so many rounds of Phase 1, and the bound beside it.

    Args:
        results: of an evaluation with `check_theory=True`.
        axes: where it is drawn; None is a new figure.

    Returns:
        The axes, whose figure can be saved.

    Raises:
        InvalidArgumentError: for results without checks.
        MissingExtraError: without Matplotlib.
    """
    if results.checks is None:
        raise InvalidArgumentError("results", "unchecked runs", "of check_theory=True")
    axes = plot_axes(axes)
    named, ends = [], [1.0]
    for place, (agent, runs) in enumerate(results.checks.groupby("agent", sort=False)):
        style, rounds = line_style(place), np.sort(runs["rounds"].to_numpy())
        shares = np.arange(len(rounds) + 1) / len(rounds)
        shown = {"color": style.colour, "linestyle": style.dashes, "linewidth": 1.8}
        steps = np.concatenate([[0], rounds])
        line = axes.plot(steps, shares, drawstyle="steps-post", **shown)[0]
        named.append((line, label_of(results, str(agent))))
        bound = float(runs["rounds_bound"].mean())
        above = float(runs["rounds_broken"].mean())
        limit = axes.axvline(bound, color=colour_of("quiet"), linestyle=style.dashes, linewidth=1.2)
        named.append((limit, f"its bound: {above:.1%}\nof the runs above"))
        ends += [float(rounds[-1]), bound]
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlim(-0.03 * max(ends), max(ends) * 1.05)
    least = float(results.checks["rounds"].min())
    if spread_out(least, max(ends)):
        axes.set_xlim(least / 1.5, max(ends) * 1.2)
        logarithmic(axes, "x")
    dress(axes, heading_of(results), "rounds of Phase 1", "share of runs with at most as many")
    name_lines(axes, named)
    return axes
