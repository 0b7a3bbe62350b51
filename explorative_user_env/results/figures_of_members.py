"""The plot of agents with users who come one after another: what the ones before are worth."""

from typing import TYPE_CHECKING

import numpy as np

from explorative_user_env.display.series import (
    draw_band,
    dress,
    line_style,
    name_lines,
    plot_axes,
)
from explorative_user_env.results.columns import regrets_by_user
from explorative_user_env.results.figures_of_courses import mean_course
from explorative_user_env.results.plotted import PlottedRuns, agents_in, heading_of, label_of
from explorative_user_env.tasks import POPULATION
from explorative_user_env.validation import InvalidArgumentError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
