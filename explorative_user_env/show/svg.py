"""A scene as SVG text: sharp at every size, and small."""

import zlib
from html import escape
from typing import NamedTuple

from explorative_user_env.display.plots import COLOURS, PAGES
from explorative_user_env.display.text import in_line
from explorative_user_env.show.shapes import Disc, Line, Polygon, Rectangle, Scene, Shape, Text
from explorative_user_env.validation import choice

THEMES = ("auto", *PAGES)
OURS = "eu"  # of classes and identifiers, so that they are nobody else's in a page

LONGEST_LEGEND = 150
"""Names of shapes that are read out to somebody who does not see them."""

FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'Liberation Sans',sans-serif"
PAGE_FONT = f":root{{--{OURS}-font:{FONT}}}"
"""The rule of a style sheet that gives a page the letters of its pictures."""


class Element(NamedTuple):
    """A shape in SVG: the tag, its attributes, and the words in it."""

    tag: str
    attributes: dict[str, str]
    words: str


def svg_of(scene: Scene, theme: str = "auto") -> str:
    """Return a scene as an SVG element, to stand in a file or in a page.

    Args:
        scene: the scene.
        theme: "light", "dark", or "auto", which is what whoever looks at it prefers.

    Raises:
        InvalidArgumentError: for another theme.
    """
    choice("theme", theme, THEMES)
    body = "".join(map(_written, scene.shapes))
    own = f"{OURS}-{zlib.crc32(body.encode()):08x}"
    size = f'width="{scene.width}" height="{scene.height}"'
    box = f'viewBox="0 0 {scene.width} {scene.height}"'
    told = _told_of(scene)
    all_of_it = f'<desc id="{own}-all">{escaped(told)}</desc>' if told else ""
    described = f' aria-describedby="{own}-all"' if told else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} role="img" '
        f'class="{OURS}-scene {OURS}-{theme}" aria-labelledby="{own}"{described}>'
        f'<title id="{own}">{escaped(scene.name)}</title>{all_of_it}'
        f"<style>{style_of(theme)}</style>{body}</svg>"
    )


def escaped(text: str) -> str:
    """Return words of others as they stand in a page: they say what they say, and do nothing."""
    return escape(in_line(text))


def _told_of(scene: Scene) -> str:
    """Return all that a scene shows in words, or nothing where that is too much to be read out."""
    names = dict.fromkeys(shape.name for shape in scene.shapes if not isinstance(shape, Text))
    told = [name for name in names if name]
    return "; ".join(told) if len(told) <= LONGEST_LEGEND else ""


def style_of(theme: str) -> str:
    """Return the rules of a theme, which hold for pictures of this package alone."""
    within = f".{OURS}-{theme}"
    # The picture gets smaller where there is no room for it, as on a phone, and stays whole.
    rules = [f".{OURS}-scene{{max-width:100%;height:auto;font-family:{FONT}}}"]
    if theme == "auto":
        rules.append(colours_for(within))
    for role, colour in COLOURS.items():
        # A theme that is one colour each says so plainly: not every painter knows properties.
        value = f"var(--{OURS}-{role})" if theme == "auto" else getattr(colour, theme)
        rules.append(f"{within} .{OURS}-{role}{{color:{value}}}")
    rules.append(f".{OURS}-scene *{{fill:currentColor}}.{OURS}-scene line{{stroke:currentColor}}")
    return "".join(rules)


def colours_for(selector: str) -> str:
    """Return the rules that give what is selected each colour by its role, light or dark."""
    light, dark = (
        ";".join(f"--{OURS}-{role}:{getattr(colour, page)}" for role, colour in COLOURS.items())
        for page in PAGES
    )
    return f"{selector}{{{light}}}@media(prefers-color-scheme:dark){{{selector}{{{dark}}}}}"


def element_of(shape: Shape) -> Element:
    """Return a shape as an element; what moves in a film is in its attributes and words."""
    classes = f"{OURS}-{shape.role}"
    if isinstance(shape, Line):
        ends = {name: getattr(shape, name) for name in ("x1", "y1", "x2", "y2")}
        return Element("line", _attributes(classes, ends | {"stroke-width": shape.width}), "")
    match shape:
        case Rectangle():
            sides = {name: getattr(shape, name) for name in ("x", "y", "width", "height")}
            return Element("rect", _attributes(classes, sides), "")
        case Disc():
            places = {"cx": shape.x, "cy": shape.y, "r": shape.radius}
            return Element("circle", _attributes(classes, places), "")
        case Polygon():
            points = " ".join(f"{written(x)},{written(y)}" for x, y in shape.points)
            return Element("polygon", {"class": classes, "points": points}, "")
        case Text():
            return _text_element(shape, classes)


def _text_element(shape: Text, classes: str) -> Element:
    places = {"x": shape.x, "y": shape.y, "font-size": shape.size}
    attributes = _attributes(classes, places)
    if shape.anchor != "start":
        attributes["text-anchor"] = shape.anchor
    if shape.bold:
        attributes["font-weight"] = "bold"
    return Element("text", attributes, shape.text)


def _attributes(classes: str, numbers: dict[str, float]) -> dict[str, str]:
    return {"class": classes} | {name: written(number) for name, number in numbers.items()}


def written(number: float) -> str:
    """Return a number of pixels as short as can be, to a tenth."""
    text = f"{number:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def _written(shape: Shape) -> str:
    """Return a shape as text."""
    tag, attributes, words = element_of(shape)
    named = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
    name = "" if isinstance(shape, Text) else shape.name
    inside = escaped(words) if words else f"<title>{escaped(name)}</title>" if name else ""
    return f"<{tag}{named}>{inside}</{tag}>" if inside else f"<{tag}{named}/>"
