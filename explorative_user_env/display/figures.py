"""Pictures without a screen and without global state, for those who have Matplotlib."""

import base64
import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from explorative_user_env.extras import missing_of, require
from explorative_user_env.validation import PACKAGE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DOTS_PER_INCH = 100

NEEDS = ("matplotlib",)


def can_plot() -> bool:
    """Return whether Matplotlib is installed."""
    return not missing_of(NEEDS)


def require_plot() -> None:
    """Make sure that Matplotlib is there.

    Raises:
        MissingExtraError: with the command that installs it.
    """
    require("pictures need", "plot", NEEDS)


def new_figure(width: float, height: float) -> "Figure":
    """Return an empty figure of this size in inches, which belongs to no window.

    Raises:
        MissingExtraError: without Matplotlib.
    """
    require_plot()
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def as_png(drawn: "Figure | Axes", dots_per_inch: int = DOTS_PER_INCH, **options: Any) -> bytes:
    """Return a figure, or that of some axes, as a PNG file."""
    file = io.BytesIO()
    _whole(drawn).savefig(file, format="png", dpi=dots_per_inch, **options)
    return file.getvalue()


def as_svg(drawn: "Figure | Axes", title: str) -> bytes:
    """Return a figure, or that of some axes, as an SVG file of the same bytes whenever it is drawn.

    Letters are paths: another machine may not have the font, and words in another one are longer.

    Args:
        drawn: the figure, or its axes.
        title: what a screen reader says of it.
    """
    require_plot()
    from matplotlib import rc_context

    file = io.BytesIO()
    with rc_context({"svg.fonttype": "path", "svg.hashsalt": PACKAGE}):
        told = {"Title": title, "Date": None, "Creator": None}
        _whole(drawn).savefig(file, format="svg", metadata=told)
    return file.getvalue()


def _whole(drawn: "Figure | Axes") -> "Figure":
    """Return the figure that axes are on, or that is given."""
    figure: Any = drawn.figure
    return figure  # type: ignore[no-any-return]


class UndrawnError(Exception):
    """A picture that could not be drawn; the message says why."""


def painted(draw: "Callable[[], Figure | Axes]") -> bytes:
    """Return what `draw` draws as a PNG file.

    Raises:
        UndrawnError: whatever goes wrong, as a picture is never worth what was to be pictured.
    """
    try:
        return as_png(draw())
    except Exception as error:
        raise UndrawnError(f"not drawn, {type(error).__name__}: {error}") from error


def data_uri(png: bytes) -> str:
    """Return an address that holds the picture itself."""
    return "data:image/png;base64," + base64.b64encode(png).decode()
