"""How a run began and ended, in words."""

from collections.abc import Iterator

from explorative_user_env.explanations import Explained
from explorative_user_env.films.camera import Moment
from explorative_user_env.films.listeners import Rank
from explorative_user_env.films.telling import Sentence, named_at_the_end
from explorative_user_env.protocol import Against
from explorative_user_env.rendering.panel import number_in_words
from explorative_user_env.rendering.words import brief, rounded
from explorative_user_env.tasks import ANSWERED
from explorative_user_env.users.hidden_state import HiddenState

GIVEN_UP = 2
"""An arm that was not recommended for so many steps an arm, at the end, was given up."""


class Beginning:
    """What there is to find."""

    def __init__(self) -> None:
        self._hidden: HiddenState | None = None

    def hear(self, moment: Moment) -> None:
        """Take in a step."""
        self._hidden = self._hidden or moment.hidden

    def tell(self) -> Iterator[Sentence]:
        """Yield what there is to say at the end."""
        assert self._hidden is not None
        means, best = self._hidden.instance.means, self._hidden.instance.best_arm
        second = max((arm for arm in range(len(means)) if arm != best), key=means.__getitem__)
        gap = rounded(means[best] - means[second])
        told = f"the best of {len(means)} arms is arm {best}, with mean {rounded(means[best])}"
        yield Sentence(0, f"{told}; arm {second} is next, {gap} below", Rank.END)


class Ending:
    """What the agent named, and what it was stuck on if it did not stop by itself.

    Args:
        agent: the agent's name.
        answer: what it named as the best.
        end: how the run ended, as of an `Episode`.
        n_steps: how long the run is.
    """

    def __init__(self, agent: str, answer: int, end: int, n_steps: int) -> None:
        self._agent, self._answer = agent, answer
        self._end, self._n_steps = end, n_steps
        self._first_best: int | None = None
        self._last: Moment | None = None
        self._recommended: dict[int, tuple[int, int]] = {}

    def hear(self, moment: Moment) -> None:
        """Take in a step."""
        if self._first_best is None:
            self._first_best = moment.hidden.instance.best_arm
        self._last = moment
        if moment.seen.last is not None:
            arm = moment.seen.last[0]
            times, _ = self._recommended.get(arm, (0, 0))
            self._recommended[arm] = (times + 1, moment.seen.steps)

    def tell(self) -> Iterator[Sentence]:
        """Yield what there is to say at the end."""
        assert self._last is not None
        truth = self._last.hidden.instance
        best, named = truth.best_arm, self._answer
        if best != self._first_best:
            yield Sentence(self._n_steps, f"by now arm {best} is the best", Rank.BEST)
        times, last = self._recommended.get(best, (0, 0))
        if named != best and self._n_steps - last >= GIVEN_UP * len(truth.means):
            told = f"arm {best} (the best) was never recommended"
            if times:
                told = f"arm {best} (the best) was recommended for the last time, of {times}"
            yield Sentence(last, told, Rank.BEST)
        yield Sentence(self._n_steps, self._how_it_ended(best, truth.means), Rank.END)

    def _how_it_ended(self, best: int, means: tuple[float, ...]) -> str:
        assert self._last is not None
        seen, named = self._last.seen, self._answer
        told = named_at_the_end(self._agent, named, self._end)
        if named == best:
            told += ", the best arm"
        else:
            short = rounded(means[best] - means[named])
            told += f", which is wrong: its mean is {short} below that of arm {best}"
        accepted = f"{brief(sum(seen.accepted))} of {brief(seen.steps)}"
        told += f". She accepted {accepted} recommendations"
        stuck = [_in_words(name, value) for name, value in self._last.said.items()]
        stuck = [each for each in stuck if each]
        if self._end != ANSWERED and stuck:
            told += f". It was left with {'; '.join(stuck)}"
        return told


def _in_words(name: str, value: Explained) -> str:
    """Return what an agent compares, or calls by a word; nothing of other things."""
    if isinstance(value, str):
        return f"{name}: {value}"
    if isinstance(value, Against) and isinstance(value.value, float):
        return f"{name}: {number_in_words(value.value)} / {number_in_words(value.target)}"
    return ""
