"""The lower bound as a picture: how slowly the ambiguous history fades, and what that costs."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from explorative_user_env.display.figures import new_figure
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


def draw_overlap(frame: pd.DataFrame, axes: "Axes") -> None:
    """Draw the probability of the shared history against N_0."""
    n0 = frame["n0"]
    axes.fill_between(n0, frame["overlap_low"], frame["overlap_high"], color="C0", alpha=0.25)
    axes.plot(n0, frame["overlap"], color="C0", label="any agent, at least")
    seen = frame[frame["nu_prime"] > 0]  # nothing else has a place on a logarithmic axis
    low, high = seen["nu_prime_low"], seen["nu_prime_high"]
    errors = np.array([seen["nu_prime"] - low, high - seen["nu_prime"]])
    axes.errorbar(
        seen["n0"], seen["nu_prime"], errors, fmt="o", color="C1", capsize=2, label="UNI, measured"
    )
    axes.plot(n0, frame["overlap_bound"], ":", color="black", label="the proof's 2^(1-K) P[B']")
    axes.set(xscale="log", yscale="log", xlabel="acceptances N_0")
    axes.set_ylabel("probability under ν' of the\nhistory that ν has too")
    axes.legend(frameon=False)


def draw_needed(frame: pd.DataFrame, axes: "Axes") -> None:
    """Draw the interactions that are needed against 1/delta."""
    for index, (agent, rows) in enumerate(marked(frame).groupby("agent", sort=False)):
        found = rows[np.isfinite(rows["interactions"])].sort_values("delta")
        style = LINES.get(str(agent), "o-")
        colour = "black" if agent in LINES else f"C{index}"
        axes.plot(1 / found["delta"], found["interactions"], style, label=str(agent), color=colour)
    axes.set(xscale="log", yscale="log", xlabel="1/δ")
    axes.set_ylabel("interactions needed for\nsuccess 1 - δ on ν and ν'")
    axes.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
