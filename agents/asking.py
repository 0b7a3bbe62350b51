"""Calls of a language model's client: many questions together, tries with a limit, a transcript."""

import asyncio
import functools
import hashlib
import inspect
import json
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

from explorative_user_env.validation import InvalidArgumentError

from .conversation import Question, joined, messages

#: Seconds before the second try of a call that raised an exception; each later wait is twice as
#: long.
FIRST_WAIT = 0.5

#: Most calls in `Transcript.calls`, the latest.
MOST_CALLS = 10_000


class Call(NamedTuple):
    """A question and its answer."""

    question: Question
    answer: str


class FailedCallError(Exception):
    """All tries of a call raised an exception, which is the cause; `place` is the question's."""

    def __init__(self, place: int) -> None:
        super().__init__(place)
        self.place = place


@functools.cache
def _loop(process: int) -> asyncio.AbstractEventLoop:
    """Return the event loop of a process; one loop, so that a client may keep its connections."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="explorative-user-text", daemon=True).start()
    return loop


async def _awaited(value: Any) -> Any:
    return await value


def settled(value: Any) -> Any:
    """Return `value`, or what an awaitable `value` returns; works in a running event loop too."""
    if not inspect.isawaitable(value):
        return value
    return asyncio.run_coroutine_threadsafe(_awaited(value), _loop(os.getpid())).result()


class Client:
    """The functions that ask a language model.

    Args:
        name: the agent's name, for errors.
        respond: `respond(question) -> text`, or None.
        respond_many: `respond_many(questions) -> texts`, or None. An exception in place of a text
            is a failed call.
        at_once: most questions at a time.
        tries: tries of a call that raises an exception.
    """

    def __init__(
        self,
        name: str,
        respond: Callable[[Any], Any] | None,
        respond_many: Callable[[Any], Any] | None,
        at_once: int,
        tries: int,
    ) -> None:
        self.respond, self.respond_many = respond, respond_many
        self.what = f"{name}.{'respond' if respond_many is None else 'respond_many'}"
        self.at_once, self.tries = at_once, tries
        self._threads: ThreadPoolExecutor | None = None

    def __deepcopy__(self, memo: Any) -> "Client":
        return self  # a client with connections has no copy

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_threads": None}

    def ask(self, questions: Sequence[Question], on_answer: Callable[[int, str], None]) -> None:
        """Ask all questions; call `on_answer(place, text)` with each answer as it comes.

        Raises:
            FailedCallError: if all tries of a call failed; all other questions are answered.
            InvalidArgumentError: if an answer is no text.
        """
        pending, failed = [*range(len(questions))], dict[int, BaseException]()
        for number in range(self.tries):
            if number:
                time.sleep(FIRST_WAIT * 2 ** (number - 1))
            failed = {}

            def take(places: Sequence[int], answers: Any, failed: Any = failed) -> None:
                for place, answer in zip(places, answers, strict=True):
                    if isinstance(answer, BaseException):
                        failed[place] = answer
                    elif isinstance(answer, str):
                        on_answer(place, answer)
                    else:
                        failed[place] = InvalidArgumentError(
                            f"the answer of {self.what}", answer, "a text"
                        )

            self._ask_once(pending, questions, take)
            pending = sorted(failed)
            lasting = [e for e in failed.values() if isinstance(e, InvalidArgumentError)]
            if not pending or lasting:
                break
        if failed:
            place = next((p for p in pending if failed[p] in lasting), pending[0])
            raise FailedCallError(place) from failed[place]

    def _ask_once(self, places: Sequence[int], questions: Any, take: Callable[..., None]) -> None:
        """Ask the questions at these places; call `take` with places and answers or exceptions."""
        if self.respond_many is not None:
            for first in range(0, len(places), self.at_once):
                part = places[first : first + self.at_once]
                take(part, self._many([questions[place] for place in part]))
            return
        if len(places) == 1 or self.at_once == 1:
            for place in places:
                take([place], [self._one(questions[place])])
            return
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self.at_once, "explorative-user-text")
        of: dict[Future[Any], int] = {
            self._threads.submit(self._one, questions[place]): place for place in places
        }
        try:
            for future in as_completed(of):
                take([of.pop(future)], [future.result()])
        except BaseException:  # Ctrl-C: no further calls, but keep what is being answered
            for future in as_completed([each for each in of if not each.cancel()]):
                take([of[future]], [future.result()])
            raise

    def _one(self, question: Question) -> Any:
        try:
            return settled(self.respond(question))  # type: ignore[misc]
        except Exception as error:
            return error

    def _many(self, questions: list[Question]) -> Sequence[Any]:
        try:
            answers = settled(self.respond_many(questions))  # type: ignore[misc]
        except Exception as error:
            return [error] * len(questions)
        is_list = isinstance(answers, list | tuple)
        if not is_list or len(answers) != len(questions):
            allowed = f"a list of {len(questions)} texts"
            wrong = InvalidArgumentError(f"the answer of {self.what}", answers, allowed)
            return [wrong] * len(questions)
        return answers  # type: ignore[no-any-return]


class Transcript:
    """What a language model was asked and answered; a question with an answer is not asked again.

    Args:
        path: a JSONL file to continue or create; None keeps the answers of the latest run only.

    Attributes:
        calls: the latest calls of the latest run, `MOST_CALLS` at most.
        n_calls: number of answers of the model in the latest run.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path, self._keeps = path, path is not None
        self._known: dict[bytes, str] | None = None
        self.calls: deque[Call] = deque(maxlen=MOST_CALLS)
        self.n_calls = 0
        self.counts, self.reply = {"bad answers": 0, "retries": 0}, ""

    def __deepcopy__(self, memo: Any) -> "Transcript":
        """Return a transcript to repeat the run from, which writes no file."""
        new = Transcript()
        new._known, new._keeps = dict(self._known or {}), True
        return new

    def begin(self) -> None:
        """Begin a run: forget the answers, unless there is a file or the last run failed."""
        if self._known is None or not self._keeps:
            self._known = self._read()
        self._keeps = self.path is not None
        self.calls.clear()
        self.n_calls = 0
        self.counts, self.reply = dict.fromkeys(self.counts, 0), ""

    def keep(self) -> None:
        """Keep the answers for the next run."""
        self._keeps = True

    def get(self, question: Question) -> str | None:
        """Return the known answer to a question."""
        return (self._known or {}).get(_key(question.run, question))

    def add(self, question: Question, answer: str) -> None:
        """Keep an answer, and append it to the file at once."""
        self.n_calls += 1
        self.calls.append(Call(question, answer))
        if self._known is None:
            self._known = {}
        self._known[_key(question.run, question)] = answer
        if self.path is not None:
            place = {"run": question.run, "step": question.step, "attempt": question.attempt}
            texts = messages(question.system, question.user, answer)
            line = json.dumps({**place, "messages": texts})
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                with self.path.open("a", encoding="utf-8") as file:
                    file.write(line + "\n")
            except OSError as error:
                raise InvalidArgumentError(
                    "transcript", str(self.path), f"writable ({error})"
                ) from error

    def _read(self) -> dict[bytes, str]:
        """Return the answers in the file; a line that was not written to its end has none."""
        known = dict[bytes, str]()
        if self.path is None or not self.path.exists():
            return known
        text = self.path.read_text(encoding="utf-8")
        if text and not text.endswith("\n"):
            with self.path.open("a", encoding="utf-8") as file:
                file.write("\n")
        for line in text.split("\n"):
            try:
                call = json.loads(line)
                system, user, answer = (each["content"] for each in call["messages"])
                known[_key(call["run"], joined(system, user))] = answer
            except (ValueError, LookupError, TypeError):
                continue
        return known


def _key(run: str, text: str) -> bytes:
    return hashlib.sha256(f"{run} {text}".encode(errors="backslashreplace")).digest()[:16]


def run_name(rng: Any) -> str:
    """Return a name for the run with this random stream, from the stream's state before the run."""
    state = repr(rng.bit_generator.state)
    return hashlib.sha256(state.encode()).hexdigest()[:16]
