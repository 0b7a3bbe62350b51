"""The pictures of films: the user at each moment, and beside her what the agent thinks.

Several agents that met the same user stand side by side.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from explorative_user_env.display.progress import OnProgress, portion, silent
from explorative_user_env.films.footage import Footage
from explorative_user_env.films.telling import named_at_the_end
from explorative_user_env.rendering.axis import rounded_out
from explorative_user_env.rendering.beliefs import span_of
from explorative_user_env.rendering.board import board_of
from explorative_user_env.rendering.layout import USUAL_WIDTH
from explorative_user_env.rendering.panel import panel_of
from explorative_user_env.rendering.scene import scene_of_user
from explorative_user_env.rendering.shapes import Scene
from explorative_user_env.rendering.slots import slots_of
from explorative_user_env.rendering.timeline import EARLY, timeline
from explorative_user_env.rendering.together import beside, in_a_column, rows_in
from explorative_user_env.rendering.words import grounds_of, spoken


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
