"""Set the style of all plots, and convert figures to PNG and SVG.

Lines differ in colour, dashes and marks, so that readers can identify them without colour. Text is
legible on a slide, and in a printed column of 80 mm.
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
    """Two variants of a colour, for light and for dark pages, as `#rrggbb`."""

    light: str
    dark: str


#: The colour schemes: light and dark.
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

#: Roles with a contrast high enough for text, on the page and on a panel.
WORDS = ("ink", "quiet", "accepted", "rejected", "truth", "witness", "agent")

#: Colours of lines, in order: those of Okabe and Ito, with a yellow that is visible on white.
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
    """Return an empty figure of this size in inches, not managed by pyplot.

    Raises:
        MissingExtraError: without Matplotlib.
    """
    require_plot()
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def as_png(drawn: Any, dots_per_inch: int = DOTS_PER_INCH) -> bytes:
    """Return a Matplotlib figure as PNG bytes; `drawn` is the figure or axes of the figure."""
    file = io.BytesIO()
    drawn.figure.savefig(file, format="png", dpi=dots_per_inch)
    return file.getvalue()


def as_svg(drawn: Any, title: str) -> bytes:
    """Return a Matplotlib figure as SVG bytes; `drawn` is the figure or axes of the figure.

    Equal figures give equal bytes. Letters become paths, which need no font. Screen readers read
    `title`.
    """
    require_plot()
    from matplotlib import rc_context

    file = io.BytesIO()
    with rc_context({"svg.fonttype": "path", "svg.hashsalt": PACKAGE}):
        metadata = {"Title": title, "Date": None, "Creator": None}
        drawn.figure.savefig(file, format="svg", metadata=metadata)
    return file.getvalue()


#: Size in inches of a plot with its legend.
PLOT_WIDTH, PLOT_HEIGHT = 5.8, 3.5

#: Dots per inch in a notebook.
NOTEBOOK_DOTS = 110

#: Font size in points of axis labels; of titles, ticks and the legend.
AXIS_SIZE, TEXT_SIZE = 11.0, 9.5

DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 1.6)),
    (0, (1.2, 1.2)),
    (0, (6, 1.5, 1.2, 1.5)),
    (0, (3, 1.2, 1.2, 1.2, 1.2, 1.2)),
)
MARKS = ("o", "s", "^", "D", "v", "P", "X")

#: Most letters of a name in a legend, and of a line of a title.
LONGEST_NAME, LONGEST_LINE = 20, 62


class Style(NamedTuple):
    """The style of a line."""

    colour: str
    dashes: Any
    mark: str


def line_style(place: int) -> Style:
    """Return the style of the line with index `place`; the first 280 styles differ."""
    kinds: tuple[Sequence[Any], ...] = (SERIES, DASHES, MARKS)
    return Style(*(each[place % len(each)] for each in kinds))


def colour_of(role: str) -> str:
    """Return the colour named `role` in `COLOURS`, for light pages."""
    return COLOURS[role].light


def verbatim(text: str, most: int | None = None) -> str:
    """Return `text` cut to `most` letters, with `$` escaped for Matplotlib."""
    line = in_line(text)
    if most is not None and len(line) > most:
        line = line[: most - 1].rstrip() + "…"
    return line.replace("$", r"\$")


def plot_axes(axes: Any, height: float = PLOT_HEIGHT, width: float = PLOT_WIDTH) -> Any:
    """Return `axes`, or new axes of this size in inches if `axes` is None."""
    if axes is not None:
        return axes
    created = new_figure(width, height).subplots()
    # IPython displays the last value of a cell by its `_repr_png_`.
    created._repr_png_ = partial(as_png, created, NOTEBOOK_DOTS)  # type: ignore[attr-defined]
    return created


def dress(axes: "Axes", title: str, x: str, y: str, named: Sequence[tuple[Any, str]] = ()) -> None:
    """Set the wrapped title, the axis labels, the grid and the legend."""
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
    """Add a legend of lines and their names to the right of the plot."""
    # Older Matplotlib omits names that begin with an underscore from a legend.
    names = [f" {name}" if name.startswith("_") else name for _, name in named]
    how: dict[str, Any] = {"bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0.0, "frameon": False}
    how |= {"loc": "upper left", "fontsize": TEXT_SIZE, "handlelength": 2.6}
    axes.legend([handle for handle, _ in named], names, **how)


def draw_band(axes: "Axes", x: Any, low: Any, high: Any, place: int, many: int, **how: Any) -> None:
    """Draw the confidence intervals of a line as a band; more lines make each band fainter.

    Args:
        axes: the plot.
        x: horizontal coordinates.
        low: lower ends; NaN where there is no interval.
        high: upper ends; NaN where there is no interval.
        place: index of the line.
        many: number of lines.
        how: options of `fill_between`.
    """
    alpha = min(0.15, 0.45 / many)
    axes.fill_between(x, low, high, color=line_style(place).colour, alpha=alpha, linewidth=0, **how)


def spread_out(least: float, most: float) -> bool:
    """Return whether numbers from `least` to `most` need a logarithmic axis."""
    return 0.0 < 20.0 * least < most


def logarithmic(axes: "Axes", which: Literal["x", "y"]) -> None:
    """Make an axis logarithmic; an axis of at most 2.5 decades has plain tick labels."""
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
