"""Write scenes as SVG, and films as one HTML page that works without a network."""

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
OURS = "eu"  # prefix of our classes and ids, which keeps them apart from those of a page
LONGEST_LEGEND = 150  # the most names of shapes that the <desc> of a scene lists

FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'Liberation Sans',sans-serif"
# The CSS rule that gives a page the font of its scenes.
PAGE_FONT = f":root{{--{OURS}-font:{FONT}}}"

# Shape -> (its SVG tag, {numeric SVG attribute: the field of the shape that holds its value}).
DRAWN: dict[type[Shape], tuple[str, dict[str, str]]] = {
    Rectangle: ("rect", {name: name for name in ("x", "y", "width", "height")}),
    Line: ("line", {name: name for name in ("x1", "y1", "x2", "y2")} | {"stroke-width": "width"}),
    Disc: ("circle", {"cx": "x", "cy": "y", "r": "radius"}),
    Polygon: ("polygon", {}),
    Text: ("text", {"x": "x", "y": "y", "font-size": "size"}),
}


class Element(NamedTuple):
    """A shape in SVG: its tag, attributes and text."""

    tag: str
    attributes: dict[str, str]
    words: str


def svg_of(scene: Scene, theme: str = "auto") -> str:
    """Return a scene as an SVG element for a file or a page.

    Args:
        scene: the scene.
        theme: "light", "dark", or "auto", which follows the reader's preference.

    Raises:
        InvalidArgumentError: if `theme` is none of these.
    """
    choice("theme", theme, THEMES)
    body = ""
    names: dict[str, None] = {}
    for shape in scene.shapes:
        tag, attributes, words = element_of(shape)
        named = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
        content = escaped(words)
        if not isinstance(shape, Text) and shape.name:
            names[shape.name] = None
            content = f"<title>{escaped(shape.name)}</title>"
        body += f"<{tag}{named}>{content}</{tag}>" if content else f"<{tag}{named}/>"
    scene_id = f"{OURS}-{zlib.crc32(body.encode()):08x}"
    describes = description = ""
    if 0 < len(names) <= LONGEST_LEGEND:
        describes = f' aria-describedby="{scene_id}-all"'
        description = f'<desc id="{scene_id}-all">{escaped("; ".join(names))}</desc>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{scene.width}" height="{scene.height}" '
        f'viewBox="0 0 {scene.width} {scene.height}" role="img" '
        f'class="{OURS}-scene {OURS}-{theme}" aria-labelledby="{scene_id}"{describes}>'
        f'<title id="{scene_id}">{escaped(scene.name)}</title>{description}'
        f"<style>{style_of(theme)}</style>{body}</svg>"
    )


def escaped(text: str) -> str:
    """Return a text that is safe in a page: escape markup and control characters."""
    return escape(in_line(text))


def style_of(theme: str) -> str:
    """Return the CSS rules of a theme; they apply to this package's scenes only."""
    within = f".{OURS}-{theme}"
    # On a narrow screen the scene shrinks.
    rules = f".{OURS}-scene{{max-width:100%;height:auto;font-family:{FONT}}}"
    rules += colours_for(within) if theme == "auto" else ""
    for role, colour in COLOURS.items():
        # Some SVG viewers cannot read var(...), so the themes "light" and "dark" write the colour.
        value = f"var(--{OURS}-{role})" if theme == "auto" else getattr(colour, theme)
        rules += f"{within} .{OURS}-{role}{{color:{value}}}"
    return rules + f".{OURS}-scene *{{fill:currentColor}}.{OURS}-scene line{{stroke:currentColor}}"


def colours_for(selector: str) -> str:
    """Return CSS rules that define all colours for a selector, in light and in dark mode."""
    light, dark = (
        ";".join(f"--{OURS}-{role}:{getattr(colour, page)}" for role, colour in COLOURS.items())
        for page in PAGES
    )
    return f"{selector}{{{light}}}@media(prefers-color-scheme:dark){{{selector}{{{dark}}}}}"


def element_of(shape: Shape) -> Element:
    """Return the SVG element of a shape."""
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
    """Return a number of pixels, rounded to a tenth, as text."""
    text = f"{number:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


# Films

TEXT = ""  # a `Track` with this attribute changes the text of the element


class Track(NamedTuple):
    """The changes of one attribute of one shape in a film."""

    element: int  # index of the shape in the first scene
    attribute: str  # the attribute's name, or `TEXT`
    frames: list[int]  # the frames at which the value changes, beginning with 0
    values: list[str]  # the value from each of these frames on; "" means no attribute


class Animation(NamedTuple):
    """A film: a first scene that contains all shapes of the film, and the changes of the shapes."""

    poster: Scene
    tracks: list[Track]


def animation_of(scenes: Sequence[Scene], name: str) -> Animation:
    """Return scenes as an animation; a shape that a scene lacks has size 0 there.

    Args:
        scenes: the scenes.
        name: the name of the film for screen readers.
    """
    keys: list[str] = []
    last: dict[str, Shape] = {}
    for scene in scenes:
        before: str | None = None
        for shape in scene.shapes:
            if shape.key not in last:  # a new key comes after the key that precedes it in its scene
                last[shape.key] = _gone(shape)
                keys.insert(0 if before is None else keys.index(before) + 1, shape.key)
            before = shape.key
    tracks: list[dict[str, Track]] = [{} for _ in keys]
    poster: tuple[Shape, ...] = ()
    for frame, scene in enumerate(scenes):
        present = {shape.key: shape for shape in scene.shapes}
        for place, (key, of_shape) in enumerate(zip(keys, tracks, strict=True)):
            shape = present.get(key) or _gone(last[key])
            if frame > 0 and shape == last[key]:
                continue
            last[key] = shape
            _, attributes, words = element_of(shape)
            now = dict.fromkeys(of_shape, "") | attributes | {TEXT: words}
            for attribute, value in now.items():
                new = Track(place, attribute, [0] * (frame > 0), [""] * (frame > 0))
                track = of_shape.setdefault(attribute, new)
                if not track.values or track.values[-1] != value:
                    track.frames.append(frame)
                    track.values.append(value)
        if frame == 0:  # a shape's name describes one frame only, so the film has no names
            shapes = [last[key] for key in keys]
            poster = tuple(s if isinstance(s, Text) else s._replace(name="") for s in shapes)
    changing = [t for of_shape in tracks for t in of_shape.values() if len(t.frames) > 1]
    return Animation(scenes[0]._replace(shapes=poster, name=name), changing)


def _gone(shape: Shape) -> Shape:
    """Return the shape with size 0 at its place."""
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
    """Return the tracks as lists for JSON; a text such as "1.5" becomes the number 1.5."""

    def short(text: str) -> str | float:
        try:
            value = float(text)
            number = int(value) if value.is_integer() else value
        except ValueError:
            return text
        return number if str(number) == text and math.isfinite(number) else text  # JSON has no inf

    return [[*track[:3], [*map(short, track.values)]] for track in animation.tracks]


def in_script(data: Any) -> str:
    """Return data as JSON that is safe inside a page's script."""
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
        title: the title of the page.
        pictures: the scenes, "wide" for large screens and "narrow" for phones.
        captions: the text below each scene.
        marks: the numbers of the frames to which buttons of the page jump.
        story: (number of the frame, text) for each main event.
        note: a line at the end.
    """
    films = {name: animation_of(scenes, title) for name, scenes in pictures.items()}
    data: dict[str, Any] = {name: {"tracks": tracks_in(film)} for name, film in films.items()}
    data |= {"captions": [*captions], "marks": [*marks]}
    events = "".join(
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
        story=f"<h2>What happened</h2><ol>{events}</ol>" if events else "",
        note=f'<p class="film-quiet">{escaped(note)}</p>' if note else "",
        data=in_script(data),
        script=script,
    )
