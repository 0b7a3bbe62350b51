"""An episode in words: what a text agent is asked at each step, in a form that does not grow."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

N_RECENT = 20
"""Responses that are told one by one; of all of them there are counts."""

HER_RULE = (
    "You recommend one arm at a time to a user who is still learning what she likes. She accepts "
    "what you recommend, and learns how much she likes it, unless she is sure by then that another "
    "arm is better: then she rejects it. You see acceptances and rejections only. One of her "
    "{n_arms} arms, 0 to {last}, is the best for her."
)

AIM = (
    "Find it with few recommendations, and then stop and name it: you are judged by how many there "
    "were and by whether the arm is right."
)

AIM_OVER_HORIZON = (
    "There are {horizon} recommendations in all: each costs as much as its arm is worse than the "
    "best one."
)


class Conversation:
    """What was recommended to a user and what she said, and the questions that follow from it.

    Args:
        n_arms: K.
        horizon: number of recommendations, where it is known.
        n_recent: how many of the last responses are told one by one, at least 0.
    """

    def __init__(self, n_arms: int, horizon: int | None = None, n_recent: int = N_RECENT) -> None:
        self.n_arms, self.horizon = n_arms, horizon
        self.heard: dict[int, list[int]] = {}  # of each arm: accepted, rejected, last response
        self.recent: deque[tuple[int, bool]] = deque(maxlen=n_recent)
        self.steps = 0

    def take_in(self, arm: int, accepted: bool) -> None:
        """Take in a response."""
        counts = self.heard.setdefault(arm, [0, 0, 0])
        counts[0 if accepted else 1] += 1
        counts[2] = int(accepted)
        self.recent.append((arm, accepted))
        self.steps += 1

    @property
    def is_over(self) -> bool:
        """Whether all recommendations were made, where it is known how many there are."""
        return self.horizon is not None and self.steps >= self.horizon

    def question(self) -> str:
        """Return what is asked before each recommendation."""
        stop = "to stop and name arm N as the best"
        if self.horizon is not None:
            stop = "to recommend arm N from now on"
        return self._asked(f'"arm N" to recommend arm N, or "stop: N" {stop}')

    def last_question(self) -> str:
        """Return what is asked at the end of a run without a stop."""
        return self._asked('"arm N", with the arm that is the best', "The run is over. ")

    def _asked(self, form: str, before: str = "") -> str:
        form = f"{before}Answer with one line, {form} (N in 0..{self.n_arms - 1})."
        return "\n".join([*self._task(), "", *self._told(), "", form])

    def _task(self) -> Iterator[str]:
        yield HER_RULE.format(n_arms=self.n_arms, last=self.n_arms - 1)
        yield AIM if self.horizon is None else AIM_OVER_HORIZON.format(horizon=self.horizon)

    def _told(self) -> Iterator[str]:
        left = "" if self.horizon is None else f" of {self.horizon}"
        yield f"Recommendations so far: {self.steps}{left}."
        for arm, (accepted, rejected, last) in sorted(self.heard.items()):
            yield f"arm {arm}: {accepted} accepted, {rejected} rejected, last {_SAID[last]}"
        if others := [arm for arm in range(self.n_arms) if arm not in self.heard]:
            yield f"Not recommended yet: {_in_short(others)}"
        if self.recent:
            told = ", ".join(f"{arm} {_SAID[accepted]}" for arm, accepted in self.recent)
            yield f"The last {len(self.recent)}, oldest first: {told}"


_SAID = ("rejected", "accepted")


def asked_again(question: str, answer: str, wrong: str) -> str:
    """Return a question that was not answered, with what was wrong."""
    return f'{question}\n\nYour answer was "{answer}", which cannot be read: {wrong}.'


def _in_short(numbers: Iterable[int]) -> str:
    """Return whole numbers in order, those in a row by the first and the last."""
    rows: Sequence[list[int]] = [
        [number for _, number in row]
        for _, row in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0])
    ]
    return ", ".join(f"{row[0]}" if len(row) == 1 else f"{row[0]} to {row[-1]}" for row in rows)
