"""The painters show the same scene as SVG, as pixels, as a page's changes and as a film."""

import itertools
import json
import re
import xml.etree.ElementTree as ET

import drawn
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorative_user_env.display.plots import COLOURS
from explorative_user_env.show import raster, svg
from explorative_user_env.show.scene import scene_of_user
from explorative_user_env.show.shapes import Disc, Line, Polygon, Rectangle, Scene, Text, box_of
from explorative_user_env.show.svg import animation_of, in_script
from explorative_user_env.validation import InvalidArgumentError

NAMESPACE = "{http://www.w3.org/2000/svg}"

REJECTION = drawn.moment_of(5, 7, 200)


ATTRIBUTES = ("x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "width", "height", "r", "points")


def tag_and_numbers(shape):
    match shape:
        case Rectangle():
            return "rect", [shape.x, shape.y, shape.width, shape.height]
        case Line():
            return "line", [shape.x1, shape.y1, shape.x2, shape.y2]
        case Disc():
            return "circle", [shape.x, shape.y, shape.radius]
        case Polygon():
            return "polygon", [number for point in shape.points for number in point]
        case Text():
            return "text", [shape.x, shape.y]


@pytest.mark.parametrize(("theme", "n_arms"), [("light", 2), ("auto", 8)])
def test_every_shape_is_in_the_svg_where_it_is(theme, n_arms):
    scene = scene_of_user(*drawn.moment_of(n_arms, 1, 100))
    root = ET.fromstring(svg.svg_of(scene, theme))
    assert (root.get("width"), root.get("height")) == (str(scene.width), str(scene.height))
    title, told, style, *elements = root
    for element, shape in zip(elements, scene.shapes, strict=True):
        tag, numbers = tag_and_numbers(shape)
        assert element.tag == NAMESPACE + tag
        assert f"eu-{shape.role}" in element.get("class", "").split()
        text = " ".join(element.get(name, "") for name in ATTRIBUTES)
        found = [float(number) for number in re.split("[ ,]+", text.strip())]
        assert found == pytest.approx(numbers, abs=0.051)
        if isinstance(shape, Text):
            assert element.text == shape.text
            assert (element.get("font-weight") == "bold") == shape.bold
            assert element.get("text-anchor", "start") == shape.anchor
        else:
            name = element.find(f"{NAMESPACE}title")
            assert shape.name == ("" if name is None else name.text)
    assert style.tag == f"{NAMESPACE}style"
    assert root.get("aria-labelledby") == title.get("id") != told.get("id")
    assert root.get("aria-describedby") == told.get("id")
    assert title.text == scene.name
    assert "arm 1: true mean" in told.text  # for who does not see it


def test_no_rule_of_a_picture_is_one_for_the_page_around_it():
    for theme in svg.THEMES:
        style = svg.style_of(theme).replace("@media(prefers-color-scheme:dark){", "")
        for rule in re.findall(r"([^{}]+)\{", style):
            assert re.fullmatch(rf"(\.eu-{theme}|\.eu-scene)( \.eu-[a-z]+| \*| line)?", rule)


def test_what_no_page_may_hold_is_spelled_out_and_words_of_others_are_escaped():
    for letter in ("\x00", "\x08", "\x1b", "\ud800", "\ufffe", "\u202e", "\u2028"):
        scene = scene_of_user(REJECTION[0], title=f"a{letter}b")._replace(name=f"a{letter}b")
        text = svg.svg_of(scene)
        assert letter not in text
        ET.fromstring(text)
        assert letter.encode("unicode_escape").decode() in text
    title = '<script>alert("&")</script>'
    scene = scene_of_user(REJECTION[0], title=title, width=1280)._replace(name=title)
    root = ET.fromstring(svg.svg_of(scene))
    assert [element.text for element in root].count(title) == 2
    assert not root.findall(f".//{NAMESPACE}script")


def test_every_shape_is_in_the_pixels_where_it_is():
    scene = scene_of_user(*REJECTION)
    pixels = raster.pixels_of(scene, "dark", 2).astype(int)
    assert pixels.shape == (scene.height * 2, scene.width * 2, 3)
    looked_at = set()
    for place, shape in enumerate(scene.shapes):
        left, top, right, bottom = box_of(shape)
        x, y = (left + right) / 2, (top + bottom) / 2
        if isinstance(shape, Polygon):
            x, y = np.mean(shape.points, axis=0)
        hidden = any(
            box.left - 2 <= x <= box.right + 2 and box.top - 2 <= y <= box.bottom + 2
            for box in map(box_of, scene.shapes[place + 1 :])
        )
        if not isinstance(shape, Text) and min(right - left, bottom - top) >= 1 and not hidden:
            looked_at.add(type(shape))
            assert abs(pixels[int(y * 2), int(x * 2)] - colour_of(shape.role)).max() <= 3, shape
    assert looked_at == {Rectangle, Line, Disc, Polygon}
    without = scene._replace(shapes=tuple(s for s in scene.shapes if not isinstance(s, Text)))
    changed = (pixels != raster.pixels_of(without, "dark", 2)).any(axis=2)
    for text in drawn.texts(scene):
        left, top, right, bottom = (round(2 * side) for side in box_of(text))
        inside = pixels[top:bottom, left:right][changed[top:bottom, left:right]]
        assert abs(inside - colour_of(text.role)).sum(axis=1).min() < 60, text
        changed[top:bottom, left:right] = False
    assert not changed.any()  # beside the room of the words


def colour_of(role):
    return list(bytes.fromhex(COLOURS[role].dark[1:]))


@pytest.mark.slow
@settings(max_examples=50)
@given(
    st.text(st.sampled_from(sorted(drawn.LETTERS)), min_size=1),
    st.sampled_from([10.0, 11.0, 13.0, 16.0]),
    st.booleans(),
)
def test_no_text_is_wider_than_it_is_taken_to_be(text, size, bold):
    mask, _ = raster.letters_of(text, size, bold)
    box = box_of(Text("", 0, 0, text, "ink", size, bold=bold))
    assert mask.width <= box.right - box.left + 1  # a whole number of pixels


def test_what_cannot_be_painted_is_refused():
    scene = scene_of_user(REJECTION[0])
    for theme, scale, named in (("auto", 1, "theme"), ("light", 0, "scale"), ("light", 9, "scale")):
        with pytest.raises(InvalidArgumentError, match=f"{named} must be"):
            raster.image_of(scene, theme, scale)
    with pytest.raises(InvalidArgumentError, match="theme must be one of auto, dark, light"):
        svg.svg_of(scene, "blue")


def film(n):
    shapes = [
        (Rectangle("r", number, 5, 20, 10, "accepted"), Text("t", 5, 40, str(number), "ink"))
        for number in range(n)
    ]
    return [Scene(101, 51, "", each) for each in shapes]


def test_only_what_changes_in_a_film_is_kept():
    animation = animation_of([*film(3), *film(2), film(2)[1]], "film")
    assert {(track.attribute, *track.frames) for track in animation.tracks} == {
        ("x", 0, 1, 2, 3, 4),
        (svg.TEXT, 0, 1, 2, 3, 4),
    }


def test_data_in_a_page_ends_no_script_and_reads_the_same():
    data = {"words": ["</script><!--", "a & b", "\u2028"], "numbers": [1, 2.5]}
    text = in_script(data)
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == data
    scenes = [Scene(9, 9, "", (Text("a", 0, 0, word, "ink"),)) for word in ("1", "inf", "-inf")]
    ((_, _, _, values),) = svg.tracks_in(animation_of(scenes, ""))
    assert json.loads(in_script(values)) == [1, "inf", "-inf"]  # no finite numbers stay words


def test_the_poster_of_a_film_has_all_shapes_in_order_and_no_name_of_one_moment():
    def scene(*keys):
        return Scene(9, 9, "now", tuple(Disc(key, 1, 1, 1, "ink", "now") for key in keys))

    scenes = [scene("back", "front"), scene("back", "between", "front", "top")]
    poster = animation_of(scenes, "the film").poster
    assert [shape.key for shape in poster.shapes] == ["back", "between", "front", "top"]
    assert poster.name == "the film"
    assert "now" not in svg.svg_of(poster)


def test_the_ends_are_kept_and_what_matters_before_the_rest():
    for n, important, most in ((1, set(), 2), (40, {3, 7, 30}, 9), (40, {*range(5, 35)}, 9)):
        kept = raster.chosen(n, important, most)
        assert kept == sorted({*kept, 0, n - 1})
        assert len(kept) == min(n, most)
        if len(important) + 2 <= most:
            assert important <= {*kept}
        else:
            assert {*kept} <= important | {0, n - 1}
    evenly = raster.chosen(1001, [], 101)
    assert max(later - earlier for earlier, later in itertools.pairwise(evenly)) <= 12


def test_a_gif_shows_each_picture_and_the_important_ones_longer(tmp_path):
    image = pytest.importorskip("PIL.Image", reason="needs the extra render")
    times = []
    shapes = tuple(
        Rectangle(role, place % 10 * 10, place // 10 * 10, 10, 10, role)
        for place, role in enumerate(COLOURS)
    )
    scenes, path = [*film(4), Scene(101, 51, "", shapes)], tmp_path / "a.gif"
    raster.write_gif(scenes, {2}, path)
    with image.open(path) as gif:
        assert (gif.n_frames, gif.info["loop"]) == (5, 0)
        for number, scene in enumerate(scenes):
            gif.seek(number)
            times.append(gif.info["duration"])
            shown, whole = gif.convert("RGB"), raster.image_of(scene)
            assert shown.getpixel((number + 10, 10)) == whole.getpixel((number + 10, 10))
        assert shown.tobytes() == whole.tobytes()  # every colour, to the bit
    briefly = raster.BRIEFLY
    assert times == [briefly, briefly, raster.LONGER, briefly, raster.AT_THE_END]


@pytest.mark.slow
def test_a_video_has_a_frame_of_each_picture_in_whole_pairs_of_pixels(tmp_path):
    ffmpeg = pytest.importorskip("imageio_ffmpeg", reason="needs the extra video")
    path = tmp_path / "a.mp4"
    raster.write_video(film(12), path)
    frames, seconds = ffmpeg.count_frames_and_secs(str(path))
    assert (frames, seconds) == (12, pytest.approx(1.2, abs=0.2))
    reader = ffmpeg.read_frames(str(path))
    assert next(reader)["size"] == (102, 52)
    reader.close()
