"""The style of plots: colours, lines, axes and legends, and figures as PNG and SVG.

Colour, dashes and marks differ together, so that nothing rests on colour. Letters are large enough
for a slide, and for a column of 80 mm in print.
"""

import io
import math
import textwrap
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from explorative_user_env.display.text import in_line
from explorative_user_env.validation import PACKAGE, missing_of, require

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Colour(NamedTuple):
    """A colour on each page, as `#rrggbb`."""

    light: str
    dark: str


#: The pages, each with its colours.
PAGES = Colour._fields

#: Colours by role: the page, a panel on it, thin lines, words, less important words; an acceptance,
#: a rejection; the user's intervals and empirical means; true means and the best arm; the arm that
#: decides a rejection; the arm that is recommended now; the agent's estimates.
COLOURS = {
    "page": Colour("#ffffff", "#14171c"),
    "panel": Colour("#f3f5f8", "#1e232b"),
    "grid": Colour("#d3d8df", "#3a414c"),
    "ink": Colour("#1b1f24", "#e9ebee"),
    "quiet": Colour("#5b6470", "#a3acb8"),
    "accepted": Colour("#0072b2", "#56b4e9"),
    "rejected": Colour("#c44f00", "#ff8c42"),
    "interval": Colour("#a9cfe6", "#2c5f82"),
    "estimate": Colour("#1b1f24", "#e9ebee"),
    "truth": Colour("#00795a", "#2fd0a0"),
    "witness": Colour("#a8457f", "#e79fc8"),
    "recommended": Colour("#fff1c9", "#3b3420"),
    "agent": Colour("#8a6100", "#e6a532"),
}

#: The roles in which words are written: their contrast is high on the page and on a panel.
WORDS = ("ink", "quiet", "accepted", "rejected", "truth", "witness", "agent")

#: Colours of compared lines, in order: those of Okabe and Ito, with another yellow, which can be
#: seen on white.
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999933")


DOTS_PER_INCH = 100

NEEDS = ("matplotlib",)


def can_plot() -> bool:
    """Return whether Matplotlib is installed."""
    return not missing_of(NEEDS)


def require_plot() -> None:
    """Raise a `MissingExtraError` if Matplotlib is not installed."""
    require("pictures need", "plot", NEEDS)


def new_figure(width: float, height: float) -> "Figure":
    """Return an empty figure of this size in inches, without a window.

    Raises:
        MissingExtraError: without Matplotlib.
    """
    require_plot()
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def as_png(drawn: Any, dots_per_inch: int = DOTS_PER_INCH) -> bytes:
    """Return a figure, or that of some axes, as a PNG file."""
    file = io.BytesIO()
    drawn.figure.savefig(file, format="png", dpi=dots_per_inch)
    return file.getvalue()


def as_svg(drawn: Any, title: str) -> bytes:
    """Return a figure, or that of some axes, as an SVG file, always of the same bytes.

    Letters are paths, as another machine may not have the font; `title` is for a screen reader.
    """
    require_plot()
    from matplotlib import rc_context

    file = io.BytesIO()
    with rc_context({"svg.fonttype": "path", "svg.hashsalt": PACKAGE}):
        metadata = {"Title": title, "Date": None, "Creator": None}
        drawn.figure.savefig(file, format="svg", metadata=metadata)
    return file.getvalue()


#: Inches of a plot with its legend.
PLOT_WIDTH, PLOT_HEIGHT = 5.8, 3.5

#: Dots per inch in a notebook.
NOTEBOOK_DOTS = 110

#: Points of the words of an axis; of titles, numbers and the legend.
AXIS_SIZE, TEXT_SIZE = 11.0, 9.5

DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 1.6)),
    (0, (1.2, 1.2)),
    (0, (6, 1.5, 1.2, 1.5)),
    (0, (3, 1.2, 1.2, 1.2, 1.2, 1.2)),
)
MARKS = ("o", "s", "^", "D", "v", "P", "X")

#: Letters of a line's name in a legend, and of a line of a title.
LONGEST_NAME, LONGEST_LINE = 20, 62


class Style(NamedTuple):
    """How a line looks."""

    colour: str
    dashes: Any
    mark: str


def line_style(place: int) -> Style:
    """Return the style of the line in a place; the first 280 differ."""
    kinds: tuple[Sequence[Any], ...] = (SERIES, DASHES, MARKS)
    return Style(*(each[place % len(each)] for each in kinds))


def colour_of(role: str) -> str:
    """Return a colour of `COLOURS` for the white page of a plot."""
    return COLOURS[role].light


def verbatim(text: str, most: int | None = None) -> str:
    """Return words, cut to a length, so that Matplotlib writes no formula."""
    line = in_line(text)
    if most is not None and len(line) > most:
        line = line[: most - 1].rstrip() + "…"
    return line.replace("$", r"\$")


def plot_axes(axes: Any, height: float = PLOT_HEIGHT, width: float = PLOT_WIDTH) -> Any:
    """Return `axes`, or those of a new figure of this size in inches, which a notebook shows."""
    if axes is not None:
        return axes
    own = new_figure(width, height).subplots()
    # Where a value is the last of a cell, IPython asks the value itself for a picture.
    own._repr_png_ = partial(as_png, own, NOTEBOOK_DOTS)  # type: ignore[attr-defined]
    return own


def dress(axes: "Axes", title: str, x: str, y: str, named: Sequence[tuple[Any, str]] = ()) -> None:
    """Set the title, folded between words, the labels of the axes, the grid and the legend."""
    lines = textwrap.wrap(verbatim(title), LONGEST_LINE)
    axes.set_title("\n".join(lines), fontsize=TEXT_SIZE, loc="left", color=colour_of("ink"))
    axes.set_xlabel(x, fontsize=AXIS_SIZE)
    axes.set_ylabel(y, fontsize=AXIS_SIZE)
    axes.tick_params(labelsize=TEXT_SIZE, colors=colour_of("ink"))
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color=colour_of("grid"), linewidth=0.6)
    axes.set_axisbelow(True)
    if named:
        name_lines(axes, named)


def name_lines(axes: "Axes", named: Sequence[tuple[Any, str]]) -> None:
    """Add a legend of lines and their names beside the plot, where it hides nothing."""
    # Older releases leave a name out of a legend that begins with an underscore.
    names = [f" {name}" if name.startswith("_") else name for _, name in named]
    how: dict[str, Any] = {"bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0.0, "frameon": False}
    how |= {"loc": "upper left", "fontsize": TEXT_SIZE, "handlelength": 2.6}
    axes.legend([handle for handle, _ in named], names, **how)


def draw_band(axes: "Axes", x: Any, low: Any, high: Any, place: int, many: int, **how: Any) -> None:
    """Draw the intervals of a line, NaN where it has none; the more lines, the fainter.

    Args:
        axes: the plot.
        x: places on the horizontal axis.
        low: lower ends.
        high: upper ends.
        place: the place of the line among all.
        many: number of lines.
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
