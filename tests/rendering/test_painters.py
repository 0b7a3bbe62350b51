"""The two painters show the same scene: as SVG and as pixels."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

import drawn
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorative_user_env.display.plots import COLOURS, PAGES
from explorative_user_env.show import raster, svg
from explorative_user_env.show.scene import scene_of_user
from explorative_user_env.show.shapes import (
    Disc,
    Line,
    Polygon,
    Rectangle,
    Scene,
    Shape,
    Text,
    box_of,
    width_of,
)
from explorative_user_env.validation import InvalidArgumentError, MissingExtraError

NAMESPACE = "{http://www.w3.org/2000/svg}"
REJECTION = drawn.moment_of(5, 7, 200)


def needs_pillow() -> None:
    pytest.importorskip("PIL", reason="Pillow is not there")


def painted(scene: Scene, theme: str = "auto") -> ET.Element:
    return ET.fromstring(svg.svg_of(scene, theme))


def elements(root: ET.Element) -> list[ET.Element]:
    apart = {f"{NAMESPACE}{tag}" for tag in ("title", "desc", "style")}
    return [each for each in root if each.tag not in apart]


@pytest.mark.parametrize("theme", svg.THEMES)
@pytest.mark.parametrize("n_arms", [2, 30])
def test_every_shape_is_in_the_svg_where_it_is(theme: str, n_arms: int) -> None:
    scene = scene_of_user(*drawn.moment_of(n_arms, 1, 100))
    root = painted(scene, theme)
    assert (root.get("width"), root.get("height")) == (str(scene.width), str(scene.height))
    shown = elements(root)
    assert len(shown) == len(scene.shapes)
    for element, shape in zip(shown, scene.shapes, strict=True):
        assert element.tag == NAMESPACE + TAGS[type(shape)]
        assert f"eu-{shape.role}" in element.get("class", "").split()
        assert numbers_in(element) == pytest.approx(list(numbers_of(shape)), abs=0.051)
        if isinstance(shape, Text):
            assert element.text == shape.text
            assert (element.get("font-weight") == "bold") == shape.bold
            assert element.get("text-anchor", "start") == shape.anchor
        else:
            title = element.find(f"{NAMESPACE}title")
            assert shape.name == ("" if title is None else title.text)


TAGS = {Rectangle: "rect", Line: "line", Disc: "circle", Polygon: "polygon", Text: "text"}
PLACES = ("x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "width", "height", "r", "points")


def numbers_in(element: ET.Element) -> list[float]:
    text = " ".join(element.get(name, "") for name in PLACES)
    return [float(number) for number in re.split("[ ,]+", text.strip())]


def numbers_of(shape: Shape) -> Iterator[float]:
    match shape:
        case Rectangle():
            yield from (shape.x, shape.y, shape.width, shape.height)
        case Line():
            yield from (shape.x1, shape.y1, shape.x2, shape.y2)
        case Disc():
            yield from (shape.x, shape.y, shape.radius)
        case Polygon():
            for point in shape.points:
                yield from point
        case Text():
            yield from (shape.x, shape.y)


def test_a_picture_says_what_it_is_to_who_does_not_see_it() -> None:
    scene = scene_of_user(*REJECTION)
    root = painted(scene)
    title = root.find(f"{NAMESPACE}title")
    assert title is not None
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == title.get("id")
    assert title.text == scene.name
    told = root.find(f"{NAMESPACE}desc")
    assert told is not None
    assert root.get("aria-describedby") == told.get("id") != title.get("id")
    for words in ("arm 0: 0 rejected", "arm 1: true mean", "arm 2: mean so far"):
        assert words in str(told.text)
    many = painted(scene_of_user(*drawn.moment_of(100, 0, 100)))
    assert many.find(f"{NAMESPACE}desc") is None
    assert many.get("aria-describedby") is None


def test_two_pictures_on_a_page_do_not_share_a_name_or_a_rule() -> None:
    first, second = (scene_of_user(*drawn.moment_of(3, seed, 50)) for seed in (1, 2))
    names = [painted(scene).get("aria-labelledby") for scene in (first, second)]
    assert names[0] != names[1]
    for theme in svg.THEMES:
        style = svg.style_of(theme).replace("@media(prefers-color-scheme:dark){", "")
        for rule in re.findall(r"([^{}]+)\{", style):
            assert re.fullmatch(rf"(\.eu-{theme}|\.eu-scene)( \.eu-[a-z]+| \*| line)?", rule)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_theme_has_the_colours_of_its_page(theme: str) -> None:
    style = svg.style_of(theme)
    for role, colour in COLOURS.items():
        own = getattr(colour, theme)
        assert f".eu-{role}{{color:{own}}}" in style
    assert "var(" not in style
    assert "@media" not in style


def test_a_page_of_either_colour_is_followed() -> None:
    light, dark = svg.style_of("auto").split("@media(prefers-color-scheme:dark)")
    for role, colour in COLOURS.items():
        assert f"--eu-{role}:{colour.light}" in light
        assert f"--eu-{role}:{colour.dark}" in dark


@pytest.mark.parametrize("letter", ["\x00", "\x08", "\x1b", "\ud800", "\ufffe", "\u202e", "\u2028"])
def test_what_no_page_may_hold_is_spelled_out(letter: str) -> None:
    scene = scene_of_user(REJECTION[0], title=f"a{letter}b")._replace(name=f"a{letter}b")
    text = svg.svg_of(scene)
    assert letter not in text
    ET.fromstring(text)
    assert letter.encode("unicode_escape").decode() in text


def test_words_of_others_are_escaped() -> None:
    title = '<script>alert("&")</script>'
    scene = scene_of_user(REJECTION[0], title=title, width=1280)._replace(name=title)
    text = svg.svg_of(scene)
    assert "<script" not in text
    root = ET.fromstring(text)
    assert title in [element.text for element in elements(root)]
    assert root[0].text == title


@pytest.mark.parametrize(("n_arms", "most"), [(5, 20_000), (100, 130_000)])
def test_a_picture_is_small(n_arms: int, most: int) -> None:
    assert len(svg.svg_of(scene_of_user(*drawn.moment_of(n_arms, 0, 100)))) < most


def colour_of(role: str, theme: str) -> list[int]:
    return list(bytes.fromhex(getattr(COLOURS[role], theme)[1:]))


def spot(shape: Shape) -> tuple[float, float]:
    """A place that a shape covers, and no later one."""
    match shape:
        case Rectangle():
            return shape.x + 0.5 * shape.width, shape.y + 0.5 * shape.height
        case Disc():
            return shape.x, shape.y
        case Polygon():
            xs, ys = zip(*shape.points, strict=True)
            return sum(xs) / len(xs), sum(ys) / len(ys)
        case Line():
            return (shape.x1 + shape.x2) / 2, (shape.y1 + shape.y2) / 2
    box = box_of(shape)
    return (box.left + box.right) / 2, (box.top + box.bottom) / 2


def covers(shape: Shape, x: float, y: float) -> bool:
    box = box_of(shape)
    return box.left - 2 <= x <= box.right + 2 and box.top - 2 <= y <= box.bottom + 2


@pytest.mark.parametrize("theme", PAGES)
@pytest.mark.parametrize("scale", [1, 2])
def test_every_shape_is_in_the_pixels_where_it_is(theme: str, scale: int) -> None:
    needs_pillow()
    scene = scene_of_user(*REJECTION)
    pixels = raster.pixels_of(scene, theme, scale)
    assert pixels.shape == (scene.height * scale, scene.width * scale, 3)
    assert pixels.dtype == np.uint8
    looked_at: set[type[Shape]] = set()
    for place, shape in enumerate(scene.shapes):
        if isinstance(shape, Text):
            continue
        x, y = spot(shape)
        box = box_of(shape)
        thin = min(box.right - box.left, box.bottom - box.top) * scale < 2
        hidden = any(covers(later, x, y) for later in scene.shapes[place + 1 :])
        if not thin and not hidden:
            looked_at.add(type(shape))
            colour = pixels[int(y * scale), int(x * scale)].astype(int)
            assert abs(colour - colour_of(shape.role, theme)).max() <= 3, shape
    assert looked_at == {Rectangle, Line, Disc, Polygon}


@pytest.mark.parametrize("theme", PAGES)
def test_words_are_painted_in_their_colour_within_their_room(theme: str) -> None:
    needs_pillow()
    scene = scene_of_user(*REJECTION)
    pixels = raster.pixels_of(scene, theme, 2).astype(int)
    without = scene._replace(shapes=tuple(s for s in scene.shapes if not isinstance(s, Text)))
    changed = (pixels != raster.pixels_of(without, theme, 2)).any(axis=2)
    for text in drawn.texts(scene):
        left, top, right, bottom = (round(2 * side) for side in box_of(text))
        inside = pixels[top:bottom, left:right][changed[top:bottom, left:right]]
        assert len(inside) > 2, text
        assert abs(inside - colour_of(text.role, theme)).sum(axis=1).min() < 60, text
        changed[top:bottom, left:right] = False
    assert not changed.any()


@settings(max_examples=200)
@given(
    st.text(st.sampled_from([*map(chr, range(32, 127)), "±", "·", "…"]), min_size=1),
    st.sampled_from([10.0, 11.0, 13.0, 16.0]),
    st.booleans(),
)
def test_no_text_is_wider_than_it_is_taken_to_be(text: str, size: float, bold: bool) -> None:
    needs_pillow()
    mask, _ = raster.letters_of(text, size, bold)
    assert mask.width <= width_of(text, size, bold) + 1  # a whole number of pixels


def test_every_letter_of_a_scene_is_in_the_painters_font() -> None:
    needs_pillow()
    missing, _ = raster.letters_of("\uffff", 13.0, False)
    for letter in [*map(chr, range(33, 127)), "±", "·", "…"]:
        mask, _ = raster.letters_of(letter, 13.0, False)
        assert mask.tobytes() != missing.tobytes(), letter


def test_the_same_scene_is_the_same_pixels() -> None:
    needs_pillow()
    scene = scene_of_user(*REJECTION)
    first = raster.pixels_of(scene)
    first[:] = 0  # it is the caller's own
    assert raster.pixels_of(scene).any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"theme": "auto"}, "theme must be one of dark, light, got 'auto'"),
        ({"scale": 0}, "scale must be .*, got 0"),
        ({"scale": 9}, "scale must be .*, got 9"),
    ],
)
def test_what_cannot_be_painted_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        raster.image_of(scene_of_user(REJECTION[0]), **options)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="theme must be one of auto, dark, light"):
        svg.svg_of(scene_of_user(REJECTION[0]), "blue")


def test_without_pillow_one_line_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("explorative_user_env.validation.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"^pictures as pixels need pillow: pip install"):
        raster.image_of(scene_of_user(REJECTION[0]))
