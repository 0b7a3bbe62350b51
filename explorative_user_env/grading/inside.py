"""What runs in the process of a submission: it plays when it is asked to, and knows no user."""

import json
import os
import sys
import traceback
import types
from pathlib import Path
from typing import Any

import numpy as np

from explorative_user_env.envs.user import as_action
from explorative_user_env.grading import guard, seals, wire
from explorative_user_env.grading.limits import Limits, closed_in, trusted_folders
from explorative_user_env.protocol import Agent, cap_of, name_of, needs_horizon, sees_rewards
from explorative_user_env.validation import InvalidArgumentError, one_line

SUBMISSION_FILE = "submission.py"
"""What the submission is called in its folder."""

AGENT_CLASS = "Agent"
"""The class that is the agent where nothing else is said."""

METHODS = ("reset", "act", "observe", "answer")

CAUGHT_CODE = 77
"""The exit code of a process that was told on."""

NO_VALUE = -1

LONGEST_AGENT_NAME = 200


class _NoAgentError(Exception):
    """The file has not one agent."""


class _Channel:
    """Where requests come from and replies go."""

    def __init__(self) -> None:
        self.requests, self.replies = os.dup(0), os.dup(1)
        for descriptor in (self.requests, self.replies):
            os.set_inheritable(descriptor, False)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        self.number = 0

    def next(self) -> tuple[int, int, int, bytes]:
        """Wait for a request: its kind, its two numbers and what follows."""
        header = wire.read_exactly(self.requests, wire.REQUEST_FORM.size)
        kind, self.number, first, second, length = wire.REQUEST_FORM.unpack(header)
        more = wire.read_exactly(self.requests, length) if length else b""
        return kind, first, second, more

    def tell(self, kind: int, value: int = NO_VALUE, text: str = "") -> None:
        """Reply to the request."""
        os.write(self.replies, wire.packed_reply(wire.Reply(kind, self.number, value, text)))


def play_on_request() -> None:
    """Answer requests until there are no more."""
    channel = _Channel()
    try:
        _, _, _, more = channel.next()
        options, _, source = more.partition(b"\n")
        playing = _started(channel, json.loads(options), source)
        if playing is not None:
            playing.go_on()
    except wire.ClosedError:
        pass
    except BaseException:
        traceback.print_exc()
    os._exit(0)  # whatever else of a stranger's waits to run


def _started(channel: _Channel, options: dict[str, Any], source: bytes) -> "_Playing | None":
    """Close this process in, run the submission's file in it, and tell of its agent."""
    folder = Path.cwd()
    trusted = trusted_folders()
    tell, leave = channel.tell, os._exit

    def caught(kind: str, what: str) -> None:
        tell(wire.CAUGHT, NO_VALUE, f"{kind} {what}")
        leave(CAUGHT_CODE)

    (folder / SUBMISSION_FILE).write_bytes(source)
    missing = closed_in(Limits(**options["limits"]), folder)
    before = seals.seals_now()
    guard.guarded(str(folder), trusted, caught)
    try:
        agent = _agent_in(_run(source, folder / SUBMISSION_FILE), options["class"])
        told = {
            "name": name_of(agent)[:LONGEST_AGENT_NAME],
            "max_steps": cap_of(agent),
            "needs_horizon": needs_horizon(agent),
            "sees_rewards": sees_rewards(agent),
            "missing": missing,
        }
        text = json.dumps(told)
    except BaseException as error:  # whatever a stranger's code may do, to exit as well
        channel.tell(wire.RAISED, NO_VALUE, _told(error))
        return None
    channel.tell(wire.READY, NO_VALUE, text)
    return _Playing(channel, agent, before)


def _run(source: bytes, path: Path) -> types.ModuleType:
    """Run the submission's file as a module."""
    module = types.ModuleType(path.stem)
    module.__file__ = str(path)
    sys.modules[path.stem] = module  # where its own classes are looked for
    sys.path.insert(0, str(path.parent))
    exec(compile(source, str(path), "exec"), vars(module))
    return module


def _agent_in(module: types.ModuleType, name: str | None) -> Agent:
    """Return the agent of a module, made.

    Raises:
        _NoAgentError: where there is none, or nobody knows which.
    """
    own = {
        each.__name__: each
        for each in vars(module).values()
        if isinstance(each, type)
        and each.__module__ == module.__name__
        and all(callable(getattr(each, method, None)) for method in METHODS)
    }
    if name is None:
        if AGENT_CLASS not in own and len(own) != 1:
            there = ", ".join(sorted(own)) or "none"
            wanted = f"one class with the methods {', '.join(METHODS)}, or one called {AGENT_CLASS}"
            raise _NoAgentError(f"the file has to have {wanted}; it has {there}")
        name = AGENT_CLASS if AGENT_CLASS in own else next(iter(own))
    if name not in own:
        there = ", ".join(sorted(own)) or "none"
        raise _NoAgentError(f"the file has no agent called {name}; it has {there}")
    agent: Agent = own[name]()
    return agent


class _Playing:
    """The agent of a submission, asked by numbers."""

    def __init__(self, channel: _Channel, agent: Agent, before: seals.Named) -> None:
        self._channel, self._agent, self._before = channel, agent, before
        self._n_arms = 0

    def go_on(self) -> None:
        """Answer requests as long as there are any and nothing goes wrong."""
        while True:
            kind, first, second, more = self._channel.next()
            doing = ["reset"]
            try:
                self._answer(kind, first, second, more, doing)
            except BaseException as error:  # whatever a stranger's code may do
                self._channel.tell(wire.RAISED, NO_VALUE, f"{doing[0]} raised {_told(error)}")
                return

    def _answer(self, kind: int, first: int, second: int, more: bytes, doing: list[str]) -> None:
        agent = self._agent
        if kind == wire.CHECK:
            self._channel.tell(
                wire.CHECK_DONE, NO_VALUE, seals.broken(self._before, SUBMISSION_FILE)
            )
            return
        if kind == wire.ANSWER:
            doing[0] = "answer"
            self._tell_arm("answer", agent.answer())
            return
        if kind == wire.RESET:
            self._n_arms = first
            words = np.frombuffer(more, "<u4").astype(np.uint32)
            rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(words)))
            agent.reset(first, rng, None if second == NO_VALUE else second)
        elif kind == wire.OBSERVE:
            doing[0] = "observe"
            agent.observe(first, bool(second))
        doing[0] = "act"
        arm = agent.act()
        if arm is None:
            self._channel.tell(wire.DONE)
        else:
            self._tell_arm("act", arm)

    def _tell_arm(self, method: str, arm: Any) -> None:
        """Tell an arm; what is none is told as it is written."""
        if type(arm) is not int or not 0 <= arm < self._n_arms:
            try:
                arm = as_action(arm, self._n_arms)
            except InvalidArgumentError:
                kind = f"{method} returned {one_line(repr(arm), 100)}"
                allowed = f"an arm in 0..{self._n_arms - 1}"
                self._channel.tell(wire.NO_ARM, NO_VALUE, f"{kind}, which has to be {allowed}")
                return
        self._channel.tell(wire.ARM, arm)


def _told(error: BaseException) -> str:
    """Return in a line what was raised, and in which line of the submission."""
    if isinstance(error, _NoAgentError):
        return str(error)
    text = traceback.format_exception_only(error)[-1].strip()
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if os.path.basename(frame.filename) == SUBMISSION_FILE
    ]
    if isinstance(error, SyntaxError) and error.lineno:
        lines = [error.lineno]
    where = f" (line {lines[-1]} of the file)" if lines else ""
    return one_line(text, 300) + where
