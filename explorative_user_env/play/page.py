"""The page on this machine: a port for this machine alone, until the player has had enough."""

import base64
import hashlib
import itertools
import os
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from explorative_user_env.play import game as words
from explorative_user_env.play.game import MINDS_OWN, MOST_MOVES, Game, game_of, pairs_of, query_of
from explorative_user_env.show.scene import USUAL_WIDTH, scene_of_user, timeline
from explorative_user_env.show.shapes import Scene
from explorative_user_env.show.svg import PAGE_FONT, colours_for, style_of, svg_of
from explorative_user_env.show.words import grounds_of, reason
from explorative_user_env.users.population import OPTIONS, SETTINGS
from explorative_user_env.validation import InvalidArgumentError, choice, integer

PLAY, MIND = "/play", "/mind"  # where the two modes are
WIDTHS = {"desk": USUAL_WIDTH, "phone": 340}  # the style sheet shows one of the two pictures
# Of one arm, recommended over and over: so many of the last responses are written out.
LONGEST_RUN_SHOWN = 40
LOOPBACK = "127.0.0.1"
USUAL_PORT = 8421  # so that an address that was kept is valid again; a free one if it is taken
LARGEST_PORT = 65535

_TEMPLATES = Environment(
    loader=PackageLoader("explorative_user_env.play"),
    undefined=StrictUndefined,
    # Read once: templates of another version, installed meanwhile, do not fit this code.
    auto_reload=False,
    trim_blocks=True,
    lstrip_blocks=True,
    autoescape=True,
)
_TEMPLATES.filters["sentence"] = lambda text: f"{text[:1].upper()}{text[1:]}."
_TEMPLATES.globals |= {
    "words": words,
    "about": {each.name: each.metadata["about"] for each in OPTIONS},
}


def _page(template: str, title: str, **shown: Any) -> str:
    return _TEMPLATES.get_template(template).render(title=title, **shown)


def _picture(paint: Callable[..., Scene], *of: Any) -> str:
    """Return a picture in both widths, as SVG."""
    pictures = [(name, svg_of(paint(*of, width=width))) for name, width in WIDTHS.items()]
    return "".join(f'<div class="{name}">{svg}</div>' for name, svg in pictures)


def start_page() -> str:
    """Return the page on which a game is chosen."""
    usual = {**words.usual_options(), **words.PLAYED}
    usual = {name: words.as_written(value) for name, value in usual.items()}
    title = "Recommend to a user who is still learning"
    return _page("start.html", title, usual=usual, settings=list(SETTINGS))


def play_page(game: Game, origin: str) -> str:
    """Return the page of a game, as of a browser at `origin`: with an answer it tells the truth."""
    heard = words.heard_in(game)
    run = (game.n_arms, game.moves, heard.responses)
    shown = _shown_of(game, heard, f"{origin}{PLAY}")
    if game.answer is None:
        title = "A new user"
        if game.moves:
            last = words.response_in_words(game.moves[-1], heard.responses[-1])
            title = f"{last} {words.tally(heard)}"
        shown["run"] = _picture(timeline, *run) if game.moves else ""
        return _page("play.html", title, picture=_picture(scene_of_user, heard.seen), **shown)
    truths = [*words.truths_of(game)]
    instance = truths[-1].instance
    rivals, notes = words.rivals_of(game)
    shown |= {"instance": instance, "rivals": rivals, "notes": notes}
    return _page(
        "reveal.html",
        words.verdict(game, heard, instance.best_arm),
        run=_picture(timeline, *run, truths[1:]),
        picture=_picture(scene_of_user, heard.seen, truths[-1], (None, *truths)[-2]),
        another=query_of({n: words.as_written(value) for n, value in game.options.items()}),
        again=query_of(pairs_of(Game(options=game.options, seed=game.seed))),
        mind=query_of(pairs_of(replace(game, answer=None))),
        **shown,
    )


def mind_page(game: Game, origin: str) -> str:
    """Return the page on which the player is her mind and sees the truth."""
    heard, truths = words.heard_in(game), [*words.truths_of(game)]
    before = (None, *truths)[-2]
    grounds = grounds_of(heard.seen, before)
    return _page(
        "mind.html",
        "Be her mind",
        picture=_picture(scene_of_user, heard.seen, truths[-1], before),
        reason="" if grounds is None else reason(grounds),
        sliders=words.sliders_of(game, truths[-1].rho),
        **_shown_of(game, heard, f"{origin}{MIND}"),
    )


def _shown_of(game: Game, heard: words.Heard, place: str) -> dict[str, Any]:
    """Return what every page of a game shows: nothing secret."""
    row = len([*itertools.takewhile(lambda arm: arm == game.moves[-1], reversed(game.moves))])
    pairs = pairs_of(game)
    return {
        "game": game,
        "heard": heard,
        "last": heard.seen.last,
        "in_a_row": heard.responses[-row:][-LONGEST_RUN_SHOWN:] if row > 1 else (),
        "pairs": pairs,
        "undo": query_of(pairs_of(game.undone())),
        "address": f"{place}?{query_of(pairs)}",
        "left": 0 if heard.left else MOST_MOVES - len(game.moves),
    }


def _new(request: Request) -> Response:
    """Begin a game: an option left open has its default, and a seed is drawn."""
    asked = {name: text.strip() for name, text in request.query_params.items() if text.strip()}
    place = choice("mode", asked.pop("mode", "play"), ("play", "mind"))
    asked.setdefault("seed", str(secrets.randbelow(words.SURPRISES)))
    return _to(f"/{place}", game_of(asked))


def _open(request: Request) -> Response:
    """Go to an address that somebody has shared."""
    address = request.query_params.get("address", "")
    pairs = words.pairs_in(words.query_in(address))
    mind = not MINDS_OWN.isdisjoint(pairs) or MIND in address.partition("?")[0]
    return _to(MIND if mind else PLAY, game_of(pairs, mind))


def _changed(request: Request) -> Response:
    """Answer with the new address of a game that is changed."""
    pairs = words.pairs_in(request.url.query)
    mind, change = request.url.path.startswith(MIND), request.url.path.rpartition("/")[2]
    if change == "recommend":
        more = words.moves_in("more", pairs.pop("more", ""))
        game = game_of(pairs, mind).recommending(more)
    elif change == "guess":
        guess = choice("guess", pairs.pop("guess", None), ("y", "n"))
        game = game_of(pairs, mind).guessing(guess == "y")
    else:
        game = game_of(words.slid(pairs), mind)
    return _to(MIND if mind else PLAY, game)


def _shown(request: Request) -> Response:
    """Answer with the page of a game."""
    mind = request.url.path == MIND
    game = game_of(words.pairs_in(request.url.query), mind)
    page = mind_page if mind else play_page
    return HTMLResponse(page(game, str(request.base_url).rstrip("/")))


def _to(place: str, game: Game) -> Response:
    return RedirectResponse(f"{place}?{query_of(pairs_of(game))}", status_code=303)


def _refused(request: Request, error: Exception) -> Response:
    line, code = f"{error}.", 400
    if isinstance(error, HTTPException):
        line, code = "There is nothing at this address.", error.status_code
    return HTMLResponse(_page("error.html", "This is no game", line=line), status_code=code)


def application() -> Starlette:
    """Return the page as an ASGI application."""
    # The colours and the letters of the page are those of its pictures.
    sheet = f":root{{color-scheme:light dark}}{PAGE_FONT}{colours_for(':root')}"
    # Browsers are to take nothing from elsewhere, and to tell nobody.
    digest = base64.b64encode(hashlib.sha256(style_of("auto").encode()).digest()).decode()
    headers = {
        "content-security-policy": (
            f"default-src 'self'; style-src 'self' 'sha256-{digest}'; base-uri 'none'; "
            "form-action 'self'; frame-ancestors 'none'; object-src 'none'"
        ),
        "cache-control": "no-cache",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
    }

    async def guarded(request: Request, call_next: RequestResponseEndpoint) -> Response:
        answer = await call_next(request)
        answer.headers.update(headers)
        return answer

    # A page found by another name would be somebody else's.
    hosts: dict[str, Any] = {"allowed_hosts": [LOOPBACK, "localhost"], "www_redirect": False}
    answers = {
        "/": lambda request: HTMLResponse(start_page()),
        "/colours.css": lambda request: Response(sheet, media_type="text/css"),
        "/new": _new,
        "/open": _open,
    }
    answers |= dict.fromkeys((PLAY, MIND), _shown)
    changes = ("/recommend", f"{MIND}/recommend", f"{MIND}/guess", f"{MIND}/slide")
    answers |= dict.fromkeys(changes, _changed)
    static = Mount("/static", StaticFiles(directory=Path(__file__).with_name("static")))
    return Starlette(
        routes=[*itertools.starmap(Route, answers.items()), static],
        middleware=[
            Middleware(BaseHTTPMiddleware, dispatch=guarded),
            Middleware(TrustedHostMiddleware, **hosts),
        ],
        exception_handlers={InvalidArgumentError: _refused, HTTPException: _refused},
    )


def serve(port: int | None, ready: Callable[[str], None]) -> None:
    """Answer browsers on this machine until an interrupt comes, which is then raised.

    Args:
        port: the port; 0 is any that is free, None the usual one or else any.
        ready: called with the page's address once it answers.
    """
    import uvicorn

    if port is not None:
        integer("port", port, 0, LARGEST_PORT)
    heard = _listening(port)

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            threading.Thread(target=words.get_ready, daemon=True).start()
            ready(f"http://{LOOPBACK}:{heard.getsockname()[1]}/")

    quiet: dict[str, Any] = {"log_level": "error", "access_log": False, "lifespan": "off"}
    # uvicorn hears interrupts itself, closes the socket in order and raises them again.
    Server(uvicorn.Config(application(), timeout_graceful_shutdown=1, **quiet)).run([heard])


def _listening(port: int | None) -> socket.socket:
    """Return a socket that listens on this machine."""
    try:
        return socket.create_server((LOOPBACK, USUAL_PORT if port is None else port))
    except OSError as error:
        if port is None:
            return _listening(0)
        allowed = f"free ({os.strerror(error.errno or 0)}); 0 is any that is"
        raise InvalidArgumentError("port", port, allowed) from error


def open_browser(address: str) -> bool:
    """Open a page in the player's browser; return whether there is one."""
    # The browser of a machine without a screen would take the terminal.
    screens = (os.environ.get("DISPLAY"), os.environ.get("WAYLAND_DISPLAY"))
    if sys.platform.startswith("linux") and not any(screens):
        return False
    try:
        return webbrowser.open(address)
    except (webbrowser.Error, OSError):
        return False
