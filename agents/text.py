"""An agent that is asked in words and answers in words, as a language model does."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from explorative_user_env.validation import InvalidArgumentError, count, of_class, one_line

from .conversation import N_RECENT, Conversation, asked_again
from .text_answers import TextAnswer, meant_by

ATTEMPTS = 2
"""Times that something is asked: once more, with what was wrong, after what cannot be read."""


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
