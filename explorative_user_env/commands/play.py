"""The command `explorative-user play`."""

import io
import secrets
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from explorative_user_env.commands.options import command
from explorative_user_env.commands.output import say
from explorative_user_env.display.text import is_terminal
from explorative_user_env.play import game as games
from explorative_user_env.play.game import PLAYED, Game, game_of, pairs_of, query_of
from explorative_user_env.play.terminal import PROMPT, play_lines
from explorative_user_env.validation import require


@command(
    "play",
    first="n_arms gap seed address terminal",
    users=PLAYED,
    only=("setting", "gap", "alpha", "noise", "behaviour"),
)
def play(
    users: Mapping[str, Any],
    n_arms: int = PLAYED["n_arms"],
    seed: int | None = None,
    address: str | None = None,
    terminal: bool = False,
    port: int | None = None,
    no_browser: bool = False,
) -> None:
    """Recommend to a user yourself, and find her best arm; then see how the agents did with her.

    The page is for this machine alone; Ctrl-C ends it. Others play in a terminal of their own.

    Example: explorative-user play --terminal --n-arms 3

    Options:
        n_arms: Number of arms K, in 2..25.
        seed: Seed of the user, at least 0. None is a surprise.
        address: Address of a game to repeat and go on with, or what follows its question mark. None
            is a new game.
        terminal: Play in this terminal; by default on a page.
        port: Port of the page; 0 is any. None is 8421, or a free one.
        no_browser: Open no browser; by default one is opened.
    """
    options = {"n_arms": n_arms, **users}
    game = Game(options=options, seed=secrets.randbelow(games.SURPRISES) if seed is None else seed)
    chosen = seed is not None or game.options != Game(options=PLAYED, seed=0).options
    if address is not None:  # also of a game in which the player was her mind
        pairs, chosen = games.pairs_in(games.query_in(address)), True
        game = game_of(pairs, mind=not games.MINDS_OWN.isdisjoint(pairs))
        game = replace(game, guesses=(), asked=None, foretold=False)
    if terminal:
        play_lines(game, _typed(), say)
    else:
        _play_on_page(f"play?{query_of(pairs_of(game))}" if chosen else "", port, not no_browser)


def _typed() -> Iterator[str]:
    """Yield the lines that are typed, until there are no more."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    while sys.stdin is not None:
        if is_terminal(sys.stdin):
            sys.stdout.write(PROMPT)
        sys.stdout.flush()
        if not (line := sys.stdin.readline()):
            return
        yield line


def _play_on_page(place: str, port: int | None, opens: bool) -> None:
    require("the page needs", "play", games.SERVED_BY)
    from explorative_user_env.play.page import open_browser, serve

    def ready(address: str) -> None:
        say(f"The page is at {address}{place}", "Ctrl-C ends it.")
        sys.stdout.flush()
        if opens:
            open_browser(f"{address}{place}")

    try:
        serve(port, ready)
    except KeyboardInterrupt:
        say("The page is closed. Games are in their addresses: open them again any time.")
