"""Where everything stands in a picture of a user: all of its sizes, in pixels, and nothing else.

They follow from the number of arms, the width and what is asked for, and from nothing that changes
from step to step: so the frames of a film are of one size, and nothing jumps.
"""

import math
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from explorative_user_env.rendering.shapes import width_of

SMALLEST_WIDTH, USUAL_WIDTH, LARGEST_WIDTH = 320, 720, 4096
MARGIN = 16.0
SPACING = 6.0  # between things that belong together
TINY, LITTLE, USUAL, LARGE = 10.0, 11.0, 13.0, 16.0  # letters
LINE = 1.5  # height of a line of words, in letters

SIDE_BY_SIDE = 640
"""From this width on what she believes stands beside what we see, and else below it."""
SHARE_SEEN = 0.42  # of the width, for what we see
GUTTER = 24.0

MOST_LABELLED = 25
"""Arms that have a row each with words in it; more are drawn densely."""
MOST_ROWS = 100
DENSE_HEIGHT, DENSE_LEAST, DENSE_MOST = 800.0, 8.0, 16.0  # of all rows, of one
ROOMY_ROWS, ROOMY_ROW, ROW = 8, 34.0, 26.0

MARK = 5.0  # half the size of a mark of a response
COUNT_DIGITS = "888888"  # more are written in millions


class Panel(NamedTuple):
    """A part of the picture with a row for each arm.

    Attributes:
        left: where it begins.
        right: where it ends.
        heading: where its heading stands.
        top: where its first row begins.
        inner_left: where its bars or its axis begin, after the labels.
        inner_right: where they end, before the words on the arms.
    """

    left: float
    right: float
    heading: float
    top: float
    inner_left: float
    inner_right: float


class Shown(NamedTuple):
    """The arms that have a row.

    Attributes:
        arms: all of them, from top to bottom.
        special: those that matter now, the most important first.
        recommended: the one that was recommended last, None before the first.
    """

    arms: Sequence[int]
    special: Sequence[int]
    recommended: int | None


class Layout(NamedTuple):
    """The places of everything.

    Attributes:
        width: of the picture.
        height: of the picture, even, as films need it.
        n_arms: K.
        n_rows: how many arms are shown.
        dense: whether rows are too thin for words.
        row: the height of a row.
        header: where the first line of words stands.
        seen: what we see.
        believed: what she believes, None where it is not asked for.
        legend: where the first line of the legend stands.
    """

    width: int
    height: int
    n_arms: int
    n_rows: int
    dense: bool
    row: float
    header: float
    seen: Panel
    believed: Panel | None
    legend: float

    @property
    def bottom(self) -> float:
        """The height of all rows."""
        return self.n_rows * self.row

    @property
    def letters(self) -> float:
        """The size of the letters in a row."""
        return TINY if self.dense else LITTLE


def layout_of(
    n_arms: int, width: int, revealed: bool, header_height: float, legend_lines: int
) -> Layout:
    """Return the places of everything.

    Args:
        n_arms: K.
        width: of the picture.
        revealed: whether it shows what she believes.
        header_height: how high the words above are.
        legend_lines: how many lines the legend takes.
    """
    n_rows, dense = min(n_arms, MOST_ROWS), n_arms > MOST_LABELLED
    if dense:
        row = float(int(min(max(DENSE_HEIGHT / n_rows, DENSE_LEAST), DENSE_MOST)))
    else:
        row = ROOMY_ROW if n_rows <= ROOMY_ROWS else ROW
    left, right = MARGIN, width - MARGIN
    beside = width >= SIDE_BY_SIDE
    heading = MARGIN + header_height + SPACING + USUAL
    seen_right = left + SHARE_SEEN * (right - left) if revealed and beside else right
    seen = _panel(left, seen_right, heading, n_arms, dense)
    seen = seen._replace(inner_left=seen.inner_left + 2 * (MARK + SPACING))
    bottom = seen.top + n_rows * row
    believed = None
    if revealed:
        from_left = seen_right + GUTTER if beside else left
        from_top = heading if beside else bottom + GUTTER + USUAL
        believed = _panel(from_left, right, from_top, 0 if beside else n_arms, dense)
        words = sum(width_of(word, LITTLE) + SPACING for word in words_beside(n_arms, dense))
        believed = believed._replace(inner_right=right - words)
        if not beside:
            believed = believed._replace(top=from_top + SPACING)  # no headings of columns
        bottom = believed.top + n_rows * row + SPACING + LINE * LITTLE
    legend = bottom + 2 * SPACING + LITTLE
    height = 2 * math.ceil((legend + (legend_lines - 1) * LINE * LITTLE + MARGIN) / 2)
    return Layout(width, height, n_arms, n_rows, dense, row, MARGIN, seen, believed, legend)


def _panel(left: float, right: float, heading: float, n_arms: int, dense: bool) -> Panel:
    """Return a panel with a label for each arm, or without any for 0 arms."""
    label = str(max(n_arms - 1, 0)) if dense else f"arm {max(n_arms - 1, 10)}"
    room = width_of(label.replace("1", "8"), TINY if dense else USUAL, True) + SPACING
    inner_left = left + room if n_arms else left
    return Panel(left, right, heading, heading + LINE * LITTLE + SPACING, inner_left, right)


def words_beside(n_arms: int, dense: bool) -> tuple[str, str]:
    """Return the longest words on the best arm and on the one that decides, beside their rows."""
    number = " " + "8" * len(str(n_arms - 1)) if dense else ""
    return f"best{number}", f"witness{number}"


_AFTER_A_DOT = re.compile(r"(?<=·) ")
"""Where a line ends if it can."""

_BREAK = re.compile(r"(?<!=) (?![-\d=>·])")
"""Where a line may end: not within `n(t) = 3` or `arm 3`, nor before a dot between two things."""


def wrapped(text: str, size: float, width: float, most: int, bold: bool = False) -> list[str]:
    """Return a text in lines that are no wider than `width`, `most` of them at most."""
    lines: list[str] = []
    parts = _AFTER_A_DOT.split(text)
    if len(parts) == 1 or max(width_of(part, size, bold) for part in parts) > width:
        parts = _BREAK.split(text)
    for word in parts:
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(longer, size, bold) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    if len(lines) > most:
        lines = [*lines[: most - 1], " ".join(lines[most - 1 :])]
    return [fitted(line, size, width, bold) for line in lines]


def fitted(text: str, size: float, width: float, bold: bool = False) -> str:
    """Return a text, cut with an ellipsis where it is wider than `width`."""
    if width_of(text, size, bold) <= width:
        return text
    kept = len(text) - 1
    while kept > 0 and width_of(text[:kept] + "…", size, bold) > width:
        kept -= 1
    return text[:kept].rstrip() + "…"


def flowed(widths: Iterable[float], left: float, right: float) -> list[tuple[float, int]]:
    """Return where things of these widths begin and on which line, as words flow."""
    places: list[tuple[float, int]] = []
    x, line = left, 0
    for width in widths:
        if x > left and x + width > right:
            x, line = left, line + 1
        places.append((x, line))
        x += width
    return places
