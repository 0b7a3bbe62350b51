"""The pictures on the page: scenes as SVG, once for a desk and once for a phone."""

import base64
import hashlib
from collections.abc import Callable, Sequence

from explorative_user_env.play.game import Game, Heard
from explorative_user_env.rendering.layout import USUAL_WIDTH
from explorative_user_env.rendering.scene import scene_of_user
from explorative_user_env.rendering.shapes import Scene
from explorative_user_env.rendering.svg import PAGE_FONT, colours_for, style_of, svg_of
from explorative_user_env.rendering.timeline import timeline
from explorative_user_env.rendering.words import Seen, grounds_of, reason
from explorative_user_env.users.hidden_state import HiddenState

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
