"""The plot of agents with users who come one after another: what the ones before are worth."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from explorative_user_env.display.plots import (
    colour_of,
    draw_band,
    dress,
    line_style,
    logarithmic,
    name_lines,
    plot_axes,
    spread_out,
)
from explorative_user_env.display.progress import OnProgress, shown
from explorative_user_env.protocol import BAI, POPULATION, Array
from explorative_user_env.results.courses import (
    REGRET_SO_FAR,
    REJECTED_SO_FAR,
    PlottedRuns,
    agents_in,
    courses_of,
    heading_of,
    label_of,
)
from explorative_user_env.results.intervals import mean_interval, proportion_interval
from explorative_user_env.results.metrics import (
    regrets_by_user,
    succeeded,
    success_interval,
)
from explorative_user_env.runs.episodes import Episode
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
    rows = []
    for time in _thinned(times):
        by_then = right & (times <= time)
        rows.append((time, by_then.mean(), *success_interval(by_then, any_time)))
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


ARMS_DRAWN = 7
"""Arms of an episode that have lines of their own; those of the others look alike."""


def rejections_over_time(
    results: PlottedRuns, axes: "Axes | None" = None, *, progress: bool | OnProgress = True
) -> "Axes":
    """Draw how many recommendations were rejected by a time: a line an agent, with 95% intervals.

    The first runs are replayed for it. An agent that has stopped is rejected no more; where a step
    cap ends a run, the line ends.

    Args:
        results: of either task.
        axes: where it is drawn; None is a new figure.
        progress: as for `evaluate`.

    Returns:
        The axes, whose figure can be saved.

    Raises:
        InvalidArgumentError: if no agent can be replayed.
        MissingExtraError: without Matplotlib.
    """
    return _draw(results, REJECTED_SO_FAR, axes, progress)


def regret_over_time(
    results: PlottedRuns, axes: "Axes | None" = None, *, progress: bool | OnProgress = True
) -> "Axes":
    """Draw the regret, the sum of mu_* - mu_a, up to a time: a line an agent, with 95% intervals.

    The first runs are replayed for it. Of best-arm identification it is that of the
    recommendations, and the line ends where a step cap ends a run.

    Args:
        results: of either task.
        axes: where it is drawn; None is a new figure.
        progress: as for `evaluate`.

    Returns:
        The axes, whose figure can be saved.

    Raises:
        InvalidArgumentError: if no agent can be replayed, or the users' means move.
        MissingExtraError: without Matplotlib.
    """
    return _draw(results, REGRET_SO_FAR, axes, progress)


def mean_course(totals: Array) -> tuple[Array, Array, Array]:
    """Return the means of columns and the ends of their 95% intervals, NaN where a value is.

    Args:
        totals: as in `Courses`, shape (n, times).
    """
    ends = np.array([mean_interval(column) for column in totals.T])
    return totals.mean(axis=0), ends[:, 0], ends[:, 1]


def acceptances_by_arm(
    episode: Episode, best_arm: int | None = None, axes: "Axes | None" = None
) -> "Axes":
    """Draw how often each arm was accepted by a time, over one run.

    Of many arms the most accepted and the best have lines of their own.

    Args:
        episode: the run.
        best_arm: the best arm, who it is that knows; None leaves it unmarked.
        axes: where it is drawn; None is a new figure.

    Returns:
        The axes, whose figure can be saved.

    Raises:
        MissingExtraError: without Matplotlib.
    """
    axes = plot_axes(axes)
    arms, accepted = np.array(episode.arms, int), np.array(episode.accepted, bool)
    counts = {int(arm): np.cumsum(accepted & (arms == arm)) for arm in np.unique(arms)}
    by_count = sorted(counts, key=lambda arm: (arm != best_arm, -counts[arm][-1], arm))
    own, others = sorted(by_count[:ARMS_DRAWN]), by_count[ARMS_DRAWN:]
    times, named = np.arange(len(arms) + 1), []
    for arm in others:
        total = np.concatenate([[0], counts[arm]])
        grey: dict[str, Any] = {"color": colour_of("quiet"), "lw": 0.7, "alpha": 0.6}
        line = axes.plot(times, total, drawstyle="steps-post", **grey)[0]
    if others:
        n_others = len(others)
        named.append((line, f"{n_others} other arm{'s' * (n_others > 1)}"))
    for place, arm in enumerate(own):
        style, total = line_style(place), np.concatenate([[0], counts[arm]])
        shown = {"color": style.colour, "ls": style.dashes, "lw": 2.4 if arm == best_arm else 1.5}
        line = axes.plot(times, total, drawstyle="steps-post", **shown)[0]
        named.insert(place, (line, f"arm {arm}{' (best)' * (arm == best_arm)}"))
    axes.set_xlim(0, max(1, len(arms)))
    axes.set_ylim(bottom=0)
    heading = f"{episode.agent} and the user of seed {episode.seed}"
    dress(axes, heading, "time t, in recommendations", "acceptances up to t")
    name_lines(axes, named)
    return axes


def _draw(
    results: PlottedRuns, figure: str, axes: "Axes | None", progress: bool | OnProgress
) -> "Axes":
    """Draw how a figure comes together over the runs of each agent."""
    axes, named = plot_axes(axes), []
    with shown(progress) as report:
        courses = courses_of(results, figure, report)
    for agent, totals in courses.totals.items():
        place = agents_in(results).index(agent)
        mean, low, high = mean_course(totals)
        style = line_style(place)
        draw_band(axes, courses.times, low, high, place, len(courses.totals))
        how: dict[str, Any] = {"color": style.colour, "ls": style.dashes, "lw": 1.8}
        named.append((axes.plot(courses.times, mean, **how)[0], label_of(results, agent)))
    axes.set_xlim(0, max(1, courses.times[-1]))
    axes.set_ylim(bottom=0)
    whole = courses.n_users == int(results.runs.groupby("agent").size().max())
    heading = f"{heading_of(results)}, {'all' if whole else courses.n_users} replayed"
    if courses.left_out:
        heading += f"; no code of {', '.join(courses.left_out)}"
    dress(axes, heading, "time t, in recommendations", f"{figure} up to t")
    name_lines(axes, named)
    return axes


def regret_by_user(results: PlottedRuns, axes: "Axes | None" = None) -> "Axes":
    """Draw the regret with each user of an episode: a line an agent, with 95% intervals.

    An agent that learns nothing from user to user has a level line.

    Args:
        results: of the task "population".
        axes: where it is drawn; None is a new figure.

    Returns:
        The axes, whose figure can be saved.

    Raises:
        InvalidArgumentError: for another task.
        MissingExtraError: without Matplotlib.
    """
    if results.cell["task"] != POPULATION.name:
        allowed = f"of the task {POPULATION.name}"
        raise InvalidArgumentError("results", results.cell["task"], allowed)
    axes, named, agents = plot_axes(axes), [], agents_in(results)
    from matplotlib.ticker import MaxNLocator

    for place, agent in enumerate(agents):
        regrets = regrets_by_user(results.runs[results.runs["agent"] == agent])
        mean, low, high = mean_course(regrets)
        numbers, style = np.arange(1, len(mean) + 1), line_style(place)
        draw_band(axes, numbers, low, high, place, len(agents))
        mark = "o" if len(mean) == 1 else ""  # a line of one point is not seen
        line = axes.plot(numbers, mean, color=style.colour, ls=style.dashes, lw=1.8, marker=mark)[0]
        named.append((line, label_of(results, agent)))
    axes.set_xlim(1 - 0.5 * (len(numbers) == 1), max(1.5, len(numbers)))
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    heading = f"{heading_of(results)}, deviation\u00a0=\u00a0{results.cell['deviation']:g}"
    y = f"regret over her {results.cell['horizon']} recommendations"
    dress(axes, heading, "user, in the order in which they come", y)
    name_lines(axes, named)
    return axes
