"""The scores of a suite as a heat map, agents by tasks."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from explorative_user_env.display.series import AXIS_SIZE, TEXT_SIZE, plot_axes, verbatim
from explorative_user_env.results.tables import marked

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DARKEST, LIGHTEST = 0.0, 1.2
"""Scores of the ends of the scale; those beyond look like these, and the numbers tell."""

IN_ALL = "mean"
"""What the last column is called."""

LONGEST_AGENT = 24
"""Letters of an agent's name."""


def score_map(
    scores: pd.DataFrame, totals: pd.DataFrame, title: str, axes: "Axes | None" = None
) -> "Axes":
    """Draw the score of every agent (rows, the best first) in every task (columns) and in all.

    The scale goes from dark to light, in print without colours too, and each number is written.

    Args:
        scores: see `SuiteResults.scores`.
        totals: see `SuiteResults.totals`.
        title: which run of the suite it is.
        axes: where it is drawn; None is a new figure, as large as it needs to be.

    Returns:
        The axes, whose figure can be saved.

    Raises:
        MissingExtraError: without Matplotlib.
    """
    totals, scores = marked(totals), marked(scores)
    agents, tasks = totals["agent"].tolist(), list(dict.fromkeys(scores["task"]))
    table = scores.pivot(index="agent", columns="task", values="score").reindex(agents)[tasks]
    values = np.column_stack([table.to_numpy(float), totals["mean"].to_numpy(float)])
    axes = plot_axes(axes, 1.9 + 0.36 * len(agents), 2.4 + 0.62 * len(tasks))
    image = axes.imshow(values, vmin=DARKEST, vmax=LIGHTEST, cmap="cividis", aspect="auto")
    axes.set_xticks(range(len(tasks) + 1), [*tasks, IN_ALL], rotation=40, ha="right")
    axes.set_yticks(range(len(agents)), [verbatim(name, LONGEST_AGENT) for name in agents])
    axes.tick_params(labelsize=TEXT_SIZE, length=0)
    axes.spines[:].set_visible(False)
    axes.axvline(len(tasks) - 0.5, color="white", linewidth=4)
    for (row, column), value in np.ndenumerate(values):
        if np.isnan(value):
            continue
        shade = "black" if value > 0.5 * (DARKEST + LIGHTEST) else "white"
        text = axes.text(column, row, f"{value:.2f}", ha="center", va="center")
        text.set(fontsize=TEXT_SIZE, color=shade)
    axes.set_title(f"Scores, {title}", fontsize=AXIS_SIZE, loc="left")
    bar = axes.figure.colorbar(image, ax=axes, extend="both", pad=0.02)
    bar.set_label("score", fontsize=AXIS_SIZE)
    bar.ax.tick_params(labelsize=TEXT_SIZE)
    return axes
