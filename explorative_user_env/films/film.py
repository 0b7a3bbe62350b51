"""A run to look at: its moments, what the agent thought in them, and the whole in words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from explorative_user_env.films.camera import Moment
from explorative_user_env.films.ending import Beginning, Ending
from explorative_user_env.films.listeners import (
    Bands,
    Chances,
    Dropped,
    Listener,
    Rejections,
    Turns,
)
from explorative_user_env.films.rerun import Watchable, rerun_of, watch
from explorative_user_env.films.telling import Explanation, explanation_from
from explorative_user_env.validation import flag

MOST_MOMENTS = 2000
"""Of a film; of a longer run some steps are left out, evenly."""

Heard = Callable[[int], None]
"""Called with each step of a run while it is watched again."""


@dataclass(frozen=True, repr=False)
class Film:
    """A run that was watched.

    As the last line of a notebook's cell it is the film, with a slider over its steps.

    Attributes:
        agent: the agent's name.
        seed: the user's.
        n_steps: the length of the run.
        answer: the arm that the agent named.
        censored: whether it was cut off.
        moments: in the order of time, the first before any step and the last at the end.
        revealed: whether the truth is shown.
        explanation: the run in words, the truth among them.
    """

    agent: str
    seed: int
    n_steps: int
    answer: int
    censored: bool
    moments: Sequence[Moment]
    revealed: bool
    explanation: Explanation

    @property
    def thinned(self) -> bool:
        """Whether some steps of the run are left out."""
        return len(self.moments) <= self.n_steps

    def save(self, path: Path | str, overwrite: bool = False) -> None:
        """Write it to a file: a film as .html, .gif or .mp4, the whole run as .svg or .png.

        Args:
            path: the file.
            overwrite: whether something may be there.

        Raises:
            InvalidArgumentError: for another ending, or if something is there.
            MissingExtraError: without what paints it.
        """
        from explorative_user_env.films.saving import save_films

        save_films([self], Path(path), overwrite=overwrite)

    def _repr_html_(self) -> str:
        from explorative_user_env.films.saving import framed_page

        return framed_page([self])

    def __repr__(self) -> str:
        return f"Film(agent={self.agent!r}, seed={self.seed}, n_steps={self.n_steps})"


def film_of(run: Watchable, reveal: bool | None = None, heard: Heard | None = None) -> Film:
    """Return a run as a film; see `Episode.film`.

    Args:
        run: the run.
        reveal: whether the truth is shown; None is as its environment does.
        heard: told of each step.
    """
    rerun = rerun_of(run)
    revealed = rerun.shows_intervals if reveal is None else flag("reveal", reveal)
    n_steps = len(run.arms)
    every = -(-max(n_steps, 1) // MOST_MOMENTS)
    moments: list[Moment] = []
    ending = Ending(run.agent, run.answer, run.censored, n_steps)
    noticing = (Turns(), Rejections(), Dropped(), Chances(), Bands(rerun.delta))
    listeners: list[Listener] = [Beginning(), *noticing, ending]

    def hear(moment: Moment) -> None:
        for listener in listeners:
            listener.hear(moment)
        step = moment.seen.steps
        if step % every == 0 or step == n_steps:
            moments.append(moment)
        if heard is not None:
            heard(step)

    watch(run, hear)
    told = [sentence for listener in listeners for sentence in listener.tell()]
    end = (n_steps, run.answer, run.censored)
    return Film(run.agent, run.seed, *end, moments, revealed, explanation_from(told))
