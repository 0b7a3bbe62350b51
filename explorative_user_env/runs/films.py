"""A run to look at: its moments, what the agent thought in them, and the whole in words."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from explorative_user_env.display.progress import OnProgress, portion, silent
from explorative_user_env.files import free_place, write_whole
from explorative_user_env.runs.moments import (
    Bands,
    Beginning,
    Clicks,
    Dropped,
    Ending,
    Explanation,
    Listener,
    Moment,
    Rejections,
    Turns,
    Watchable,
    explanation_from,
    named_at_the_end,
    rerun_of,
    watch_again,
)
from explorative_user_env.show.panel import (
    beside,
    board_of,
    in_a_column,
    panel_of,
    rows_in,
    slots_of,
)
from explorative_user_env.show.player import Reel, page_with
from explorative_user_env.show.raster import (
    PAINTER,
    VIDEO_NEEDS,
    chosen,
    frames_of_a_gif,
    image_of,
    write_gif,
    write_video,
)
from explorative_user_env.show.scene import scene_of_user, span_of
from explorative_user_env.show.shapes import USUAL_WIDTH, Scene, rounded_out
from explorative_user_env.show.svg import escaped, svg_of
from explorative_user_env.show.timeline import EARLY, timeline
from explorative_user_env.show.words import grounds_of, spoken
from explorative_user_env.validation import InvalidArgumentError, choice, flag, require


@dataclass(frozen=True, repr=False)
class Footage:
    """A run that was watched, step by step.

    Attributes:
        agent: the agent's name.
        seed: the user's.
        n_steps: the length of the run.
        answer: the arm that the agent named.
        end: how it ended, as of an `Episode`.
        moments: in the order of time, the first before any step and the last at the end.
        revealed: whether the truth is shown.
        explanation: the run in words, the truth among them.
    """

    agent: str
    seed: int
    n_steps: int
    answer: int
    end: int
    moments: Sequence[Moment]
    revealed: bool
    explanation: Explanation

    @property
    def thinned(self) -> bool:
        """Whether some steps of the run are left out."""
        return len(self.moments) <= self.n_steps


class Arrangement(NamedTuple):
    """How a picture is laid out.

    Attributes:
        width: of a user, in pixels.
        panel: width of what an agent thinks, beside the user; None is as wide, below her.
        columns: how many films stand side by side.
    """

    width: int
    panel: int | None
    columns: int


ALONE, TOGETHER = Arrangement(USUAL_WIDTH, 420, 1), Arrangement(640, None, 2)
"""Of one film, and of each of several."""
ON_A_PHONE = Arrangement(360, None, 1)
"""For a phone."""
RUN_WIDTH = 960
"""Of a whole run in one picture."""
SETTLED = 20
"""The axis of rewards holds all intervals but those of the first twentieth of a film."""


def wide_arrangement(films: Sequence[Footage]) -> Arrangement:
    """Return how films are laid out where there is room."""
    return ALONE if len(films) == 1 else TOGETHER


def steps_of_all(films: Sequence[Footage]) -> list[int]:
    """Return the steps of which one of the films has a picture."""
    return sorted({moment.seen.steps for film in films for moment in film.moments})


def pictures_of(
    films: Sequence[Footage],
    steps: Sequence[int],
    layout: Arrangement,
    progress: OnProgress = silent,
) -> list[Scene]:
    """Return a picture of all films at each of some steps; all are of one size.

    Args:
        films: one or more.
        steps: the steps.
        layout: how they are laid out.
        progress: told how far it is.
    """
    several, span = len(films) > 1, _span_of(films, SETTLED)
    kept = []
    for number, film in enumerate(films):
        share = portion(progress, number, len(films))
        kept.append(_pictures(film, _places(film, steps), layout, several, span, share))
    return [_in_columns(each, layout.columns) for each in zip(*kept, strict=True)]


def whole_run(films: Sequence[Footage]) -> Scene:
    """Return each film as one picture of all its steps, one below the other."""
    if len(films) == 1:
        return _line_of(films[0])
    span = _span_of(films, EARLY)
    ends = None if span is None else rounded_out(span)
    return in_a_column([_line_of(film, ends) for film in films])


def _line_of(film: Footage, span: tuple[float, float] | None = None) -> Scene:
    told = [moment for moment in film.moments if moment.seen.last is not None]
    last = [moment.seen.last or (0, False) for moment in told]
    some = f" ({len(told)} of {film.n_steps} steps)" if film.thinned else ""
    return timeline(
        len(film.moments[0].seen.accepted),
        [arm for arm, _ in last],
        [accepted for _, accepted in last],
        [moment.hidden for moment in told] if film.revealed else None,
        span=span,
        width=RUN_WIDTH,
        title=f"{film.agent} and the user of seed {film.seed}{some}",
    )


def captions_of(films: Sequence[Footage], steps: Sequence[int]) -> list[str]:
    """Return what is said at each of some steps."""
    said = []
    for film in films:
        name = f"{film.agent}: " if len(films) > 1 else ""
        said.append([name + _caption(film, place) for place in _places(film, steps)])
    return [". ".join(each) for each in zip(*said, strict=True)]


def rejected_at(films: Sequence[Footage], steps: Sequence[int]) -> list[int]:
    """Return at which of some steps, by their places, she rejected a recommendation."""
    rejected = {
        moment.seen.steps
        for film in films
        for moment in film.moments
        if moment.seen.last is not None and not moment.seen.last[1]
    }
    return [place for place, step in enumerate(steps) if step in rejected]


def _places(film: Footage, steps: Sequence[int]) -> list[int]:
    """Return which moment of a film is shown at each step: the latest by then."""
    own = [moment.seen.steps for moment in film.moments]
    return [bisect_right(own, step) - 1 for step in steps]


def _caption(film: Footage, place: int) -> str:
    moment = film.moments[place]
    told = spoken(moment.seen, grounds_of(moment.seen, moment.decided if film.revealed else None))
    if place < len(film.moments) - 1:
        return told
    return f"{told}. {named_at_the_end(film.agent, film.answer, film.end)}"


def _span_of(films: Sequence[Footage], early: int) -> tuple[float, float] | None:
    """Return the ends of the axis of rewards, the same for all: of all but one part in `early`."""
    # The first intervals are so wide that nothing could be seen of the later ones.
    states = [
        moment.hidden
        for film in films
        if film.revealed
        for moment in film.moments[len(film.moments) // early :]
    ]
    return span_of(states, range(len(films[0].moments[0].seen.accepted))) if states else None


def _pictures(
    film: Footage,
    places: Sequence[int],
    layout: Arrangement,
    several: bool,
    span: tuple[float, float] | None,
    progress: OnProgress,
) -> list[Scene]:
    """Return pictures of some moments of a film; each moment is drawn once."""
    slots = slots_of(moment.said for moment in film.moments)
    drawn: dict[int, Scene] = {}
    for place in sorted(set(places)):
        progress("pictures", len(drawn), len(film.moments))
        seen, decided, hidden, said = film.moments[place]
        truth = (hidden, decided) if film.revealed else (None, None)
        user = scene_of_user(
            seen, *truth, span=span, width=layout.width, title=f"user of seed {film.seed}"
        )
        drawn[place] = user
        if slots or several:  # an agent that says nothing is named where it has company
            rows, now = rows_in(user), None if seen.last is None else seen.last[0]
            if layout.panel is None:
                board = board_of(slots, rows, layout.width, labelled=True)
                drawn[place] = in_a_column([user, panel_of(said, board, film.agent, now)])
            else:
                board = board_of(slots, rows, layout.panel, user.height)
                drawn[place] = beside([user, panel_of(said, board, film.agent, now)])
    return [drawn[place] for place in places]


def _in_columns(scenes: Sequence[Scene], columns: int) -> Scene:
    """Return several pictures as one, so many in a row."""
    rows = [scenes[first : first + columns] for first in range(0, len(scenes), columns)]
    return in_a_column([beside(row) for row in rows]) if len(scenes) > 1 else scenes[0]


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


LEAST_MOMENTS, MOST_MOMENTS, MOST_ROWS_FILMED = 100, 1000, 50_000
"""Of a film, and rows of arms in all of them; of a longer run steps are left out, evenly."""
LONGEST_SHOWN = 100_000
"""Steps of a run that is watched only because a notebook shows it."""

OnStep = Callable[[int], None]
"""Called with each step of a run while it is watched again."""


class Film(Footage):
    """A run to look at; as the last line of a notebook's cell it plays, with a slider."""

    def save(self, path: Path | str, overwrite: bool = False) -> None:
        """Write it to a file: a film as .html, .gif or .mp4, the whole run as .svg or .png.

        Args:
            path: the file.
            overwrite: whether something may be there.

        Raises:
            InvalidArgumentError: for another ending, or if something is there.
            MissingExtraError: without what paints it.
        """
        save_films([self], Path(path), overwrite=overwrite)

    def _repr_html_(self) -> str:
        return framed_page([self])

    def __repr__(self) -> str:
        return f"Film(agent={self.agent!r}, seed={self.seed}, n_steps={self.n_steps})"


def film_of(run: Watchable, reveal: bool | None = None, on_step: OnStep | None = None) -> Film:
    """Return a run as a film; see `Episode.film`.

    Args:
        run: the run.
        reveal: whether the truth is shown; None is as its environment does.
        on_step: told of each step.
    """
    rerun = rerun_of(run)
    revealed = rerun.shows_intervals if reveal is None else flag("reveal", reveal)
    n_steps = len(run.arms)
    n_arms = rerun.population.n_arms
    most = max(LEAST_MOMENTS, min(MOST_MOMENTS, MOST_ROWS_FILMED // n_arms))
    every = -(-max(n_steps, 1) // most)
    moments: list[Moment] = []
    ending = Ending(run.agent, run.answer, run.end, n_steps)
    noticing = (Turns(), Rejections(), Dropped(), Clicks(), Bands(rerun.delta_of_agent))
    listeners: list[Listener] = [Beginning(), *noticing, ending]

    def hear(moment: Moment) -> None:
        for listener in listeners:
            listener.hear(moment)
        step = moment.seen.steps
        if step % every == 0 or step == n_steps:
            moments.append(moment)
        if on_step is not None:
            on_step(step)

    watch_again(run, hear)
    told = [sentence for listener in listeners for sentence in listener.tell()]
    end = (n_steps, run.answer, run.end)
    return Film(run.agent, run.seed, *end, moments, revealed, explanation_from(told))


def shown_in_notebook(run: Watchable) -> str | None:
    """Return a run as a notebook shows it: a film, or nothing where it cannot be watched."""
    if run.rerun is None or len(run.arms) > LONGEST_SHOWN:
        return None
    try:
        return film_of(run)._repr_html_()
    except InvalidArgumentError:  # the agent has changed: there is the record still
        return None
