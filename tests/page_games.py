"""Games that a real browser plays on the page, and what is looked at in them."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from browser import DESKTOP, PHONE

from explorative_user_env.play.game import (
    Game,
    Heard,
    game_of,
    heard_in,
    pairs_in,
    response_in_words,
    truths_of,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page, Response

SIZES = {"desktop": DESKTOP, "phone": PHONE}
USER: dict[str, object] = {"n_arms": 3, "gap": 2.0}
SEED = 7


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
    return game_of(pairs_in(urlsplit(page.url).query))


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
    return [latest is False for latest in heard.seen.latest].count(False) == 1


def play_to_the_end(page: "Page", recommend: Callable[[int], Any]) -> int:
    """Recommend arm after arm until all but one are rejected; return that one."""
    for step in count():
        arm = step % 3
        press_until(page, arm, partial(recommend, arm))
        heard = heard_in(game_on(page))
        if is_settled(heard):
            return heard.seen.latest.index(True)
    raise AssertionError


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


def game_on_mind(page: "Page") -> Game:
    mind = game_of(pairs_in(urlsplit(page.url).query), mind=True)
    return replace(mind, guesses=(), asked=None, foretold=False)
