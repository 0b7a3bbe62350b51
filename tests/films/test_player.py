"""Pictures and the page of a film in a real browser: by mouse and by keys, large and small."""

import io
from collections import Counter

import drawn
import numpy as np
import pytest
from browser import DESKTOP, PHONE, page_in, too_wide
from watched import run

from explorative_user_env.runs import films
from explorative_user_env.show import raster, svg
from explorative_user_env.show.scene import scene_of_user
from explorative_user_env.show.shapes import box_of

pytestmark = pytest.mark.slow

SLIDER, SPEED = "input[type=range]", ".film-controls select"


@pytest.fixture(scope="module")
def film():
    return run("bair", 3, max_steps=150).film(reveal=True)


@pytest.fixture(scope="module")
def captions(film):
    return films.captions_of([film], films.steps_of_all([film]))


@pytest.fixture(scope="module")
def file(film, tmp_path_factory):
    path = tmp_path_factory.mktemp("film") / "run.html"
    film.save(path)
    return path.as_uri()


SHAPES = """svg => [...svg.children].filter(each => !/title|style/.test(each.tagName)).map(each =>
    [[...each.attributes].map(has => [has.name, has.value]), each.textContent])"""


def check_picture(page, screen, picture):
    """Check that all shapes of a picture are in the page, and no other that one would see."""
    there = map(svg.element_of, picture.shapes)
    wanted = Counter((*sorted(each.attributes.items()), each.words) for each in there)
    found = page.locator(f".film-{screen} svg").evaluate(SHAPES)
    shown = Counter((*sorted(map(tuple, attributes)), words) for attributes, words in found)
    assert wanted <= shown
    for *pairs, words in shown - wanted:
        has = dict(pairs)
        assert (
            ("font-size" in has and words == "")
            or has.get("width") == has.get("height") == "0"
            or has.get("r") == "0"
            or len(set(has.get("points", "").split())) == 1
            or ("x1" in has and (has["x1"], has["y1"]) == (has["x2"], has["y2"]))
        )


def caption(page):
    return page.locator(".film-caption").inner_text()


def press(page, button):
    page.get_by_role("button", name=button, exact=True).click()


@pytest.mark.parametrize("screen", ["wide", "narrow"])
def test_each_step_shows_the_picture_of_that_step(browser, file, film, captions, screen):
    wide = screen == "wide"
    shown = [0, 1, 60, 8, len(captions) - 1, 3]
    form = films.ALONE if wide else films.ON_A_PHONE
    pictures = films.pictures_of([film], shown, form)
    with page_in(browser, DESKTOP if wide else PHONE) as page:
        page.goto(file)
        for place, picture in zip(shown, pictures, strict=True):
            page.locator(SLIDER).fill(str(place))
            check_picture(page, screen, picture)
            assert caption(page) == captions[place]
        assert too_wide(page) <= 0
        assert page.locator(".film-wide").is_visible() == wide
        assert page.locator(".film-narrow").is_visible() != wide


def test_keys_step_jump_and_play_and_who_listens_is_not_flooded(browser, file, captions):
    last = len(captions) - 1
    with page_in(browser) as page:
        page.goto(file)
        live, keys = page.locator("[aria-live=polite]"), page.keyboard
        for key, step in (("ArrowRight", 1), ("End", last), ("ArrowRight", last), ("Home", 0)):
            keys.press(key)
            assert captions[step] == caption(page) == live.inner_text()
        page.evaluate(
            "window.said = 0; new MutationObserver(() => window.said++)"
            ".observe(document.querySelector('[aria-live]'), {childList: true})"
        )
        page.locator(SPEED).select_option("32")
        page.locator("body").click(position={"x": 5, "y": 5})
        keys.press(" ")
        page.wait_for_function("Number(document.querySelector('input[type=range]').value) > 3")
        assert page.evaluate("window.said") == 0
        keys.press(" ")
        assert page.get_by_role("button", name="Play", exact=True).is_visible()
        assert live.inner_text() == caption(page)


def test_what_has_keys_of_its_own_keeps_them(browser, file):
    with page_in(browser) as page:
        page.goto(file)
        slider = page.locator(SLIDER)
        page.keyboard.press("Tab")
        page.keyboard.press("ArrowRight")
        assert slider.input_value() == "1"  # and not twice
        page.keyboard.press("Tab")
        page.keyboard.press(" ")
        assert slider.input_value() == "0"  # the button is pressed, and nothing is played
        page.locator(SPEED).focus()
        page.keyboard.press("End")
        assert (page.locator(SPEED).input_value(), slider.input_value()) == ("32", "0")


def test_by_mouse_one_jumps_to_rejections_and_plays_to_the_end(browser, file, film, captions):
    marks = films.rejected_at([film], films.steps_of_all([film]))
    with page_in(browser) as page:
        page.goto(file)
        for mark in marks[:3]:
            press(page, "Next rejection")
            assert caption(page) == captions[mark]
        press(page, "Rejection before")
        assert caption(page) == captions[marks[1]]
        story = page.locator(".film-story button")
        assert story.all_text_contents() == [str(s) for s in film.explanation.sentences]
        story.last.click()
        assert caption(page) == captions[-1]
        assert story.last.get_attribute("aria-current") == "step"
        last, value = len(captions) - 1, "document.querySelector('input[type=range]').value"
        page.locator(SLIDER).fill(str(last - 2))
        page.locator(SPEED).select_option("32")
        press(page, "Play")
        page.wait_for_function(f"{value} == {last}")
        press(page, "Play")  # anew
        page.wait_for_function(f"{value} < {last}")


def test_without_scripts_the_first_picture_and_the_story_are_there(browser, file, film):
    with page_in(browser, script=False) as page:
        page.goto(file)
        assert "no recommendation yet" in page.locator(".film-wide").inner_text()
        assert page.locator(".film-story li").count() == len(film.explanation.sentences)
        assert not page.get_by_role("button", name="Play").is_visible()  # it would do nothing


def test_films_in_frames_of_one_page_do_not_disturb_each_other(browser, film, tmp_path):
    other = run("uni", 4, max_steps=20).film(reveal=False)
    (tmp_path / "a.html").write_text(
        f"<!doctype html><meta charset=utf-8>{film._repr_html_()}{other._repr_html_()}"
    )
    with page_in(browser, PHONE) as page:
        page.goto((tmp_path / "a.html").as_uri())
        first, second = (page.frame_locator("iframe").nth(place) for place in range(2))
        first.get_by_role("button", name="Step", exact=True).click()
        assert "t = 1" in first.locator(".film-caption").inner_text()
        assert "no recommendation" in second.locator(".film-caption").inner_text()


def test_a_browser_shows_a_picture_as_the_other_painter_does(browser):
    image = pytest.importorskip("PIL.Image", reason="Pillow is not there")
    scene = scene_of_user(*drawn.moment_of(20, 3, 400))
    with page_in(browser, (scene.width, scene.height), dark=True) as page:
        page.set_content(f"<body style='margin:0'>{svg.svg_of(scene, 'auto')}")
        shown = np.array(image.open(io.BytesIO(page.screenshot())).convert("RGB")).astype(int)
    apart = abs(shown - raster.pixels_of(scene, "dark").astype(int)).max(axis=2)
    for text in drawn.texts(scene):  # letters are of another font
        left, top, right, bottom = (int(side) for side in box_of(text))
        apart[max(top - 1, 0) : bottom + 2, max(left - 1, 0) : right + 2] = 0
    assert (apart > 60).mean() < 0.002  # edges of what is slanted or between pixels
