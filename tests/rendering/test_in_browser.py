"""A real browser shows a scene as it was meant: words in their room, the colours of each page."""

import io

import browser
import drawn
import numpy as np
import pytest

from explorative_user_env.display.plots import COLOURS
from explorative_user_env.show.raster import pixels_of
from explorative_user_env.show.scene import scene_of_user
from explorative_user_env.show.shapes import Scene, box_of
from explorative_user_env.show.svg import svg_of

pytestmark = pytest.mark.slow

MOMENTS = {n_arms: drawn.moment_of(n_arms, 3, 20 * n_arms) for n_arms in (2, 5, 20, 100)}
LETTERS_DIFFER = 1.0  # pixel: where a text begins is rounded

BOXES = """texts => [...document.querySelectorAll('text')].map(text => {
  const box = text.getBoundingClientRect(); return [box.left, box.right] })"""


def scenes() -> list[Scene]:
    return [
        scene_of_user(*moment, width=width, title="BAIR meets a user")
        for moment in MOMENTS.values()
        for width in (360, 720, 1280)
    ]


def test_no_word_leaves_its_room() -> None:
    with browser.chromium() as started, browser.page_in(started) as page:
        for scene in scenes():
            page.set_content(f"<body style='margin:0'>{svg_of(scene)}")
            shown = page.evaluate(BOXES)
            texts = drawn.texts(scene)
            assert len(shown) == len(texts)
            for text, (left, right) in zip(texts, shown, strict=True):
                room = box_of(text)
                assert room.left - LETTERS_DIFFER <= left, text
                assert right <= room.right + LETTERS_DIFFER, text


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("asked", ["auto", "plain"])
def test_it_shows_what_the_other_painter_shows(dark: bool, asked: str) -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not there")
    theme = "dark" if dark else "light"
    with browser.chromium() as started, browser.page_in(started, dark=dark) as page:
        for n_arms in (2, 5, 20):
            scene = scene_of_user(*MOMENTS[n_arms])
            page.set_viewport_size({"width": scene.width, "height": scene.height})
            text = svg_of(scene, "auto" if asked == "auto" else theme)
            page.set_content(f"<body style='margin:0'>{text}")
            shown = np.array(image.open(io.BytesIO(page.screenshot())).convert("RGB")).astype(int)
            painted = pixels_of(scene, theme).astype(int)
            assert shown.shape == painted.shape
            for text_shape in drawn.texts(scene):  # letters are of another font
                left, top, right, bottom = (int(side) for side in box_of(text_shape))
                for pixels in (shown, painted):
                    pixels[max(top - 1, 0) : bottom + 2, max(left - 1, 0) : right + 2] = 0
            apart = abs(shown - painted).max(axis=2)
            assert (apart > 60).mean() < 0.002  # edges of what is slanted or between pixels


def test_a_page_around_a_picture_keeps_its_own_looks() -> None:
    scene = scene_of_user(*MOMENTS[2])
    own = "<p class='ink' id='own' style='color:red'>words</p>"
    own += "<svg><line id='line' class='eu-ink' x2='9'/></svg>"
    looks = """() => ['own', 'line'].map(id => { const s = getComputedStyle(
      document.getElementById(id)); return [s.color, s.fill, s.stroke, s.fontFamily] })"""
    with browser.chromium() as started, browser.page_in(started) as page:
        page.set_content(own)
        before = page.evaluate(looks)
        page.set_content(own + svg_of(scene) + svg_of(scene, "dark"))
        assert page.evaluate(looks) == before
        tree = page.locator("svg.eu-light, svg.eu-auto").first
        assert tree.get_attribute("role") == "img"
        assert page.get_by_role("img", name=scene.name).count() == 2


def test_a_page_of_either_kind_may_hold_both_themes() -> None:
    scene = scene_of_user(*MOMENTS[2])
    with browser.chromium() as started, browser.page_in(started, dark=True) as page:
        page.set_content("".join(svg_of(scene, theme) for theme in ("light", "dark", "auto")))
        fills = page.evaluate(
            "() => [...document.querySelectorAll('rect.eu-page')].map("
            "each => getComputedStyle(each).fill)"
        )
    pages = (getattr(COLOURS["page"], theme) for theme in ("light", "dark", "dark"))
    assert fills == [f"rgb{tuple(bytes.fromhex(colour[1:]))}" for colour in pages]
