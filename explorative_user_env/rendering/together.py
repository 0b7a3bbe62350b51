"""Several pictures as one: side by side, and one above the other."""

from collections.abc import Sequence

from explorative_user_env.rendering.board import ArmRows
from explorative_user_env.rendering.shapes import (
    Disc,
    Line,
    Polygon,
    Rectangle,
    Scene,
    Shape,
    Text,
    box_of,
)


def beside(scenes: Sequence[Scene]) -> Scene:
    """Return pictures side by side, as one as high as the highest."""
    places, x = [], 0
    for scene in scenes:
        places.append((x, 0))
        x += scene.width
    return _together(scenes, places, x, max(scene.height for scene in scenes))


def in_a_column(scenes: Sequence[Scene]) -> Scene:
    """Return pictures one above the other, as one as wide as the widest."""
    places, y = [], 0
    for scene in scenes:
        places.append((0, y))
        y += scene.height
    return _together(scenes, places, max(scene.width for scene in scenes), y)


def _together(
    scenes: Sequence[Scene], places: Sequence[tuple[int, int]], width: int, height: int
) -> Scene:
    """Return pictures at places in one; of keys it is said from which picture they are."""
    shapes: list[Shape] = [Rectangle("page", 0, 0, width, height, "page")]
    for number, (scene, (x, y)) in enumerate(zip(scenes, places, strict=True)):
        shapes += [
            moved(shape, x, y)._replace(key=f"{number}/{shape.key}") for shape in scene.shapes
        ]
    names = [scene.name for scene in scenes if scene.name]
    return Scene(width, height, "; ".join(dict.fromkeys(names)), tuple(shapes))


def moved(shape: Shape, right: float, down: float) -> Shape:
    """Return a shape at another place."""
    match shape:
        case Line():
            one, other = (shape.x1 + right, shape.y1 + down), (shape.x2 + right, shape.y2 + down)
            return shape._replace(x1=one[0], y1=one[1], x2=other[0], y2=other[1])
        case Polygon():
            return shape._replace(points=tuple((x + right, y + down) for x, y in shape.points))
        case Rectangle() | Disc() | Text():
            return shape._replace(x=shape.x + right, y=shape.y + down)


def rows_in(scene: Scene) -> ArmRows:
    """Return the rows of the arms in a picture of a user."""
    centres: dict[int, float] = {}
    for shape in scene.shapes:
        if shape.key.startswith("arm-") and shape.key.endswith("-accepted"):
            box = box_of(shape)
            centres[int(shape.key.split("-")[1])] = (box.top + box.bottom) / 2
    arms = tuple(sorted(centres))
    ys = [centres[arm] for arm in arms]
    height = (ys[-1] - ys[0]) / (len(ys) - 1)
    return ArmRows(arms, ys[0] - height / 2, height)
