"""The lower bound as a picture: how slowly the ambiguous history fades, and what that costs."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from explorative_user_env.display.colours import SERIES
from explorative_user_env.display.figures import new_figure
from explorative_user_env.display.series import (
    TEXT_SIZE,
    draw_band,
    dress,
    line_style,
    logarithmic,
    name_lines,
    plot_axes,
)
from explorative_user_env.files import finished_file
from explorative_user_env.results.tables import marked
from explorative_user_env.studies.lower_bound.comparison import ANY_AGENT, STANDARD_BANDIT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINES = {STANDARD_BANDIT: "-", ANY_AGENT: ":"}
"""How what is computed is drawn, in black; what is measured has colours and points."""


def draw(overlap: pd.DataFrame, needed: pd.DataFrame) -> "Figure":
    """Return a figure of what `overlap` and `needed` found.

    Raises:
        MissingExtraError: without Matplotlib.
    """
    figure = new_figure(11.0, 4.2)
    left, right = figure.subplots(1, 2)
    draw_overlap(overlap, left)
    draw_needed(needed, right)
    return figure


def draw_overlap(frame: pd.DataFrame, axes: "Axes | None" = None) -> "Axes":
    """Draw the probability of the shared history against N_0.

    Args:
        frame: what `overlap` found.
        axes: where it is drawn; None is a new figure.

    Returns:
        The axes, whose figure can be saved.

    Raises:
        MissingExtraError: without Matplotlib.
    """
    axes, n0 = plot_axes(axes), frame["n0"]
    draw_band(axes, n0, frame["overlap_low"], frame["overlap_high"], 0, 1)
    axes.plot(n0, frame["overlap"], color=SERIES[0], label="any agent, at least")
    seen = frame[frame["nu_prime"] > 0]  # nothing else has a place on a logarithmic axis
    low, high = seen["nu_prime_low"], seen["nu_prime_high"]
    errors = np.array([seen["nu_prime"] - low, high - seen["nu_prime"]])
    axes.errorbar(
        seen["n0"],
        seen["nu_prime"],
        errors,
        fmt="o",
        color=SERIES[1],
        capsize=2,
        label="UNI, measured",
    )
    axes.plot(n0, frame["overlap_bound"], ":", color="black", label="the proof's 2^(1-K) P[B']")
    logarithmic(axes, "x")
    logarithmic(axes, "y")
    label = "probability under ν' of the\nhistory that ν has too"
    dress(axes, "", "acceptances N_0", label)
    axes.legend(frameon=False, fontsize=TEXT_SIZE)
    return axes


def draw_needed(frame: pd.DataFrame, axes: "Axes | None" = None) -> "Axes":
    """Draw the interactions that are needed against 1/delta.

    Args:
        frame: what `needed` found.
        axes: where it is drawn; None is a new figure.

    Returns:
        The axes, whose figure can be saved.

    Raises:
        MissingExtraError: without Matplotlib.
    """
    axes = plot_axes(axes)
    for index, (agent, rows) in enumerate(marked(frame).groupby("agent", sort=False)):
        found = rows[np.isfinite(rows["interactions"])].sort_values("delta")
        line = line_style(index - len(LINES))
        style = LINES.get(str(agent), line.dashes)
        colour, mark = ("black", "") if agent in LINES else (line.colour, line.mark)
        shown = {"color": colour, "linestyle": style, "marker": mark, "label": str(agent)}
        axes.plot(1 / found["delta"], found["interactions"], **shown)
    logarithmic(axes, "x")
    logarithmic(axes, "y")
    dress(axes, "", "1/δ", "interactions needed for\nsuccess 1 - δ on ν and ν'")
    name_lines(axes, list(zip(*axes.get_legend_handles_labels(), strict=True)))
    return axes


def kept_table(folder: Path, name: str) -> pd.DataFrame:
    """Return what `explorative-user lower-bound` has written of "overlap" or "needed".

    Raises:
        InvalidArgumentError: if it has not, as while it is going on.
    """
    file = finished_file("path", folder, f"{name}.csv")
    return pd.read_csv(file)
