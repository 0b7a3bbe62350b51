"""A scene as pixels, painted with Pillow."""

import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from explorative_user_env.display.colours import COLOURS, PAGES
from explorative_user_env.extras import require
from explorative_user_env.rendering.shapes import (
    Box,
    Disc,
    Line,
    Polygon,
    Rectangle,
    Scene,
    Text,
    box_of,
)
from explorative_user_env.validation import choice, count

if TYPE_CHECKING:
    from PIL import Image

PAINTER_NEEDS = ("PIL",)
Drawn = Rectangle | Line | Disc | Polygon

LARGEST_SCALE = 8
FINER = 4  # how many times finer edges are drawn than they are shown


def image_of(scene: Scene, theme: str = "light", scale: int = 1) -> "Image.Image":
    """Return a scene as an image.

    Args:
        scene: the scene.
        theme: "light" or "dark".
        scale: pixels for each of the scene, in each direction, in 1..8.

    Raises:
        InvalidArgumentError: for another theme or scale.
        MissingExtraError: without Pillow.
    """
    choice("theme", theme, PAGES)
    count("scale", scale, 1, LARGEST_SCALE)
    require("pictures as pixels need", "render", PAINTER_NEEDS)
    from PIL import Image, ImageDraw

    size = (scene.width * scale, scene.height * scale)
    image = Image.new("RGB", size, getattr(COLOURS["page"], theme))
    pen = ImageDraw.Draw(image)
    for shape in scene.shapes:
        colour = getattr(COLOURS[shape.role], theme)
        if isinstance(shape, Text):
            _write(image, shape, colour, scale)
        else:
            _paint(image, pen, shape, colour, scale)
    return image


def pixels_of(scene: Scene, theme: str = "light", scale: int = 1) -> "np.ndarray[Any, Any]":
    """Return a scene as pixels, shape (height, width, 3), uint8; see `image_of`."""
    return np.array(image_of(scene, theme, scale))


def _paint(
    image: "Image.Image",
    pen: Any,
    shape: Drawn,
    colour: str,
    scale: int,
) -> None:
    """Paint a shape: at once where its edges are those of pixels, else with smooth edges."""
    box = Box(*(scale * side for side in box_of(shape)))
    upright = isinstance(shape, Rectangle) or (
        isinstance(shape, Line) and (shape.x1 == shape.x2 or shape.y1 == shape.y2)
    )
    if upright and all(side == int(side) for side in box):
        if box.right > box.left and box.bottom > box.top:
            pen.rectangle((box.left, box.top, box.right - 1, box.bottom - 1), fill=colour)
        return
    left, top = math.floor(box.left), math.floor(box.top)
    mask = _mask(
        shape,
        upright,
        scale,
        (left, top, math.ceil(box.right) - left, math.ceil(box.bottom) - top),
    )
    if mask is not None:
        image.paste(colour, (left, top), mask)


def _mask(
    shape: Drawn,
    upright: bool,
    scale: int,
    frame: tuple[int, int, int, int],
) -> "Image.Image | None":
    """Return how much of each pixel in a frame a shape covers, None if the frame is empty."""
    from PIL import Image, ImageDraw

    left, top, width, height = frame
    if width <= 0 or height <= 0:
        return None
    fine = Image.new("L", (width * FINER, height * FINER))
    pen = ImageDraw.Draw(fine)

    def place(x: float, y: float) -> tuple[float, float]:
        # Pillow's corners are the middles of pixels.
        return (x * scale - left) * FINER - 0.5, (y * scale - top) * FINER - 0.5

    match shape:
        case Disc():
            r = shape.radius
            corners = [place(shape.x - r, shape.y - r), place(shape.x + r, shape.y + r)]
            pen.ellipse(corners, fill=255)
        case Polygon():
            pen.polygon([place(x, y) for x, y in shape.points], fill=255)
        case _ if upright:
            box = box_of(shape)
            corners = [place(box.left, box.top), place(box.right, box.bottom)]
            sides = [round(side + 0.5) for corner in corners for side in corner]
            if sides[2] > sides[0] and sides[3] > sides[1]:
                pen.rectangle((sides[0], sides[1], sides[2] - 1, sides[3] - 1), fill=255)
        case Line():
            ends = [place(shape.x1, shape.y1), place(shape.x2, shape.y2)]
            pen.line(ends, fill=255, width=max(1, round(shape.width * scale * FINER)))
    return fine.reduce(FINER)


def _write(image: "Image.Image", text: Text, colour: str, scale: int) -> None:
    """Write a text."""
    if text.text:
        mask, ascent = letters_of(text.text, text.size * scale, text.bold)
        x = text.x * scale - mask.width * {"start": 0.0, "middle": 0.5, "end": 1.0}[text.anchor]
        image.paste(colour, (round(x), round(text.y * scale) - ascent), mask)


@functools.lru_cache(maxsize=4096)
def letters_of(text: str, size: float, bold: bool) -> "tuple[Image.Image, int]":
    """Return how much of each pixel a text covers, and how many rows are above where it stands.

    Written large and made smaller, as small letters stand too close; most are in the next frame
    as well. Pillow's own font, the same everywhere, has no bold letters: they are written twice.
    """
    from PIL import Image, ImageDraw, ImageFont

    font: Any = ImageFont.load_default(size * FINER)
    twice = 0.045 * size * FINER if bold else 0.0
    ascent, below = math.ceil(size), math.ceil(0.3 * size)
    width = math.ceil((font.getlength(text) + twice) / FINER)
    fine = Image.new("L", (width * FINER, (ascent + below) * FINER))
    pen = ImageDraw.Draw(fine)
    for right in (0.0, twice) if bold else (0.0,):
        pen.text((right, ascent * FINER), text, fill=255, font=font, anchor="ls")
    return fine.reduce(FINER), ascent
