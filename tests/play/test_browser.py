"""In a real browser: whole games by mouse and by keyboard, without a script, small, dark."""

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from browser import PHONE, keep_screenshot, page_in, too_wide
from page_games import (
    SEED,
    SIZES,
    USER,
    Witnessed,
    begin,
    game_on,
    game_on_mind,
    of_truth,
    play_to_the_end,
    press_until,
)
from processes import python

from explorative_user_env.play.game import Game, game_of, heard_in, instance_at_end, pairs_in

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("size", "by"), [("desktop", "keyboard"), ("phone", "mouse")])
def test_a_game_is_played_to_the_reveal(
    browser: "Browser", address: str, size: str, by: str, tmp_path: Path
) -> None:
    with page_in(browser, SIZES[size], dark=by == "keyboard") as page:
        witness = Witnessed(page)
        page.goto(address)
        begin(page, by)
        assert game_on(page) == Game(options=USER, seed=SEED)
        if by == "mouse":
            best = play_to_the_end(page, lambda arm: page.click(f"#arm-{arm}"))
        else:
            best = play_to_the_end(page, lambda arm: page.keyboard.press(str(arm)))
        played, truth = game_on(page), instance_at_end(game_on(page))
        assert len(witness.sent) > len(played.moves)
        assert witness.says(of_truth(played)) == []
        witness.sent.clear()
        if by == "mouse":
            page.click(f"#best-{best}")
        else:
            page.keyboard.press("b")
            page.keyboard.press(str(best))
        page.wait_for_selector("#verdict")
        assert page.locator("#verdict").inner_text().startswith("Right")
        assert best == truth.best_arm
        assert page.evaluate("document.activeElement.id") == "verdict"
        assert witness.says([f"<td>{mean:.2f}</td>" for mean in truth.means]) != []
        assert too_wide(page) == 0
        keep_screenshot(page, f"reveal-{size}-{by}", tmp_path)


@pytest.mark.parametrize(("size", "by"), [("desktop", "keyboard"), ("phone", "mouse")])
def test_her_mind_is_played_by_who_says_first_what_she_will_do(
    browser: "Browser", address: str, size: str, by: str, tmp_path: Path
) -> None:
    with page_in(browser, SIZES[size]) as page:
        page.goto(f"{address}mind?n_arms=3&gap=2&seed={SEED}&moves=0x10.1x10.2x10")
        if by == "mouse":
            page.check("text=I say first what she will do")
            page.click("#arm-2")
        else:
            page.focus("input[value=her]")
            page.keyboard.press("ArrowRight")
            page.keyboard.press("2")
        page.wait_for_selector("#say-no")
        assert "Arm 2 is recommended" in page.locator("#said").inner_text()
        if by == "mouse":
            page.click("#say-no")
        else:
            page.keyboard.press("n")
        page.wait_for_selector("text=of 1 foretold")
        assert "guesses=" in page.url
        assert game_on_mind(page).moves[-1] == 2
        slide(page, by)
        keep_screenshot(page, f"mind-{size}-{by}", tmp_path)
        assert too_wide(page) == 0


def slide(page: "Page", by: str) -> None:
    """Make her more willing to explore: the picture changes at once, and so does the address."""
    before, past = page.locator("figure").inner_html(), page.evaluate("history.length")
    if by == "mouse":
        page.locator("#alpha").fill("2")
    else:
        page.focus("#alpha")
        for _ in range(20):
            page.keyboard.press("ArrowRight")
    page.wait_for_function("() => location.search.includes('alpha=2')")
    changed = "before => document.querySelector('figure').innerHTML !== before"
    page.wait_for_function(changed, arg=before)
    assert game_on_mind(page).options["alpha"] == 2.0
    assert page.evaluate("history.length") == past  # a slide is no step to go back to
    page.uncheck("[name=follow]")
    page.wait_for_function("() => location.search.includes('rho=1.')")


def test_going_back_undoes_and_a_reload_changes_nothing(browser: "Browser", address: str) -> None:
    with page_in(browser) as page:
        page.goto(f"{address}play?n_arms=3&gap=2&seed={SEED}")
        for arm in (0, 1, 2):
            press_until(page, arm, partial(page.click, f"#arm-{arm}"))
        page.go_back()
        page.wait_for_selector("text=2 interactions")
        assert game_on(page).moves == (0, 1)
        page.reload()
        assert game_on(page).moves == (0, 1)
        page.keyboard.press("u")
        page.wait_for_selector("text=1 interaction:")
        page.keyboard.press("Shift+Digit2")
        page.wait_for_selector("text=11 interactions")
        assert game_on(page).moves == (0,) + (2,) * 10


def test_keys_that_come_faster_than_answers_are_all_heard(browser: "Browser", address: str) -> None:
    with page_in(browser) as page:
        page.goto(f"{address}play?n_arms=3&gap=2&seed={SEED}")
        page.evaluate(
            "for (const arm of '0120120') document.body.dispatchEvent("
            "new KeyboardEvent('keydown', {code: 'Digit' + arm, key: arm, bubbles: true}))"
        )
        page.wait_for_selector("text=7 interactions")
        assert game_on(page).moves == (0, 1, 2, 0, 1, 2, 0)


def test_single_keys_can_be_turned_off(browser: "Browser", address: str) -> None:
    with page_in(browser) as page:
        page.goto(f"{address}play?n_arms=3&gap=2&seed={SEED}")
        page.keyboard.press("?")
        page.uncheck("#keys")
        page.keyboard.press("1")
        press_until(page, 0, lambda: page.click("#arm-0"))
        page.reload()
        page.keyboard.press("1")
        press_until(page, 0, lambda: page.click("#arm-0"))
        assert game_on(page).moves == (0, 0)


def test_all_is_there_without_a_script(browser: "Browser", address: str) -> None:
    with page_in(browser, PHONE, script=False) as page:
        page.goto(address)
        begin(page, "mouse")
        for arm in (0, 1, 2):
            page.click(f"#arm-{arm}")
        page.click("#ten-1")
        assert game_on(page).moves == (0, 1, 2) + (1,) * 10
        page.click("#undo")
        page.click("#best-1")
        assert page.locator("#verdict").inner_text().startswith("Right")
        page.click("text=Look into her mind")
        page.locator("#alpha").fill("2")
        page.click("text=Show")
        assert game_on_mind(page).options["alpha"] == 2.0
        assert "rho" not in game_on_mind(page).options  # it follows its schedule
        page.locator("#rho").fill("1.2")
        page.click("text=Show")
        assert game_on_mind(page).options["rho"] == 1.2


def test_a_phone_shows_it_whole_with_targets_to_hit(browser: "Browser", address: str) -> None:
    query = f"n_arms=25&gap=2&seed={SEED}&moves=" + ".".join("01" * 30)
    for width in (390, 320):
        with page_in(browser, (width, 844)) as page:
            for where in ("", f"play?{query}", f"play?{query}&answer=1", f"mind?{query}"):
                page.goto(f"{address}{where}")
                assert too_wide(page) == 0
                boxes = page.evaluate(
                    "[...document.querySelectorAll('button, a.button, select, summary')]"
                    ".filter(each => each.checkVisibility() && !each.hidden)"
                    ".map(each => each.getBoundingClientRect()).map(box => [box.width, box.height])"
                )
                assert all(min(box) >= 44 for box in boxes if box[1])


def test_a_shared_address_has_the_same_responses_everywhere(
    browser: "Browser", address: str, tmp_path: Path
) -> None:
    with page_in(browser) as page:
        page.goto(f"{address}play?n_arms=3&gap=2&seed={SEED}&moves=0x20.1x20.2x20")
        page.click("text=Share this game")
        shared = page.locator("#address").input_value()
        page.click("text=The same as a table")
        cells = page.locator("details table tbody tr").all_inner_texts()
    on_page = [tuple(map(int, row.split()[1:3])) for row in cells]
    words = ["play", "--terminal", "--address", shared]
    terminal = python("-m", "explorative_user_env", *words, folder=tmp_path).stdout
    table = re.findall(r"^ +\d +(\d+) +(\d+)$", terminal, flags=re.MULTILINE)
    assert [tuple(map(int, row)) for row in table] == on_page
    heard = heard_in(game_of(pairs_in(urlsplit(shared).query)))
    assert on_page == [*zip(heard.seen.accepted, heard.seen.rejected, strict=True)]
    assert not all(heard.responses)
