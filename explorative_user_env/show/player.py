"""A film as a page of its own: one file that needs no network, with a slider over its steps."""

import json
import math
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

from explorative_user_env.show.shapes import Disc, Line, Polygon, Rectangle, Scene, Shape, Text
from explorative_user_env.show.svg import OURS, PAGE_FONT, element_of, escaped, svg_of

ITS_WORDS = ""
"""In place of an attribute: the words in an element."""


class Track(NamedTuple):
    """What becomes of one attribute of one shape in a film.

    Attributes:
        element: the place of the shape in the first picture.
        attribute: its name, or `ITS_WORDS`; where its value is empty it is not there.
        frames: when it changes; the first is 0.
        values: what it is from each of these frames on.
    """

    element: int
    attribute: str
    frames: list[int]
    values: list[str]


class Animation(NamedTuple):
    """A film as a picture that changes.

    Attributes:
        poster: the first picture, with all shapes that there ever are.
        tracks: what changes.
        n_frames: the number of pictures.
    """

    poster: Scene
    tracks: tuple[Track, ...]
    n_frames: int


def animation_of(scenes: Sequence[Scene], name: str) -> Animation:
    """Return pictures as one that changes; a shape that is not there has no size.

    Args:
        scenes: the pictures.
        name: what a screen reader says of the film.
    """
    keys = _in_one_order([shape.key for shape in scene.shapes] for scene in scenes)
    first: dict[str, Shape] = {}
    for scene in scenes:
        for shape in scene.shapes:
            first.setdefault(shape.key, shape)
    tracks: list[dict[str, Track]] = [{} for _ in keys]
    last: list[Shape | None] = [None] * len(keys)
    for frame, scene in enumerate(scenes):
        there = {shape.key: shape for shape in scene.shapes}
        for place, key in enumerate(keys):
            shape = there.get(key) or _gone(last[place] or first[key])
            if shape != last[place]:
                last[place] = shape
                _follow(tracks[place], place, frame, shape)
    begin = {shape.key: shape for shape in scenes[0].shapes}
    shapes = tuple(_unnamed(begin.get(key) or _gone(first[key])) for key in keys)
    poster = scenes[0]._replace(shapes=shapes, name=name)
    changing = tuple(
        track for of_shape in tracks for track in of_shape.values() if len(track.frames) > 1
    )
    return Animation(poster, changing, len(scenes))


def _follow(tracks: dict[str, Track], place: int, frame: int, shape: Shape) -> None:
    """Note what a shape is from a frame on, where that is something else than before."""
    element = element_of(shape)
    now = {**element.attributes, ITS_WORDS: element.words}
    lost = {name: "" for name in tracks if name not in now}
    for attribute, value in (now | lost).items():
        begin = Track(place, attribute, [], [])
        if frame > 0:  # it was not there before
            begin = Track(place, attribute, [0], [""])
        track = tracks.setdefault(attribute, begin)
        if not track.values or track.values[-1] != value:
            track.frames.append(frame)
            track.values.append(value)


def _in_one_order(lists: Iterable[list[str]]) -> list[str]:
    """Return all keys of pictures, each behind the one that it comes after where it is new."""
    order: list[str] = []
    known: set[str] = set()
    for keys in lists:
        before: str | None = None
        for key in keys:
            if key not in known:
                known.add(key)
                order.insert(0 if before is None else order.index(before) + 1, key)
            before = key
    return order


def _gone(shape: Shape) -> Shape:
    """Return a shape as it is while it is not there: of no size, where it was or will be."""
    match shape:
        case Rectangle():
            return shape._replace(width=0.0, height=0.0)
        case Line():
            return shape._replace(x2=shape.x1, y2=shape.y1)
        case Disc():
            return shape._replace(radius=0.0)
        case Polygon():
            return shape._replace(points=shape.points[:1] * len(shape.points))
        case Text():
            return shape._replace(text="")


def _unnamed(shape: Shape) -> Shape:
    """Return a shape without a name, which would be that of one moment in all the film."""
    return shape if isinstance(shape, Text) else shape._replace(name="")


def tracks_in(animation: Animation) -> list[Any]:
    """Return the tracks as JSON can hold them, in few letters."""
    return [
        [track.element, track.attribute, track.frames, [*map(_as_number, track.values)]]
        for track in animation.tracks
    ]


def in_script(data: Any) -> str:
    """Return data as JSON that ends no script and begins no comment of a page."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _as_number(text: str) -> str | float | int:
    """Return a text as a number where that is shorter and reads the same."""
    try:
        value = float(text)
    except ValueError:
        return text
    if not math.isfinite(value):  # JSON has no such number
        return text
    whole: float | int = int(value) if value.is_integer() else value
    return whole if str(whole) == text else text


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
    place = files("explorative_user_env.show") / "static" / name
    return place.read_text(encoding="utf-8")
