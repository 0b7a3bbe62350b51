"""The page on this machine: a port that nobody else hears, until the player has had enough."""

import base64
import hashlib
import os
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from explorative_user_env.play import game as words
from explorative_user_env.play.game import (
    ASKED,
    BY,
    FOLLOW,
    MINDS_OWN,
    MOST_ARMS_PLAYED,
    MOST_MOVES,
    PLAYED,
    SAID,
    SLID,
    SURPRISES,
    Game,
    Heard,
    Mind,
    Pairs,
    game_of,
    heard_in,
    mind_of,
    moral_of,
    moves_in,
    new_pairs,
    not_too_long,
    pairs_in,
    pairs_of,
    pairs_of_mind,
    query_in,
    query_of,
    rivals_of,
    slid,
    sliders_of,
    truths_of,
    usual_options,
)
from explorative_user_env.show.scene import scene_of_user
from explorative_user_env.show.shapes import USUAL_WIDTH, Scene
from explorative_user_env.show.svg import PAGE_FONT, colours_for, style_of, svg_of
from explorative_user_env.show.timeline import timeline
from explorative_user_env.show.words import Seen, grounds_of, reason
from explorative_user_env.users.hidden_state import HiddenState
from explorative_user_env.users.population import OPTIONS
from explorative_user_env.users.settings import SETTINGS
from explorative_user_env.validation import InvalidArgumentError, choice, integer, require

if TYPE_CHECKING:
    from jinja2 import Environment


DESK, PHONE = USUAL_WIDTH, 340
"""Widths of a picture in pixels; which of the two is seen is up to the style sheet."""

THEME = "auto"


def picture_of_responses(seen: Seen) -> str:
    """Return what was heard of each arm as SVG: nothing secret."""
    return _both(lambda width: scene_of_user(seen, width=width))


def picture_of_mind(seen: Seen, truths: Sequence[HiddenState]) -> str:
    """Return her intervals now as SVG, and why she decided as she did.

    Args:
        seen: what was heard.
        truths: the truth at the start and after each move.
    """
    decided = truths[-2] if len(truths) > 1 else None
    return _both(lambda width: scene_of_user(seen, truths[-1], decided, width=width))


def picture_of_run(game: Game, heard: Heard, truths: Sequence[HiddenState] | None = None) -> str:
    """Return a whole game as SVG, arm by arm: the responses over time.

    Args:
        game: the game.
        heard: what was heard in it.
        truths: the truth at the start and after each move, which shows her intervals over time as
            well; None keeps it secret.
    """
    after = None if truths is None else truths[1:]
    run = (game.n_arms, game.moves, heard.responses, after)
    return _both(lambda width: timeline(*run, width=width))


def reason_of_last(seen: Seen, truths: Sequence[HiddenState]) -> str:
    """Return why she decided as she did on the last recommendation; "" before the first."""
    grounds = grounds_of(seen, truths[-2] if len(truths) > 1 else None)
    return "" if grounds is None else reason(grounds)


def _both(paint: Callable[[int], Scene]) -> str:
    """Return a picture in both widths."""
    shown = {"desk": DESK, "phone": PHONE}
    return "".join(
        f'<div class="{name}">{svg_of(paint(width), THEME)}</div>' for name, width in shown.items()
    )


def colour_sheet() -> str:
    """Return the style sheet that gives the page the colours and the letters of the pictures."""
    return f":root{{color-scheme:light dark}}{PAGE_FONT}{colours_for(':root')}"


def picture_styles() -> str:
    """Return how a page's policy names the styles that stand in pictures: by their digest."""
    digest = hashlib.sha256(style_of(THEME).encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


PLAY, MIND = "/play", "/mind"
"""Where the two modes are."""

LONGEST_RUN_SHOWN = 40
"""Of one arm, recommended over and over: so many of the last responses are written out."""

_ABOUT = {each.name: each.metadata["about"] for each in OPTIONS}


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("explorative_user_env.play")
    kept: dict[str, Any] = {"trim_blocks": True, "lstrip_blocks": True, "autoescape": True}
    # As they were at the start: another version's, installed meanwhile, do not fit this code.
    made = Environment(loader=loader, undefined=StrictUndefined, auto_reload=False, **kept)
    made.filters["sentence"] = lambda text: f"{text[:1].upper()}{text[1:]}."
    return made


def _page(template: str, title: str, **told: Any) -> str:
    return _templates().get_template(template).render(title=title, words=words, **told)


def start_page() -> str:
    """Return the page on which a game is chosen."""
    return _page(
        "start.html",
        "Recommend to a user who is still learning",
        usual=new_pairs({**usual_options(), **PLAYED}),
        about=_ABOUT,
        most_arms=MOST_ARMS_PLAYED,
        settings=list(SETTINGS),
    )


def error_page(line: str) -> str:
    """Return the page that says in one line what is wrong."""
    return _page("error.html", "This is no game", line=line)


def play_page(game: Game, origin: str) -> str:
    """Return the page of a game: with an answer it is the reveal, and the truth is told.

    Args:
        game: what the address says.
        origin: where the page is, as in a browser.
    """
    heard = heard_in(game)
    told = _told_of(game, heard) | {"address": f"{origin}{PLAY}?{query_of(pairs_of(game))}"}
    if game.answer is not None:
        return _reveal_page(game, heard, told)
    return _page(
        "play.html",
        words.title_of_game(game, heard),
        picture=picture_of_responses(heard.seen),
        run=picture_of_run(game, heard) if game.moves else "",
        **told,
    )


def _reveal_page(game: Game, heard: Heard, told: Mapping[str, Any]) -> str:
    """Return the page that tells the truth about the user of a game with an answer."""
    truths = [*truths_of(game)]
    instance = truths[-1].instance
    rivals, notes = rivals_of(game)
    return _page(
        "reveal.html",
        words.verdict(game, heard, instance.best_arm),
        right=words.is_right(game, heard, instance.best_arm),
        moral=moral_of(game, heard, instance.best_arm, rivals),
        header=words.RIVALS_HEADER,
        rows=words.rows_of_rivals(game, heard, instance.best_arm, rivals),
        notes=notes,
        run=picture_of_run(game, heard, truths),
        picture=picture_of_mind(heard.seen, truths),
        means=[f"{mean:.2f}" for mean in instance.means],
        best_arm=instance.best_arm,
        another=query_of(new_pairs(game.options)),
        again=query_of(pairs_of(Game(options=game.options, seed=game.seed))),
        mind=query_of(pairs_of(Game(options=game.options, seed=game.seed, moves=game.moves))),
        **told,
    )


def mind_page(mind: Mind, origin: str) -> str:
    """Return the page on which the truth is seen, asked for by name."""
    game = mind.game
    heard, truths = heard_in(game), [*truths_of(game)]
    right, known = mind.right_guesses(heard)
    pairs = pairs_of_mind(mind)
    kept = {name: text for name, text in pairs.items() if name not in SLID}
    return _page(
        "mind.html",
        "Be her mind",
        picture=picture_of_mind(heard.seen, truths),
        reason=reason_of_last(heard.seen, truths),
        guess=mind.guesses[-1] if mind.guesses else None,
        right=right,
        known=known,
        asked=mind.asked,
        foretold=mind.foretold,
        sliders=sliders_of(game),
        unasked={name: text for name, text in pairs.items() if name not in (ASKED, BY)},
        about=_ABOUT,
        follows=game.population.rho is None,
        untuned=kept,
        **_told_of(game, heard) | {"pairs": pairs, "undo": query_of(pairs_of_mind(mind.undone()))},
        address=f"{origin}{MIND}?{query_of(pairs)}",
    )


def _told_of(game: Game, heard: Heard) -> dict[str, Any]:
    """Return what every page of a game tells: nothing secret."""
    row = len([*takewhile(lambda arm: arm == game.moves[-1], reversed(game.moves))])
    undone = Game(options=game.options, seed=game.seed, moves=game.moves[:-1])
    return {
        "game": game,
        "heard": heard,
        "last": heard.seen.last,
        "in_a_row": heard.responses[-row:][-LONGEST_RUN_SHOWN:] if row > 1 else (),
        "arms": range(game.n_arms),
        "pairs": pairs_of(game),
        "undo": query_of(pairs_of(undone)),
        "settings_in_words": words.settings_in_words(game),
        "left": 0 if heard.left else MOST_MOVES - len(game.moves),
    }


HOSTS = ("127.0.0.1", "localhost")
"""By what names a browser may have found this page: another would be somebody else's."""

MODES = {"play": PLAY, "mind": MIND}
"""Where each mode begins."""

STATIC = Path(__file__).with_name("static")


def _start(request: Request) -> Response:
    return HTMLResponse(start_page())


def _colours(request: Request) -> Response:
    return Response(colour_sheet(), media_type="text/css")


def _play(request: Request) -> Response:
    said, _ = pairs_in(request.url.query)
    return HTMLResponse(play_page(game_of(said), _origin(request)))


def _mind(request: Request) -> Response:
    return HTMLResponse(
        mind_page(mind_of(*pairs_in(request.url.query, MINDS_OWN)), _origin(request))
    )


def _new(request: Request) -> Response:
    """Begin a game: what is left open is as usual, and a seed is drawn."""
    asked = {name: text.strip() for name, text in request.query_params.items() if text.strip()}
    place = MODES[choice("mode", asked.pop("mode", "play"), MODES)]
    asked.setdefault("seed", str(secrets.randbelow(SURPRISES)))
    return _to(place, pairs_of(game_of(asked)))


def _open(request: Request) -> Response:
    """Go to an address that somebody has shared."""
    address = request.query_params.get("address", "")
    said, besides = pairs_in(query_in(address), MINDS_OWN)
    if besides or MIND in address.partition("?")[0]:
        return _to(MIND, pairs_of_mind(mind_of(said, besides)))
    return _to(PLAY, pairs_of(game_of(said)))


def _recommend(request: Request) -> Response:
    said, besides = pairs_in(request.url.query, ("more",))
    return _to(PLAY, pairs_of(game_of(said).recommending(_more(besides))))


def _recommend_to_mind(request: Request) -> Response:
    return _changed(request, "more", lambda mind, besides: mind.recommending(_more(besides)))


def _guess(request: Request) -> Response:
    def guessed(mind: Mind, besides: Pairs) -> Mind:
        return mind.guessing(SAID[choice("guess", besides.get("guess"), ("y", "n"))] is True)

    return _changed(request, "guess", guessed)


def _slide(request: Request) -> Response:
    said, besides = pairs_in(request.url.query, (*MINDS_OWN, FOLLOW))
    kept = slid(said, follows=besides.pop(FOLLOW, None) is not None)
    return _to(MIND, pairs_of_mind(mind_of(kept, besides)))


def _changed(request: Request, name: str, change: Callable[[Mind, Pairs], Mind]) -> Response:
    """Go to a mind that is changed by what is said by `name` beside it."""
    said, besides = pairs_in(request.url.query, (*MINDS_OWN, name))
    own = {each: text for each, text in besides.items() if each != name}
    return _to(MIND, pairs_of_mind(change(mind_of(said, own), besides)))


def _more(besides: Pairs) -> tuple[int, ...]:
    return moves_in("more", besides.get("more", ""))


def _to(place: str, pairs: Pairs) -> Response:
    return RedirectResponse(f"{place}?{not_too_long(query_of(pairs))}", status_code=303)


def _origin(request: Request) -> str:
    return str(request.base_url).rstrip("/")


def _refused(request: Request, error: Exception) -> Response:
    return HTMLResponse(error_page(f"{error}."), status_code=400)


def _not_there(request: Request, error: Exception) -> Response:
    code = error.status_code if isinstance(error, HTTPException) else 500
    return HTMLResponse(error_page("There is nothing at this address."), status_code=code)


class Guarded:
    """Tells browsers with every answer to take nothing from elsewhere, and to tell nobody."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        policy = (
            f"default-src 'self'; style-src 'self' {picture_styles()}; base-uri 'none'; "
            "form-action 'self'; frame-ancestors 'none'; object-src 'none'"
        )
        headers: Mapping[str, str] = {
            "content-security-policy": policy,
            "cache-control": "no-cache",
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
            "referrer-policy": "no-referrer",
            "x-content-type-options": "nosniff",
        }
        self._headers = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *self._headers]
            await send(message)

        await self.app(scope, receive, guarded)


def application() -> Starlette:
    """Return the page as an ASGI application."""
    answers: Mapping[str, Callable[[Request], Response]] = {
        "/": _start,
        "/colours.css": _colours,
        "/new": _new,
        "/open": _open,
        PLAY: _play,
        "/recommend": _recommend,
        MIND: _mind,
        f"{MIND}/recommend": _recommend_to_mind,
        f"{MIND}/guess": _guess,
        f"{MIND}/slide": _slide,
    }
    routes = [Route(path, answer) for path, answer in answers.items()]
    return Starlette(
        routes=[*routes, Mount("/static", StaticFiles(directory=STATIC))],
        middleware=[
            Middleware(Guarded),
            Middleware(TrustedHostMiddleware, allowed_hosts=list(HOSTS), www_redirect=False),
        ],
        exception_handlers={InvalidArgumentError: _refused, HTTPException: _not_there},
    )


SERVED_BY = ("jinja2", "starlette", "uvicorn")
"""What the extra `play` brings."""

LOOPBACK = "127.0.0.1"

USUAL_PORT = 8421
"""So that an address that was kept is found again; a free one if it is taken."""

LARGEST_PORT = 65535

LAST_WORDS = 0.5
"""Seconds that an answer may take once all is over."""

PAUSE = 0.05
"""Seconds between two looks at whether the server has begun."""


def serve(port: int | None, ready: Callable[[str], None]) -> None:
    """Answer browsers on this machine until an interrupt comes, which is then raised.

    Args:
        port: where; 0 is any that is free, None the usual one or else any.
        ready: called with the page's address once it is there.

    Raises:
        MissingExtraError: without the extra `play`.
        InvalidArgumentError: for a port that is taken, or none.
        KeyboardInterrupt: when it is over.
    """
    if port is not None:
        integer("port", port, 0, LARGEST_PORT)
    require("the page needs", "play", SERVED_BY)
    import uvicorn

    from explorative_user_env.play.game import get_ready

    pass

    with _listening(port) as heard:
        address = f"http://{LOOPBACK}:{heard.getsockname()[1]}/"
        told = uvicorn.Config(
            application(),
            log_level="error",
            access_log=False,
            lifespan="off",
            timeout_graceful_shutdown=1,
        )
        server = uvicorn.Server(told)
        # Interrupts come to the main thread: the server has one of its own, and is asked to end.
        thread = threading.Thread(target=server.run, args=([heard],), daemon=True)
        thread.start()
        try:
            while thread.is_alive() and not server.started:
                thread.join(PAUSE)
            threading.Thread(target=get_ready, daemon=True).start()
            ready(address)
            thread.join()
        finally:
            server.should_exit = True
            thread.join(LAST_WORDS)
            server.force_exit = True
            thread.join(LAST_WORDS)


def _listening(port: int | None) -> socket.socket:
    """Return a socket that listens on this machine.

    Raises:
        InvalidArgumentError: for a port that is taken, or none.
    """
    if port is not None:
        return _bound(port)
    try:
        return _bound(USUAL_PORT)
    except InvalidArgumentError:
        return _bound(0)


def _bound(port: int) -> socket.socket:
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if os.name == "posix":  # elsewhere it would take another's port
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((LOOPBACK, port))
        found.listen()
    except OSError as error:
        found.close()
        allowed = f"free ({error.strerror or error}); 0 is any that is"
        raise InvalidArgumentError("port", port, allowed) from error
    return found


def open_browser(address: str) -> bool:
    """Open a page in the browser that the player has; return whether there is one."""
    # What a machine without a screen calls its browser would take the terminal.
    if sys.platform.startswith("linux") and not _has_screen():
        return False
    try:
        return webbrowser.open(address)
    except (webbrowser.Error, OSError):
        return False


def _has_screen() -> bool:
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
