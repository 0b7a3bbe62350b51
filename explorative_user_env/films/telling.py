"""A run in words: what mattered in it, and why it happened, in the order of time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from explorative_user_env.tasks import ANSWERED, CENSORED, LEFT

MOST_SENTENCES = 15
"""What is told of a run at most; of the rest it is said how much there is."""


class Sentence(NamedTuple):
    """Something that happened.

    Attributes:
        step: t, 0 before the first recommendation.
        text: what happened, and why.
        rank: how much it matters, 0 the most.
    """

    step: int
    text: str
    rank: int = 0

    def __str__(self) -> str:
        return f"t = {self.step}: {self.text}"


@dataclass(frozen=True, repr=False)
class Explanation:
    """What happened in a run and why, printed a sentence a line.

    Attributes:
        sentences: in the order of time.
        left_out: how many things more happened that matter less.
    """

    sentences: tuple[Sentence, ...]
    left_out: int = 0

    @property
    def lines(self) -> tuple[str, ...]:
        """The sentences as they are printed, and what is left out."""
        more = f"(Left out: {self.left_out} more, such as first rejections.)"
        return (*map(str, self.sentences), *([more] if self.left_out else []))

    def __str__(self) -> str:
        return "\n".join(self.lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from explorative_user_env.display.html import paragraphs

        return paragraphs(self.lines)


_ENDS = {
    ANSWERED: "stopped and named",
    CENSORED: "was cut off; its guess is",
    LEFT: "lost the user, who left; its guess is",
}


def named_at_the_end(agent: str, answer: int, end: int) -> str:
    """Return which arm an agent named, and how it came to that: `end` is that of an episode."""
    return f"{agent} {_ENDS[end]} arm {answer}"


def explanation_from(sentences: Sequence[Sentence], most: int = MOST_SENTENCES) -> Explanation:
    """Return the sentences that matter most, the earliest of those that matter alike.

    Args:
        sentences: what of the same step comes later is told later.
        most: how many are told at most.
    """
    in_time = sorted(sentences, key=lambda each: each.step)
    ranked = sorted(range(len(in_time)), key=lambda place: in_time[place].rank)
    told = [in_time[place] for place in sorted(ranked[:most])]
    return Explanation(tuple(told), len(in_time) - len(told))
