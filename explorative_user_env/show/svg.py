"""A scene as SVG text, and a film as a page with a slider: one file that needs no network."""

import json
import math
import zlib
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from string import Template
from typing import Any, NamedTuple

from explorative_user_env.display.plots import COLOURS, PAGES
from explorative_user_env.display.text import in_line
from explorative_user_env.show.shapes import Disc, Line, Polygon, Rectangle, Scene, Shape, Text
from explorative_user_env.validation import choice

THEMES = ("auto", *PAGES)
OURS = "eu"  # the prefix of classes and identifiers, so that they meet no others in a page
LONGEST_LEGEND = 150  # names of shapes that are read out; with more of them the title is

FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'Liberation Sans',sans-serif"
# The rule of a style sheet that gives a page the letters of its pictures.
PAGE_FONT = f":root{{--{OURS}-font:{FONT}}}"

# The tag of each shape, and the attributes that are numbers, with their fields.
DRAWN: dict[type[Shape], tuple[str, dict[str, str]]] = {
    Rectangle: ("rect", {name: name for name in ("x", "y", "width", "height")}),
    Line: ("line", {name: name for name in ("x1", "y1", "x2", "y2")} | {"stroke-width": "width"}),
    Disc: ("circle", {"cx": "x", "cy": "y", "r": "radius"}),
    Polygon: ("polygon", {}),
    Text: ("text", {"x": "x", "y": "y", "font-size": "size"}),
}


class Element(NamedTuple):
    """A shape in SVG: the tag, its attributes, and the words in it."""

    tag: str
    attributes: dict[str, str]
    words: str


def svg_of(scene: Scene, theme: str = "auto") -> str:
    """Return a scene as an SVG element, to stand in a file or in a page.

    Args:
        scene: the scene.
        theme: "light", "dark", or "auto", which follows the reader's preference.

    Raises:
        InvalidArgumentError: for another theme.
    """
    choice("theme", theme, THEMES)
    body = ""
    names: dict[str, None] = {}
    for shape in scene.shapes:
        tag, attributes, words = element_of(shape)
        named = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
        inside = escaped(words)
        if not isinstance(shape, Text) and shape.name:
            names[shape.name] = None
            inside = f"<title>{escaped(shape.name)}</title>"
        body += f"<{tag}{named}>{inside}</{tag}>" if inside else f"<{tag}{named}/>"
    own = f"{OURS}-{zlib.crc32(body.encode()):08x}"
    describes = description = ""
    if 0 < len(names) <= LONGEST_LEGEND:
        describes = f' aria-describedby="{own}-all"'
        description = f'<desc id="{own}-all">{escaped("; ".join(names))}</desc>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{scene.width}" height="{scene.height}" '
        f'viewBox="0 0 {scene.width} {scene.height}" role="img" '
        f'class="{OURS}-scene {OURS}-{theme}" aria-labelledby="{own}"{describes}>'
        f'<title id="{own}">{escaped(scene.name)}</title>{description}'
        f"<style>{style_of(theme)}</style>{body}</svg>"
    )


def escaped(text: str) -> str:
    """Return a text to stand in a page: it is no markup and holds no control character."""
    return escape(in_line(text))


def style_of(theme: str) -> str:
    """Return the style rules of a theme, which hold for pictures of this package alone."""
    within = f".{OURS}-{theme}"
    # The picture gets smaller where there is no room for it, as on a phone, and stays whole.
    rules = f".{OURS}-scene{{max-width:100%;height:auto;font-family:{FONT}}}"
    rules += colours_for(within) if theme == "auto" else ""
    for role, colour in COLOURS.items():
        # A theme of one page names its colours: not every painter knows custom properties.
        value = f"var(--{OURS}-{role})" if theme == "auto" else getattr(colour, theme)
        rules += f"{within} .{OURS}-{role}{{color:{value}}}"
    return rules + f".{OURS}-scene *{{fill:currentColor}}.{OURS}-scene line{{stroke:currentColor}}"


def colours_for(selector: str) -> str:
    """Return the rules that give a selector each colour by its role, light or dark."""
    light, dark = (
        ";".join(f"--{OURS}-{role}:{getattr(colour, page)}" for role, colour in COLOURS.items())
        for page in PAGES
    )
    return f"{selector}{{{light}}}@media(prefers-color-scheme:dark){{{selector}{{{dark}}}}}"


def element_of(shape: Shape) -> Element:
    """Return a shape as an element."""
    tag, numbers = DRAWN[type(shape)]
    attributes = {"class": f"{OURS}-{shape.role}"}
    attributes |= {name: _written(getattr(shape, field)) for name, field in numbers.items()}
    if isinstance(shape, Polygon):
        attributes["points"] = " ".join(f"{_written(x)},{_written(y)}" for x, y in shape.points)
    if not isinstance(shape, Text):
        return Element(tag, attributes, "")
    attributes |= {} if shape.anchor == "start" else {"text-anchor": shape.anchor}
    attributes |= {"font-weight": "bold"} if shape.bold else {}
    return Element(tag, attributes, shape.text)


def _written(number: float) -> str:
    """Return a number of pixels as short as can be, to a tenth."""
    text = f"{number:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


# Films

ITS_WORDS = ""  # in place of the name of an attribute: the words in an element


class Track(NamedTuple):
    """How one attribute of one shape changes in a film."""

    element: int  # the place of the shape in the first picture
    attribute: str  # its name, or `ITS_WORDS`; it is absent where its value is empty
    frames: list[int]  # when it changes; the first is 0
    values: list[str]  # its value from each of these frames on


class Animation(NamedTuple):
    """A film as its first picture, which has all shapes of the film, and what changes in it."""

    poster: Scene
    tracks: list[Track]


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
    return Animation(scenes[0]._replace(shapes=poster, name=name), changing)


def _gone(shape: Shape) -> Shape:
    """Return an absent shape: of no size, where it was or will be."""
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


def tracks_in(animation: Animation) -> list[Any]:
    """Return the tracks as JSON can hold them, in few letters."""

    def short(text: str) -> str | float:
        try:
            value = float(text)
            whole = int(value) if value.is_integer() else value
        except ValueError:
            return text
        return whole if str(whole) == text and math.isfinite(whole) else text  # no inf in JSON

    return [[*track[:3], [*map(short, track.values)]] for track in animation.tracks]


def in_script(data: Any) -> str:
    """Return data as JSON that ends no script and begins no comment of a page."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def page_with(
    title: str,
    pictures: Mapping[str, Sequence[Scene]],
    captions: Sequence[str],
    marks: Sequence[int],
    story: Sequence[tuple[int, str]],
    note: str = "",
) -> str:
    """Return the page of a film.

    Args:
        title: of the page.
        pictures: "wide", for a large screen, and "narrow", for a phone.
        captions: the words below each picture.
        marks: the pictures to which one may jump.
        story: what happened in words, each with its picture.
        note: a line below.
    """
    films = {name: animation_of(scenes, title) for name, scenes in pictures.items()}
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
        {name: svg_of(film.poster) for name, film in films.items()},
        title=escaped(title),
        style=PAGE_FONT + style,
        caption=escaped(captions[0]),
        last=len(captions) - 1,
        story=f"<h2>What happened</h2><ol>{told}</ol>" if told else "",
        note=f'<p class="film-quiet">{escaped(note)}</p>' if note else "",
        data=in_script(data),
        script=script,
    )
