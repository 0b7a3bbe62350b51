from typing import Any

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from explorative_user_env.display.plots import as_png
from explorative_user_env.studies.tuning import Tuning, frontier_figure


def marks(axes: Any) -> dict[str, list[float]]:
    """Where the labelled vertical lines are."""
    lines = {line.get_label(): line.get_xdata() for line in axes.lines}
    return {name: list(lines[name]) for name in ("found", "paper's")}


def test_the_frontier_has_a_picture(tuning: Tuning) -> None:
    figure = frontier_figure(tuning)
    (time, *_), (success, *_) = (axes.lines for axes in figure.axes)
    assert np.asarray(time.get_xdata()).tolist() == list(tuning.frontier["n1"])
    assert np.asarray(time.get_ydata()).tolist() == list(tuning.frontier["stopping_time"])
    assert np.asarray(success.get_ydata()).tolist() == list(tuning.frontier["success"])
    assert as_png(figure).startswith(b"\x89PNG")


def test_the_n1_found_the_papers_and_what_success_is_asked_for_are_marked(tuning: Tuning) -> None:
    above, below = frontier_figure(tuning).axes
    found, papers = tuning.tuned.n1, tuning.tuned.paper_n1
    assert found != papers
    assert marks(above) == marks(below) == {"found": [found] * 2, "paper's": [papers] * 2}
    (asked,) = (line for line in below.lines if line.get_label() == "1 - δ")
    assert np.asarray(asked.get_ydata()).tolist() == pytest.approx([0.8, 0.8])
    assert (above.get_ylabel(), below.get_ylabel()) == ("stopping time T", "success")


def test_bands_are_the_intervals(tuning: Tuning) -> None:
    for axes, name in zip(frontier_figure(tuning).axes, ("stopping_time", "success"), strict=True):
        (band,) = axes.collections
        (outline,) = band.get_paths()
        edges = {tuple(point) for point in np.asarray(outline.vertices).tolist()}
        for end in ("low", "high"):
            rows = tuning.frontier[["n1", f"{name}_{end}"]].to_numpy(float).tolist()
            assert {tuple(row) for row in rows} <= edges
