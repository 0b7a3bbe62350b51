"""Plots of what comes together over a run: rejections, regret, acceptances of each arm."""

from typing import TYPE_CHECKING, Any

import numpy as np

from explorative_user_env.display.progress import OnProgress, shown
from explorative_user_env.display.series import (
    colour_of,
    draw_band,
    dress,
    line_style,
    name_lines,
    plot_axes,
)
from explorative_user_env.episodes import Episode
from explorative_user_env.protocol import Array
from explorative_user_env.results.courses import REGRET_SO_FAR, REJECTED_SO_FAR, courses_of
from explorative_user_env.results.intervals import mean_interval
from explorative_user_env.results.plotted import PlottedRuns, agents_in, heading_of, label_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
