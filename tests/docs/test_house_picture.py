"""The picture of the house, drawn from the code."""

import xml.etree.ElementTree as ElementTree
from itertools import pairwise
from pathlib import Path

import pytest
import structure

pytest.importorskip("sphinx", reason="the picture is part of the site")

from extensions import house

ROOT = Path(__file__).parents[2]
BELOW = house.arrows(structure.all_imports(ROOT))


def drawn() -> ElementTree.Element:
    return ElementTree.fromstring("\n".join(house.picture(structure.FLOORS, BELOW)))


def reached(below: dict[str, set[str]], room: str) -> set[str]:
    return {each for there in below.get(room, ()) for each in {there, *reached(below, there)}}


def test_every_room_is_drawn_on_its_floor_within_the_picture() -> None:
    boxes = house.boxes(structure.FLOORS)
    assert set(boxes) == {room for rooms in structure.FLOORS for room in rooms}
    for rooms in structure.FLOORS:
        row = [boxes[room] for room in rooms]
        assert len({box.y for box in row}) == 1
        assert row[0].x >= 0
        assert row[-1].x + row[-1].width <= house.WIDTH
        for left, right in pairwise(row):
            assert left.x + left.width < right.x
    heights = [boxes[rooms[0]].y for rooms in structure.FLOORS]
    assert heights == sorted(heights, reverse=True)  # the ground floor is the lowest


def test_a_line_is_left_out_only_where_another_path_leads() -> None:
    shown = house.needed(BELOW)
    assert sum(map(len, shown.values())) < sum(map(len, BELOW.values()))
    for room in BELOW:
        assert reached(shown, room) == reached(BELOW, room)
    small = {"a": {"b", "c"}, "b": {"c"}, "c": set[str]()}
    assert house.needed(small) == {"a": {"b"}, "b": {"c"}, "c": set()}


def test_who_is_pointed_at_shows_each_import() -> None:
    for group in drawn().findall("g"):
        room = group.findtext("text") or ""
        room = "__init__" if room == structure.PACKAGE else room
        assert len(group.findall("path")) == len(BELOW.get(room, ()))
        assert (group.findtext("title") or "").count("Imports ") == 1
