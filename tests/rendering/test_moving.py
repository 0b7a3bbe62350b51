"""Moving pictures: which frames are kept, how long they stay, and what they show."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorative_user_env.display.plots import COLOURS
from explorative_user_env.show.raster import (
    AT_THE_END,
    BRIEFLY,
    LONGER,
    chosen,
    frames_of_a_gif,
    image_of,
    write_gif,
    write_video,
)
from explorative_user_env.show.shapes import Rectangle, Scene, Text


def film(n: int, width: int = 101, height: int = 51) -> list[Scene]:
    return [
        Scene(
            width,
            height,
            "",
            (Rectangle("r", number, 5, 20, 10, "accepted"), Text("t", 5, 40, str(number), "ink")),
        )
        for number in range(n)
    ]


@given(
    n=st.integers(1, 2000),
    important=st.sets(st.integers(0, 1999), max_size=400),
    most=st.integers(2, 300),
)
def test_the_ends_are_kept_and_what_matters_before_the_rest(
    n: int, important: set[int], most: int
) -> None:
    there = {place for place in important if place < n}
    kept = chosen(n, there, most)
    assert kept == sorted(set(kept))
    assert len(kept) == min(n, most)
    assert {0, n - 1} <= set(kept) <= set(range(n))
    inner = there - {0, n - 1}
    if len(inner) + 2 <= most:
        assert inner <= set(kept)
    elif most < n:
        assert set(kept) <= inner | {0, n - 1}


def test_where_nothing_matters_frames_are_left_out_evenly() -> None:
    kept = chosen(1001, [], 101)
    steps = {later - earlier for earlier, later in pairwise(kept)}
    assert max(steps) <= 12


def test_a_gif_has_every_colour_of_the_pictures_as_it_is(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="needs the extra render")
    shapes = [Rectangle(role, 10 * place, 0, 10, 10, role) for place, role in enumerate(COLOURS)]
    scene = Scene(10 * len(shapes), 10, "", tuple(shapes))
    write_gif([scene], (), tmp_path / "a.gif")
    with image.open(tmp_path / "a.gif") as gif:
        painted = image_of(scene)
        assert gif.convert("RGB").tobytes() == painted.tobytes()


def test_larger_pictures_leave_room_for_fewer_frames() -> None:
    assert frames_of_a_gif(1140, 376) == 200
    assert 60 <= frames_of_a_gif(1280, 1392) < 100
    assert frames_of_a_gif(4000, 4000) == 60


def test_a_gif_shows_each_picture_and_the_important_ones_longer(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="needs the extra render")
    reported: list[tuple[str, int, int]] = []
    scenes = film(5)
    path = tmp_path / "a.gif"
    write_gif(scenes, {2}, path, lambda *told: reported.append(told))
    with image.open(path) as gif:
        assert gif.n_frames == 5
        assert gif.info["loop"] == 0
        times = []
        for number, scene in enumerate(scenes):
            gif.seek(number)
            times.append(gif.info["duration"])
            painted: Any = image_of(scene).getpixel((number + 10, 10))
            assert gif.convert("RGB").getpixel((number + 10, 10)) == painted  # to the bit
    assert times == [BRIEFLY, BRIEFLY, LONGER, BRIEFLY, AT_THE_END]
    assert reported == [("GIF", number, 5) for number in range(1, 6)]


@pytest.mark.slow
def test_a_video_has_a_frame_of_each_picture_in_whole_pairs_of_pixels(tmp_path: Path) -> None:
    pytest.importorskip("PIL", reason="needs the extra render")
    ffmpeg = pytest.importorskip("imageio_ffmpeg", reason="needs the extra video")
    path = tmp_path / "a.mp4"
    write_video(film(12), path)
    frames, seconds = ffmpeg.count_frames_and_secs(str(path))
    assert frames == 12
    assert seconds == pytest.approx(1.2, abs=0.2)
    reader = ffmpeg.read_frames(str(path))
    assert next(reader)["size"] == (102, 52)
    reader.close()
