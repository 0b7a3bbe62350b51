"""The frontier as a picture: what a shorter Phase 1 saves, and when it fails."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from explorative_user_env.display.figures import new_figure
from explorative_user_env.display.series import (
    PLOT_HEIGHT,
    PLOT_WIDTH,
    colour_of,
    draw_band,
    dress,
    line_style,
    name_lines,
    plot_axes,
)
from explorative_user_env.files import finished_file
from explorative_user_env.studies.tuning.n1 import Tuning
from explorative_user_env.studies.tuning.records import FILE, load_tuned
from explorative_user_env.studies.tuning.tables import title as title_of_tuning
from explorative_user_env.validation import choice

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FRONTIER_FILE = "frontier.csv"
"""What the command calls the frontier's file."""

NAMED = {"stopping_time": "stopping time T", "success": "success"}
"""What there is a curve of, and what its axis is called."""


def frontier_figure(tuning: Tuning) -> "Figure":
    """Return stopping time and success over N_1, with 95% intervals.

    Raises:
        MissingExtraError: without Matplotlib.
    """
    figure = new_figure(PLOT_WIDTH, 1.6 * PLOT_HEIGHT)
    above, below = figure.subplots(2, 1, sharex=True)
    draw_frontier(tuning, "stopping_time", above)
    draw_frontier(tuning, "success", below)
    above.set_xlabel("")
    below.set_title("", loc="left")
    return figure


def draw_frontier(
    tuning: Tuning, figure: str = "stopping_time", axes: "Axes | None" = None
) -> "Axes":
    """Draw stopping time or success over N_1, with 95% intervals.

    Args:
        tuning: what was found.
        figure: "stopping_time" or "success".
        axes: where it is drawn; None is a new figure.

    Returns:
        The axes, whose figure can be saved.

    Raises:
        InvalidArgumentError: for another figure.
        MissingExtraError: without Matplotlib.
    """
    label = NAMED[choice("figure", figure, NAMED)]
    axes, rows, style = plot_axes(axes), tuning.frontier, line_style(0)
    draw_band(axes, rows["n1"], rows[f"{figure}_low"], rows[f"{figure}_high"], 0, 1)
    axes.plot(rows["n1"], rows[figure], color=style.colour, marker=style.mark, ms=4, lw=1.5)
    if figure == "success":
        level = 1.0 - tuning.tuned.cell["delta"]
        axes.axhline(level, color=colour_of("quiet"), linewidth=1, linestyle=":", label="1 - δ")
    else:
        axes.set_ylim(bottom=0)
    axes.set_xscale("symlog", linthresh=1)
    axes.set_xlim(-0.1, 1.2 * tuning.tuned.paper_n1)
    marked = {"found": tuning.tuned.n1, "paper's": tuning.tuned.paper_n1}
    for place, (name, n1) in enumerate(marked.items(), 1):
        style = line_style(place)
        shown: dict[str, Any] = {"color": style.colour, "linestyle": style.dashes, "linewidth": 1.5}
        axes.axvline(n1, label=name, **shown)
    dress(axes, title_of_tuning(tuning), "N₁, acceptances of Phase 1", label)
    name_lines(axes, list(zip(*axes.get_legend_handles_labels(), strict=True)))
    return axes


def kept_tuning(folder: Path) -> Tuning:
    """Return what `explorative-user tune-n1` has written of a search, but for its candidates.

    Raises:
        InvalidArgumentError: if it has not, as while it is going on.
    """
    tuned, frontier = (finished_file("path", folder, name) for name in (FILE, FRONTIER_FILE))
    rows = pd.read_csv(frontier)
    return Tuning(load_tuned(tuned), (), rows)
