"""The report's pictures (need Matplotlib)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from explorative_user_env.display.figures import new_figure
from explorative_user_env.results.tables import PUBLISHED
from explorative_user_env.studies.paper.agreement import is_given
from explorative_user_env.studies.paper.verdicts import AGREES, CANNOT, DIFFERS, NOT_JUDGED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

VERDICT_COLOURS = {AGREES: "#2f7f9e", CANNOT: "#e0b84c", DIFFERS: "#c8553d"}
"""By verdict; the words stand in the tables as well."""

NAMES = {
    "stopping_time": "stopping time",
    "rejection_rate": "rejection rate",
    "success": "probability of success",
}


def comparison(summary: pd.DataFrame) -> "Figure":
    """Draw stopping time, rejection rate and success against K, one column for each delta.

    This is the paper's Figure 1: an agent a line, with 95% intervals. Where there are published
    figures they are hollow marks beside the lines. UNI and EXP3 are told BAIR's stopping time.
    """
    from matplotlib.ticker import LogLocator, NullFormatter, ScalarFormatter

    deltas = list(dict.fromkeys(summary["delta"]))
    agents = list(dict.fromkeys(summary["agent"]))
    figure = new_figure(2.4 * max(2, len(deltas)), 6.0)
    grid = figure.subplots(3, len(deltas), sharex=True, sharey="row", squeeze=False)
    for row, name in zip(grid, NAMES, strict=True):
        for axes, delta in zip(row, deltas, strict=True):
            for place, agent in enumerate(agents):
                if is_given(agent, name):
                    continue
                here = summary["agent"].eq(agent) & summary["delta"].eq(delta)
                _line(axes, summary[here], name, f"C{place}", agent)
            axes.set_xscale("log")
            if name == "stopping_time":
                axes.set_yscale("log")
                axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
                axes.yaxis.set_major_formatter(ScalarFormatter())
                axes.yaxis.set_minor_formatter(NullFormatter())
                axes.set_title(f"δ = {delta:g}", fontsize=9)
            axes.tick_params(labelsize=7)
        row[0].set_ylabel(NAMES[name], fontsize=8)
    n_arms = sorted(set(summary["n_arms"]))
    for axes in grid[-1]:
        axes.set_xticks(n_arms, [str(arms) for arms in n_arms])
        axes.minorticks_off()
        axes.set_xlabel("K", fontsize=8)
    handles, labels = grid[-1][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
    return figure


def _line(axes: "Axes", rows: pd.DataFrame, figure: str, colour: str, label: str) -> None:
    values = rows[figure]
    errors = np.array([values - rows[f"{figure}_low"], rows[f"{figure}_high"] - values])
    axes.errorbar(
        rows["n_arms"],
        values,
        yerr=np.where(np.isnan(errors), 0.0, errors.clip(min=0.0)),
        color=colour,
        marker=".",
        linewidth=1,
        label=label,
    )
    beside = PUBLISHED[figure]
    if beside in rows:
        axes.plot(rows["n_arms"], rows[beside], "o", mfc="none", color=colour, markersize=5)


def grid_of_verdicts(found: pd.DataFrame, titles: dict[str, str]) -> "Figure":
    """Draw one square for each published figure, a row for each table, agent and metric.

    Args:
        found: as from `verdicts`, of all experiments.
        titles: by the experiments' names.
    """
    from matplotlib.patches import Patch

    judged = found[found["verdict"] != NOT_JUDGED]
    rows = list(judged.groupby(["experiment", "agent", "figure"], sort=False))
    figure = new_figure(8.5, 0.19 * len(rows) + 1.2)
    axes = figure.subplots()
    most = 0
    for place, ((name, _, _), cells) in enumerate(rows):
        ordered = cells.sort_values(["delta", "n_arms"], ascending=[False, True])
        colours = [VERDICT_COLOURS[verdict] for verdict in ordered["verdict"]]
        axes.barh(
            [place] * len(colours), 0.92, left=range(len(colours)), color=colours, height=0.86
        )
        most = max(most, len(colours))
        if place and rows[place - 1][0][0] != name:
            axes.axhline(place - 0.5, color="black", linewidth=0.7)
    axes.set_yticks(
        range(len(rows)),
        [f"{titles[name]}: {agent}, {NAMES[metric]}" for (name, agent, metric), _ in rows],
        fontsize=7,
    )
    axes.set_xticks([])
    axes.set_xlim(0, most)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel("cells: δ from .1 down, in each K upwards", fontsize=8)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    axes.legend(
        handles=[Patch(color=colour, label=verdict) for verdict, colour in VERDICT_COLOURS.items()],
        loc="lower center",
        bbox_to_anchor=(0.4, 1.0),
        ncols=3,
        frameon=False,
        fontsize=8,
    )
    return figure


def ladder(frame: pd.DataFrame, agents: Sequence[str]) -> "Figure":
    """Draw the stopping time of `agents` while one difference after the other is switched."""
    points: Any = frame.drop_duplicates("step")
    figure = new_figure(8.5, 0.26 * len(points) + 1.0)
    panels = figure.subplots(1, len(agents), sharey=True, squeeze=False)[0]
    for axes, agent in zip(panels, agents, strict=True):
        rows = frame[frame["agent"] == agent]
        times = rows["stopping_time"]
        errors = np.array([times - rows["stopping_time_low"], rows["stopping_time_high"] - times])
        axes.errorbar(times, rows["step"], xerr=errors, marker=".", linewidth=1, color="C0")
        axes.set_xlabel("stopping time", fontsize=8)
        axes.set_title(agent, fontsize=9)
        axes.grid(axis="y", linewidth=0.3)
        axes.tick_params(labelsize=7)
    panels[0].set_yticks(points["step"], points["point"])
    panels[0].invert_yaxis()
    return figure
