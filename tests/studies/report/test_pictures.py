from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("matplotlib")

from explorative_user_env.results.tables import PUBLISHED
from explorative_user_env.studies import paper_report as pictures
from explorative_user_env.studies.paper_report import Reproduction
from explorative_user_env.users.population import DIFFERENCES


def lines_of(axes: Any) -> dict[str, list[float]]:
    return {bars.get_label(): list(bars.lines[0].get_ydata()) for bars in axes.containers}


def ends_of(bars: Any, direction: int) -> list[list[float]]:
    """Where error bars end: 0 along x, 1 along y."""
    (segments,) = bars.lines[2]
    return [segment[:, direction].tolist() for segment in segments.get_segments()]


def hollow_marks(axes: Any) -> list[float]:
    """The heights of what is drawn hollow beside the lines."""
    marks = [line for line in axes.lines if line.get_markerfacecolor() == "none"]
    return [height for line in marks for height in line.get_ydata()]


def test_figure_1_draws_every_figure_of_every_agent(table2: Reproduction) -> None:
    summary = table2.summaries["released"]
    grid = pictures.comparison(summary).axes
    assert len(grid) == 3 * 2  # a row a metric, a column a delta
    titles = [axes.get_title() for axes in grid[:2]]
    assert titles == ["δ = 0.1", "δ = 0.005"]
    for row, figure in enumerate(("stopping_time", "rejection_rate", "success")):
        for column, delta in enumerate((0.1, 0.005)):
            drawn = lines_of(grid[2 * row + column])
            here = summary[summary["delta"] == delta].set_index("agent")[figure]
            expected = {"BAIR"} if figure == "stopping_time" else {"BAIR", "UNI"}
            assert set(drawn) == expected
            assert all(values == [here[agent]] for agent, values in drawn.items())


def test_figure_1_has_intervals_and_the_published_figures_beside_the_lines(
    table2: Reproduction,
) -> None:
    grid = pictures.comparison(table2.summaries["released"]).axes
    summary = table2.summaries["released"].set_index(["delta", "agent"])
    (bair,) = grid[1].containers  # the stopping time at delta = .005
    own = summary.loc[(0.005, "BAIR")]
    ends = [own["stopping_time_low"], own["stopping_time_high"]]
    assert ends_of(bair, 1) == [pytest.approx(ends)]
    assert hollow_marks(grid[1]) == [512.0]
    assert hollow_marks(grid[5]) == [1.0, 0.992]  # successes of BAIR and UNI
    plain = pictures.comparison(
        table2.summaries["released"].drop(columns=list(PUBLISHED.values()))
    ).axes
    assert [hollow_marks(axes) for axes in plain] == [[]] * 6


def test_the_grid_has_a_square_for_each_figure_in_the_colour_of_its_verdict(
    found: pd.DataFrame,
) -> None:
    from matplotlib.colors import to_hex

    axes: Any = pictures.grid_of_verdicts(found).axes[0]
    (image,) = axes.images
    drawn = image.cmap(image.norm(image.get_array()))
    squares = {
        place: to_hex(drawn[place])
        for place, shown in np.ndenumerate(np.isfinite(image.get_array().filled(np.nan)))
        if shown
    }
    colours = pictures.VERDICT_COLOURS
    assert squares == {
        (0, 0): colours["agrees"],
        (0, 1): colours["differs"],
        (1, 0): colours["agrees"],
        (2, 0): colours["cannot"],
    }
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels == [
        "Table 2: BAIR, stopping time",
        "Table 2: BAIR, probability of success",
        "Table 6: T&S, probability of success",
    ]


def test_the_ladder_is_drawn_step_by_step() -> None:
    steps = range(1 + len(DIFFERENCES))
    rows = [
        {"step": step, "point": str(step), "agent": agent, "stopping_time": 100.0 + step}
        | {"stopping_time_low": 90.0 + step, "stopping_time_high": 110.0 + step}
        for step in steps
        for agent in ("BAIR", "T&S")
    ]
    panels: list[Any] = pictures.ladder(pd.DataFrame(rows), ["BAIR", "T&S"]).axes
    assert [axes.get_title() for axes in panels] == ["BAIR", "T&S"]
    for axes in panels:
        assert list(axes.containers[0].lines[0].get_xdata()) == [100.0 + step for step in steps]
        assert ends_of(axes.containers[0], 0) == [[90.0 + step, 110.0 + step] for step in steps]
    names = [label.get_text() for label in panels[0].get_yticklabels()]
    assert names == [str(step) for step in steps]
    assert panels[0].yaxis_inverted()  # from the text above to the code below
