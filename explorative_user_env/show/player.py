"""A film as a page: one file that needs no network, with a slider over its steps."""

import json
import math
from collections.abc import Callable, Sequence
from importlib.resources import files
from string import Template
from typing import Any, NamedTuple

from explorative_user_env.show.shapes import Disc, Line, Polygon, Rectangle, Scene, Shape, Text
from explorative_user_env.show.svg import PAGE_FONT, element_of, escaped, svg_of

ITS_WORDS = ""  # in place of the name of an attribute: the words in an element


class Track(NamedTuple):
    """How one attribute of one shape changes in a film.

    Attributes:
        element: the place of the shape in the first picture.
        attribute: its name, or `ITS_WORDS`; it is absent where its value is empty.
        frames: when it changes; the first is 0.
        values: its value from each of these frames on.
    """

    element: int
    attribute: str
    frames: list[int]
    values: list[str]


class Animation(NamedTuple):
    """A film as its first picture, which has all shapes of the film, and what changes in it."""

    poster: Scene
    tracks: tuple[Track, ...]


def animation_of(scenes: Sequence[Scene], name: str) -> Animation:
    """Return pictures as one that changes; a shape has no size while it is absent.

    Args:
        scenes: the pictures.
        name: what a screen reader says of the film.
    """
    keys: list[str] = []
    last: dict[str, Shape] = {}
    for scene in scenes:
        before: str | None = None
        for shape in scene.shapes:
            if shape.key not in last:  # a new shape comes behind the one that it follows here
                last[shape.key] = _gone(shape)
                keys.insert(0 if before is None else keys.index(before) + 1, shape.key)
            before = shape.key
    tracks: list[dict[str, Track]] = [{} for _ in keys]
    poster: tuple[Shape, ...] = ()
    for frame, scene in enumerate(scenes):
        there = {shape.key: shape for shape in scene.shapes}
        for place, (key, of_shape) in enumerate(zip(keys, tracks, strict=True)):
            shape = there.get(key) or _gone(last[key])
            if frame > 0 and shape == last[key]:
                continue
            last[key] = shape
            _, attributes, words = element_of(shape)
            now = dict.fromkeys(of_shape, "") | attributes | {ITS_WORDS: words}
            for attribute, value in now.items():
                new = Track(place, attribute, [0] * (frame > 0), [""] * (frame > 0))
                track = of_shape.setdefault(attribute, new)
                if not track.values or track.values[-1] != value:
                    track.frames.append(frame)
                    track.values.append(value)
        if frame == 0:  # a name of a shape would be that of one moment in all of the film
            shapes = [last[key] for key in keys]
            poster = tuple(s if isinstance(s, Text) else s._replace(name="") for s in shapes)
    changing = [t for of_shape in tracks for t in of_shape.values() if len(t.frames) > 1]
    return Animation(scenes[0]._replace(shapes=poster, name=name), tuple(changing))


def _gone(shape: Any) -> Shape:
    """Return an absent shape: of no size, where it was or will be."""
    absent: Shape = shape._replace(**NO_SIZE[type(shape)](shape))
    return absent


# The fields of a shape that is absent.
NO_SIZE: dict[type[Shape], Callable[[Any], dict[str, Any]]] = {
    Rectangle: lambda shape: {"width": 0.0, "height": 0.0},
    Line: lambda shape: {"x2": shape.x1, "y2": shape.y1},
    Disc: lambda shape: {"radius": 0.0},
    Polygon: lambda shape: {"points": shape.points[:1] * len(shape.points)},
    Text: lambda shape: {"text": ""},
}


def tracks_in(animation: Animation) -> list[Any]:
    """Return the tracks as JSON can hold them, in few letters."""
    return [[*track[:3], [*map(_as_number, track.values)]] for track in animation.tracks]


def _as_number(text: str) -> str | float:
    """Return a text as a number where that is shorter and reads the same."""
    try:
        value = float(text)
        whole = int(value) if value.is_integer() else value
    except ValueError:
        return text
    return whole if str(whole) == text and math.isfinite(whole) else text  # JSON has no infinity


def in_script(data: Any) -> str:
    """Return data as JSON that ends no script and begins no comment of a page."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def page_with(
    title: str,
    wide: Sequence[Scene],
    narrow: Sequence[Scene],
    captions: Sequence[str],
    marks: Sequence[int],
    story: Sequence[tuple[int, str]],
    note: str = "",
) -> str:
    """Return the page of a film.

    Args:
        title: of the page.
        wide: the pictures for a large screen.
        narrow: the same for a phone.
        captions: the words below each picture.
        marks: the pictures to which one may jump.
        story: what happened in words, each with its picture.
        note: a line below.
    """
    films = {"wide": animation_of(wide, title), "narrow": animation_of(narrow, title)}
    data: dict[str, Any] = {name: {"tracks": tracks_in(film)} for name, film in films.items()}
    data |= {"captions": [*captions], "marks": [*marks]}
    told = "".join(
        f'<li><button type="button" data-frame="{frame}">{escaped(text)}</button></li>'
        for frame, text in story
    )
    static = files("explorative_user_env.show") / "static"
    page, style, script = (
        (static / f"player.{kind}").read_text(encoding="utf-8") for kind in ("html", "css", "js")
    )
    return Template(page).substitute(
        title=escaped(title),
        style=PAGE_FONT + style,
        wide=svg_of(films["wide"].poster),
        narrow=svg_of(films["narrow"].poster),
        caption=escaped(captions[0]),
        last=len(captions) - 1,
        story=f"<h2>What happened</h2><ol>{told}</ol>" if told else "",
        note=f'<p class="film-quiet">{escaped(note)}</p>' if note else "",
        data=in_script(data),
        script=script,
    )
