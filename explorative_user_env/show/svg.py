"""A scene as SVG text: sharp at every size, small, and without any dependency."""

import zlib
from html import escape
from typing import NamedTuple

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
    for shape in scene.shapes:
        tag, attributes, words = element_of(shape)
        named = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
        name = "" if isinstance(shape, Text) else shape.name
        inside = escaped(words) if words else f"<title>{escaped(name)}</title>" if name else ""
        body += f"<{tag}{named}>{inside}</{tag}>" if inside else f"<{tag}{named}/>"
    own = f"{OURS}-{zlib.crc32(body.encode()):08x}"
    names = dict.fromkeys(
        shape.name for shape in scene.shapes if not isinstance(shape, Text) and shape.name
    )
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
    rules = [f".{OURS}-scene{{max-width:100%;height:auto;font-family:{FONT}}}"]
    if theme == "auto":
        rules.append(colours_for(within))
    for role, colour in COLOURS.items():
        # A theme of one page names its colours: not every painter knows custom properties.
        value = f"var(--{OURS}-{role})" if theme == "auto" else getattr(colour, theme)
        rules.append(f"{within} .{OURS}-{role}{{color:{value}}}")
    rules.append(f".{OURS}-scene *{{fill:currentColor}}.{OURS}-scene line{{stroke:currentColor}}")
    return "".join(rules)


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
    attributes |= {name: written(getattr(shape, field)) for name, field in numbers.items()}
    if isinstance(shape, Polygon):
        attributes["points"] = " ".join(f"{written(x)},{written(y)}" for x, y in shape.points)
    if not isinstance(shape, Text):
        return Element(tag, attributes, "")
    if shape.anchor != "start":
        attributes["text-anchor"] = shape.anchor
    if shape.bold:
        attributes["font-weight"] = "bold"
    return Element(tag, attributes, shape.text)


def written(number: float) -> str:
    """Return a number of pixels as short as can be, to a tenth."""
    text = f"{number:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
