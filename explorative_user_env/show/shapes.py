"""The signs that pictures have in common: a response, an arrow, a diamond, the key to them."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

Anchor = Literal["start", "middle", "end"]
"""Where a text's place is in it."""


class Rectangle(NamedTuple):
    """A filled rectangle. `name` is what a screen reader calls it; "" is nothing to speak of."""

    key: str
    x: float
    y: float
    width: float
    height: float
    role: str
    name: str = ""


class Line(NamedTuple):
    """A straight line."""

    key: str
    x1: float
    y1: float
    x2: float
    y2: float
    role: str
    width: float = 1.0
    name: str = ""


class Disc(NamedTuple):
    """A filled circle."""

    key: str
    x: float
    y: float
    radius: float
    role: str
    name: str = ""


class Polygon(NamedTuple):
    """A filled polygon."""

    key: str
    points: tuple[tuple[float, float], ...]
    role: str
    name: str = ""


class Text(NamedTuple):
    """One line of words, of letters that every painter has: ASCII and `±`, `·`, `…`.

    `y` is where its letters stand. They are at most `size` high, and `width_of` wide.
    """

    key: str
    x: float
    y: float
    text: str
    role: str
    size: float = 13.0
    anchor: Anchor = "start"
    bold: bool = False


Shape = Rectangle | Line | Disc | Polygon | Text


class Scene(NamedTuple):
    """A picture: its size, what a screen reader says of it, and its shapes from back to front."""

    width: int
    height: int
    name: str
    shapes: tuple[Shape, ...]


NARROW, WIDE = frozenset(" .,:;'|!ijl"), frozenset("mwMW%@")


def width_of(text: str, size: float, bold: bool = False) -> float:
    """Return how wide a text is at most, in any usual sans-serif font."""
    ems = sum(
        0.38 if letter in NARROW else 1.0 if letter in WIDE else 0.78 if letter.isupper() else 0.65
        for letter in text
    )
    return ems * size * (1.1 if bold else 1.0)


class Box(NamedTuple):
    """The room that something takes."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Box") -> bool:
        """Return whether the two have room in common."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


def box_of(shape: Shape) -> Box:
    """Return the room that a shape takes at most."""
    match shape:
        case Rectangle():
            return Box(shape.x, shape.y, shape.x + shape.width, shape.y + shape.height)
        case Line():
            xs, ys, half = (shape.x1, shape.x2), (shape.y1, shape.y2), shape.width / 2
            return Box(min(xs) - half, min(ys) - half, max(xs) + half, max(ys) + half)
        case Disc():
            r = shape.radius
            return Box(shape.x - r, shape.y - r, shape.x + r, shape.y + r)
        case Polygon():
            xs, ys = zip(*shape.points, strict=True)
            return Box(min(xs), min(ys), max(xs), max(ys))
    width = width_of(shape.text, shape.size, shape.bold)
    left = shape.x - width * {"start": 0.0, "middle": 0.5, "end": 1.0}[shape.anchor]
    return Box(left, shape.y - 0.8 * shape.size, left + width, shape.y + 0.25 * shape.size)


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


LEAST_SPAN = 1e-6  # of the numbers themselves: below, no tick could be told from the next
SPACE = 0.04  # beyond what is shown, in spans
ROUND_PARTS = 8  # at most, of a span whose ends are round
TICK_EVERY = 36.0  # pixels, about


class Axis(NamedTuple):
    """Rewards from `low` to `high`, between two places; and ticks, with their words."""

    low: float
    high: float
    left: float
    right: float
    ticks: tuple[tuple[float, str], ...]

    def place(self, value: float) -> float:
        """Return where a reward is; what is beyond an end is at that end."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.left + share * (self.right - self.left)


def round_step(least: float) -> float:
    """Return 1, 2 or 5 times a power of ten, at least this much."""
    power: float = 10.0 ** math.floor(math.log10(least))
    return next(times * power for times in (1, 2, 5, 10) if times * power >= least)


def rounded_out(span: tuple[float, float]) -> tuple[float, float]:
    """Return a span with round ends that holds this one: in a film it seldom changes."""
    low, high = span
    if high - low <= LEAST_SPAN * max(abs(low), abs(high), 1.0):
        return span
    step = round_step((high - low) / ROUND_PARTS)
    return step * math.floor(low / step), step * math.ceil(high / step)


def axis_of(span: tuple[float, float], left: float, right: float) -> Axis:
    """Return an axis on which all of a span can be seen."""
    low, high = span
    wide = high - low
    if wide <= LEAST_SPAN * max(abs(low), abs(high), 1.0):
        wide = 2 * LEAST_SPAN * max(abs(low), abs(high)) + 1.0
        low, high = (span[0] + span[1] - wide) / 2, (span[0] + span[1] + wide) / 2
    axis = Axis(low - SPACE * wide, high + SPACE * wide, left, right, ())
    return ticked(axis)


def ticked(axis: Axis, least: float = 0.0, overhang: float = 0.0) -> Axis:
    """Return an axis with round numbers on it, as far apart as their words need.

    Args:
        axis: the axis.
        least: how far apart they are at least.
        overhang: how far beyond the ends of the axis there is room for words.
    """
    wide = axis.high - axis.low
    step = round_step(max(wide * TICK_EVERY / max(axis.right - axis.left, TICK_EVERY), least))
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    ticks: list[tuple[float, str]] = []
    free = axis.left - overhang
    for number in range(math.ceil(axis.low / step), math.floor(axis.high / step) + 1):
        value = number * step
        words = f"{value:.{digits}f}" if abs(value) < 1e6 else f"{value:.4g}"
        x, half = axis.place(value), width_of(words, LITTLE) / 2
        if x - half >= free and x + half <= axis.right + overhang:
            ticks.append((x, words))
            free = x + half + SPACING
    return axis._replace(ticks=tuple(ticks))


STROKE = 2.0  # width of a line that says something


def response(key: str, accepted: bool, x: float, y: float, size: float, name: str) -> list[Shape]:
    """Return the sign of a response: a stroke for yes, a cross for no, `size` to each side."""
    if accepted:
        return [Line(f"{key}-yes", x, y - size, x, y + size, "accepted", 1.5 * STROKE, name)]
    return [
        Line(f"{key}-no-1", x - size, y - size, x + size, y + size, "rejected", STROKE, name),
        Line(f"{key}-no-2", x - size, y + size, x + size, y - size, "rejected", STROKE),
    ]


def diamond(key: str, x: float, y: float, size: float, role: str, name: str = "") -> Polygon:
    """Return a diamond around a place."""
    return Polygon(key, ((x, y - size), (x + size, y), (x, y + size), (x - size, y)), role, name)


def arrow(key: str, tip: float, y: float, size: float, role: str, name: str = "") -> Polygon:
    """Return an arrow's head with this tip, to the right; to the left for a `size` below 0."""
    half = abs(size)
    back = tip - 1.5 * size
    return Polygon(key, ((tip, y), (back, y - half), (back, y + half)), role, name)


class Sign(NamedTuple):
    """An entry of the legend: a sign by its name, and what it means."""

    kind: str
    meaning: str


RESPONSES = (Sign("yes", "last: yes"), Sign("no", "no"))
BELIEFS = (
    Sign("interval", "her interval"),
    Sign("open", "goes on"),
    Sign("estimate", "mean so far"),
    Sign("truth", "true mean"),
    Sign("witness", "decides"),
)
SIGN_ROOM = 18.0  # of a sign, before its words


def _room(sign: Sign) -> float:
    return SIGN_ROOM + width_of(sign.meaning, LITTLE) + 2 * SPACING


def legend_lines(signs: Sequence[Sign], left: float, right: float) -> int:
    """Return how many lines a legend takes."""
    return flowed(map(_room, signs), left, right)[-1][1] + 1


def legend(signs: Sequence[Sign], left: float, right: float, first: float) -> Iterator[Shape]:
    """Return the legend, whose first line of words stands at `first`."""
    places = flowed(map(_room, signs), left, right)
    for sign, (x, line) in zip(signs, places, strict=True):
        y = first + line * LINE * LITTLE
        yield from _drawn(sign.kind, x + SIGN_ROOM / 2 - SPACING / 2, y - 0.35 * LITTLE)
        yield Text(f"legend-{sign.kind}-words", x + SIGN_ROOM, y, sign.meaning, "quiet", LITTLE)


def _drawn(kind: str, x: float, y: float) -> list[Shape]:
    """Return a sign around a place."""
    key, half = f"legend-{kind}", 0.8 * MARK
    if kind in ("yes", "no"):
        return response(key, kind == "yes", x, y, half, "")
    if kind == "interval":
        return [Rectangle(key, x - 1.4 * half, y - half, 2.8 * half, 2 * half, "interval")]
    if kind == "open":
        return [arrow(key, x + half, y, half, "quiet")]
    if kind in ("estimate-line", "truth-line"):
        role = kind.removesuffix("-line")
        return [Line(key, x - 1.4 * half, y, x + 1.4 * half, y, role, STROKE)]
    if kind == "estimate":
        return [Disc(key, x, y, half, "estimate")]
    if kind == "truth":
        return [diamond(key, x, y, 1.2 * half, "truth")]
    return [Line(key, x, y - 1.3 * half, x, y + 1.3 * half, "witness", STROKE)]
