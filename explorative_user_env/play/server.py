"""The page's server: what each address answers. It keeps nothing from one request to the next."""

import secrets
from collections.abc import Callable, Mapping
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from explorative_user_env.play.address import (
    Pairs,
    game_of,
    moves_in,
    not_too_long,
    pairs_in,
    pairs_of,
    query_in,
    query_of,
)
from explorative_user_env.play.game import SURPRISES
from explorative_user_env.play.mind import MINDS_OWN, SAID, Mind, mind_of, pairs_of_mind
from explorative_user_env.play.pages import MIND, PLAY, error_page, mind_page, play_page, start_page
from explorative_user_env.play.pictures import colour_sheet, picture_styles
from explorative_user_env.play.sliders import FOLLOW, slid
from explorative_user_env.validation import InvalidArgumentError, choice

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
