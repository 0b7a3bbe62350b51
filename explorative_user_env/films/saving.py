"""Films as files: a page that plays, moving pictures, or the whole run in one picture."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from explorative_user_env.display.progress import OnProgress, portion, silent
from explorative_user_env.extras import require
from explorative_user_env.files.single import free_place, write_whole
from explorative_user_env.films.footage import Footage
from explorative_user_env.films.frames import (
    ON_A_PHONE,
    captions_of,
    pictures_of,
    rejected_at,
    steps_of_all,
    whole_run,
    wide_arrangement,
)
from explorative_user_env.rendering.moving import (
    PAINTER,
    VIDEO_NEEDS,
    chosen,
    frames_of_a_gif,
    write_gif,
    write_video,
)
from explorative_user_env.rendering.player import Reel, page_with
from explorative_user_env.rendering.raster import image_of
from explorative_user_env.rendering.svg import escaped, svg_of
from explorative_user_env.validation import choice

PNG_SCALE = 2
"""Pixels of a picture for each of its scene, so that it is sharp on a slide."""
CONTROLS_HIGH = 190
"""Pixels below the pictures, in a notebook that does not tell how high a page is."""


def save_films(
    films: Sequence[Footage],
    path: Path,
    *,
    argument: str = "path",
    overwrite: bool = False,
    progress: OnProgress = silent,
) -> None:
    """Write films of the same user to a file.

    Args:
        films: one or more.
        path: the file, whose ending says what it is: .html, .gif, .mp4, .svg or .png.
        argument: what the path was given as.
        overwrite: whether something may be there.
        progress: told how far it is.

    Raises:
        InvalidArgumentError: for another ending, or if something is there.
        MissingExtraError: without what paints it.
    """
    write = WRITERS[format_of(path, argument)]
    write_whole(argument, path, lambda place: write(films, place, progress), overwrite)


def format_of(path: Path, argument: str = "path") -> str:
    """Return the ending of a file that a film can be.

    Raises:
        InvalidArgumentError: naming the argument, for another.
    """
    return choice(argument, path.suffix.lower() or str(path), WRITERS)


def can_be_written(path: Path, argument: str, overwrite: bool = False) -> None:
    """Make sure, before there are films, that they can be written to a file.

    Raises:
        InvalidArgumentError: as `save_films` does.
        MissingExtraError: without what paints it.
    """
    needs = PAINTED_BY.get(format_of(path, argument))
    if needs is not None:
        require(*needs)
    free_place(argument, path, overwrite)


def page_of(films: Sequence[Footage], progress: OnProgress = silent) -> str:
    """Return films as a page of its own, with a slider over the steps."""
    steps = steps_of_all(films)
    names = ", ".join(film.agent for film in films)
    return page_with(
        Reel(
            title=f"{names} and the user of seed {films[0].seed}",
            wide=pictures_of(films, steps, wide_arrangement(films), portion(progress, 0, 2)),
            narrow=pictures_of(films, steps, ON_A_PHONE, portion(progress, 1, 2)),
            captions=captions_of(films, steps),
            marks=rejected_at(films, steps),
            story=_story(films, steps),
            note=_note(films),
        )
    )


def framed_page(films: Sequence[Footage]) -> str:
    """Return the page in a frame, for notebooks: what is in it meets nothing else there."""
    steps = steps_of_all(films)[:1]
    high = pictures_of(films, steps, wide_arrangement(films))[0].height + CONTROLS_HIGH
    grow = "this.style.height=this.contentDocument.documentElement.scrollHeight+'px'"
    name = escaped(f"{', '.join(film.agent for film in films)}, step by step")
    return (
        f'<iframe srcdoc="{escape(page_of(films), quote=True)}" title="{name}" height="{high}" '
        f'style="width:100%;border:0" onload="{grow}"></iframe>'
    )


def _story(films: Sequence[Footage], steps: Sequence[int]) -> list[tuple[int, str]]:
    """Return what happened, each with the picture of its step; secrets only where all are shown."""
    told: dict[tuple[int, str], list[str]] = {}
    for film in films:
        for sentence in film.explanation.sentences if film.revealed else ():
            place = bisect_right(steps, sentence.step) - 1
            told.setdefault((place, str(sentence)), []).append(film.agent)
    in_time = sorted(told.items(), key=lambda each: each[0][0])
    if len(films) == 1:
        return [what for what, _ in in_time]
    return [(place, f"{', '.join(who)}: {text}") for (place, text), who in in_time]


def _note(films: Sequence[Footage]) -> str:
    """Return what is to be said of what is not there."""
    left_out = [
        f"{film.agent}: {film.explanation.lines[-1]}"
        for film in films
        if film.revealed and film.explanation.left_out
    ]
    thin = [f"{film.agent}: not every step is shown." for film in films if film.thinned]
    return " ".join(left_out + thin)


def _write_page(films: Sequence[Footage], path: Path, progress: OnProgress) -> None:
    path.write_text(page_of(films, progress), encoding="utf-8")


def _write_gif(films: Sequence[Footage], path: Path, progress: OnProgress) -> None:
    steps = steps_of_all(films)
    rejected = rejected_at(films, steps)
    arrangement = wide_arrangement(films)
    first = pictures_of(films, steps[:1], arrangement)[0]
    kept = chosen(len(steps), rejected, frames_of_a_gif(first.width, first.height))
    pictures = pictures_of(films, [steps[place] for place in kept], arrangement, progress)
    marked = {number for number, place in enumerate(kept) if place in set(rejected)}
    write_gif(pictures, marked, path, progress)


def _write_video(films: Sequence[Footage], path: Path, progress: OnProgress) -> None:
    pictures = pictures_of(films, steps_of_all(films), wide_arrangement(films), progress)
    write_video(pictures, path, progress)


def _write_svg(films: Sequence[Footage], path: Path, progress: OnProgress) -> None:
    path.write_text(svg_of(whole_run(films)), encoding="utf-8")


def _write_png(films: Sequence[Footage], path: Path, progress: OnProgress) -> None:
    image_of(whole_run(films), scale=PNG_SCALE).save(path, "PNG")


WRITERS: dict[str, Callable[[Sequence[Footage], Path, OnProgress], Any]] = {
    ".html": _write_page,
    ".gif": _write_gif,
    ".mp4": _write_video,
    ".svg": _write_svg,
    ".png": _write_png,
}
"""What writes a file, by how its name ends."""

PAINTED_BY = {".gif": PAINTER, ".png": PAINTER, ".mp4": VIDEO_NEEDS}
"""What it takes, so that its lack is told before the work."""
