"""In a real browser the page is for everybody: without a script, unseen, small, dark, shared."""

import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from browser import PHONE, page_in, too_wide
from page_games import SEED, SIZES, begin, game_on, game_on_mind

from explorative_user_env.display.plots import COLOURS
from explorative_user_env.play.game import game_of, heard_in, pairs_in

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow


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
        assert "rho" not in game_on_mind(page).options  # it follows its schedule
        page.locator("#rho").fill("1.2")
        page.click("text=Show")
        assert game_on_mind(page).options["rho"] == 1.2


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
    words = ["play", "--terminal", "--address", shared]
    terminal = python("-m", "explorative_user_env", *words, folder=tmp_path).stdout
    heard = heard_in(game_of(pairs_in(urlsplit(shared).query)))
    assert on_page == [*zip(heard.seen.accepted, heard.seen.rejected, strict=True)]
    answers = [line for line in terminal.splitlines() if line.startswith("Arm ")]
    assert [": yes" in line for line in answers] == list(heard.responses)
    table = re.findall(r"^ +\d +(\d+) +(\d+)$", terminal, flags=re.MULTILINE)
    assert [tuple(map(int, row)) for row in table] == on_page
    assert not all(heard.responses)
