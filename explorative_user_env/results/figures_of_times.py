"""Plots of when runs stop, and of how many are right by then."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from explorative_user_env.display.series import (
    colour_of,
    draw_band,
    dress,
    line_style,
    logarithmic,
    name_lines,
    plot_axes,
    spread_out,
)
from explorative_user_env.protocol import Array
from explorative_user_env.results.intervals import proportion_interval
from explorative_user_env.results.metrics import succeeded, success_interval, unanswered_in
from explorative_user_env.results.plotted import PlottedRuns, agents_in, heading_of, label_of
from explorative_user_env.tasks import BAI
from explorative_user_env.validation import InvalidArgumentError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_POINTS = 200
"""Points of a course: more are not seen, and each has an interval of its own."""


def success_course(runs: pd.DataFrame, any_time: bool = False) -> pd.DataFrame:
    """Return which share of one agent's runs has stopped and is right by a time.

    Args:
        runs: as in `Results`, of one agent.
        any_time: whether intervals are to hold whenever one stops meeting users.

    Returns:
        One row a time at which a run ends, of at most `MOST_POINTS`, the first 0: `time`,
        `success`, and its 95% interval `low`, `high`, the one of the table.
    """
    times, right = _column(runs, "stopping_time"), np.asarray(succeeded(runs))
    unanswered = np.asarray(unanswered_in(runs))
    rows = []
    for time in _thinned(times):
        by_then = right & (times <= time)
        rows.append((time, by_then.mean(), *success_interval(by_then, unanswered, any_time)))
    return pd.DataFrame(rows, columns=["time", "success", "low", "high"])


def survival_course(runs: pd.DataFrame) -> pd.DataFrame:
    """Return which share of one agent's runs goes on after a time.

    It is Kaplan and Meier's, in which a run that the step cap ended counts until then. Before the
    first of these it is the plain share, whose exact interval is known; after it there is none.

    Args:
        runs: as in `Results`, of one agent.

    Returns:
        One row a time at which a run ends, of at most `MOST_POINTS`, the first 0: `time`, `going`,
        and its 95% interval `low`, `high`.
    """
    from scipy import stats

    times, cut = _column(runs, "stopping_time"), _column(runs, "censored")
    found = stats.ecdf(stats.CensoredData.right_censored(times, cut)).sf
    first_cut = times[cut].min() if cut.any() else np.inf
    rows = []
    for time in _thinned(times):
        ends = np.nan, np.nan
        if time < first_cut:
            ends = proportion_interval(int(np.sum(times > time)), len(times))
        rows.append((time, float(found.evaluate(time)), *ends))
    return pd.DataFrame(rows, columns=["time", "going", "low", "high"])


def success_by_budget(results: PlottedRuns, axes: "Axes | None" = None) -> "Axes":
    """Draw the share of runs that have stopped and are right, against the budget of a run.

    A line an agent, with the 95% interval that the table has at its end. It goes as far as is
    known: to the step cap, where that ended a run.

    Args:
        results: of the task "bai".
        axes: where it is drawn; None is a new figure.

    Returns:
        The axes, whose figure can be saved.

    Raises:
        InvalidArgumentError: for another task.
        MissingExtraError: without Matplotlib.
    """
    _check_task(results)
    axes = plot_axes(axes)
    named = []
    agents = agents_in(results)
    for place, agent in enumerate(agents):
        own = results.runs[results.runs["agent"] == agent]
        course = success_course(own, "until_width" in results.cell)
        line = _steps(axes, place, len(agents), _as_far_as_known(course, results, own), "success")
        named.append((line, _with_lost(label_of(results, agent), own)))
    deltas = {results.deltas.get(agent, results.cell["delta"]) for agent in agents}
    if len(deltas) == 1:
        level = axes.axhline(1.0 - deltas.pop(), color=colour_of("quiet"), lw=1, ls=":")
        named.append((level, "1 - δ"))
    _dress(axes, results, "share stopped and right")
    name_lines(axes, named)
    return axes


def stopping_time_survival(results: PlottedRuns, axes: "Axes | None" = None) -> "Axes":
    """Draw the share of runs that go on after a time: a line an agent, with its 95% interval.

    Strokes mark where the step cap ended runs, of which no more is known.

    Args:
        results: of the task "bai".
        axes: where it is drawn; None is a new figure.

    Returns:
        The axes, whose figure can be saved.

    Raises:
        InvalidArgumentError: for another task.
        MissingExtraError: without Matplotlib.
    """
    _check_task(results)
    axes = plot_axes(axes)
    named = []
    agents = agents_in(results)
    for place, agent in enumerate(agents):
        own = results.runs[results.runs["agent"] == agent]
        course = survival_course(own)
        line = _steps(axes, place, len(agents), course, "going")
        cuts = np.unique(_column(own, "stopping_time")[_column(own, "censored")])
        at = np.interp(cuts, course["time"], course["going"])
        axes.plot(cuts, at, "|", color=line_style(place).colour, markersize=11, markeredgewidth=2)
        named.append((line, _with_lost(label_of(results, agent), own)))
    _dress(axes, results, "share still going")
    name_lines(axes, named)
    return axes


def _check_task(results: PlottedRuns) -> None:
    if results.over_horizon:
        raise InvalidArgumentError("results", results.cell["task"], f"of the task {BAI.name}")


def _column(runs: pd.DataFrame, name: str) -> Array:
    return np.asarray(runs[name])


def _thinned(times: Array) -> Array:
    """Return 0 and the times at which something happens, or as many of them as are seen."""
    distinct: Array = np.unique(np.concatenate([[0], times]))
    if len(distinct) <= MOST_POINTS:
        return distinct
    seen: Array = distinct[np.linspace(0, len(distinct) - 1, MOST_POINTS).round().astype(int)]
    return seen


def _as_far_as_known(course: pd.DataFrame, results: PlottedRuns, own: pd.DataFrame) -> pd.DataFrame:
    """Return a course that goes on to where the last run of anybody ends, if it can."""
    last = course.iloc[[-1]].assign(time=results.runs["stopping_time"].max())
    return course if own["censored"].any() else pd.concat([course, last], ignore_index=True)


def _steps(axes: "Axes", place: int, many: int, course: pd.DataFrame, name: str) -> object:
    """Draw a course with its intervals, and return its line."""
    style = line_style(place)
    draw_band(axes, course["time"], course["low"], course["high"], place, many, step="post")
    shown = {"color": style.colour, "linestyle": style.dashes, "linewidth": 1.8}
    return axes.plot(course["time"], course[name], drawstyle="steps-post", **shown)[0]


def _with_lost(label: str, own: pd.DataFrame) -> str:
    """Return an agent's name, and which shares of its runs the step cap and the users ended."""
    shares = {"cut off": own["censored"].mean(), "left": own["left"].mean()}
    told = ", ".join(f"{share:.1%} {what}" for what, share in shares.items() if share > 0.0)
    return f"{label}\n({told})" if told else label


def _dress(axes: "Axes", results: PlottedRuns, y: str) -> None:
    times = _column(results.runs, "stopping_time")
    least, most = times.min(), max(times.max(), 1)
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlim(0, most * 1.03)
    if spread_out(least, most):
        axes.set_xlim(least / 1.5, most * 1.1)
        logarithmic(axes, "x")
    draws = " and private draws" if results.population.setting.counts_private_draws else ""
    dress(axes, heading_of(results), f"time t, in recommendations{draws}", y)
