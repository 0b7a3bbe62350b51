"""A run to look at: its moments, what the agent thought in them, and the whole in words."""

from collections.abc import Callable
from pathlib import Path

from explorative_user_env.films.camera import Moment
from explorative_user_env.films.ending import Beginning, Ending
from explorative_user_env.films.footage import Footage
from explorative_user_env.films.listeners import (
    Bands,
    Clicks,
    Dropped,
    Listener,
    Rejections,
    Turns,
)
from explorative_user_env.films.rerun import Watchable, rerun_of, watch_again
from explorative_user_env.films.saving import framed_page, save_films
from explorative_user_env.films.telling import explanation_from
from explorative_user_env.validation import InvalidArgumentError, flag

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
