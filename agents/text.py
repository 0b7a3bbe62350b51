"""An agent that is asked in words and answers in words, as a language model does."""

import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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


#: Times that something is asked: once more, with what was wrong, after what cannot be read.
ATTEMPTS = 2


class TextAgent:
    """What answers in words sits at the same table as the agents of rules.

    At each step `respond` is handed the whole question: the task, how often each arm was accepted
    and rejected, the last responses one by one, and in what form to answer ("arm 3", "stop: 3"; see
    `conversation` and `text_answers`). It need not remember anything. An answer that cannot be read
    is asked for once more, with what was wrong; if that cannot be read either it is counted, and an
    arm that the agent's own stream draws, each as likely, stands in for it.

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
        if self._talk.is_over:
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
        said: dict[str, Any] = {"bad answers": self.bad_answers, "asked again": self.asked_again}
        return said | {"said": self._said}

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
                asked = asked_again(question, one_line(text), str(error))
        self.bad_answers += 1
        return TextAnswer(int(self._rng.integers(self._talk.n_arms)), stops=False)
