"""A film as a page of its own: one file that needs no network, with a slider over its steps."""

from collections.abc import Sequence
from importlib.resources import files
from typing import Any, NamedTuple

from explorative_user_env.rendering.animation import animation_of, in_script, tracks_in
from explorative_user_env.rendering.shapes import Scene
from explorative_user_env.rendering.svg import OURS, PAGE_FONT, escaped, svg_of

SPEEDS, USUAL_SPEED = (1, 2, 4, 8, 16, 32), 8
"""Pictures a second that can be chosen, and what is at first."""

ACTS = (
    ("first", "Start", "Home"),
    ("last-no", "Rejection before", ""),
    ("back", "Back", "ArrowLeft"),
    ("play", "Play", "Space"),
    ("on", "Step", "ArrowRight"),
    ("next-no", "Next rejection", ""),
    ("end", "End", "End"),
)
"""What the buttons do, what they are called, and by which key it is done as well."""

ARROWS = {"ArrowLeft": "←", "ArrowRight": "→"}
"""What stands on keys."""


class Reel(NamedTuple):
    """All that a page shows of a film.

    Attributes:
        title: of the page.
        wide: the pictures for a large screen.
        narrow: the same for a phone.
        captions: what is said of each.
        marks: the pictures to which one may jump.
        story: what happened in words, each with its picture.
        note: a line below.
    """

    title: str
    wide: Sequence[Scene]
    narrow: Sequence[Scene]
    captions: Sequence[str]
    marks: Sequence[int]
    story: Sequence[tuple[int, str]]
    note: str = ""


def page_with(reel: Reel) -> str:
    """Return the page of a film."""
    films = {name: animation_of(getattr(reel, name), reel.title) for name in ("wide", "narrow")}
    screens = "".join(
        f'<div class="film-{name}">{svg_of(film.poster)}</div>' for name, film in films.items()
    )
    data: dict[str, Any] = {name: {"tracks": tracks_in(film)} for name, film in films.items()}
    data |= {"captions": [*reel.captions], "marks": [*reel.marks]}
    title = escaped(reel.title)
    return (
        # The colours of the page are those that its pictures name.
        f'<!doctype html>\n<html lang="en" class="{OURS}-auto"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{title}</title><style>{PAGE_FONT}{_asset('player.css')}</style></head>"
        f"<body><main><h1>{title}</h1>{screens}"
        f'<div class="film-heard" aria-live="polite"></div>{_controls(reel)}{_story(reel)}'
        '<noscript><p class="film-quiet">To play it, JavaScript is needed.</p></noscript>'
        f'</main><script type="application/json" id="film-data">{in_script(data)}</script>'
        f"<script>{_asset('player.js')}</script></body></html>\n"
    )


def _controls(reel: Reel) -> str:
    buttons = "".join(
        f'<button type="button" data-do="{name}"{_by(key)}>{words}</button>'
        for name, words, key in ACTS
        if reel.marks or not name.endswith("-no")
    )
    speeds = "".join(
        f'<option value="{speed}"{" selected" if speed == USUAL_SPEED else ""}>{speed} a second'
        "</option>"
        for speed in SPEEDS
    )
    keys = " ".join(ARROWS.get(key, key) for _, _, key in ACTS if key)
    last = len(reel.captions) - 1
    marks = "".join(f"M{mark} 0v1" for mark in reel.marks)
    return (
        f'<div class="film-bar"><p class="film-caption">{escaped(reel.captions[0])}</p>'
        '<div class="film-line"><input type="range" min="0" '
        f'max="{last}" value="0" step="1" '
        f'aria-label="Step of the run"><svg class="film-marks" viewBox="0 0 {max(last, 1)} 1" '
        f'preserveAspectRatio="none" aria-hidden="true"><path d="{marks}"/></svg></div>'
        f'<div class="film-controls" role="group" aria-label="Play the film">{buttons}'
        f'<select aria-label="Speed">{speeds}</select>'
        # Who cannot see it hears of each key at its button.
        f'<span class="film-quiet film-keys" aria-hidden="true">keys: {keys}</span></div></div>'
    )


def _by(key: str) -> str:
    return f' aria-keyshortcuts="{key}"' if key else ""


def _story(reel: Reel) -> str:
    lines = "".join(
        f'<li><button type="button" data-frame="{frame}">{escaped(text)}</button></li>'
        for frame, text in reel.story
    )
    told = f"<h2>What happened</h2><ol>{lines}</ol>" if lines else ""
    note = f'<p class="film-quiet">{escaped(reel.note)}</p>' if reel.note else ""
    return f'<section class="film-story">{told}{note}</section>'


def _asset(name: str) -> str:
    place = files("explorative_user_env.rendering") / "static" / name
    return place.read_text(encoding="utf-8")
