"""Define the shapes of scenes, measure the shapes, and join scenes."""

import re
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple


class Rectangle(NamedTuple):
    """A filled rectangle. A screen reader reads the `name` of each shape that has a name."""

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
    """A line of text on the baseline `y`; its letters are ASCII, `±`, `·` or `…`."""

    key: str
    x: float
    y: float
    text: str
    role: str
    size: float = 13.0
    anchor: Literal["start", "middle", "end"] = "start"
    bold: bool = False


Shape = Rectangle | Line | Disc | Polygon | Text

# For each anchor, the share of a text's width that lies left of `x`.
BEFORE_ANCHOR = {"start": 0.0, "middle": 0.5, "end": 1.0}


class ArmRows(NamedTuple):
    """The rows of a scene, one for each arm."""

    arms: tuple[int, ...]  # from top to bottom
    top: float  # upper end of the first row
    height: float  # of each row

    @property
    def bottom(self) -> float:
        """The lower end of the last row."""
        return self.top + self.height * len(self.arms)

    @property
    def thin(self) -> bool:
        """Whether the rows are too thin for labels."""
        return self.height < THIN_ROW

    def middle(self, arm: int) -> float:
        """Return the `y` of the middle of an arm's row."""
        return self.top + (self.arms.index(arm) + 0.5) * self.height

    def middles(self) -> list[tuple[int, float]]:
        """Return each arm with the middle of its row."""
        return [(arm, self.top + (n + 0.5) * self.height) for n, arm in enumerate(self.arms)]


class Scene(NamedTuple):
    """A drawing: its size, its name for screen readers, and its shapes from back to front.

    In a scene of a user, `rows` says where the rows of the arms lie.
    """

    width: int
    height: int
    name: str
    shapes: tuple[Shape, ...]
    rows: ArmRows = ArmRows((), 0.0, 0.0)


THIN_ROW = 20.0
# The widths of narrow letters and of wide letters, in font sizes.
EMS = dict.fromkeys(" .,:;'|!ijl", 0.38) | dict.fromkeys("mwMW%@", 1.0)


def width_of(text: str, size: float, bold: bool = False) -> float:
    """Return an upper bound on a text's width in the common sans-serif fonts."""
    ems = sum(EMS.get(letter, 0.78 if letter.isupper() else 0.65) for letter in text)
    return ems * size * (1.1 if bold else 1.0)


class Box(NamedTuple):
    """The bounding box of a shape."""

    left: float
    top: float
    right: float
    bottom: float


def box_of(shape: Shape) -> Box:
    """Return the bounding box of a shape."""
    points: tuple[tuple[float, float], ...]
    match shape:
        case Rectangle(_, x, y, width, height):
            return Box(x, y, x + width, y + height)
        case Disc(_, x, y, radius):
            return Box(x - radius, y - radius, x + radius, y + radius)
        case Text(_, x, y, text, _, size, anchor, bold):
            width = width_of(text, size, bold)
            left = x - width * BEFORE_ANCHOR[anchor]
            return Box(left, y - 0.8 * size, left + width, y + 0.25 * size)
        case Line(_, x1, y1, x2, y2, _, width):
            points, half = ((x1, y1), (x2, y2)), width / 2
        case Polygon():
            points, half = shape.points, 0.0
    xs, ys = zip(*points, strict=True)
    return Box(min(xs) - half, min(ys) - half, max(xs) + half, max(ys) + half)


def moved(shape: Shape, right: float, down: float) -> Shape:
    """Return the shape moved to the right and down."""
    if isinstance(shape, Polygon):
        return shape._replace(points=tuple((x + right, y + down) for x, y in shape.points))
    by = {"x": right, "y": down}
    places: Any = {n: getattr(shape, n) + by[n[0]] for n in shape._fields if n[0] in by}
    return shape._replace(**places)


def side_by_side(scenes: Sequence[Scene]) -> Scene:
    """Join scenes from left to right; the result is as high as the highest."""
    return _joined(scenes, 1, 0)


def in_a_column(scenes: Sequence[Scene]) -> Scene:
    """Join scenes from top to bottom; the result is as wide as the widest."""
    return _joined(scenes, 0, 1)


def _joined(scenes: Sequence[Scene], right: int, down: int) -> Scene:
    """Join scenes to the right or downward; scene 2's shape with the key "a" gets the key "2/a"."""
    x = y = width = height = 0
    shapes: list[Shape] = []
    for number, scene in enumerate(scenes):
        width, height = max(width, x + scene.width), max(height, y + scene.height)
        moved_shapes = [moved(shape, x, y) for shape in scene.shapes]
        shapes += [shape._replace(key=f"{number}/{shape.key}") for shape in moved_shapes]
        x, y = x + right * scene.width, y + down * scene.height
    names = dict.fromkeys(scene.name for scene in scenes if scene.name)
    page = Rectangle("page", 0, 0, width, height, "page")
    return Scene(width, height, "; ".join(names), (page, *shapes))


_AFTER_A_DOT = re.compile(r"(?<=·) ")  # break lines here if possible
# Else break a line at a space, but not within `n(t) = 3` or `arm 3`, and not before a dot.
_BREAK = re.compile(r"(?<!=) (?![-\d=>·])")


def wrapped(text: str, size: float, width: float, most: int, bold: bool = False) -> list[str]:
    """Wrap a text into at most `most` lines of at most `width` pixels."""
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
    """Return the text; if it is wider than `width`, end it with an ellipsis."""
    if width_of(text, size, bold) <= width:
        return text
    end = len(text) - 1
    while end > 0 and width_of(text[:end] + "…", size, bold) > width:
        end -= 1
    return text[:end].rstrip() + "…"
