"""Films of runs, with one picture for each step, and functions that save films."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from explorative_user_env.display.progress import OnProgress, portion, silent
from explorative_user_env.files import check_new_file, write_file
from explorative_user_env.runs import moments as watched
from explorative_user_env.runs.moments import ENDS, Explanation, Moment
from explorative_user_env.show import raster, scene
from explorative_user_env.show.shapes import Scene, in_a_column, side_by_side
from explorative_user_env.show.svg import escaped, page_with, svg_of
from explorative_user_env.show.words import grounds_of, spoken
from explorative_user_env.validation import choice, flag, require

# Limits of the steps and of the rows (one for each arm and step) that a film shows. A film of a
# longer run leaves out steps.
LEAST_MOMENTS, MOST_MOMENTS, MOST_ROWS_FILMED = 100, 1000, 50_000
RUN_WIDTH = 960  # width of the picture of a complete run
SETTLED = 20  # the axis of rewards ignores intervals in the first 1 / SETTLED of a film
PNG_SCALE = 2  # scale of a PNG, so that it is sharp on a slide
CONTROLS_HIGH = 190  # height of the controls below the pictures, in a notebook

#: The libraries needed to write a file, by file ending.
NEEDS: dict[str, tuple[str, str, tuple[str, ...]] | None] = {
    ".html": None,
    ".gif": raster.PAINTER,
    ".mp4": raster.VIDEO_NEEDS,
    ".svg": None,
    ".png": raster.PAINTER,
}


class Arrangement(NamedTuple):
    """The layout of a picture: widths of the user's and agent's panels, number of films in a row.

    If `panel` is None, the agent's panel is below the user's panel.
    """

    width: int
    panel: int | None
    columns: int


# The layouts of one film, of several films, and of all films on a phone.
ALONE, TOGETHER = Arrangement(scene.USUAL_WIDTH, 420, 1), Arrangement(640, None, 2)
ON_A_PHONE = Arrangement(360, None, 1)


@dataclass(frozen=True, repr=False)
class Film:
    """A film of a run; a notebook shows it with a slider.

    Attributes:
        agent: the agent's name.
        seed: the user's seed.
        n_steps: number of steps of the run.
        answer: the arm that the agent named.
        end: how the run ended: `ANSWERED`, `CENSORED` or `LEFT`.
        moments: the states of user and agent that the film shows, in order of time; the first is
            before the first step.
        revealed: whether the film shows the hidden state.
        explanation: the events of the run in words; they reveal the hidden state.
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
        """Whether the film leaves out steps of the run."""
        return len(self.moments) <= self.n_steps

    def save(self, path: Path | str, overwrite: bool = False) -> None:
        """Write a film as .html, .gif or .mp4, or a picture of the run as .svg or .png.

        Args:
            path: the file.
            overwrite: whether to replace an existing file.

        Raises:
            InvalidArgumentError: if the file name has another ending, or if the file exists.
            MissingExtraError: if a needed library is not installed.
        """
        save_films([self], Path(path), overwrite=overwrite)

    def _repr_html_(self) -> str:
        """Return the film's page in an iframe, so that its style does not affect the notebook."""
        high = pictures_of([self], [0], ALONE)[0].height + CONTROLS_HIGH
        grow = "this.style.height=this.contentDocument.documentElement.scrollHeight+'px'"
        return (
            f'<iframe srcdoc="{escape(page_of([self]), quote=True)}" '
            f'title="{escaped(f"{self.agent}, step by step")}" height="{high}" '
            f'style="width:100%;border:0" onload="{grow}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"Film(agent={self.agent!r}, seed={self.seed}, n_steps={self.n_steps})"


def film_of(run: Any, reveal: bool | None = None, on_step: Any = lambda step: None) -> Film:
    """Return the film of an `Episode`; `on_step` is called with each step."""
    rerun, n_steps = watched.rerun_of(run), len(run.arms)
    revealed = rerun.shows_intervals if reveal is None else flag("reveal", reveal)
    most = max(LEAST_MOMENTS, min(MOST_MOMENTS, MOST_ROWS_FILMED // rerun.population.n_arms))
    every = -(-max(n_steps, 1) // most)
    moments: list[Moment] = []
    story = watched.Story(rerun.delta)

    def add(moment: Moment) -> None:
        story.add(moment)
        step = moment.seen.steps
        if step % every == 0 or step == n_steps:
            moments.append(moment)
        on_step(step)

    watched.repeat(run, add)
    explanation = story.explanation(run.agent, run.answer, run.end)
    end = (run.answer, run.end)
    return Film(run.agent, run.seed, n_steps, *end, moments, revealed, explanation)


def steps_of_all(films: Sequence[Film]) -> list[int]:
    """Return the steps that at least one of the films shows."""
    return sorted({moment.seen.steps for film in films for moment in film.moments})


def rejected_at(films: Sequence[Film], steps: Sequence[int]) -> list[int]:
    """Return the indices of the steps with a rejection."""
    seen = [moment.seen for film in films for moment in film.moments]
    rejected = {each.steps for each in seen if each.last and not each.last[1]}
    return [place for place, step in enumerate(steps) if step in rejected]


def _places(film: Film, steps: Sequence[int]) -> list[int]:
    """Return for each of `steps` the index of the latest moment that is not after the step."""
    times = [moment.seen.steps for moment in film.moments]
    return [bisect_right(times, step) - 1 for step in steps]


def captions_of(films: Sequence[Film], steps: Sequence[int]) -> list[str]:
    """Return the captions of the pictures of these steps."""
    captions: list[list[str]] = [[] for _ in steps]
    for film in films:
        for caption, place in zip(captions, _places(film, steps), strict=True):
            moment = film.moments[place]
            grounds = grounds_of(moment.seen, moment.decided if film.revealed else None)
            name = f"{film.agent}: " if len(films) > 1 else ""
            caption.append(name + spoken(moment.seen, grounds))
            if place == len(film.moments) - 1:
                caption.append(f"{film.agent} {ENDS[film.end]} arm {film.answer}")
    return [". ".join(caption) for caption in captions]


def _span_of(films: Sequence[Film], early: int) -> tuple[float, float] | None:
    """Return the least and the largest value on the axis of rewards, the same for all films.

    The axis need not show the first 1 / `early` of each film: the intervals are too wide then.
    """
    shown = [film.moments[len(film.moments) // early :] for film in films if film.revealed]
    states = [moment.hidden for moments in shown for moment in moments]
    return scene.span_of(states, range(len(states[0].counts))) if states else None


def pictures_of(
    films: Sequence[Film], steps: Sequence[int], layout: Arrangement, progress: OnProgress = silent
) -> list[Scene]:
    """Return one picture of all films for each step; all pictures have the same size.

    Args:
        films: one or more films.
        steps: the steps.
        layout: the layout.
        progress: called with each picture.
    """
    span, by_film = _span_of(films, SETTLED), list[list[Scene]]()
    for number, film in enumerate(films):
        slots = scene.slots_of(moment.explained for moment in film.moments)
        places, drawn = _places(film, steps), dict[int, Scene]()
        for place in sorted(set(places)):
            portion(progress, number, len(films))("pictures", len(drawn), len(film.moments))
            seen, decided, hidden, explained = film.moments[place]
            truth = (hidden, decided) if film.revealed else (None, None)
            title = f"user of seed {film.seed}"
            user = scene.scene_of_user(seen, *truth, span=span, width=layout.width, title=title)
            drawn[place] = user
            if slots or len(films) > 1:  # with several films, a panel names the agent
                now, below = seen.last[0] if seen.last else None, layout.panel is None
                size = (layout.panel or layout.width, 0 if below else user.height)
                board = scene.board_of(slots, user.rows, *size, below)
                panel = scene.panel_of(explained, board, film.agent, now)
                drawn[place] = (in_a_column if below else side_by_side)([user, panel])
        by_film.append([drawn[place] for place in places])
    if len(films) == 1:
        return by_film[0]
    starts = range(0, len(films), layout.columns)
    return [
        in_a_column([side_by_side(each[start : start + layout.columns]) for start in starts])
        for each in zip(*by_film, strict=True)
    ]


def run_scene(films: Sequence[Film]) -> Scene:
    """Return a picture of all steps of each film, one film below the other."""
    span = _span_of(films, scene.EARLY) if len(films) > 1 else None
    how: dict[str, Any] = {"span": span and scene.rounded_out(span), "width": RUN_WIDTH}
    runs = []
    for film in films:
        n_arms, steps = len(film.moments[0].seen.accepted), film.moments[1:]
        last = [moment.seen.last or (0, False) for moment in steps]
        arms, accepted = [arm for arm, _ in last], [accepted for _, accepted in last]
        truths = [moment.hidden for moment in steps] if film.revealed else None
        some = f" ({len(steps)} of {film.n_steps} steps)" if film.thinned else ""
        title = f"{film.agent} and the user of seed {film.seed}{some}"
        runs.append(scene.timeline(n_arms, arms, accepted, truths, title=title, **how))
    return runs[0] if len(runs) == 1 else in_a_column(runs)


def page_of(films: Sequence[Film], progress: OnProgress = silent) -> str:
    """Return the HTML page of films, with a slider over the steps."""
    steps, several = steps_of_all(films), len(films) > 1
    story: dict[tuple[int, str], list[str]] = {}
    revealed = [film for film in films if film.revealed]  # explanations reveal the hidden state
    for film in revealed:
        for sentence in film.explanation.sentences:
            place = bisect_right(steps, sentence.step) - 1
            story.setdefault((place, str(sentence)), []).append(film.agent)
    lines = [(film, film.explanation.lines[-1]) for film in revealed if film.explanation.left_out]
    lines += [(film, "The film leaves out some steps.") for film in films if film.thinned]
    return page_with(
        title=f"{', '.join(film.agent for film in films)} and the user of seed {films[0].seed}",
        pictures={
            "wide": pictures_of(
                films, steps, TOGETHER if several else ALONE, portion(progress, 0, 2)
            ),
            "narrow": pictures_of(films, steps, ON_A_PHONE, portion(progress, 1, 2)),
        },
        captions=captions_of(films, steps),
        marks=rejected_at(films, steps),
        story=[
            (place, f"{', '.join(who)}: {text}" if several else text)
            for (place, text), who in sorted(story.items(), key=lambda each: each[0][0])
        ],
        note=" ".join(f"{film.agent}: {line}" for film, line in lines),
    )


def save_films(
    films: Sequence[Film],
    path: Path,
    *,
    argument: str = "path",
    overwrite: bool = False,
    progress: OnProgress = silent,
) -> None:
    """Write films of the same user to a file.

    Args:
        films: one or more films.
        path: the file; it ends in .html, .gif, .mp4, .svg or .png.
        argument: the name of `path` in messages.
        overwrite: whether to replace an existing file.
        progress: called with each picture.

    Raises:
        InvalidArgumentError: if the file name has another ending, or if the file exists.
        MissingExtraError: if a needed library is not installed.
    """
    ending = choice(argument, path.suffix.lower() or str(path), NEEDS)
    steps, wide = steps_of_all(films), ALONE if len(films) == 1 else TOGETHER

    def write(place: Path) -> None:
        if ending == ".html":
            place.write_text(page_of(films, progress), encoding="utf-8")
        elif ending == ".svg":
            place.write_text(svg_of(run_scene(films)), encoding="utf-8")
        elif ending == ".png":
            raster.image_of(run_scene(films), scale=PNG_SCALE).save(place, "PNG")
        elif ending == ".mp4":
            raster.write_video(pictures_of(films, steps, wide, progress), place, progress)
        else:
            first = pictures_of(films, steps[:1], wide)[0]
            most = raster.frames_of_a_gif(first.width, first.height)
            shown = [steps[n] for n in raster.chosen(len(steps), rejected_at(films, steps), most)]
            pictures = pictures_of(films, shown, wide, progress)
            raster.write_gif(pictures, rejected_at(films, shown), place, progress)

    write_file(argument, path, write, overwrite)


def can_be_written(path: Path, argument: str, overwrite: bool = False) -> None:
    """Raise the errors that `save_films` would raise for this path."""
    needs = NEEDS[choice(argument, path.suffix.lower() or str(path), NEEDS)]
    if needs is not None:
        require(*needs)
    check_new_file(argument, path, overwrite)
