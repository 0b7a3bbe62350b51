"""The command `explorative-user play`."""

import io
import secrets
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any

import typer

from explorative_user_env.commands.options import takes_users
from explorative_user_env.play.game import MOST_ARMS_PLAYED, PLAYED, SURPRISES, Game

AddressOption = Annotated[
    str | None,
    typer.Option(
        help="Address of a game to repeat and go on with, or what follows its question mark.",
        show_default="a new game",
    ),
]
PortOption = Annotated[
    int | None, typer.Option(help="Port of the page; 0 is any.", show_default="8421, or a free one")
]
PlayersSeedOption = Annotated[
    int | None, typer.Option(help="Seed of the user, at least 0.", show_default="a surprise")
]
PlayedArmsOption = Annotated[int, typer.Option(help=f"Number of arms K, in 2..{MOST_ARMS_PLAYED}.")]
TerminalOption = Annotated[
    bool, typer.Option("--terminal", help="Play in this terminal; by default on a page.")
]
NoBrowserOption = Annotated[
    bool, typer.Option("--no-browser", help="Open no browser; by default one is opened.")
]


@takes_users(without=("n_arms", "means", "rho", "reward_law"), **PLAYED)
def play(
    *,
    users: Mapping[str, Any],
    n_arms: PlayedArmsOption = PLAYED["n_arms"],
    seed: PlayersSeedOption = None,
    address: AddressOption = None,
    terminal: TerminalOption = False,
    port: PortOption = None,
    no_browser: NoBrowserOption = False,
) -> None:
    """Recommend to a user yourself, and find her best arm; then see how the agents did with her.

    The page is for this machine alone; Ctrl-C ends it. Others play in a terminal of their own.
    """
    from explorative_user_env.play.game import pairs_of, query_of

    options = {"n_arms": n_arms, **users}
    game = Game(options=options, seed=secrets.randbelow(SURPRISES) if seed is None else seed)
    chosen = seed is not None or game.options != Game(options=PLAYED, seed=0).options
    if address is not None:
        game, chosen = _shared(address), True
    if terminal:
        _play_here(game)
    else:
        _play_on_page(f"play?{query_of(pairs_of(game))}" if chosen else "", port, not no_browser)


def _shared(address: str) -> Game:
    """Return the game of an address, also of one in which the player was her mind."""
    from explorative_user_env.play.game import MINDS_OWN, game_of, pairs_in, query_in

    pairs = pairs_in(query_in(address))
    game = game_of(pairs, mind=not MINDS_OWN.isdisjoint(pairs))
    return replace(game, guesses=(), asked=None, foretold=False)


def _play_here(game: Game) -> None:
    from explorative_user_env.commands.output import say
    from explorative_user_env.play.terminal import play_lines

    play_lines(game, _typed(), say)


def _typed() -> Iterator[str]:
    """Yield what is typed, line by line, up to the end of it."""
    from explorative_user_env.display.text import is_terminal
    from explorative_user_env.play.terminal import PROMPT

    if sys.stdin is None:
        return
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # what is no text is no command either
    while True:
        if is_terminal(sys.stdin):
            sys.stdout.write(PROMPT)
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            return
        yield line


def _play_on_page(place: str, port: int | None, opens: bool) -> None:
    from explorative_user_env.commands.output import say
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
