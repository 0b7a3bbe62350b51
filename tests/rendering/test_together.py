"""Pictures beside and below one another are the same pictures at other places."""

import drawn
import pytest

from explorative_user_env.show.scene import scene_of_user
from explorative_user_env.show.shapes import (
    Disc,
    Line,
    Polygon,
    Rectangle,
    Scene,
    Text,
    beside,
    box_of,
    in_a_column,
    moved,
)

ONE = Scene(100, 50, "one", (Rectangle("page", 0, 0, 100, 50, "page"), Disc("d", 9, 8, 2, "ink")))
OTHER = Scene(60, 80, "other", (Text("t", 5, 20, "word", "ink"), Line("l", 1, 2, 3, 4, "ink")))


def test_beside_is_as_wide_as_both_and_as_high_as_the_higher() -> None:
    scene = beside([ONE, OTHER])
    assert scene[:3] == (160, 80, "one; other")
    assert [shape.key for shape in scene.shapes] == ["page", "0/page", "0/d", "1/t", "1/l"]
    assert scene.shapes[3] == Text("1/t", 105, 20, "word", "ink")


def test_in_a_column_is_as_high_as_both_and_as_wide_as_the_wider() -> None:
    scene = in_a_column([ONE, OTHER])
    assert scene[:2] == (100, 130)
    assert scene.shapes[4] == Line("1/l", 1, 52, 3, 54, "ink")


@pytest.mark.parametrize(
    "shape",
    [
        Rectangle("a", 1, 2, 3, 4, "ink"),
        Line("a", 1, 2, 3, 4, "ink"),
        Disc("a", 1, 2, 3, "ink"),
        Polygon("a", ((1, 2), (3, 4), (5, 0)), "ink"),
        Text("a", 1, 2, "word", "ink", anchor="end"),
    ],
)
def test_every_shape_moves_whole(shape: Rectangle | Line | Disc | Polygon | Text) -> None:
    there, here = box_of(moved(shape, 10, 20)), box_of(shape)
    assert there == pytest.approx((here[0] + 10, here[1] + 20, here[2] + 10, here[3] + 20))


@pytest.mark.parametrize("n_arms", [2, 20, 130])
def test_the_rows_of_a_picture_are_those_of_its_bars(n_arms: int) -> None:
    scene = scene_of_user(drawn.moment_of(n_arms, 1, 100)[0])
    shapes = drawn.named(scene)
    assert len(scene.rows.arms) == min(n_arms, 100)
    for arm, y in scene.rows.middles():
        box = box_of(shapes[f"arm-{arm}-accepted"])
        assert (box.top + box.bottom) / 2 == pytest.approx(y) == scene.rows.middle(arm)
    assert scene.rows.bottom == scene.rows.top + len(scene.rows.arms) * scene.rows.height
