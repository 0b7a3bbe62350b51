"""The signs that pictures have in common: a response, an arrow, a diamond, the key to them."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from explorative_user_env.rendering.layout import LINE, LITTLE, MARK, SPACING, flowed
from explorative_user_env.rendering.shapes import (
    Disc,
    Line,
    Polygon,
    Rectangle,
    Shape,
    Text,
    width_of,
)

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
