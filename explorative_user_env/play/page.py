"""The local web page of the game: a server on 127.0.0.1 that runs until an interrupt."""

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
from explorative_user_env.play.game import MOST_MOVES, TRUTH_KEYS, Game, game_of, pairs_of, query_of
from explorative_user_env.show.scene import USUAL_WIDTH, scene_of_user, timeline
from explorative_user_env.show.shapes import Scene
from explorative_user_env.show.svg import PAGE_FONT, colours_for, style_of, svg_of
from explorative_user_env.show.words import grounds_of, reason
from explorative_user_env.users.population import OPTIONS, SETTINGS
from explorative_user_env.validation import InvalidArgumentError, choice, integer

PLAY, TRUTH = "/play", "/mind"  # the page /mind shows the hidden state, /play does not
WIDTHS = {"desk": USUAL_WIDTH, "phone": 340}  # widths in pixels of the two pictures
# If the player repeats an arm, the page shows at most this number of responses to the arm.
LONGEST_RUN_SHOWN = 40
LOOPBACK = "127.0.0.1"
USUAL_PORT = 8421  # a fixed port keeps bookmarks valid
LARGEST_PORT = 65535

_TEMPLATES = Environment(
    loader=PackageLoader("explorative_user_env.play"),
    undefined=StrictUndefined,
    # After an update of the package, a running server would load templates unfit for its code.
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
    """Return as SVG the scene that `paint` draws, wide for large screens and narrow for phones."""
    pictures = [(name, svg_of(paint(*of, width=width))) for name, width in WIDTHS.items()]
    return "".join(f'<div class="{name}">{svg}</div>' for name, svg in pictures)


def start_page() -> str:
    """Return the start page, where the player chooses a user."""
    usual = {**words.usual_options(), **words.PLAYED}
    usual = {name: words.as_written(value) for name, value in usual.items()}
    title = "Recommend to a user who is still learning"
    return _page("start.html", title, usual=usual, settings=list(SETTINGS))


def play_page(game: Game, origin: str) -> str:
    """Return the page of a game; it shows the true means if the player named an arm."""
    log = words.log_of(game)
    run = (game.n_arms, game.moves, log.responses)
    shown = _shown_of(game, log, f"{origin}{PLAY}")
    if game.answer is None:
        title = "A new user"
        if game.moves:
            last = words.response_in_words(game.moves[-1], log.responses[-1])
            title = f"{last} {words.tally(log)}"
        shown["run"] = _picture(timeline, *run) if game.moves else ""
        return _page("play.html", title, picture=_picture(scene_of_user, log.seen), **shown)
    truths = [*words.truths_of(game)]
    instance = truths[-1].instance
    results, notes = words.results_of(game)
    shown |= {"instance": instance, "results": results, "notes": notes}
    return _page(
        "reveal.html",
        words.verdict(game, log, instance.best_arm),
        run=_picture(timeline, *run, truths[1:]),
        picture=_picture(scene_of_user, log.seen, truths[-1], (None, *truths)[-2]),
        another=query_of({n: words.as_written(value) for n, value in game.options.items()}),
        again=query_of(pairs_of(Game(options=game.options, seed=game.seed))),
        truth=query_of(pairs_of(replace(game, answer=None))),
        **shown,
    )


def truth_page(game: Game, origin: str) -> str:
    """Return the page of a game that shows the user's hidden state and asks for predictions."""
    log, truths = words.log_of(game), [*words.truths_of(game)]
    before = (None, *truths)[-2]
    grounds = grounds_of(log.seen, before)
    return _page(
        "truth.html",
        "Her hidden state",
        picture=_picture(scene_of_user, log.seen, truths[-1], before),
        reason="" if grounds is None else reason(grounds),
        sliders=words.sliders_of(game, truths[-1].rho),
        **_shown_of(game, log, f"{origin}{TRUTH}"),
    )


def _shown_of(game: Game, log: words.Log, place: str) -> dict[str, Any]:
    """Return the template variables that both pages of a game need; none is secret."""
    row = len([*itertools.takewhile(lambda arm: arm == game.moves[-1], reversed(game.moves))])
    pairs = pairs_of(game)
    return {
        "game": game,
        "log": log,
        "last": log.seen.last,
        "in_a_row": log.responses[-row:][-LONGEST_RUN_SHOWN:] if row > 1 else (),
        "pairs": pairs,
        "undo": query_of(pairs_of(game.undone())),
        "address": f"{place}?{query_of(pairs)}",
        "left": 0 if log.left else MOST_MOVES - len(game.moves),
    }


def _new(request: Request) -> Response:
    """Start a game. An empty option takes its default, and an empty seed becomes random."""
    given = {name: text.strip() for name, text in request.query_params.items() if text.strip()}
    page = choice("mode", given.pop("mode", "play"), ("play", "mind"))
    given.setdefault("seed", str(secrets.randbelow(words.SURPRISES)))
    return _to(f"/{page}", game_of(given))


def _open(request: Request) -> Response:
    """Redirect to the game whose address the player typed."""
    address = request.query_params.get("address", "")
    pairs = words.pairs_in(words.query_in(address))
    truth = not TRUTH_KEYS.isdisjoint(pairs) or TRUTH in address.partition("?")[0]
    return _to(TRUTH if truth else PLAY, game_of(pairs, truth))


def _changed(request: Request) -> Response:
    """Redirect to the game after a recommendation, a prediction or a change of a slider."""
    pairs = words.pairs_in(request.url.query)
    truth, change = request.url.path.startswith(TRUTH), request.url.path.rpartition("/")[2]
    if change == "recommend":
        more = words.moves_in("more", pairs.pop("more", ""))
        game = game_of(pairs, truth).recommending(more)
    elif change == "guess":
        guess = choice("guess", pairs.pop("guess", None), ("y", "n"))
        game = game_of(pairs, truth).guessing(guess == "y")
    else:
        game = game_of(words.after_slide(pairs), truth)
    return _to(TRUTH if truth else PLAY, game)


def _shown(request: Request) -> Response:
    """Return the page of a game."""
    truth = request.url.path == TRUTH
    game = game_of(words.pairs_in(request.url.query), truth)
    page = truth_page if truth else play_page
    return HTMLResponse(page(game, str(request.base_url).rstrip("/")))


def _to(place: str, game: Game) -> Response:
    return RedirectResponse(f"{place}?{query_of(pairs_of(game))}", status_code=303)


def _refused(request: Request, error: Exception) -> Response:
    line, code = f"{error}.", 400
    if isinstance(error, HTTPException):
        line, code = "No page has this address.", error.status_code
    return HTMLResponse(_page("error.html", "Not a game", line=line), status_code=code)


def application() -> Starlette:
    """Return the page as an ASGI application."""
    # The page has the colours and the font of its pictures.
    sheet = f":root{{color-scheme:light dark}}{PAGE_FONT}{colours_for(':root')}"
    # Browsers must load nothing from other hosts and send no referrer.
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

    # Requests with other host names are refused, which prevents DNS rebinding.
    hosts: dict[str, Any] = {"allowed_hosts": [LOOPBACK, "localhost"], "www_redirect": False}
    answers = {
        "/": lambda request: HTMLResponse(start_page()),
        "/colours.css": lambda request: Response(sheet, media_type="text/css"),
        "/new": _new,
        "/open": _open,
    }
    answers |= dict.fromkeys((PLAY, TRUTH), _shown)
    changes = ("/recommend", f"{TRUTH}/recommend", f"{TRUTH}/guess", f"{TRUTH}/slide")
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
    """Serve the page on this machine until a `KeyboardInterrupt`, which is then raised.

    Args:
        port: the port; 0 is any free port. None is 8421, or any free port if 8421 is taken.
        ready: called with the page's address when the server accepts requests.
    """
    import uvicorn

    if port is not None:
        integer("port", port, 0, LARGEST_PORT)
    listener = _listening(port)

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            threading.Thread(target=words.load_first_model, daemon=True).start()
            ready(f"http://{LOOPBACK}:{listener.getsockname()[1]}/")

    quiet: dict[str, Any] = {"log_level": "error", "access_log": False, "lifespan": "off"}
    # uvicorn catches interrupts, closes the socket and raises them again.
    Server(uvicorn.Config(application(), timeout_graceful_shutdown=1, **quiet)).run([listener])


def _listening(port: int | None) -> socket.socket:
    """Return a socket that listens on this machine."""
    try:
        return socket.create_server((LOOPBACK, USUAL_PORT if port is None else port))
    except OSError as error:
        if port is None:
            return _listening(0)
        cause = os.strerror(error.errno or 0)
        raise InvalidArgumentError("port", port, f"free ({cause}), or 0 for any port") from error


def open_browser(address: str) -> bool:
    """Open a page in the player's browser; return whether a browser opened it."""
    # On a machine without a screen, a text browser would open in this terminal.
    screens = (os.environ.get("DISPLAY"), os.environ.get("WAYLAND_DISPLAY"))
    if sys.platform.startswith("linux") and not any(screens):
        return False
    try:
        return webbrowser.open(address)
    except (webbrowser.Error, OSError):
        return False
