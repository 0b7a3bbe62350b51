"""A film as a picture and its changes shows at every frame what the picture of that frame shows."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorative_user_env.show.shapes import Disc, Line, Polygon, Rectangle, Scene, Shape, Text
from explorative_user_env.show.svg import (
    ITS_WORDS,
    Animation,
    animation_of,
    element_of,
    in_script,
    svg_of,
    tracks_in,
)

PLACES = st.sampled_from([0.0, 1.5, 10.0, 33.25])
ROLES = st.sampled_from(["ink", "accepted"])
KINDS: dict[str, st.SearchStrategy[Shape]] = {
    "rectangle": st.builds(Rectangle, st.just(""), PLACES, PLACES, PLACES, PLACES, ROLES),
    "line": st.builds(Line, st.just(""), PLACES, PLACES, PLACES, PLACES, ROLES),
    "disc": st.builds(Disc, st.just(""), PLACES, PLACES, PLACES, ROLES),
    "polygon": st.builds(
        Polygon, st.just(""), st.lists(st.tuples(PLACES, PLACES), min_size=3).map(tuple), ROLES
    ),
    "text": st.builds(
        Text,
        st.just(""),
        PLACES,
        PLACES,
        st.sampled_from(["", "1.50", "7", "inf", "nan", "a < b", "</script>"]),
        ROLES,
        anchor=st.sampled_from(["start", "end"]),
        bold=st.booleans(),
    ),
}
PICTURES = st.fixed_dictionaries({}, optional=KINDS).map(
    lambda shapes: Scene(
        40, 40, "", tuple(shape._replace(key=key) for key, shape in sorted(shapes.items()))
    )
)


def shown_at(animation: Animation, frame: int) -> list[tuple[dict[str, str], str]]:
    """Return what stands in a page at a frame, by what the script does with the tracks."""
    shown = []
    for shape in animation.poster.shapes:
        element = element_of(shape)
        shown.append(({**element.attributes}, element.words))
    for place, attribute, frames, values in tracks_in(animation):
        latest = max(number for number, first in enumerate(frames) if first <= frame)
        attributes, words = shown[place]
        value = str(values[latest])
        if attribute == ITS_WORDS:
            words = value
        elif value == "":
            attributes.pop(attribute, None)
        else:
            attributes[attribute] = value
        shown[place] = (attributes, words)
    return shown


def test_words_that_read_as_no_finite_number_stay_words() -> None:
    scenes = [Scene(9, 9, "", (Text("a", 0, 0, word, "ink"),)) for word in ("1", "inf", "-inf")]
    ((_, _, _, values),) = tracks_in(animation_of(scenes, ""))
    assert json.loads(in_script(values)) == [1, "inf", "-inf"]


def is_there(shape: Shape) -> bool:
    match shape:
        case Rectangle():
            return shape.width > 0 or shape.height > 0
        case Line():
            return (shape.x1, shape.y1) != (shape.x2, shape.y2)
        case Disc():
            return shape.radius > 0
        case Polygon():
            return len(set(shape.points)) > 1
        case Text():
            return shape.text != ""


@pytest.mark.slow
@given(st.lists(PICTURES, min_size=1, max_size=6))
def test_every_frame_comes_out_as_it_is(scenes: list[Scene]) -> None:
    animation = animation_of(scenes, "film")
    keys = [shape.key for shape in animation.poster.shapes]
    for frame, scene in enumerate(scenes):
        shown = dict(zip(keys, shown_at(animation, frame), strict=True))
        there = {shape.key: element_of(shape) for shape in scene.shapes if is_there(shape)}
        for key, element in there.items():
            assert shown[key] == (element.attributes, element.words)
        for key in set(keys) - set(there):
            assert is_nothing(*shown[key])


def is_nothing(attributes: dict[str, str], words: str) -> bool:
    points = attributes.get("points", "").split()
    ends = [attributes.get(end) for end in ("x1", "y1", "x2", "y2")]
    return (
        (attributes.get("width") == "0" and attributes.get("height") == "0")
        or (ends[0] is not None and ends[:2] == ends[2:])
        or attributes.get("r") == "0"
        or (bool(points) and len(set(points)) == 1)
        or ("font-size" in attributes and words == "")
    )


@pytest.mark.slow
@given(st.lists(PICTURES, min_size=2, max_size=6))
def test_only_what_changes_is_kept(scenes: list[Scene]) -> None:
    for track in animation_of(scenes, "film").tracks:
        assert track.frames[0] == 0
        assert track.frames == sorted(set(track.frames))
        assert all(a != b for a, b in pairwise(track.values))
        assert len(track.frames) > 1


def test_shapes_keep_their_order_from_back_to_front() -> None:
    def scene(*keys: str) -> Scene:
        return Scene(9, 9, "", tuple(Disc(key, 1, 1, 1, "ink") for key in keys))

    film = animation_of([scene("back", "front"), scene("back", "between", "front", "top")], "film")
    assert [shape.key for shape in film.poster.shapes] == ["back", "between", "front", "top"]


def test_no_shape_keeps_a_name_that_is_true_of_one_moment_only() -> None:
    scene = Scene(9, 9, "now", (Disc("d", 1, 1, 1, "ink", "arm 1: 3 accepted"),))
    poster = animation_of([scene], "the film").poster
    assert poster.name == "the film"
    assert "3 accepted" not in svg_of(poster)


def test_data_in_a_page_ends_no_script_and_reads_the_same() -> None:
    data = {"words": ["</script><!--", "a & b", "\u2028"], "numbers": [1, 2.5]}
    text = in_script(data)
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == data
