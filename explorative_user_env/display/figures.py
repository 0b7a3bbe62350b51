"""Pictures without a screen and without global state, for those who have Matplotlib."""

import base64
import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from explorative_user_env.extras import missing_of, require

if TYPE_CHECKING:
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


def as_png(figure: "Figure", **options: Any) -> bytes:
    """Return `figure` as a PNG file."""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=DOTS_PER_INCH, **options)
    return file.getvalue()


class UndrawnError(Exception):
    """A picture that could not be drawn; the message says why."""


def painted(draw: "Callable[[], Figure]") -> bytes:
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
