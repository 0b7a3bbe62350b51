"""Pictures of one size as moving ones: GIF and MP4."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from explorative_user_env.display.colours import COLOURS
from explorative_user_env.display.progress import OnProgress, silent
from explorative_user_env.extras import require
from explorative_user_env.rendering.raster import PAINTER_NEEDS, image_of, pixels_of
from explorative_user_env.rendering.shapes import Scene

if TYPE_CHECKING:
    from PIL import Image

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
