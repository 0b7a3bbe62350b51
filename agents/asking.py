"""Calls of a language model's client: many questions together, tries with a limit, a transcript."""

import hashlib
import inspect
import json
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from explorative_user_env.validation import InvalidArgumentError

from .conversation import Question, joined, messages

#: Seconds before the second try of a call that raised an exception; each later wait is twice as
#: long.
FIRST_WAIT = 0.5

#: Most calls in `Transcript.calls`, and most answers that a transcript without a file keeps.
MOST_CALLS, MOST_KNOWN = 10_000, 500_000


class Call(NamedTuple):
    """A question and its answer."""

    question: Question
    answer: str


class FailedCallError(Exception):
    """All tries of a call raised an exception, which is the cause; `place` is the question's."""

    def __init__(self, place: int) -> None:
        super().__init__(place)
        self.place = place


#: Held while the event loop is made, which several threads may need at once.
_LOCK = threading.Lock()


@cache
def _loop(process: int) -> Any:
    """Return the event loop of a process; one loop, so that a client may keep its connections."""
    import asyncio  # here, as it takes 15 ms

    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="explorative-user-text", daemon=True).start()
    return loop


async def _awaited(value: Any) -> Any:
    return await value


def settled(value: Any) -> Any:
    """Return `value`, or what an awaitable `value` returns; works in a running event loop too."""
    if not inspect.isawaitable(value):
        return value
    import asyncio

    with _LOCK:
        loop = _loop(os.getpid())
    return asyncio.run_coroutine_threadsafe(_awaited(value), loop).result()


class Client:
    """The function that asks a language model.

    Args:
        name: the function's name, for errors.
        function: called with a question, or with a list of questions if `many` is True.
        many: whether the function takes several questions. An exception in place of an answer is
            then a failed call.
        at_once: most questions at a time.
        tries: tries of a call that raises an exception.
    """

    def __init__(
        self, name: str, function: Callable[[Any], Any], many: bool, at_once: int, tries: int
    ) -> None:
        self.name, self.function, self.many = name, function, many
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
        """
        failed, places = dict[int, Exception](), [*range(len(questions))]

        def take(part: Sequence[int], answers: Sequence[Any]) -> None:
            for place, answer in zip(part, answers, strict=True):
                if isinstance(answer, str):
                    on_answer(place, answer)
                elif isinstance(answer, Exception):
                    failed[place] = answer
                else:
                    what = f"the answer of {self.name}"
                    failed[place] = InvalidArgumentError(what, answer, "a text")

        for number in range(self.tries):
            if number:
                time.sleep(FIRST_WAIT * 2 ** (number - 1))
            failed.clear()
            self._call_all(places, questions, take)
            places = sorted(failed, key=lambda each: (not _is_final(failed[each]), each))
            if not places or _is_final(failed[places[0]]):
                break
        if places:
            raise FailedCallError(places[0]) from failed[places[0]]

    def _call_all(self, places: Sequence[int], questions: Any, take: Callable[..., None]) -> None:
        """Ask the questions at these places; call `take` with places and answers or exceptions."""
        size = self.at_once if self.many else 1
        parts = [places[first : first + size] for first in range(0, len(places), size)]
        asked = [[questions[place] for place in part] for part in parts]
        alone = self.at_once == 1 or len(parts) == 1 or "emscripten" in sys.platform  # no threads
        if self.many or alone:
            for part, each in zip(parts, asked, strict=True):
                take(part, self._call(each))
            return
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self.at_once, "explorative-user-text")
        calls = [self._threads.submit(self._call, each) for each in asked]
        futures = dict(zip(calls, parts, strict=True))
        try:
            for future in as_completed(futures):
                take(futures.pop(future), future.result())
        except BaseException:  # Ctrl-C: start no further call, but keep the answers under way
            for future in as_completed([each for each in futures if not each.cancel()]):
                take(futures[future], future.result())
            raise

    def _call(self, questions: list[Question]) -> Sequence[Any]:
        """Call the function once; return an answer or an exception for each question."""
        try:
            answers = settled(self.function(questions if self.many else questions[0]))
        except Exception as error:
            return [error] * len(questions)
        answers = answers if self.many else [answers]
        if not isinstance(answers, list | tuple) or len(answers) != len(questions):
            allowed = f"a list of {len(questions)} texts"
            wrong = InvalidArgumentError(f"the answer of {self.name}", answers, allowed)
            return [wrong] * len(questions)
        return answers


def _is_final(error: Exception) -> bool:
    """Return whether no further try is of use: the function returned no text."""
    return isinstance(error, InvalidArgumentError)


class Transcript:
    """The questions to a language model and its answers; a question with an answer is not repeated.

    Args:
        path: a JSONL file to continue or create; None keeps the answers since the latest `start`.

    Attributes:
        calls: the calls since the latest `start`, the latest `MOST_CALLS` of them.
        n_calls: the number of these calls.
        counts: "bad answers" and "retries" of these calls.
        reply: the latest answer.
        failed: whether a call failed since the latest `start`.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path, self.failed = path, False
        self._known: dict[bytes, str] | None = None
        self.calls: deque[Call] = deque(maxlen=MOST_CALLS)
        self.n_calls, self.reply = 0, ""
        self.counts = {"bad answers": 0, "retries": 0}

    def __deepcopy__(self, memo: Any) -> "Transcript":
        """Return a transcript to repeat a run from, which writes no file."""
        new = Transcript()
        new._known = dict(self._known or {})
        return new

    def start(self) -> None:
        """Start anew; forget the answers, unless a call failed or there is a file.

        Raises:
            InvalidArgumentError: if the file cannot be read or is no transcript.
        """
        if self._known is None or not (self.failed or self.path):
            self._known = self._read()
        self.calls.clear()
        self.n_calls, self.reply, self.failed = 0, "", False
        self.counts = dict.fromkeys(self.counts, 0)

    def get(self, question: Question) -> str | None:
        """Return the known answer to a question."""
        return (self._known or {}).get(_key(question.run, question))

    def add(self, question: Question, answer: str) -> None:
        """Keep an answer, and append it to the file at once."""
        self.n_calls += 1
        self.calls.append(Call(question, answer))
        if self._known is not None and (self.path or len(self._known) < MOST_KNOWN):
            self._known[_key(question.run, question)] = answer
        if self.path is not None:
            place = {"run": question.run, "step": question.step, "attempt": question.attempt}
            texts = messages(question.system, question.user, answer)
            self._append(json.dumps({**place, "messages": texts}) + "\n")

    def _append(self, text: str) -> None:
        assert self.path is not None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            allowed = f"a file that can be written ({error})"
            raise InvalidArgumentError("transcript", str(self.path), allowed) from error

    def _read(self) -> dict[bytes, str]:
        """Return the answers in the file; a line that was not written to its end has none."""
        known = dict[bytes, str]()
        if self.path is None or not self.path.exists():
            return known
        for run, (system, user, answer) in calls_in(self.path):
            known[_key(run, joined(system, user))] = answer
        if self.path.stat().st_size and not self.path.read_bytes().endswith(b"\n"):
            self._append("\n")
        return known


def calls_in(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the calls in a transcript: the run, and the system text, user text and answer.

    A line that was not written to its end is no call.

    Raises:
        InvalidArgumentError: if the file cannot be read or is no transcript.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        text = "?"
    if text and not text.startswith('{"run": '):
        raise InvalidArgumentError("transcript", str(path), "a new file or a transcript")
    for line in text.split("\n"):
        try:
            call = json.loads(line)
            run, texts = call["run"], [each["content"] for each in call["messages"]]
        except (ValueError, LookupError, TypeError):
            continue
        if len(texts) == 3 and all(isinstance(each, str) for each in [run, *texts]):
            yield run, texts


def _key(run: str, text: str) -> bytes:
    return hashlib.sha256(f"{run} {text}".encode(errors="backslashreplace")).digest()[:16]


def run_name(rng: Any) -> str:
    """Return a name for the run with this random stream, from the stream's state before the run."""
    state = repr(rng.bit_generator.state)
    return hashlib.sha256(state.encode()).hexdigest()[:16]
