"""What a reader of a picture could not read."""

import math
from itertools import combinations

from explorative_user_env.show.shapes import Text, box_of


def meet(one, other):
    """Return whether two boxes have room in common."""
    across = one.left < other.right and other.left < one.right
    return across and one.top < other.bottom and other.top < one.bottom


def problems(scene):
    """Return words that meet, what is outside the picture, and keys that come twice."""
    found = []
    for shape in scene.shapes:
        box = box_of(shape)
        if not (-0.1 <= box.left <= box.right <= scene.width + 0.1):
            found.append(f"{shape} stands out of {scene.width}")
        if not (-0.1 <= box.top <= box.bottom <= scene.height + 0.1):
            found.append(f"{shape} is too high or low for {scene.height}")
        if not all(map(math.isfinite, box)):
            found.append(f"{shape} is nowhere")
    texts = [shape for shape in scene.shapes if isinstance(shape, Text) and shape.text]
    for (one, box), (other, its_box) in combinations([(each, box_of(each)) for each in texts], 2):
        if meet(box, its_box):
            found.append(f"{one} meets {other}")
    keys = [shape.key for shape in scene.shapes]
    return found + sorted({key for key in keys if keys.count(key) > 1})
