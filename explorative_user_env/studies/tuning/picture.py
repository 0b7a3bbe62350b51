"""The frontier as a picture: what a shorter Phase 1 saves, and when it fails."""

from typing import TYPE_CHECKING

from explorative_user_env.display.figures import new_figure
from explorative_user_env.studies.tuning.n1 import Tuning

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def frontier_figure(tuning: Tuning) -> "Figure":
    """Return stopping time and success over N_1, with 95% intervals.

    Raises:
        MissingExtraError: without Matplotlib.
    """
    figure = new_figure(7.0, 5.0)
    above, below = figure.subplots(2, 1, sharex=True)
    _curve(above, tuning, "stopping_time")
    above.set_ylabel("stopping time T")
    above.set_ylim(bottom=0)
    _curve(below, tuning, "success")
    below.set_ylabel("success")
    delta = tuning.tuned.cell["delta"]
    below.axhline(1.0 - delta, color="black", linewidth=0.8, linestyle=":", label="1 - δ")
    below.set_xscale("symlog", linthresh=1)
    below.set_xlim(0, 1.2 * tuning.tuned.paper_n1)
    below.set_xlabel("N₁, acceptances of Phase 1")
    for axes in (above, below):
        axes.axvline(tuning.tuned.n1, color="C1", linewidth=1, label="found")
        axes.axvline(tuning.tuned.paper_n1, color="C2", linewidth=1, label="paper's")
    below.legend(frameon=False)
    return figure


def _curve(axes: "Axes", tuning: Tuning, name: str) -> None:
    rows = tuning.frontier
    low, high = rows[f"{name}_low"], rows[f"{name}_high"]
    axes.fill_between(rows["n1"], low, high, color="C0", alpha=0.25, linewidth=0)
    axes.plot(rows["n1"], rows[name], color="C0", marker="o", markersize=3, linewidth=1)
