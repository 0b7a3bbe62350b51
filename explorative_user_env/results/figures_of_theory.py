"""Plots of what was held against the paper's bounds."""

from typing import TYPE_CHECKING, Any

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
from explorative_user_env.results.plotted import PlottedRuns, agents_in, heading_of, label_of
from explorative_user_env.validation import InvalidArgumentError, choice

if TYPE_CHECKING:
    from matplotlib.axes import Axes


CHECKED = {"rounds": "rounds of Phase 1", "phase1_rejections": "rejections of Phase 1"}
"""Figures of checked runs whose bound is the same for all users, and what their axis is called."""


def phase1_against_bound(
    results: PlottedRuns, figure: str = "rounds", axes: "Axes | None" = None
) -> "Axes":
    """Draw which share of BAIR's runs had at most so many rounds of Phase 1, and the bound.

    Args:
        results: of an evaluation with `check_theory=True`.
        figure: "rounds" or "phase1_rejections".
        axes: where it is drawn; None is a new figure.

    Returns:
        The axes, whose figure can be saved.

    Raises:
        InvalidArgumentError: for results without checks, or another figure.
        MissingExtraError: without Matplotlib.
    """
    label = CHECKED[choice("figure", figure, CHECKED)]
    if results.checks is None:
        raise InvalidArgumentError("results", "unchecked runs", "of check_theory=True")
    axes = plot_axes(axes)
    named, ends = [], [1.0]
    for agent, runs in results.checks.groupby("agent", sort=False):
        style = line_style(agents_in(results).index(str(agent)))
        values = np.sort(runs[figure].to_numpy())
        shares = np.arange(len(values) + 1) / len(values)
        shown: dict[str, Any] = {"color": style.colour, "ls": style.dashes, "lw": 1.8}
        steps = np.concatenate([[0], values])
        line = axes.plot(steps, shares, drawstyle="steps-post", **shown)[0]
        named.append((line, label_of(results, str(agent))))
        bound = float(runs[f"{figure}_bound"].mean())
        above = float(runs[f"{figure}_broken"].mean())
        limit = axes.axvline(bound, color=colour_of("quiet"), linestyle=style.dashes, linewidth=1.2)
        named.append((limit, f"its bound: {above:.1%}\nof the runs above"))
        ends += [float(values[-1]), bound]
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlim(-0.03 * max(ends), max(ends) * 1.05)
    least = float(results.checks[figure].min())
    if spread_out(least, max(ends)):
        axes.set_xlim(least / 1.5, max(ends) * 1.2)
        logarithmic(axes, "x")
    dress(axes, heading_of(results), label, "share of runs with at most as many")
    name_lines(axes, named)
    return axes
