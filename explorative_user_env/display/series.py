"""How lines that are compared are told apart, and how the plot around them is dressed.

Colour, dashes and marks differ together, so that nothing rests on colour. Letters are large enough
for a slide, and for a column of 80 mm in print.
"""

import math
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from explorative_user_env.display.colours import COLOURS, SERIES
from explorative_user_env.display.figures import as_png, new_figure
from explorative_user_env.display.plain_text import in_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

PLOT_WIDTH, PLOT_HEIGHT = 5.8, 3.5
"""Inches of a plot with its legend."""

NOTEBOOK_DOTS = 110
"""Dots an inch in a notebook."""

AXIS_SIZE, TEXT_SIZE = 11.0, 9.5
"""Points of what an axis is called and of titles; of its numbers and of the legend."""

DASHES: "Sequence[Any]" = (
    "-",
    (0, (5, 1.6)),
    (0, (1.2, 1.2)),
    (0, (6, 1.5, 1.2, 1.5)),
    (0, (3, 1.2, 1.2, 1.2, 1.2, 1.2)),
)
MARKS = ("o", "s", "^", "D", "v", "P", "X")

LONGEST_NAME, LONGEST_LINE = 20, 62
"""Letters of a line's name in a legend, and of a line of a title."""


class Style(NamedTuple):
    """How a line looks."""

    colour: str
    dashes: Any
    mark: str


def line_style(place: int) -> Style:
    """Return how the line of a place looks; the first 280 differ."""
    return Style(
        SERIES[place % len(SERIES)], DASHES[place % len(DASHES)], MARKS[place % len(MARKS)]
    )


def colour_of(role: str) -> str:
    """Return a colour of `COLOURS` as it is on the white page of a plot."""
    return COLOURS[role].light


def verbatim(text: str, most: int | None = None) -> str:
    """Return somebody's words as Matplotlib writes them: as they are, and cut off if too long.

    Args:
        text: the words, in which a dollar would begin a formula.
        most: letters that there may be; None is any number.
    """
    line = in_line(text)
    if most is not None and len(line) > most:
        line = line[: most - 1].rstrip() + "…"
    return line.replace("$", r"\$")


def plot_axes(
    axes: "Axes | None", height: float = PLOT_HEIGHT, width: float = PLOT_WIDTH
) -> "Axes":
    """Return the axes that are given, or those of a new figure, which a notebook shows.

    Args:
        axes: somebody's, or None.
        height: of a new figure, in inches.
        width: of a new figure.

    Raises:
        MissingExtraError: without Matplotlib.
    """
    if axes is not None:
        return axes
    own = new_figure(width, height).subplots()
    # Where a value is the last of a cell, IPython asks the value itself for a picture.
    own._repr_png_ = partial(as_png, own, NOTEBOOK_DOTS)  # type: ignore[attr-defined]
    return own


def dress(axes: "Axes", title: str, x: str, y: str) -> None:
    """Say what is shown and what the axes are, and take away what says nothing.

    Args:
        axes: the plot.
        title: what is shown, folded between words.
        x: what the horizontal axis is, with its unit.
        y: what the vertical one is.
    """
    import textwrap

    lines = textwrap.wrap(verbatim(title), LONGEST_LINE)
    axes.set_title("\n".join(lines), fontsize=TEXT_SIZE, loc="left", color=colour_of("ink"))
    axes.set_xlabel(x, fontsize=AXIS_SIZE)
    axes.set_ylabel(y, fontsize=AXIS_SIZE)
    axes.tick_params(labelsize=TEXT_SIZE, colors=colour_of("ink"))
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color=colour_of("grid"), linewidth=0.6)
    axes.set_axisbelow(True)


def name_lines(axes: "Axes", named: "Sequence[tuple[Any, str]]") -> None:
    """Put a legend beside the plot, where it hides nothing.

    Args:
        axes: the plot.
        named: what is drawn, and what it is called, in order.
    """
    # Older releases leave a name out of a legend that begins with an underscore.
    names = [f" {name}" if name.startswith("_") else name for _, name in named]
    axes.legend(
        [handle for handle, _ in named],
        names,
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        borderaxespad=0.0,
        frameon=False,
        fontsize=TEXT_SIZE,
        handlelength=2.6,
    )


def draw_band(axes: "Axes", x: Any, low: Any, high: Any, place: int, many: int, **how: Any) -> None:
    """Draw the intervals of a line, the fainter the more lines there are.

    Args:
        axes: the plot.
        x: places on the horizontal axis.
        low: lower ends; NaN where there is no interval.
        high: upper ends.
        place: of the line.
        many: lines that there are.
        how: as for `fill_between`.
    """
    alpha = min(0.15, 0.45 / many)
    axes.fill_between(x, low, high, color=line_style(place).colour, alpha=alpha, linewidth=0, **how)


def spread_out(least: float, most: float) -> bool:
    """Return whether numbers from `least` to `most` are seen better on a logarithmic axis."""
    return 0.0 < 20.0 * least < most


def logarithmic(axes: "Axes", which: Literal["x", "y"]) -> None:
    """Make an axis logarithmic, with its numbers in full where few decades are on it."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set(**{f"{which}scale": "log"})
    axis = axes.xaxis if which == "x" else axes.yaxis
    low, high = sorted(axis.get_view_interval())
    decades = math.log10(high / low) if low > 0.0 else math.inf
    subs = (1.0, 2.0, 5.0) if decades < 2.5 else (1.0,)
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_minor_formatter(NullFormatter())
    if decades < 2.5:
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
