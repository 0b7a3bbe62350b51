"""An agent that sends each question as text to a language model and parses the answer."""

import json
import re
from collections import deque
from collections.abc import Callable, Mapping
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.validation import InvalidArgumentError, count, of_class, one_line

#: Default number of latest responses in a question.
N_RECENT = 20

USER_RULE = (
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


_RESPONSES = ("rejected", "accepted")


class Conversation:
    """The responses of one user so far, and the questions to a language model about them.

    Args:
        n_arms: number of arms K.
        horizon: number of recommendations of the run if known, else None.
        n_recent: how many of the latest responses a question lists one by one, at least 0.
    """

    def __init__(self, n_arms: int, horizon: int | None = None, n_recent: int = N_RECENT) -> None:
        self.n_arms, self.horizon = n_arms, horizon
        self.counts: dict[int, list[int]] = {}  # by arm: acceptances, rejections, last response
        self.recent: deque[tuple[int, bool]] = deque(maxlen=n_recent)
        self.steps = 0

    def take_in(self, arm: int, accepted: bool) -> None:
        """Count and remember a response."""
        counts = self.counts.setdefault(arm, [0, 0, 0])
        counts[0 if accepted else 1] += 1
        counts[2] = int(accepted)
        self.recent.append((arm, accepted))
        self.steps += 1

    def question(self) -> str:
        """Return the question for the next recommendation."""
        ends = self.horizon is not None
        stop = "to recommend arm N from now on" if ends else "to stop and name arm N as the best"
        return self._compose(f'"arm N" to recommend arm N, or "stop: N" {stop}')

    def last_question(self) -> str:
        """Return the question for the best arm, to ask if a run is over without an answer."""
        return self._compose('"arm N", with the arm that is the best', "The run is over. ")

    def _compose(self, form: str, before: str = "") -> str:
        aim, left = AIM, ""
        if self.horizon is not None:
            aim, left = AIM_OVER_HORIZON.format(horizon=self.horizon), f" of {self.horizon}"
        lines = [USER_RULE.format(n_arms=self.n_arms, last=self.n_arms - 1), aim, ""]
        lines.append(f"Recommendations so far: {self.steps}{left}.")
        for arm, (accepted, rejected, last) in sorted(self.counts.items()):
            counts = f"{accepted} accepted, {rejected} rejected"
            lines.append(f"arm {arm}: {counts}, last {_RESPONSES[last]}")
        others = [arm for arm in range(self.n_arms) if arm not in self.counts]
        # Show consecutive arms as "5 to 8": for these, arm - position is constant.
        numbered = groupby(enumerate(others), lambda pair: pair[1] - pair[0])
        rows = [[arm for _, arm in row] for _, row in numbered]
        if rows:
            ends = [f"{row[0]}" if len(row) == 1 else f"{row[0]} to {row[-1]}" for row in rows]
            lines.append(f"Not recommended yet: {', '.join(ends)}")
        if self.recent:
            recent = ", ".join(f"{arm} {_RESPONSES[accepted]}" for arm, accepted in self.recent)
            lines.append(f"The last {len(self.recent)}, oldest first: {recent}")
        form = f"{before}Answer with one line, {form} (N in 0..{self.n_arms - 1})."
        return "\n".join([*lines, "", form])


#: Start of the lines that open or close a Markdown code block around an answer.
FENCE = "```"

#: Characters that are stripped before and after an answer.
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
    """The parsed answer of a language model.

    Attributes:
        arm: the arm in the answer.
        stops: if True, the agent stops and names `arm` as the best; else it recommends `arm` next.
    """

    arm: int
    stops: bool


def answer_in_words(answer: TextAnswer) -> str:
    """Return an answer as text, the inverse of `parse_answer`."""
    return f"stop: {answer.arm}" if answer.stops else f"arm {answer.arm}"


def parse_answer(text: str, n_arms: int) -> TextAnswer:
    """Parse the text of an answer.

    The last line that is not empty must be "3", "arm 3", "I recommend arm 3." or "stop: 3". This
    line or the whole text may also be JSON: {"arm": 3} or {"stop": 3}.

    Args:
        text: the answer.
        n_arms: number of arms K.

    Raises:
        InvalidArgumentError: if the text has another form, or the arm is not in 0..K-1.
    """
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith(FENCE)]
    last = lines[-1] if lines else ""
    answer = _parse_json("\n".join(lines)) or _parse_json(last)
    words = " ".join(last.lstrip(BEFORE).rstrip(BEHIND).lower().replace(":", ": ").split())
    for pattern, stops in ((_RECOMMEND, False), (_STOP, True)):
        if answer is None and (match := pattern.fullmatch(words)):
            answer = TextAnswer(int(match[1]), stops)
    if answer is None or not 0 <= answer.arm < n_arms:
        allowed = f'"arm N" or "stop: N", N in 0..{n_arms - 1}'
        raise InvalidArgumentError("answer", one_line(last), allowed)
    return answer


def _parse_json(text: str) -> TextAnswer | None:
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    keys = [key for key in ("arm", "stop") if isinstance(value, dict) and key in value]
    if len(keys) != 1 or type(value[keys[0]]) is not int:
        return None
    return TextAnswer(value[keys[0]], keys[0] == "stop")


#: Attempts at each question; the second question states why the first answer was unreadable.
ATTEMPTS = 2


class TextAgent:
    """An agent that asks a language model, or any function from text to text, for each arm.

    Each question states the task, the acceptances and rejections of each arm, the latest responses
    and the form of an answer ("arm 3", "stop: 3"). So `respond` needs no memory. After an
    unreadable answer the agent asks once more and states the problem. If the second answer is
    unreadable too, the agent counts a bad answer and draws an arm uniformly.

    Args:
        respond: `respond(question) -> answer`, both texts. If `respond` raises an exception, the
            run ends with an error that names the step and the user.
        name: the agent's name in tables.
        n_recent: how many of the latest responses a question lists one by one, at least 0.
        max_steps: step cap of a run, as each step may cost money; None sets no cap.

    Attributes:
        bad_answers: number of questions in the current run with two unreadable answers.
        retries: number of questions in the current run with an unreadable first answer.

    Raises:
        InvalidArgumentError: if `respond` is not callable or another argument is out of range.
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
        self.bad_answers = self.retries = 0
        self._reply = ""
        self._final: int | None = None

    @property
    def options(self) -> Mapping[str, Any]:
        """The options that identify the agent: the import path of `respond`, and `n_recent`."""
        of = self.respond if hasattr(self.respond, "__qualname__") else type(self.respond)
        return {"respond": f"{of.__module__}:{of.__qualname__}", "n_recent": self.n_recent}

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        """Start a new conversation."""
        self._talk, self._rng = Conversation(n_arms, horizon, self.n_recent), rng
        self.bad_answers = self.retries = 0
        self._reply, self._final = "", None

    def act(self) -> int | None:
        """Ask `respond` for the next arm or a stop."""
        if self._talk.horizon is not None and self._talk.steps >= self._talk.horizon:
            return self.answer()  # the run is over, so this arm is not recommended
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
        """Return the arm that `respond` named at its stop. Without a stop, ask for the best arm."""
        if self._final is None:
            self._final = self._ask(self._talk.last_question()).arm
        return self._final

    def explain(self) -> Mapping[str, Any]:
        """Return the latest answer and the counts of unreadable answers."""
        counts = {"bad answers": self.bad_answers, "retries": self.retries}
        return {**counts, "reply": self._reply}

    def _ask(self, question: str) -> TextAnswer:
        prompt = question
        for attempt in range(ATTEMPTS):
            text = self.respond(prompt)
            if not isinstance(text, str):
                raise InvalidArgumentError(f"the answer of {self.name}.respond", text, "a text")
            self._reply = one_line(text)
            try:
                return parse_answer(text, self._talk.n_arms)
            except InvalidArgumentError as error:
                self.retries += attempt == 0
                wrong = f'Your answer was "{one_line(text)}", which cannot be read: {error}.'
                prompt = f"{question}\n\n{wrong}"
        self.bad_answers += 1
        return TextAnswer(int(self._rng.integers(self._talk.n_arms)), stops=False)
