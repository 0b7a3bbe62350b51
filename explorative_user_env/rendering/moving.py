"""Pictures of one size as moving ones: GIF and MP4."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from explorative_user_env.display.progress import OnProgress, silent
from explorative_user_env.extras import require
from explorative_user_env.rendering.raster import image_of, pixels_of
from explorative_user_env.rendering.shapes import Scene

if TYPE_CHECKING:
    from PIL import Image

MOST_FRAMES = 200
"""Of a GIF, so that it stays a few MB."""
BRIEFLY, LONGER, AT_THE_END = 120, 700, 4000
"""Milliseconds that a frame is shown: any, one that matters, and the last."""
COLOURS_KEPT = 64
"""Of a GIF: those of the pictures, and what is between them at edges."""
PALETTE_FROM = 6
"""Pictures from which its palette comes."""
VIDEO_NEEDS = ("videos need", "video", ("imageio_ffmpeg",))
A_SECOND = 10
"""Pictures of a video."""


def chosen(n_frames: int, important: Collection[int], most: int = MOST_FRAMES) -> list[int]:
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
    palette = _palette([image_of(scene, theme) for scene in _some(scenes)])
    from PIL import Image  # there, as pictures have been painted

    plain = Image.Dither.NONE
    frames = []
    for number, scene in enumerate(scenes):
        frames.append(image_of(scene, theme).quantize(palette=palette, dither=plain))
        progress("GIF", number + 1, len(scenes))
    times = [LONGER if number in important else BRIEFLY for number in range(len(frames))]
    times[-1] = AT_THE_END
    frames[0].save(
        path, "GIF", save_all=True, append_images=frames[1:], duration=times, loop=0, optimize=False
    )


def _some(scenes: Sequence[Scene]) -> list[Scene]:
    return [scenes[place] for place in _evenly(len(scenes), PALETTE_FROM)]


def _palette(images: "list[Image.Image]") -> "Image.Image":
    """Return one palette for all pictures, from some of them."""
    from PIL import Image

    width, height = images[0].size
    whole = Image.new("RGB", (width, height * len(images)))
    for number, image in enumerate(images):
        whole.paste(image, (0, number * height))
    return whole.quantize(COLOURS_KEPT)


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
        MissingExtraError: without imageio-ffmpeg.
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
