"""The page of a film in a real browser: by mouse and by keys, on a desk and on a phone."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browser import DESKTOP, PHONE, chromium, page_in, too_wide
from watched import run

from explorative_user_env.runs.films import (
    ALONE,
    ON_A_PHONE,
    Film,
    captions_of,
    pictures_of,
    rejected_at,
    steps_of_all,
)
from explorative_user_env.show.shapes import Text

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def film() -> Film:
    made: Film = run("bair", 3, max_steps=150).film(reveal=True)
    return made


@pytest.fixture(scope="module")
def file(film: Film, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("film") / "run.html"
    film.save(path)
    return path.as_uri()


def words_in(page: "Page", screen: str) -> list[str]:
    """Return the words of the picture that is seen, in their order."""
    found: list[str] = page.locator(f".film-{screen} svg text").all_text_contents()
    return sorted(word for word in found if word)


def caption(page: "Page") -> str:
    return page.locator(".film-caption").inner_text()


@pytest.mark.parametrize(
    ("size", "screen", "form"), [(DESKTOP, "wide", ALONE), (PHONE, "narrow", ON_A_PHONE)]
)
def test_each_step_shows_the_picture_of_that_step(
    browser: "Browser", file: str, film: Film, size: tuple[int, int], screen: str, form: Any
) -> None:
    steps = steps_of_all([film])
    pictures = pictures_of([film], steps, form)
    with page_in(browser, size) as page:
        page.goto(file)
        for step in (0, 1, 7, 60, 8, len(steps) - 1, 3):
            page.locator("input[type=range]").fill(str(step))
            shown = [s.text for s in pictures[step].shapes if isinstance(s, Text) and s.text]
            assert words_in(page, screen) == sorted(shown)
            assert caption(page) == captions_of([film], steps)[step]
        assert too_wide(page) <= 0
        other = {"wide": "narrow", "narrow": "wide"}[screen]
        assert not page.locator(f".film-{other}").is_visible()


def test_keys_step_jump_and_play(browser: "Browser", file: str, film: Film) -> None:
    captions = captions_of([film], steps_of_all([film]))
    with page_in(browser) as page:
        page.goto(file)
        for key, step in (
            ("ArrowRight", 1),
            ("ArrowRight", 2),
            ("ArrowLeft", 1),
            ("End", len(captions) - 1),
            ("ArrowRight", len(captions) - 1),
            ("Home", 0),
            ("ArrowLeft", 0),
        ):
            page.keyboard.press(key)
            assert caption(page) == captions[step]
        page.locator(".film-controls select").select_option("32")
        page.locator("body").click(position={"x": 5, "y": 5})
        page.keyboard.press(" ")
        page.wait_for_function("Number(document.querySelector('input[type=range]').value) > 3")
        page.keyboard.press(" ")
        assert page.get_by_role("button", name="Play", exact=True).is_visible()
        stopped = page.locator("input[type=range]").input_value()
        page.wait_for_timeout(200)
        assert page.locator("input[type=range]").input_value() == stopped


def test_what_has_keys_of_its_own_keeps_them_and_buttons_are_reached_by_tab(
    browser: "Browser", file: str
) -> None:
    with page_in(browser) as page:
        page.goto(file)
        slider = page.locator("input[type=range]")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.type") == "range"
        page.keyboard.press("ArrowRight")
        assert slider.input_value() == "1"  # and not twice
        names = []
        for _ in range(7):
            page.keyboard.press("Tab")
            names.append(page.evaluate("document.activeElement.textContent"))
        walk = ["Start", "Rejection before", "Back", "Play", "Step", "Next rejection", "End"]
        assert names == walk
        page.keyboard.press("Enter")
        assert "stopped" in caption(page) or "cut off" in caption(page)
        page.get_by_role("button", name="Start").focus()
        page.keyboard.press(" ")
        assert slider.input_value() == "0"
        assert page.get_by_role("button", name="Play", exact=True).is_visible()  # it does not play
        page.locator(".film-controls select").focus()
        page.keyboard.press("End")
        assert page.locator(".film-controls select").input_value() == "32"
        assert slider.input_value() == "0"


def test_by_mouse_one_jumps_from_rejection_to_rejection(
    browser: "Browser", file: str, film: Film
) -> None:
    steps = steps_of_all([film])
    captions, marks = captions_of([film], steps), rejected_at([film], steps)
    with page_in(browser) as page:
        page.goto(file)
        for mark in marks[:3]:
            page.get_by_role("button", name="Next rejection").click()
            assert caption(page) == captions[mark]
        page.get_by_role("button", name="Rejection before").click()
        assert caption(page) == captions[marks[1]]
        story = page.locator(".film-story button")
        assert story.all_text_contents() == [str(s) for s in film.explanation.sentences]
        story.last.click()
        assert caption(page) == captions[-1]
        assert story.last.get_attribute("aria-current") == "step"


def test_it_plays_to_the_end_and_begins_anew(browser: "Browser", file: str, film: Film) -> None:
    with page_in(browser) as page:
        page.goto(file)
        last = len(film.moments) - 1
        page.locator("input[type=range]").fill(str(last - 2))
        page.locator(".film-controls select").select_option("32")
        page.get_by_role("button", name="Play", exact=True).click()
        page.wait_for_function(f"document.querySelector('input[type=range]').value == {last}")
        page.get_by_role("button", name="Play", exact=True).click()
        page.wait_for_function(f"document.querySelector('input[type=range]').value < {last}")


def test_who_listens_hears_each_step_but_is_not_flooded_while_it_plays(
    browser: "Browser", file: str
) -> None:
    with page_in(browser) as page:
        page.goto(file)
        live = page.locator("[aria-live=polite]")
        page.keyboard.press("ArrowRight")
        assert live.inner_text() == caption(page)
        page.evaluate(
            "window.said = 0; new MutationObserver(() => window.said++)"
            ".observe(document.querySelector('[aria-live]'), {childList: true})"
        )
        page.locator(".film-controls select").select_option("32")
        page.get_by_role("button", name="Play", exact=True).click()
        page.wait_for_function("Number(document.querySelector('input[type=range]').value) > 9")
        assert page.evaluate("window.said") == 0
        page.get_by_role("button", name="Pause").click()
        assert live.inner_text() == caption(page)


def test_without_scripts_the_first_picture_and_the_story_are_there(
    browser: "Browser", file: str, film: Film
) -> None:
    with page_in(browser, script=False) as page:
        page.goto(file)
        assert "no recommendation yet" in words_in(page, "wide")
        assert "JavaScript" in page.locator("noscript").inner_text()
        assert page.locator(".film-story li").count() == len(film.explanation.sentences)
        assert not page.get_by_role("button", name="Play").is_visible()  # it would do nothing


def test_films_in_frames_of_one_page_do_not_disturb_each_other(
    browser: "Browser", film: Film, tmp_path: Path
) -> None:
    other = run("uni", 4, max_steps=20).film(reveal=False)
    (tmp_path / "a.html").write_text(
        f"<!doctype html><meta charset=utf-8>{film._repr_html_()}{other._repr_html_()}"
    )
    with page_in(browser, PHONE, dark=True) as page:
        page.goto((tmp_path / "a.html").as_uri())
        first, second = (page.frame_locator("iframe").nth(place) for place in range(2))
        first.get_by_role("button", name="Step").click()
        assert "t = 1" in first.locator(".film-caption").inner_text()
        assert "no recommendation" in second.locator(".film-caption").inner_text()
        ground = "getComputedStyle(document.body).backgroundColor"
        assert page.frames[1].evaluate(ground) == "rgb(20, 23, 28)"
