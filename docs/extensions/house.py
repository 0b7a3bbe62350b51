"""The house: the rooms of the package on their floors and who imports whom, from the code."""

import functools
import html
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import structure
from sphinx.application import Sphinx

from extensions import source
from extensions.docstrings import first_sentence
from extensions.places import fill

WIDTH, FLOOR, BOX, MOST_GAP, LETTER = 760.0, 62.0, 30.0, 46.0, 7.8
"""The width of the picture, the height of a floor and of a box, and what a letter takes."""

PACKAGE = structure.PACKAGE

SIDE = 40.0
"""How far from the edge lines go that lead down by many floors."""


class Box(NamedTuple):
    """A room as it is drawn: where its box is, and how wide."""

    room: str
    x: float
    y: float
    width: float

    @property
    def middle(self) -> float:
        """The middle of the box, from the left."""
        return self.x + self.width / 2


def arrows(imports: Sequence[structure.Import]) -> dict[str, set[str]]:
    """Return by room the rooms that it imports."""
    found: dict[str, set[str]] = {}
    for importer, imported in imports:
        here, there = structure.room_of(importer), structure.room_of(imported)
        if here != there:
            found.setdefault(here, set()).add(there)
    return found


def needed(below: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return the arrows that say something new: no other path leads there."""

    @functools.cache
    def reached(room: str) -> set[str]:
        return {each for there in below.get(room, ()) for each in {there, *reached(there)}}

    return {
        room: {each for each in there if not any(each in reached(other) for other in there)}
        for room, there in below.items()
    }


def boxes(floors: structure.Floors) -> dict[str, Box]:
    """Return where each room stands: the ground floor is the lowest."""
    found = {}
    for level, rooms in enumerate(floors):
        widths = [len(_called(room)) * LETTER + 20 for room in rooms]
        gap = min(MOST_GAP, (WIDTH - sum(widths)) / (len(rooms) + 1))
        x = (WIDTH - sum(widths) - gap * (len(rooms) - 1)) / 2
        y = (len(floors) - 1 - level) * FLOOR + (FLOOR - BOX) / 2
        for room, width in zip(rooms, widths, strict=True):
            found[room] = Box(room, x, y, width)
            x += width + gap
    return found


def picture(floors: structure.Floors, below: dict[str, set[str]]) -> Iterator[str]:
    """Yield the lines of the picture, as SVG that is styled where it is shown."""
    placed = boxes(floors)
    drawn = needed(below)
    height = len(floors) * FLOOR
    yield f'<svg class="house" viewBox="0 0 {WIDTH:g} {height:g}" role="img" aria-label="{_LABEL}">'
    for level in range(len(floors)):
        yield (
            f'<rect class="floor{level % 2}" x="0" y="{height - (level + 1) * FLOOR:g}"'
            f' width="{WIDTH:g}" height="{FLOOR:g}" />'
        )
    for room in placed:
        for there in sorted(drawn.get(room, ())):
            yield f'<path class="rest" d="{_line(placed[room], placed[there])}" />'
    for room, box in reversed(placed.items()):  # lines lead down: boxes below lie upon them
        yield f'<g class="room" tabindex="0"><title>{html.escape(_about(room, below))}</title>'
        for there in sorted(below.get(room, ())):
            yield f'<path d="{_line(box, placed[there])}" />'
        yield (
            f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}"'
            f' height="{BOX:g}" rx="6" />'
        )
        text_y = box.y + BOX / 2 + 4.5
        yield f'<text x="{box.middle:.1f}" y="{text_y:.1f}">{_called(room)}</text></g>'
    yield "</svg>"


_LABEL = "Rooms of the package on their floors; each line leads down to a room that is imported."


def _called(room: str) -> str:
    return PACKAGE if room == "__init__" else room


def _line(above: Box, below: Box) -> str:
    """Return a curve from a box down to another, round the boxes of the floors between."""
    y, end = above.y + BOX, below.y
    start_x, end_x = above.middle, below.middle
    bend = (end - y) / 2
    if end - y > 2 * FLOOR:
        left = start_x + end_x < WIDTH
        start_x = end_x = SIDE if left else WIDTH - SIDE
        bend = min(bend, 2 * FLOOR)
    return (
        f"M{above.middle:.1f} {y:.1f} C{start_x:.1f} {y + bend:.1f}"
        f" {end_x:.1f} {end - bend:.1f} {below.middle:.1f} {end:.1f}"
    )


def _about(room: str, below: dict[str, set[str]]) -> str:
    known = source.modules(source.ROOT)
    module = PACKAGE if room == "__init__" else f"{PACKAGE}.{room}"
    said = first_sentence(source.room_docstring(module)) if module in known else ""
    imported = ", ".join(map(_called, sorted(below.get(room, ()))))
    return f"{_called(room)}: {said} Imports {imported or 'nothing of the package'}."


def page(env: Any, docname: str, what: str) -> Iterator[str]:
    """Yield the picture, and the same as a table."""
    below = arrows(structure.all_imports(source.ROOT))
    drawn = picture(structure.FLOORS, below)
    yield from ("```{raw} html", '<div class="frame">', *drawn, "</div>", "```", "")
    yield from ("| room | what stands there | imports |", "| :--- | :--- | :--- |")
    for rooms in reversed(structure.FLOORS):
        for room in rooms:
            about = _about(room, below)
            said = about.partition(": ")[2].rpartition(" Imports ")[0]
            imported = ", ".join(map(_called, sorted(below.get(room, ()))))
            yield f"| `{_called(room)}` | {said} | {imported} |"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the place."""
    fill(app, "house", page, lambda: source.modules(source.ROOT).values())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
