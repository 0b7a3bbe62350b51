"""An agent that sends each question as text to a language model and parses the answer."""

import copy
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from explorative_user_env.protocol import STOP, Array, OneUserAtATime, UserFailedError
from explorative_user_env.validation import (
    CallableError,
    InvalidArgumentError,
    count,
    of_class,
    one_line,
)

from .answers import TextAnswer, parse_answer
from .asking import Call, Client, FailedCallError, Transcript, run_name
from .conversation import N_RECENT, Conversation, Facts, Question, joined

#: Attempts at each question; the second question states why the first answer was unreadable.
ATTEMPTS = 2

#: Default number of questions at a time, and of tries of a call that raises an exception.
AT_ONCE, TRIES = 100, 3


class TextAgent(OneUserAtATime):
    """An agent that asks a language model, or any function from text to text, for each arm.

    An evaluation asks for all its users together. Each question is a `Question`, a text with the
    attribute `messages`. It states the task, the score, the rule of the user, the responses so far
    and the form of an answer ("arm 3", "stop: 3"). So the model needs no memory. After an
    unreadable answer the agent asks once more and states the problem. If the second answer is
    unreadable too, the agent counts a bad answer and draws an arm uniformly. After the step cap,
    the horizon or the leaving of the user nothing is asked: the answer is the arm that the model
    named at a stop, or else the arm with the most acceptances.

    Args:
        respond: `respond(question) -> text`, plain or `async`. Plain functions run in threads.
        name: the agent's name in tables.
        respond_many: instead of `respond`, a function `respond_many(questions) -> texts`, plain or
            `async`. An exception in place of a text is a failed call.
        at_once: most questions at a time, in 1..10000. A plain `respond` with `at_once=1` is called
            for one question after another, in the calling thread.
        tries: tries of a call that raises an exception, at least 1. After the last try the run ends
            with an error that names the step and the user. The same evaluation with the same agent
            then goes on from the answers so far.
        transcript: a JSONL file that gets each answer at once. An evaluation with the same file
            takes known answers from it. None keeps the answers of the latest evaluation only.
        n_recent: how many of the latest responses a question lists one by one, at least 0.
        max_steps: step cap of a run, as each step may cost money; None sets no cap.

    Attributes:
        bad_answers: number of questions in the latest evaluation or rollout with two unreadable
            answers.
        retries: number of these questions with an unreadable first answer.
        n_calls: number of answers of the model, without known answers.
        calls: the latest 10,000 of them, each with `question` and `answer`.

    Raises:
        InvalidArgumentError: if not one of `respond` and `respond_many` is a callable, or another
            argument is out of range.
    """

    def __init__(
        self,
        respond: Callable[[Question], Any] | None = None,
        name: str = "text",
        *,
        respond_many: Callable[[list[Question]], Any] | None = None,
        at_once: int = AT_ONCE,
        tries: int = TRIES,
        transcript: Path | str | None = None,
        n_recent: int = N_RECENT,
        max_steps: int | None = None,
    ) -> None:
        many = respond_many is not None
        function: Any = respond_many if many else respond
        if not callable(function) or (many and respond is not None):
            allowed = "a callable (question) -> answer, or left out with respond_many"
            raise InvalidArgumentError("respond", respond, allowed)
        self.name = of_class("name", name, str)
        what = f"{name}.respond_many" if many else f"{name}.respond"
        numbers = count("at_once", at_once, 1, 10_000), count("tries", tries, 1)
        self._client = Client(what, function, many, *numbers)
        self._transcript = Transcript(None if transcript is None else Path(transcript))
        self.n_recent = count("n_recent", n_recent, 0)
        self.max_steps = None if max_steps is None else count("max_steps", max_steps, 1)
        self.facts: Facts | None = None

    def with_facts(self, facts: Facts) -> "TextAgent":
        """Start an evaluation: return an agent with these facts and the same transcript."""
        self._transcript.start()
        known = copy.copy(self)
        known.facts = facts
        return known

    @property
    def options(self) -> Mapping[str, Any]:
        """The options that identify the agent: the path of the function, `n_recent`, the facts."""
        of: Any = self._client.function
        of = of if hasattr(of, "__qualname__") else type(of)
        known = {} if self.facts is None else asdict(self.facts)
        return {"respond": f"{of.__module__}:{of.__qualname__}", "n_recent": self.n_recent} | known

    @property
    def bad_answers(self) -> int:
        """The number of questions with two unreadable answers."""
        return self._transcript.counts["bad answers"]

    @property
    def retries(self) -> int:
        """The number of questions with an unreadable first answer."""
        return self._transcript.counts["retries"]

    @property
    def n_calls(self) -> int:
        """The number of answers of the model, without known answers."""
        return self._transcript.n_calls

    @property
    def calls(self) -> deque[Call]:
        """The latest calls, at most 10,000."""
        return self._transcript.calls

    def reset_all(self, n_arms: int, rngs: Sequence[Any], horizon: int | None = None) -> None:
        """Start new conversations."""
        facts = self.facts or Facts()
        self._n_arms, self._rngs, self._n_earlier = n_arms, rngs, 0
        self._system, n_users = facts.system(n_arms, horizon), facts.n_users
        self._steps = facts.steps(horizon)
        shape = (n_arms, self._steps, self.n_recent, n_users)
        self._runs, self._talks = [*map(run_name, rngs)], [Conversation(*shape) for _ in rngs]
        self._finals = dict[int, int]()
        if self.facts is None:
            self._transcript.start()

    def next_user_all(self) -> None:
        """Start with the next user of each episode; questions also state earlier responses."""
        for talk in self._talks:
            talk.next_user()
        self._n_earlier += 1
        self._finals = {}

    def next_user(self) -> None:
        """Start with the next user of an episode."""
        self.next_user_all()

    def act_all(self, users: Array) -> Array:
        """Ask for the next arm of each user, or a stop."""
        going_on = [
            user
            for user in users.tolist()
            if self._steps is None or self._talks[user].steps < self._steps
        ]
        answers = dict(zip(going_on, self._ask(going_on), strict=True))
        self._finals |= {user: answer.arm for user, answer in answers.items() if answer.stops}
        over = TextAnswer(0, stops=False)  # the run is over, so this arm is not recommended
        arms = [answers.get(user, over) for user in users.tolist()]
        return np.array([STOP if answer.stops else answer.arm for answer in arms], int)

    def observe_all(self, users: Array, arms: Array, accepted: Array) -> None:
        """Remember responses for the next questions."""
        for user, arm, yes in zip(users.tolist(), arms.tolist(), accepted.tolist(), strict=True):
            self._talks[user].take_in(arm, yes)
            self._finals.pop(user, None)

    def answer_all(self, users: Array) -> Array:
        """Return the arm that the model named at a stop, or else that with most acceptances."""
        every = [self._finals.get(user, self._talks[user].favourite()) for user in users.tolist()]
        return np.array(every, int)

    def explain(self) -> Mapping[str, Any]:
        """Return the latest answer and the counts of unreadable answers."""
        return {**self._transcript.counts, "reply": self._transcript.reply}

    def _ask(self, users: Sequence[int]) -> list[TextAnswer]:
        """Return an answer for each user; ask again for those that cannot be read."""
        texts = {user: self._talks[user].question() for user in users}
        answers, asked = dict[int, TextAnswer](), texts
        for attempt in range(ATTEMPTS):
            unread = dict[int, str]()
            for user, text in self._replies(asked, attempt).items():
                self._transcript.reply = one_line(text)
                try:
                    answers[user] = parse_answer(text, self._n_arms)
                except InvalidArgumentError as error:
                    self._transcript.counts["retries"] += attempt == 0
                    wrong = f'Your answer was "{one_line(text)}", which cannot be read: {error}.'
                    unread[user] = f"{texts[user]}\n\n{wrong}"
            asked = unread
        self._transcript.counts["bad answers"] += len(asked)
        for user in asked:
            answers[user] = TextAnswer(int(self._rngs[user].integers(self._n_arms)), stops=False)
        return [answers[user] for user in users]

    def _replies(self, texts: Mapping[int, str], attempt: int) -> Mapping[int, str]:
        """Return the model's answers to user texts, from the transcript or from the client."""
        questions = {user: self._question(user, text, attempt) for user, text in texts.items()}
        known = {user: self._transcript.get(question) for user, question in questions.items()}
        open_users = [user for user, answer in known.items() if answer is None]

        def on_answer(place: int, answer: str) -> None:
            user = open_users[place]
            known[user] = answer
            self._transcript.add(questions[user], answer)

        try:
            self._client.ask([questions[user] for user in open_users], on_answer)
        except BaseException as error:
            self._transcript.failed = True
            if not isinstance(error, FailedCallError):
                raise
            user, cause = open_users[error.place], error.__cause__
            step, what = questions[user].step, self._client.name
            failed = CallableError.of(what, cause, f"at step {step}")  # type: ignore[arg-type]
            raise UserFailedError(failed.failure, f"at step {step}", user, step) from cause
        return {user: answer or "" for user, answer in known.items()}

    def _question(self, user: int, text: str, attempt: int) -> Question:
        question = Question(joined(self._system, text))
        question.system, question.user, question.number = self._system, text, user
        member = "" if self._talks[user].n_users is None else f"/{self._n_earlier}"
        question.run, question.step = self._runs[user] + member, self._talks[user].steps + 1
        question.attempt = attempt
        return question
