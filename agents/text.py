"""An agent that is asked in words and answers in words, as a language model does."""

import json
import re
from collections import deque
from collections.abc import Callable, Mapping
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.validation import InvalidArgumentError, count, of_class, one_line

#: Responses that are told one by one; of all of them there are counts.
N_RECENT = 20

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


_SAID = ("rejected", "accepted")


class Conversation:
    """The responses of a user so far, and the questions that follow from them.

    Args:
        n_arms: K.
        horizon: number of recommendations, where it is known.
        n_recent: how many of the last responses are listed one by one, at least 0.
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

    def question(self) -> str:
        """Return the question before a recommendation."""
        ends = self.horizon is not None
        stop = "to recommend arm N from now on" if ends else "to stop and name arm N as the best"
        return self._asked(f'"arm N" to recommend arm N, or "stop: N" {stop}')

    def last_question(self) -> str:
        """Return the question at the end of a run without a stop."""
        return self._asked('"arm N", with the arm that is the best', "The run is over. ")

    def _asked(self, form: str, before: str = "") -> str:
        aim, left = AIM, ""
        if self.horizon is not None:
            aim, left = AIM_OVER_HORIZON.format(horizon=self.horizon), f" of {self.horizon}"
        lines = [HER_RULE.format(n_arms=self.n_arms, last=self.n_arms - 1), aim, ""]
        lines.append(f"Recommendations so far: {self.steps}{left}.")
        for arm, (accepted, rejected, last) in sorted(self.heard.items()):
            counts = f"{accepted} accepted, {rejected} rejected"
            lines.append(f"arm {arm}: {counts}, last {_SAID[last]}")
        others = [arm for arm in range(self.n_arms) if arm not in self.heard]
        # Arms in a row, which are equally far from their places, are named by the first and last.
        numbered = groupby(enumerate(others), lambda pair: pair[1] - pair[0])
        rows = [[arm for _, arm in row] for _, row in numbered]
        if rows:
            ends = [f"{row[0]}" if len(row) == 1 else f"{row[0]} to {row[-1]}" for row in rows]
            lines.append(f"Not recommended yet: {', '.join(ends)}")
        if self.recent:
            recent = ", ".join(f"{arm} {_SAID[accepted]}" for arm, accepted in self.recent)
            lines.append(f"The last {len(self.recent)}, oldest first: {recent}")
        form = f"{before}Answer with one line, {form} (N in 0..{self.n_arms - 1})."
        return "\n".join([*lines, "", form])


#: Lines that begin so are marks around an answer, and no part of it.
FENCE = "```"

#: What may stand before and behind an answer on its line.
BEFORE, BEHIND = " \t*_`\"'", " \t*_`\"'.!"

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
    """Return the meaning of a text.

    The last line that is not empty counts: "3", "arm 3", "I recommend arm 3." or "stop: 3"; or it,
    or the whole, is JSON, {"arm": 3} or {"stop": 3}.

    Args:
        text: the answer.
        n_arms: K.

    Raises:
        InvalidArgumentError: if it means none of these, or no arm of 0..K-1.
    """
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith(FENCE)]
    last = lines[-1] if lines else ""
    answer = _in_json("\n".join(lines)) or _in_json(last)
    words = " ".join(last.lstrip(BEFORE).rstrip(BEHIND).lower().replace(":", ": ").split())
    for pattern, stops in ((_RECOMMEND, False), (_STOP, True)):
        if answer is None and (match := pattern.fullmatch(words)):
            answer = TextAnswer(int(match[1]), stops)
    if answer is None or not 0 <= answer.arm < n_arms:
        allowed = f'"arm N" or "stop: N", N in 0..{n_arms - 1}'
        raise InvalidArgumentError("answer", one_line(last), allowed)
    return answer


def _in_json(text: str) -> TextAnswer | None:
    try:
        said: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    named = [key for key in ("arm", "stop") if isinstance(said, dict) and key in said]
    if len(named) != 1 or type(said[named[0]]) is not int:
        return None
    return TextAnswer(said[named[0]], named[0] == "stop")


#: Times that something is asked: once more, with what was wrong, after what cannot be read.
ATTEMPTS = 2


class TextAgent:
    """An agent that is asked in words and answers in words, at one table with all others.

    At each step `respond` gets the whole question: the task, how often each arm was accepted and
    rejected, the last responses one by one, and the form of an answer ("arm 3", "stop: 3"). It need
    not remember anything. After an answer that cannot be read it is asked once more, with the
    fault; a second such answer is counted, and a uniformly drawn arm stands in for it.

    Args:
        respond: `respond(question) -> answer`, both texts: any client of a language model, or a
            function. What it raises ends the run, with the step and the user.
        name: what tables call the agent.
        n_recent: how many of the last responses are told one by one, at least 0.
        max_steps: a step cap of its own, as each step may cost something; None is none.

    Attributes:
        bad_answers: of the present user, answers that could not be read the second time either.
        asked_again: of the present user, answers that could not be read the first time.

    Raises:
        InvalidArgumentError: for a `respond` that cannot be called, or a number out of range.
    """

    def __init__(
        self,
        respond: Callable[[str], str],
        name: str = "text",
        *,
        n_recent: int = N_RECENT,
        max_steps: int | None = None,
    ) -> None:
        if not callable(respond):
            raise InvalidArgumentError("respond", respond, "a callable (question) -> answer")
        self.respond, self.name = respond, of_class("name", name, str)
        self.n_recent = count("n_recent", n_recent, 0)
        self.max_steps = None if max_steps is None else count("max_steps", max_steps, 1)
        self.bad_answers = self.asked_again = 0
        self._said = ""
        self._final: int | None = None

    @property
    def options(self) -> Mapping[str, Any]:
        """What distinguishes it from others; of `respond` its place alone, as it may hold keys."""
        of = self.respond if hasattr(self.respond, "__qualname__") else type(self.respond)
        return {"respond": f"{of.__module__}:{of.__qualname__}", "n_recent": self.n_recent}

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        """Begin a new conversation."""
        self._talk, self._rng = Conversation(n_arms, horizon, self.n_recent), rng
        self.bad_answers = self.asked_again = 0
        self._said, self._final = "", None

    def act(self) -> int | None:
        """Ask for the next arm, or whether to stop."""
        if self._talk.horizon is not None and self._talk.steps >= self._talk.horizon:
            return self.answer()  # nobody will be recommended it
        answer = self._ask(self._talk.question())
        if not answer.stops:
            return answer.arm
        self._final = answer.arm
        return None

    def observe(self, arm: int, accepted: bool) -> None:
        """Remember a response for the next question."""
        self._talk.take_in(arm, accepted)
        self._final = None

    def answer(self) -> int:
        """Return the arm that it stopped with, or else ask for the best one."""
        if self._final is None:
            self._final = self._ask(self._talk.last_question()).arm
        return self._final

    def explain(self) -> Mapping[str, Any]:
        """Return what was said last, and how often it could not be read."""
        counts = {"bad answers": self.bad_answers, "asked again": self.asked_again}
        return {**counts, "said": self._said}

    def _ask(self, question: str) -> TextAnswer:
        asked = question
        for attempt in range(ATTEMPTS):
            text = self.respond(asked)
            if not isinstance(text, str):
                raise InvalidArgumentError(f"what respond of {self.name} returns", text, "a text")
            self._said = one_line(text)
            try:
                return meant_by(text, self._talk.n_arms)
            except InvalidArgumentError as error:
                self.asked_again += attempt == 0
                wrong = f'Your answer was "{one_line(text)}", which cannot be read: {error}.'
                asked = f"{question}\n\n{wrong}"
        self.bad_answers += 1
        return TextAnswer(int(self._rng.integers(self._talk.n_arms)), stops=False)
