"""In a real browser whole games are played, by mouse and by keyboard, on a desk and on a phone."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from browser import DESKTOP, PHONE, chromium, keep_screenshot, page_in, too_wide

from explorative_user_env.display.colours import COLOURS
from explorative_user_env.play.address import game_of, pairs_in
from explorative_user_env.play.game import Game, Heard, heard_in, instance_at_end, truths_of
from explorative_user_env.play.words import response_in_words

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Response

pytestmark = pytest.mark.slow
for name in ("jinja2", "starlette", "uvicorn"):
    pytest.importorskip(name, reason="the page needs the extra play")

from page_server import served

SIZES = {"desktop": DESKTOP, "phone": PHONE}
USER: dict[str, object] = {"n_arms": 3, "gap": 2.0}
SEED = 7


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where the page is."""
    with served() as found:
        yield found


class Witnessed:
    """All that a page was sent, from its first request on."""

    def __init__(self, page: "Page") -> None:
        self.sent: list[tuple[str, str]] = []
        page.on("response", self._keep)

    def _keep(self, response: "Response") -> None:
        if response.status == 200:  # what is sent on to has a body of its own
            self.sent.append((response.url, f"{response.headers} {response.text()}"))

    def says(self, numbers: list[str]) -> list[str]:
        """Return where a number was said; sheets and the script say the same to everybody."""
        return [
            where
            for where, text in self.sent
            if "/static/" not in where and any(number in text for number in numbers)
        ]


def of_truth(game: Game) -> list[str]:
    """Return every number of the truth as it might be written, at all times of a game."""
    said = set()
    for truth in truths_of(game):
        values = [*truth.instance.means, *truth.lower_bounds, *truth.upper_bounds]
        values += [mean for mean in truth.estimates if mean]
        said |= {f"{abs(value):.{digits}f}" for value in values for digits in (2, 3, 6)}
    return sorted(said - {"inf"})


def game_on(page: "Page") -> Game:
    return game_of(pairs_in(urlsplit(page.url).query)[0])


def press_until(page: "Page", arm: int, act: Callable[[], Any]) -> None:
    """Recommend an arm and wait for the answer."""
    done = len(game_on(page).moves)
    act()
    page.wait_for_function(
        "done => document.querySelector('.tally').textContent.trim().startsWith(done + ' ')",
        arg=done + 1,
    )
    game = game_on(page)
    assert game.moves[done:] == (arm,)
    said = response_in_words(arm, heard_in(game).responses[-1])
    assert page.locator(".response").inner_text() == said
    assert page.locator("#said").inner_text() == said


def is_settled(heard: Heard) -> bool:
    """Return whether all arms but one were rejected last."""
    return [latest is False for latest in heard.latest].count(False) == 1


def play_to_the_end(page: "Page", recommend: Callable[[int], Any]) -> int:
    """Recommend arm after arm until all but one are rejected; return that one."""
    for step in count():
        arm = step % 3
        press_until(page, arm, partial(recommend, arm))
        heard = heard_in(game_on(page))
        if is_settled(heard):
            return heard.latest.index(True)
    raise AssertionError


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_a_game_is_played_to_the_reveal(
    browser: "Browser", address: str, size: str, by: str, tmp_path: Path
) -> None:
    with page_in(browser, SIZES[size], dark=by == "keyboard") as page:
        witness = Witnessed(page)
        page.goto(address)
        keep_screenshot(page, f"start-{size}", tmp_path)
        begin(page, by)
        assert game_on(page) == Game(options=USER, seed=SEED)
        if by == "mouse":
            best = play_to_the_end(page, lambda arm: page.click(f"#arm-{arm}"))
        else:
            best = play_to_the_end(page, lambda arm: page.keyboard.press(str(arm)))
        keep_screenshot(page, f"game-{size}-{by}", tmp_path)
        played = game_on(page)
        assert len(witness.sent) > len(played.moves)
        assert witness.says(of_truth(played)) == []
        witness.sent.clear()
        if by == "mouse":
            page.click(f"#best-{best}")
        else:
            page.keyboard.press("b")
            page.keyboard.press(str(best))
        page.wait_for_selector("#verdict")
        truth = instance_at_end(played)
        assert page.locator("#verdict").inner_text().startswith("Right" if best == 1 else "Wrong")
        assert best == truth.best_arm
        assert page.evaluate("document.activeElement.id") == "verdict"
        assert witness.says([f"<td>{mean:.2f}</td>" for mean in truth.means]) != []
        assert too_wide(page) == 0
        keep_screenshot(page, f"reveal-{size}-{by}", tmp_path)


def begin(page: "Page", by: str) -> None:
    """Choose a user on the first page."""
    page.fill("#n_arms", "3")
    page.fill("#gap", "2")
    page.fill("#seed", str(SEED))
    if by == "mouse":
        page.click("text=Play")
    else:
        page.keyboard.press("Enter")
    page.wait_for_selector("#arm-0")
    page.wait_for_load_state()  # its script as well


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("by", ["mouse", "keyboard"])
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
        keep_screenshot(page, f"asked-{size}-{by}", tmp_path)
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


def game_on_mind(page: "Page") -> Game:
    said, _ = pairs_in(urlsplit(page.url).query, ("guesses", "asked", "by"))
    return game_of(said)


def slide(page: "Page", by: str) -> None:
    """Make her more willing to explore: the picture changes at once, and so does the address."""
    before = page.locator("figure").inner_html()
    past = page.evaluate("history.length")
    if by == "mouse":
        page.locator("#alpha").fill("2")
    else:
        page.focus("#alpha")
        for _ in range(20):
            page.keyboard.press("ArrowRight")
    page.wait_for_function("() => location.search.includes('alpha=2')")
    page.wait_for_function(
        "before => document.querySelector('figure').innerHTML !== before", arg=before
    )
    assert game_on_mind(page).options["alpha"] == 2.0
    assert page.locator("output[for=alpha]").inner_text() == "2"
    assert page.evaluate("history.length") == past  # a slide is no step to go back to
    if by == "keyboard":
        assert page.evaluate("document.activeElement.id") == "alpha"
    page.uncheck("[name=follow]")
    page.wait_for_function("() => location.search.includes('rho=2')")


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


@pytest.mark.parametrize("size", SIZES)
def test_all_is_there_without_a_script(browser: "Browser", address: str, size: str) -> None:
    with page_in(browser, SIZES[size], script=False) as page:
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


def test_the_page_reads_well_to_who_does_not_see_it(browser: "Browser", address: str) -> None:
    with page_in(browser) as page:
        page.goto(f"{address}play?n_arms=3&gap=2&seed={SEED}&moves=0.1.2")
        tree = page.locator("body").aria_snapshot()
        for part in (
            "- banner",
            '- navigation "Pages"',
            "- status",
            "- main",
            "- contentinfo",
            '- heading "Which arm does she like best?" [level=1]',
            '- group "Recommend an arm"',
            '- button "arm 2"',
            '- button "arm 2, ten times"',
            '- group "Name her best arm, which ends the game"',
            '- img "She accepted arm 2 at t = 3"',
            "- group: + What counts, and the keys",
        ):
            assert part in tree, tree
        page.goto(f"{address}play?n_arms=3&gap=2&seed={SEED}&moves=0.1.2&answer=1")
        revealed = page.locator("body").aria_snapshot()
        assert 'heading "Right: her best arm is arm 1" [level=1]' in revealed
        assert '- rowheader "BAIR"' in revealed
        assert revealed.count("heading ") == 4
        page.goto(f"{address}mind?n_arms=3&gap=2&seed={SEED}")
        mind = page.locator("body").aria_snapshot()
        for slider in ("alpha", "rho", "noise", "gap"):
            assert f'- slider "{slider}"' in mind


@pytest.mark.parametrize("n_arms", [2, 25])
@pytest.mark.parametrize("place", ["", "play", "reveal", "mind", "error"])
def test_a_phone_shows_it_whole_with_targets_to_hit(
    browser: "Browser", address: str, place: str, n_arms: int
) -> None:
    query = f"n_arms={n_arms}&gap=2&seed={SEED}&moves=" + ".".join("01" * 30)
    where = {
        "": "",
        "play": f"play?{query}",
        "reveal": f"play?{query}&answer=1",
        "mind": f"mind?{query}",
        "error": "play?seed=x",
    }[place]
    for width in (390, 320, 195):  # 195 is what 390 are at 200 %
        with page_in(browser, (width, 844)) as page:
            page.goto(f"{address}{where}")
            if width >= 320:
                assert too_wide(page) == 0
            small = page.evaluate(
                "[...document.querySelectorAll('button, a.button, select, summary, "
                "input:not([type=checkbox], [type=radio], [type=hidden]), label:has(input)')]"
                ".filter(each => each.checkVisibility() && !each.hidden)"
                ".map(each => [each.textContent.trim(), each.getBoundingClientRect()])"
                ".filter(([, box]) => box.height && (box.height < 44 || box.width < 44))"
                ".map(([text, box]) => `${text} ${box.width} x ${box.height}`)"
            )
            assert small == []


@pytest.mark.parametrize("dark", [False, True])
def test_it_is_light_or_dark_and_moves_or_not_as_who_looks_prefers(
    browser: "Browser", address: str, dark: bool
) -> None:
    with page_in(browser, dark=dark) as page:
        page.goto(f"{address}play?n_arms=3&gap=2&seed={SEED}&moves=0")
        shown = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        numbers = [int(number) for number in re.findall(r"\d+", shown)]
        colour = COLOURS["page"].dark if dark else COLOURS["page"].light
        assert f"#{bytes(numbers).hex()}" == colour
        moving = "() => getComputedStyle(document.querySelector('.sign')).animationName"
        assert page.evaluate(moving) == "none"
        page.emulate_media(reduced_motion="no-preference")
        assert page.evaluate(moving) != "none"


def test_the_table_of_all_players_fits_on_a_phone(browser: "Browser", address: str) -> None:
    pytest.importorskip("sb3_contrib", reason="the widest name is that of a model")
    with page_in(browser, PHONE) as page:
        page.goto(f"{address}play?gap=2&seed={SEED}&moves=0x999&answer=0")
        assert "MaskablePPO" in page.locator(".scrolled").inner_text()
        wide = "box => box.scrollWidth - box.clientWidth"
        assert page.locator(".scrolled").evaluate(wide) == 0


def test_a_shared_address_has_the_same_responses_everywhere(
    browser: "Browser", address: str, tmp_path: Path
) -> None:
    from processes import python

    with page_in(browser) as page:
        page.goto(f"{address}play?n_arms=3&gap=2&seed={SEED}&moves=0x20.1x20.2x20")
        page.click("text=Share this game")
        shared = page.locator("#address").input_value()
        page.click("text=The same as a table")
        cells = page.locator("details table tbody tr").all_inner_texts()
    on_page = [tuple(map(int, row.split()[1:3])) for row in cells]
    replayed = python("-m", "explorative_user_env", "replay", shared, folder=tmp_path).stdout
    words = ["play", "--terminal", "--address", shared]
    terminal = python("-m", "explorative_user_env", *words, folder=tmp_path).stdout
    heard = heard_in(game_of(pairs_in(urlsplit(shared).query)[0]))
    assert on_page == [*zip(heard.accepted, heard.rejected, strict=True)]
    assert [": yes" in line for line in replayed.splitlines()[:-1]] == list(heard.responses)
    table = re.findall(r"^ +\d +(\d+) +(\d+)$", terminal, flags=re.MULTILINE)
    assert [tuple(map(int, row)) for row in table] == on_page
    assert not all(heard.responses)
