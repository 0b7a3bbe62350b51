"""Draw scenes in pixels: images, GIFs, videos, and the window of `render_mode="human"`."""

import functools
import itertools
import math
import os
import warnings
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from explorative_user_env.display.plots import COLOURS, PAGES
from explorative_user_env.display.progress import OnProgress, silent
from explorative_user_env.protocol import Array
from explorative_user_env.show import shapes
from explorative_user_env.show.shapes import Disc, Line, Polygon, Rectangle, Scene, Text, box_of
from explorative_user_env.validation import InvalidArgumentError, choice, count, require

PAINTER = ("pictures as pixels need", "render", ("PIL",))
VIDEO_NEEDS = ("videos need", "video", ("imageio_ffmpeg", "PIL"))
WINDOW_NEEDS = ("PIL", "pygame")
LARGEST_SCALE = 8
FINER = 4  # oversampling of edges


def image_of(scene: Scene, theme: str = "light", scale: int = 1) -> Any:
    """Return a scene as an image of Pillow.

    Args:
        scene: the scene.
        theme: "light" or "dark".
        scale: factor of the image's size, in 1..8.

    Raises:
        InvalidArgumentError: if `theme` or `scale` has another value.
        MissingExtraError: if Pillow is missing.
    """
    choice("theme", theme, PAGES)
    count("scale", scale, 1, LARGEST_SCALE)
    require(*PAINTER)
    from PIL import Image, ImageDraw

    size = (scene.width * scale, scene.height * scale)
    image = Image.new("RGB", size, getattr(COLOURS["page"], theme))
    pen = ImageDraw.Draw(image)
    for shape in scene.shapes:
        colour = getattr(COLOURS[shape.role], theme)
        if isinstance(shape, Text):
            if shape.text:
                mask, ascent = letters_of(shape.text, shape.size * scale, shape.bold)
                left = shape.x * scale - mask.width * shapes.BEFORE_ANCHOR[shape.anchor]
                image.paste(colour, (round(left), round(shape.y * scale) - ascent), mask)
            continue
        box = box_of(shape)
        x1, y1, x2, y2 = sides = [scale * side for side in box]
        slanted = isinstance(shape, Line) and shape.x1 != shape.x2 and shape.y1 != shape.y2
        upright = isinstance(shape, Rectangle | Line) and not slanted
        if upright and all(side == int(side) for side in sides):  # all edges lie between pixels
            if x2 > x1 and y2 > y1:
                pen.rectangle((x1, y1, x2 - 1, y2 - 1), fill=colour)
            continue
        left, top = math.floor(x1), math.floor(y1)
        size = (math.ceil(x2) - left, math.ceil(y2) - top)
        if min(size) <= 0:
            continue
        # Compute which share of each pixel the shape covers.
        points: Any = (box[:2], box[2:])
        if isinstance(shape, Polygon):
            points = shape.points
        elif isinstance(shape, Line) and slanted:
            points = ((shape.x1, shape.y1), (shape.x2, shape.y2))
        # In a shape, a whole number is the edge of a pixel; in Pillow, it is the pixel's centre.
        placed = [
            ((x * scale - left) * FINER - 0.5, (y * scale - top) * FINER - 0.5) for x, y in points
        ]
        fine = Image.new("L", (size[0] * FINER, size[1] * FINER))
        brush = ImageDraw.Draw(fine)
        if isinstance(shape, Polygon):
            brush.polygon(placed, fill=255)
        elif isinstance(shape, Disc):
            brush.ellipse(placed, fill=255)
        elif slanted:
            brush.line(placed, fill=255, width=max(1, round(shape.width * scale * FINER)))
        else:
            x1, y1, x2, y2 = (round(side + 0.5) for end in placed for side in end)
            if x2 > x1 and y2 > y1:
                brush.rectangle((x1, y1, x2 - 1, y2 - 1), fill=255)
        image.paste(colour, (left, top), fine.reduce(FINER))
    return image


def pixels_of(scene: Scene, theme: str = "light", scale: int = 1) -> Array:
    """Return a scene as an array of uint8 of shape (height, width, 3); see `image_of`."""
    return np.array(image_of(scene, theme, scale))


@functools.lru_cache(maxsize=4096)
def letters_of(text: str, size: float, bold: bool) -> tuple[Any, int]:
    """Return an image of a text and the number of its pixel rows above the baseline.

    The value of a pixel is 255 times the share of its area that the text covers. The text is drawn
    large and then reduced, which improves the spacing. The font is that of Pillow, which is
    the same on every machine. The font has no bold letters, so a bold text is drawn twice, once a
    little to the right.
    """
    from PIL import Image, ImageDraw, ImageFont

    font: Any = ImageFont.load_default(size * FINER)
    twice = 0.045 * size * FINER if bold else 0.0
    ascent, below = math.ceil(size), math.ceil(0.3 * size)
    width = math.ceil((font.getlength(text) + twice) / FINER)
    fine = Image.new("L", (width * FINER, (ascent + below) * FINER))
    pen = ImageDraw.Draw(fine)
    for right in {0.0, twice}:
        pen.text((right, ascent * FINER), text, fill=255, font=font, anchor="ls")
    return fine.reduce(FINER), ascent


# All frames of a GIF together have at most MOST_PIXELS pixels, but LEAST_FRAMES frames of any size
# are allowed. A GIF never has more than MOST_FRAMES frames.
MOST_FRAMES, MOST_PIXELS, LEAST_FRAMES = 200, 1.6e8, 60
# The milliseconds that an ordinary frame, an important frame and the last frame are shown.
BRIEFLY, LONGER, AT_THE_END = 120, 700, 4000
# At an edge, a pixel mixes the colours of a shape and of one of GROUNDS, in one of EDGE_SHARES.
GROUNDS, EDGE_SHARES = ("page", "recommended", "interval"), (0.2, 0.4, 0.6, 0.8)
# A GIF has at most MOST_COLOURS colours. A mixed colour that differs by less than LEAST_DIFFERENCE
# from another colour is left out.
MOST_COLOURS, LEAST_DIFFERENCE = 256, 12
A_SECOND = 10  # frames per second of a video


def chosen(n_frames: int, important: Collection[int], most: int) -> list[int]:
    """Choose the first frame, the last frame, important frames, and evenly spaced others.

    Args:
        n_frames: number of frames.
        important: frames to choose before others.
        most: largest number of frames to choose, at least 2.
    """
    chosen = {0, n_frames - 1}
    for places in (important, range(n_frames)):
        more = sorted(set(places) - chosen)
        n = min(len(more), most - len(chosen))
        chosen.update(more[(2 * number + 1) * len(more) // (2 * n)] for number in range(n))
    return sorted(chosen)


def frames_of_a_gif(width: int, height: int) -> int:
    """Return the largest number of frames of this size that a GIF may have."""
    return min(MOST_FRAMES, max(LEAST_FRAMES, int(MOST_PIXELS / (width * height))))


def write_gif(
    scenes: Sequence[Scene], important: Collection[int], path: Path, progress: OnProgress = silent
) -> None:
    """Write scenes as a GIF that repeats.

    Args:
        scenes: the scenes.
        important: indices of scenes that are shown longer.
        path: the file.
        progress: called after each scene.

    Raises:
        MissingExtraError: if Pillow is missing.
    """
    require(*PAINTER)
    from PIL import Image, ImageColor

    # The palette: the colours of all shapes, and mixtures with the background for smooth edges.
    plain = [ImageColor.getrgb(colour.light) for colour in COLOURS.values()]
    grounds = [ImageColor.getrgb(COLOURS[role].light) for role in GROUNDS]
    colours: list[Any] = list(dict.fromkeys(plain))
    for ground, mark, share in itertools.product(grounds, plain, EDGE_SHARES):
        pairs = zip(mark, ground, strict=True)
        mixed = tuple(round(one + share * (other - one)) for one, other in pairs)
        gap = min(max(map(abs, np.subtract(mixed, each))) for each in colours)
        if gap >= LEAST_DIFFERENCE and len(colours) < MOST_COLOURS:
            colours.append(mixed)
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for colour in colours for part in colour])
    frames, times = [], []
    for number, scene in enumerate(scenes):
        frames.append(image_of(scene).quantize(palette=palette, dither=Image.Dither.NONE))
        times.append(LONGER if number in important else BRIEFLY)
        progress("GIF", number + 1, len(scenes))
    how: dict[str, Any] = {"duration": [*times[:-1], AT_THE_END], "loop": 0, "optimize": False}
    frames[0].save(path, "GIF", save_all=True, append_images=frames[1:], **how)


def write_video(scenes: Sequence[Scene], path: Path, progress: OnProgress = silent) -> None:
    """Write scenes as an MP4 video that every browser plays.

    Args:
        scenes: the scenes.
        path: the file.
        progress: called after each scene.

    Raises:
        MissingExtraError: if imageio-ffmpeg or Pillow is missing.
    """
    require(*VIDEO_NEEDS)
    import imageio_ffmpeg

    width, height = scenes[0].width, scenes[0].height
    right, below = width % 2, height % 2  # the codec needs even sizes
    how: dict[str, Any] = {"fps": A_SECOND, "macro_block_size": 2, "ffmpeg_log_level": "error"}
    writer = imageio_ffmpeg.write_frames(str(path), (width + right, height + below), **how)
    writer.send(None)
    try:
        for number, scene in enumerate(scenes):
            sides = ((0, below), (0, right), (0, 0))
            writer.send(np.pad(pixels_of(scene), sides, mode="edge").tobytes())
            progress("MP4", number + 1, len(scenes))
    finally:
        writer.close()


class Window:
    """A window of pygame. The window opens when it gets its first frame.

    A copied or unpickled `Window` is closed until it gets its own first frame.
    """

    def __init__(self) -> None:
        self._clock: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Window, ()

    def show(self, pixels: Array, fps: float) -> None:
        """Wait until the frame is due, then show the frame.

        Args:
            pixels: the frame, shape (height, width, 3), uint8.
            fps: frames per second.

        Raises:
            MissingExtraError: if pygame is missing.
            InvalidArgumentError: if the machine has no screen.
        """
        pygame = _pygame()
        size = (pixels.shape[1], pixels.shape[0])
        try:
            if self._clock is None:
                pygame.display.init()
                pygame.display.set_caption("an explorative user")
                self._clock = pygame.time.Clock()
            screen = pygame.display.get_surface()
            if screen is None or screen.get_size() != size:
                screen = pygame.display.set_mode(size)
        except pygame.error as error:
            raise InvalidArgumentError(
                "render_mode", "human", f"a mode without a window, as there is no screen ({error})"
            ) from error
        pygame.surfarray.blit_array(screen, pixels.swapaxes(0, 1))
        pygame.event.pump()
        self._clock.tick(fps)
        pygame.display.flip()

    def close(self) -> None:
        """Close the window; the next frame opens a new one."""
        if self._clock is not None:
            self._clock = None
            _pygame().display.quit()


def _pygame() -> Any:
    """Import pygame without its greeting."""
    require("a window needs", "render", WINDOW_NEEDS)
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pygame uses a deprecated part of setuptools
        import pygame
    return pygame
