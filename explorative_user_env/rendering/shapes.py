"""What a picture is made of: shapes that say where they are and what they stand for.

A scene is decided once, and painted as SVG or as pixels. Places are in pixels from the upper left
corner; a colour is a role of `display.colours`; a key is unique in its scene, and shapes with the
same key in two scenes of a film are the same thing that has moved.
"""

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
