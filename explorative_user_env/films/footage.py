"""What was filmed of a run."""

from collections.abc import Sequence
from dataclasses import dataclass

from explorative_user_env.films.camera import Moment
from explorative_user_env.films.telling import Explanation


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
