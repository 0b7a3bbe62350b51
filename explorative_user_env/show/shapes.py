"""A picture as shapes: what they are, the room they take, and what all pictures have in common."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple


class Rectangle(NamedTuple):
    """A filled rectangle. A screen reader reads the `name` of a shape, if it has one."""

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
    """A line of words on the baseline `y`. Painters have ASCII and `±`, `·`, `…`."""

    key: str
    x: float
    y: float
    text: str
    role: str
    size: float = 13.0
    anchor: Literal["start", "middle", "end"] = "start"
    bold: bool = False


Shape = Rectangle | Line | Disc | Polygon | Text

BEFORE_ANCHOR = {"start": 0.0, "middle": 0.5, "end": 1.0}
"""The share of a text that stands to the left of its `x`."""


class ArmRows(NamedTuple):
    """The rows of a picture, one for each arm.

    Attributes:
        arms: the arms, from top to bottom.
        top: the upper end of the first row.
        height: the height of each row.
    """

    arms: tuple[int, ...]
    top: float
    height: float

    @property
    def bottom(self) -> float:
        """The lower end of the last row."""
        return self.top + self.height * len(self.arms)

    @property
    def thin(self) -> bool:
        """Whether the rows are too thin for words."""
        return self.height < THIN_ROW

    def middle(self, arm: int) -> float:
        """Return the height at which the middle of the arm's row is."""
        return self.top + (self.arms.index(arm) + 0.5) * self.height

    def middles(self) -> Iterator[tuple[int, float]]:
        """Yield each arm with the middle of its row."""
        for place, arm in enumerate(self.arms):
            yield arm, self.top + (place + 0.5) * self.height


class Scene(NamedTuple):
    """A picture: its size, its name for a screen reader, and its shapes from back to front.

    `rows` are the rows of the arms in a picture of a user.
    """

    width: int
    height: int
    name: str
    shapes: tuple[Shape, ...]
    rows: ArmRows = ArmRows((), 0.0, 0.0)


SMALLEST_WIDTH, USUAL_WIDTH, LARGEST_WIDTH = 320, 720, 4096
MARGIN = 16.0
SPACING = 6.0  # between things that belong together
TINY, LITTLE, USUAL, LARGE = 10.0, 11.0, 13.0, 16.0  # sizes of letters
LINE = 1.5  # height of a line of words, in letters
LETTERS_DOWN = 0.35  # from the middle of letters to their baseline, in letters
BAR = 0.55  # height of a bar, in rows
THIN_ROW = 20.0
MARK = 5.0  # half the size of the sign of a response
STROKE = 2.0  # width of a line

NARROW, WIDE = frozenset(" .,:;'|!ijl"), frozenset("mwMW%@")


def width_of(text: str, size: float, bold: bool = False) -> float:
    """Return how wide a text is at most, in any usual sans-serif font."""
    ems = sum(
        0.38 if letter in NARROW else 1.0 if letter in WIDE else 0.78 if letter.isupper() else 0.65
        for letter in text
    )
    return ems * size * (1.1 if bold else 1.0)


class Box(NamedTuple):
    """The room that a shape takes."""

    left: float
    top: float
    right: float
    bottom: float


def box_of(shape: Shape) -> Box:
    """Return the room that a shape takes at most."""
    if isinstance(shape, Rectangle):
        return Box(shape.x, shape.y, shape.x + shape.width, shape.y + shape.height)
    if isinstance(shape, Disc):
        r = shape.radius
        return Box(shape.x - r, shape.y - r, shape.x + r, shape.y + r)
    if isinstance(shape, Text):
        width = width_of(shape.text, shape.size, shape.bold)
        left = shape.x - width * BEFORE_ANCHOR[shape.anchor]
        return Box(left, shape.y - 0.8 * shape.size, left + width, shape.y + 0.25 * shape.size)
    half, points = 0.0, shape.points if isinstance(shape, Polygon) else ()
    if isinstance(shape, Line):
        half, points = shape.width / 2, ((shape.x1, shape.y1), (shape.x2, shape.y2))
    xs, ys = zip(*points, strict=True)
    return Box(min(xs) - half, min(ys) - half, max(xs) + half, max(ys) + half)


def moved(shape: Shape, right: float, down: float) -> Shape:
    """Return a shape at another place."""
    if isinstance(shape, Polygon):
        return shape._replace(points=tuple((x + right, y + down) for x, y in shape.points))
    by = {"x": right, "y": down}
    places: Any = {n: getattr(shape, n) + by[n[0]] for n in shape._fields if n[0] in by}
    return shape._replace(**places)


def beside(scenes: Sequence[Scene]) -> Scene:
    """Return pictures side by side, as one picture as high as the highest."""
    return _joined(scenes, [(sum(s.width for s in scenes[:i]), 0) for i in range(len(scenes))])


def in_a_column(scenes: Sequence[Scene]) -> Scene:
    """Return pictures one below the other, as one picture as wide as the widest."""
    return _joined(scenes, [(0, sum(s.height for s in scenes[:i])) for i in range(len(scenes))])


def _joined(scenes: Sequence[Scene], places: Sequence[tuple[int, int]]) -> Scene:
    """Return pictures at places in one; the number of its picture begins the key of each shape."""
    numbered = [*enumerate(zip(scenes, places, strict=True))]
    width = max(x + scene.width for _, (scene, (x, _)) in numbered)
    height = max(y + scene.height for _, (scene, (_, y)) in numbered)
    shapes = [
        moved(shape, x, y)._replace(key=f"{number}/{shape.key}")
        for number, (scene, (x, y)) in numbered
        for shape in scene.shapes
    ]
    names = dict.fromkeys(scene.name for scene in scenes if scene.name)
    page = Rectangle("page", 0, 0, width, height, "page")
    return Scene(width, height, "; ".join(names), (page, *shapes))


_AFTER_A_DOT = re.compile(r"(?<=·) ")
"""The best places to break a line."""

_BREAK = re.compile(r"(?<!=) (?![-\d=>·])")
"""Where a line may break: not within `n(t) = 3` or `arm 3`, nor before a dot between two things."""


def wrapped(text: str, size: float, width: float, most: int, bold: bool = False) -> list[str]:
    """Return a text in at most `most` lines that are no wider than `width`."""
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
    """Return the place and the line of things of these widths, which flow like words."""
    places: list[tuple[float, int]] = []
    x, line = left, 0
    for width in widths:
        if x > left and x + width > right:
            x, line = left, line + 1
        places.append((x, line))
        x += width
    return places


def label_room(last: int, thin: bool) -> float:
    """Return the width of the labels of arms up to `last`, and the space behind them."""
    label = str(last) if thin else f"arm {max(last, 10)}"
    return width_of(label.replace("1", "8"), TINY if thin else USUAL, True) + SPACING


def labels(
    rows: ArmRows, x: float, where: str, now: int | None = None, special: Sequence[int] = ()
) -> Iterator[Text]:
    """Yield the names of the arms, which end at `x`; of thin rows only some.

    Args:
        rows: the rows.
        x: where the labels end.
        where: the beginning of the keys.
        now: the arm whose label is bold.
        special: the arms that have a label in any case, the most important first.
    """
    size = TINY if rows.thin else USUAL
    some = (*special, *rows.arms[:: 5 if len(rows.arms) <= 50 else 10])
    taken: list[float] = []
    for arm in some if rows.thin else rows.arms:
        y = rows.middle(arm) + LETTERS_DOWN * size
        if not any(abs(y - other) < 1.1 * TINY for other in taken):
            taken.append(y)
            words = str(arm) if rows.thin else f"arm {arm}"
            role = "ink" if arm == now or (rows.thin and arm in special) else "quiet"
            yield Text(f"{where}arm-{arm}", x, y, words, role, size, "end", arm == now)


LEAST_SPAN = 1e-6  # of the numbers themselves: below, ticks could not be told apart
SPACE = 0.04  # beyond both ends of an axis, in spans
ROUND_PARTS = 8  # at most, of a span whose ends are round
TICK_EVERY = 36.0  # pixels, about


class Axis(NamedTuple):
    """Numbers from `low` to `high` between two places, with ticks and their words."""

    low: float
    high: float
    left: float
    right: float
    ticks: tuple[tuple[float, str], ...] = ()

    def place(self, value: float) -> float:
        """Return the place of a number; a number beyond an end is at that end."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.left + share * (self.right - self.left)


def round_step(least: float) -> float:
    """Return the least of 1, 2 and 5 times a power of ten that is at least this much."""
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
    """Return an axis that shows all of a span."""
    low, high = span
    wide = high - low
    if wide <= LEAST_SPAN * max(abs(low), abs(high), 1.0):
        wide = 2 * LEAST_SPAN * max(abs(low), abs(high)) + 1.0
        low, high = (span[0] + span[1] - wide) / 2, (span[0] + span[1] + wide) / 2
    return ticked(Axis(low - SPACE * wide, high + SPACE * wide, left, right))


def ticked(axis: Axis, least: float = 0.0, overhang: float = 0.0) -> Axis:
    """Return an axis with round numbers, as far apart as their words need.

    Args:
        axis: the axis.
        least: the least difference of two ticks.
        overhang: the room for words beyond each end, in pixels.
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
    """Return the head of an arrow to the right; to the left for a `size` below 0."""
    half, back = abs(size), tip - 1.5 * size
    return Polygon(key, ((tip, y), (back, y - half), (back, y + half)), role, name)


SIGN_ROOM = 18.0  # of a sign in the legend, before its words


def with_legend(
    width: int,
    name: str,
    shapes: Iterable[Shape],
    signs: Mapping[str, str],
    bottom: float,
    rows: ArmRows,
) -> Scene:
    """Return shapes on their page with a legend below: the scene's height follows from it.

    Args:
        width: of the picture.
        name: what a screen reader says.
        shapes: the picture.
        signs: the entries of the legend, the kind of each sign and its meaning.
        bottom: the lower end of the shapes.
        rows: the rows of the arms.
    """
    entries: list[Shape] = []
    rooms = [SIGN_ROOM + width_of(meaning, LITTLE) + 2 * SPACING for meaning in signs.values()]
    places = flowed(rooms, MARGIN, width - MARGIN)
    y = bottom
    for (kind, meaning), (x, line) in zip(signs.items(), places, strict=True):
        y = bottom + 2 * SPACING + LITTLE + line * LINE * LITTLE
        entries += _sign(kind, x + SIGN_ROOM / 2 - SPACING / 2, y - 0.35 * LITTLE)
        entries.append(
            Text(f"legend-{kind}-words", x + SIGN_ROOM, y, meaning, "quiet", LITTLE),
        )
    height = 2 * math.ceil((y + MARGIN) / 2)  # even, as videos need it
    page = Rectangle("page", 0, 0, width, height, "page")
    return Scene(width, height, name, (page, *shapes, *entries), rows)


def _sign(kind: str, x: float, y: float) -> list[Shape]:
    """Return a sign around a place."""
    key, half = f"legend-{kind}", 0.8 * MARK
    if kind in ("yes", "no"):
        return response(key, kind == "yes", x, y, half, "")
    signs: dict[str, Shape] = {
        "interval": Rectangle(key, x - 1.4 * half, y - half, 2.8 * half, 2 * half, "interval"),
        "open": arrow(key, x + half, y, half, "quiet"),
        "estimate": Disc(key, x, y, half, "estimate"),
        "truth": diamond(key, x, y, 1.2 * half, "truth"),
        "witness": Line(key, x, y - 1.3 * half, x, y + 1.3 * half, "witness", STROKE),
    }
    role = kind.removesuffix("-line")
    return [signs.get(kind, Line(key, x - 1.4 * half, y, x + 1.4 * half, y, role, STROKE))]
