"""A window that shows a user to somebody who watches."""

import functools
import math
import os
import warnings
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from explorative_user_env.display.plots import COLOURS, PAGES
from explorative_user_env.display.progress import OnProgress, silent
from explorative_user_env.show.shapes import (
    Box,
    Disc,
    Line,
    Polygon,
    Rectangle,
    Scene,
    Text,
    box_of,
)
from explorative_user_env.validation import InvalidArgumentError, choice, count, require

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


MOST_FRAMES, MOST_PIXELS, LEAST_FRAMES = 200, 1.6e8, 60
"""Of a GIF, so that it stays a few MB: frames, and pixels in all of them but for the last few."""
BRIEFLY, LONGER, AT_THE_END = 120, 700, 4000
"""Milliseconds that a frame is shown: any, one that matters, and the last."""
GROUNDS, EDGE_SHARES = ("page", "recommended", "interval"), (0.2, 0.4, 0.6, 0.8)
"""What things stand on, and how much of it shows at their edges."""
MOST_COLOURS, APART = 256, 12
"""Of a GIF, and by how much they differ in red, green or blue."""
PAINTER = ("pictures as pixels need", "render", PAINTER_NEEDS)
VIDEO_NEEDS = ("videos need", "video", ("imageio_ffmpeg", *PAINTER_NEEDS))
A_SECOND = 10
"""Pictures of a video."""


def chosen(n_frames: int, important: Collection[int], most: int) -> list[int]:
    """Return which pictures are kept: the first, the last, the important, and others evenly.

    Args:
        n_frames: how many there are.
        important: which are kept before all others.
        most: how many are kept at most, at least 2.
    """
    if n_frames <= most:
        return list(range(n_frames))
    ends = {0, n_frames - 1}
    inner = sorted(set(important) - ends)
    kept = ends | {inner[place] for place in _evenly(len(inner), most - len(ends))}
    rest = [place for place in range(n_frames) if place not in kept]
    return sorted(kept | {rest[place] for place in _evenly(len(rest), most - len(kept))})


def frames_of_a_gif(width: int, height: int) -> int:
    """Return how many frames of this size a GIF may have."""
    return min(MOST_FRAMES, max(LEAST_FRAMES, int(MOST_PIXELS / (width * height))))


def _evenly(n: int, most: int) -> list[int]:
    """Return at most so many of n places, evenly."""
    if n <= most:
        return list(range(n))
    return [(2 * number + 1) * n // (2 * most) for number in range(most)]


def write_gif(
    scenes: Sequence[Scene],
    important: Collection[int],
    path: Path,
    progress: OnProgress = silent,
    theme: str = "light",
) -> None:
    """Write pictures as a GIF that begins anew at its end.

    Args:
        scenes: the pictures.
        important: which are shown longer.
        path: the file.
        progress: told how far it is.
        theme: "light" or "dark".
    """
    require(*PAINTER)
    from PIL import Image

    palette, plain = _palette(theme), Image.Dither.NONE
    frames = []
    for number, scene in enumerate(scenes):
        frames.append(image_of(scene, theme).quantize(palette=palette, dither=plain))
        progress("GIF", number + 1, len(scenes))
    times = [LONGER if number in important else BRIEFLY for number in range(len(frames))]
    times[-1] = AT_THE_END
    frames[0].save(
        path, "GIF", save_all=True, append_images=frames[1:], duration=times, loop=0, optimize=False
    )


def _palette(theme: str) -> "Image.Image":
    """Return the colours of every picture, and between them those that smooth edges have."""
    from PIL import Image, ImageColor

    plain = {role: ImageColor.getrgb(getattr(colour, theme)) for role, colour in COLOURS.items()}
    mixed: list[Any] = [
        tuple(round(one + share * (other - one)) for one, other in zip(mark, ground, strict=True))
        for ground in (plain[role] for role in GROUNDS)
        for mark in plain.values()
        for share in EDGE_SHARES
    ]
    every = list(dict.fromkeys(plain.values()))
    for colour in mixed:
        if len(every) < MOST_COLOURS and all(_apart(colour, other) for other in every):
            every.append(colour)
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for colour in every for part in colour])
    return palette


def _apart(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Return whether two colours are so different that Pillow mistakes neither for the other."""
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) >= APART


def write_video(
    scenes: Sequence[Scene],
    path: Path,
    progress: OnProgress = silent,
    theme: str = "light",
) -> None:
    """Write pictures as an MP4 that every browser plays.

    Args:
        scenes: the pictures.
        path: the file.
        progress: told how far it is.
        theme: "light" or "dark".

    Raises:
        MissingExtraError: without imageio-ffmpeg or Pillow.
    """
    require(*VIDEO_NEEDS)
    import imageio_ffmpeg

    # This way of keeping colours takes whole pairs of pixels.
    size = tuple(side + side % 2 for side in (scenes[0].width, scenes[0].height))
    writer = imageio_ffmpeg.write_frames(
        str(path), size, fps=A_SECOND, macro_block_size=2, ffmpeg_log_level="error"
    )
    writer.send(None)
    try:
        for number, scene in enumerate(scenes):
            writer.send(_even(pixels_of(scene, theme)))
            progress("MP4", number + 1, len(scenes))
    finally:
        writer.close()


def _even(pixels: "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]") -> bytes:
    """Return pixels with a row and a column more where there is an odd number of them."""
    high, wide, _ = pixels.shape
    padded = np.pad(pixels, ((0, high % 2), (0, wide % 2), (0, 0)), mode="edge")
    return np.ascontiguousarray(padded).tobytes()


WINDOW_NEEDS = ("PIL", "pygame")
CAPTION = "an explorative user"


class Window:
    """A window of pygame, which opens with its first frame.

    A copy of it, or one in another process, is a window of its own that has not been opened.
    """

    def __init__(self) -> None:
        self._clock: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Window, ()

    @property
    def is_open(self) -> bool:
        """Whether there is something to see."""
        return self._clock is not None

    def show(self, pixels: "np.ndarray[Any, Any]", fps: float) -> None:
        """Show a frame, and wait as long as the one before is to be seen.

        Args:
            pixels: the frame, shape (height, width, 3), uint8.
            fps: frames a second.

        Raises:
            MissingExtraError: without pygame.
            InvalidArgumentError: where there is no screen.
        """
        pygame = _pygame()
        try:
            screen = self._screen(pygame, (pixels.shape[1], pixels.shape[0]))
        except pygame.error as error:
            allowed = f"one without a window, as there is no screen ({error})"
            raise InvalidArgumentError("render_mode", "human", allowed) from error
        pygame.surfarray.blit_array(screen, pixels.swapaxes(0, 1))
        pygame.event.pump()
        self._clock.tick(fps)
        pygame.display.flip()

    def _screen(self, pygame: Any, size: tuple[int, int]) -> Any:
        """Return the window's inside, of this size."""
        if self._clock is None:
            pygame.display.init()
            pygame.display.set_caption(CAPTION)
            self._clock = pygame.time.Clock()
        screen = pygame.display.get_surface()
        if screen is None or screen.get_size() != size:
            screen = pygame.display.set_mode(size)
        return screen

    def close(self) -> None:
        """Close the window; the next frame opens another."""
        if self._clock is not None:
            self._clock = None
            _pygame().display.quit()


def _pygame() -> Any:
    """Return pygame, which greets nobody."""
    require("a window needs", "render", WINDOW_NEEDS)
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what its releases make of newer setuptools
        import pygame
    return pygame
