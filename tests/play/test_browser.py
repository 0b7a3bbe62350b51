"""In a real browser: whole games by keyboard, mouse and touch, without a script, small, dark."""

from dataclasses import replace
from functools import partial
from itertools import cycle
from urllib.parse import urlsplit

import pytest
from browser import PHONE, keep_screenshot, page_in, too_wide
from page_server import check_end, started

from explorative_user_env.play import game as words
from explorative_user_env.play.game import Game, game_of, log_of, pairs_in

pytestmark = pytest.mark.slow

GAME = "n_arms=3&gap=2&seed=7"


@pytest.fixture(scope="module")
def address():
    """Where the page is, served by another process until SIGTERM comes."""
    server, address = started()
    yield address
    server.terminate()
    check_end(server)


def game_on(page, *, truth=False):
    game = game_of(pairs_in(urlsplit(page.url).query), truth=truth)
    return replace(game, guesses=(), pending=None, predicts=False)


def press(page, arm, act):
    """Recommend an arm and wait for the answer."""
    done = len(game_on(page).moves)
    act()
    page.wait_for_function(
        "done => document.querySelector('.tally').textContent.trim().startsWith(done + ' ')",
        arg=done + 1,
    )
    game = game_on(page)
    assert game.moves[done:] == (arm,)
    said = words.response_in_words(arm, log_of(game).responses[-1])
    assert page.locator(".response").inner_text() == said == page.locator("#said").inner_text()


def begin(page, address, act):
    """Choose a user on the first page."""
    page.goto(address)
    for name, text in (("n_arms", "3"), ("gap", "2"), ("seed", "7")):
        page.fill(f"#{name}", text)
    act()
    page.wait_for_selector("#arm-0")
    page.wait_for_load_state()  # its script as well


def test_a_game_is_played_by_keyboard_to_the_reveal(browser, address):
    with page_in(browser, dark=True) as page:
        begin(page, address, lambda: page.keyboard.press("Enter"))
        assert game_on(page) == Game(options={"n_arms": 3, "gap": 2.0}, seed=7)
        for arm in cycle(range(3)):
            press(page, arm, partial(page.keyboard.press, str(arm)))
            latest = log_of(game_on(page)).seen.latest
            if latest.count(False) == 2:
                break
        page.keyboard.press("b")
        page.keyboard.press(str(latest.index(True)))
        page.wait_for_selector("#verdict")
        assert page.locator("#verdict").inner_text().startswith("Right")
        assert page.evaluate("document.activeElement.id") == "verdict"
        means = words.instance_at_end(game_on(page)).means
        assert all(f"<td>{mean:.2f}</td>" in page.content() for mean in means)
        assert too_wide(page) == 0
        keep_screenshot(page, "reveal")


def test_her_mind_is_played_by_who_says_first_what_she_will_do(browser, address):
    with page_in(browser, PHONE) as page:
        page.goto(f"{address}mind?{GAME}&moves=0x10.1x10.2x10")
        page.check("text=predict her response first")
        page.click("#arm-2")
        page.wait_for_selector("#say-no")
        assert "You recommend arm 2: " in page.locator("#said").inner_text()
        page.keyboard.press("n")
        page.wait_for_selector("text=of 1 predictions")
        assert "guesses=" in page.url
        assert game_on(page, truth=True).moves[-1] == 2
        # The picture changes as a slider does, and so does the address; no step to go back to.
        before, past = page.locator("figure").inner_html(), page.evaluate("history.length")
        page.focus("#alpha")
        for _ in range(20):
            page.keyboard.press("ArrowRight")
        page.wait_for_function("() => location.search.includes('alpha=2')")
        changed = "before => document.querySelector('figure').innerHTML !== before"
        page.wait_for_function(changed, arg=before)
        assert game_on(page, truth=True).options["alpha"] == 2.0
        assert page.evaluate("history.length") == past
        page.uncheck("[name=follow]")
        page.wait_for_function("() => location.search.includes('rho=1.')")
        assert too_wide(page) == 0
        keep_screenshot(page, "mind")


def test_going_back_undoes_a_reload_changes_nothing_and_fast_keys_are_all_heard(browser, address):
    with page_in(browser) as page:
        page.goto(f"{address}play?{GAME}")
        for arm in (0, 1, 2):
            press(page, arm, partial(page.click, f"#arm-{arm}"))
        page.go_back()
        page.wait_for_selector("text=2 interactions")
        page.reload()
        assert game_on(page).moves == (0, 1)
        page.keyboard.press("u")
        page.wait_for_selector("text=1 interaction:")
        page.keyboard.press("Shift+Digit2")
        page.wait_for_selector("text=11 interactions")
        page.evaluate(
            "for (const arm of '0120') document.body.dispatchEvent("
            "new KeyboardEvent('keydown', {code: 'Digit' + arm, key: arm, bubbles: true}))"
        )
        page.wait_for_selector("text=15 interactions")
        assert game_on(page).moves == (0,) + (2,) * 10 + (0, 1, 2, 0)
        page.keyboard.press("?")
        page.uncheck("#keys")  # for good
        page.reload()
        page.keyboard.press("1")
        press(page, 0, partial(page.click, "#arm-0"))


def test_all_is_there_without_a_script(browser, address):
    with page_in(browser, PHONE, script=False) as page:
        begin(page, address, lambda: page.click("text=Play"))
        for arm in (0, 1, 2):
            page.click(f"#arm-{arm}")
        page.click("#ten-1")
        assert game_on(page).moves == (0, 1, 2) + (1,) * 10
        page.click("#undo")
        page.click("#best-1")
        assert page.locator("#verdict").inner_text().startswith("Right")
        page.click("text=See her hidden state")
        page.locator("#alpha").fill("2")
        page.click("text=Show")
        options = game_on(page, truth=True).options
        assert (options["alpha"], "rho" in options) == (2.0, False)  # it follows its schedule
        page.locator("#rho").fill("1.2")
        page.click("text=Show")
        assert game_on(page, truth=True).options["rho"] == 1.2
        assert too_wide(page) == 0
