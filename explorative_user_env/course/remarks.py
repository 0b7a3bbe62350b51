"""What a grader says of an answer: whether it is right, and if not, what is wrong, in words."""

import html
from typing import NamedTuple


class Remark(NamedTuple):
    """What a grader says of an answer.

    Attributes:
        exercise: the number of the exercise, as "2.3".
        right: whether the answer is right.
        words: what is wrong, or what the answer shows.
        verdict: what is said of it before the words, where it is neither right nor to be mended.
    """

    exercise: str
    right: bool
    words: str
    verdict: str = ""

    def __str__(self) -> str:
        verdict = self.verdict or ("is right" if self.right else "not yet")
        return f"{self.exercise} {verdict}: {self.words}"

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        colour = "#2e7d32" if self.right else "#b26a00"
        return (
            f'<div style="border-left: 4px solid {colour}; padding: .2em .8em">'
            f"{html.escape(str(self))}</div>"
        )
