"""The record of a run, which can be explained and watched."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorative_user_env.protocol import ANSWERED, CENSORED, LEFT

if TYPE_CHECKING:
    from explorative_user_env.runs.films import Film
    from explorative_user_env.runs.moments import Explanation, Rerun


@dataclass(frozen=True, repr=False)
class Episode:
    """What happened between an agent and a user.

    Attributes:
        agent: the agent's name.
        seed: the user's seed; `rollout(env, agent, seed=seed)` does it all again.
        arms: the recommended arm of each step.
        accepted: the response of each step.
        rewards: the environment's reward of each step, which the agent did not see.
        answer: the arm the agent names as the best.
        censored: whether the run was cut off before the agent stopped.
        left: whether the user left, which she does after a response.
        rerun: repeats the run so that it can be watched; it is not pickled.
    """

    agent: str
    seed: int
    arms: tuple[int, ...]
    accepted: tuple[bool, ...]
    rewards: tuple[float, ...]
    answer: int
    censored: bool
    left: bool = False
    rerun: "Rerun | None" = field(default=None, compare=False)

    @property
    def stopping_time(self) -> int:
        """The number of recommendations."""
        return len(self.arms)

    @property
    def acceptances(self) -> int:
        """The number of accepted recommendations, n(t)."""
        return sum(self.accepted)

    @property
    def rejections(self) -> int:
        """The number of rejected recommendations."""
        return len(self.accepted) - sum(self.accepted)

    @property
    def end(self) -> int:
        """How the run ended, one of `ANSWERED`, `CENSORED` and `LEFT`."""
        if self.left:
            return LEFT
        return CENSORED if self.censored else ANSWERED

    def explain(self) -> "Explanation":
        """Return in words what mattered in the run and why, by the user's hidden state.

        Raises:
            InvalidArgumentError: for a run that cannot be watched again (see `film`).
        """
        return self.film(reveal=True).explanation

    def film(self, reveal: bool | None = None) -> "Film":
        """Return a film of the run, step by step, with what the agent explains.

        A copy of the agent meets the user again, so an episode from another process has no film.

        Args:
            reveal: whether the user's intervals and the truth are shown; None is as in the
                environment's rendering, by its `render_intervals`.

        Raises:
            InvalidArgumentError: for an episode from another process, or if the agent has changed.
        """
        from explorative_user_env.runs.films import film_of

        return film_of(self, reveal)

    def save(self, path: Path | str, reveal: bool | None = None, overwrite: bool = False) -> None:
        """Write the run as a film (.html, .gif or .mp4) or as one picture (.svg or .png).

        Args:
            path: the file.
            reveal: as in `film`.
            overwrite: whether something may be there.
        """
        self.film(reveal).save(path, overwrite)

    def _repr_html_(self) -> str | None:
        from explorative_user_env.runs.films import shown_in_notebook

        return shown_in_notebook(self)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "rerun"}

    def __repr__(self) -> str:
        names = ["agent", "seed", "stopping_time", "acceptances", "answer", "censored"]
        names += ["left"] if self.left else []
        return f"Episode({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"
