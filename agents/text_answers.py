"""What an answer in words means: an arm to recommend, or to stop with; anything else is refused."""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from explorative_user_env.validation import InvalidArgumentError, one_line

FENCE = "```"
"""Lines that begin so are marks around an answer, and no part of it."""

BEFORE, BEHIND = " \t*_`\"'", " \t*_`\"'.!"
"""What may stand before and behind an answer on its line."""

_NUMBER = r"(?:(?:the )?arm:? )?#?([0-9]{1,7})"
_LEAD = r"(?:(?:my |the )?(?:final )?(?:answer|action|choice|recommendation)(?: is)?:? )?"
_I = r"(?:(?:i|we|let me|let us|i will|i would|i'll|i'd) )?"
_RECOMMEND = re.compile(rf"{_LEAD}{_I}(?:(?:recommend|choose|pick|try|show)(?: her)?:? )?{_NUMBER}")
_STOP = re.compile(
    rf"{_LEAD}{_I}stop(?: here| now)?[:,;]?(?: (?:and|with|at|on|name|answer|the best is|best))*:? "
    rf"{_NUMBER}"
)


class TextAnswer(NamedTuple):
    """What an answer means.

    Attributes:
        arm: the arm that it names.
        stops: whether that is the best one and the end, rather than what to recommend next.
    """

    arm: int
    stops: bool


def answer_in_words(answer: TextAnswer) -> str:
    """Return an answer in the words that are asked for; `meant_by` reads them."""
    return f"stop: {answer.arm}" if answer.stops else f"arm {answer.arm}"


def meant_by(text: str, n_arms: int) -> TextAnswer:
    """Return what a text means.

    The last line that is not empty counts: "3", "arm 3", "I recommend arm 3." or "stop: 3"; or it,
    or the whole, is JSON, {"arm": 3} or {"stop": 3}.

    Args:
        text: what was answered.
        n_arms: K.

    Raises:
        InvalidArgumentError: if it means none of these, or no arm of 0..K-1.
    """
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith(FENCE)]
    last = lines[-1] if lines else ""
    answer = _in_json("\n".join(lines)) or _in_json(last) or _in_line(last)
    if answer is None or not 0 <= answer.arm < n_arms:
        allowed = f'"arm N" or "stop: N", N in 0..{n_arms - 1}'
        raise InvalidArgumentError("answer", one_line(last), allowed)
    return answer


def _in_line(line: str) -> TextAnswer | None:
    said = " ".join(line.lstrip(BEFORE).rstrip(BEHIND).lower().replace(":", ": ").split())
    for pattern, stops in ((_RECOMMEND, False), (_STOP, True)):
        if found := pattern.fullmatch(said):
            return TextAnswer(int(found[1]), stops)
    return None


def _in_json(text: str) -> TextAnswer | None:
    """Return what a record means that names one arm, to recommend or to stop with."""
    try:
        said: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, Mapping):
        return None
    named = [(key, said[key]) for key in ("arm", "stop") if key in said]
    if len(named) != 1 or type(named[0][1]) is not int:
        return None
    key, arm = named[0]
    return TextAnswer(arm, key == "stop")
