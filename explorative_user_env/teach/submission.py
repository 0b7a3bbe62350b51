"""A student's file: finding it, and its agent in a process apart, called by lines of JSON.

The users and the key are in the grader's process and never in the submission's, so a score is that
of the arms recommended. Limits hold accidents in check, not hostile code: grade strangers in a
container.
"""

import hashlib
import json
import math
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
import traceback
import types
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from explorative_user_env.display.text import in_line
from explorative_user_env.envs.user import as_action
from explorative_user_env.protocol import Agent, cap_of, name_of, needs_horizon, sees_rewards
from explorative_user_env.validation import InvalidArgumentError, integer, one_line, positive

#: Bytes of a submission's file.
LARGEST_SUBMISSION = 1_000_000

PLACES = "a .py file, FILE:Class or a folder of files"
HIDDEN = ("_", ".")  # the first character of names that are not submissions


class GradingOutcome(StrEnum):
    """What became of a submission."""

    GRADED = "graded"
    FAILED = "failed"
    STOPPED = "stopped"
    CHEATED = "cheated"


class SubmissionError(Exception):
    """A submission cannot go on; the message is the reason."""

    def __init__(self, outcome: GradingOutcome, reason: str) -> None:
        super().__init__(reason)
        self.outcome, self.reason = outcome, reason


# Files


@dataclass(frozen=True)
class Submission:
    """What a student has handed in.

    Attributes:
        student: the name on the leaderboard.
        path: the file.
        class_name: the agent's class; None is the only one in the file.
        fault: why the file cannot be run, or "".
    """

    student: str
    path: Path
    class_name: str | None = None
    fault: str = ""


def submissions_at(places: Iterable[str]) -> list[Submission]:
    """Return the submissions at some places by name, one for every file and folder handed in.

    Args:
        places: files, as "agent.py" or "agent.py:Class", or folders. In a folder every file is a
            student's, and every folder with one file; names that begin with "_" are left out.

    Raises:
        InvalidArgumentError: for a place without submissions, or a file that is given twice.
    """
    found = [each for place in places for each in _at(place)]
    files = Counter((each.path.absolute(), each.class_name) for each in found)
    for (path, _), times in files.items():
        if times > 1:
            raise InvalidArgumentError("submission", str(path), "given once")
    counts = Counter(each.student.casefold() for each in found)
    chosen: dict[str, Submission] = {}
    for each in found:
        name = each.student
        if counts[name.casefold()] > 1:
            whole = each.path.absolute()
            name = _student(f"{whole.parent.name}-{whole.stem}")
        number, first = 1, name
        while name.casefold() in chosen:  # Anna.py beside anna.py
            number += 1
            name = f"{first}-{number}"
        chosen[name.casefold()] = replace(each, student=name)
    return [chosen[name] for name in sorted(chosen)]


def one_submission(place: str) -> Submission:
    """Return the submission at a place: a file, or a folder with one file."""
    path = Path(place)
    return Submission(_student(path.stem), path) if path.is_file() else _of_folder(path, path)


def _at(place: str) -> Iterator[Submission]:
    path, name = Path(place), None
    if not path.exists() and ":" in path.name:
        whole, _, name = place.rpartition(":")
        path = Path(whole)
    if path.is_file():
        yield Submission(_student(path.stem), path, name)
        return
    if not path.is_dir() or name is not None:
        raise InvalidArgumentError("submission", place, PLACES)
    within = [each for each in sorted(path.iterdir()) if not each.name.startswith(HIDDEN)]
    if not within:
        raise InvalidArgumentError("submission", place, "a folder with .py files in it")
    for each in within:
        if each.is_dir():
            yield replace(_of_folder(each, path), student=_student(each.name))
        else:
            is_python = each.suffix == ".py"
            fault = _fault_of(each, path) if is_python else f"{each.name} is no .py file"
            yield Submission(_student(each.stem), each, None, fault)


def _of_folder(folder: Path, within: Path) -> Submission:
    """Return a folder's submission, which has a fault unless the folder has one Python file."""
    files = [each for each in sorted(folder.rglob("*.py")) if not each.name.startswith(HIDDEN)]
    path = files[0] if files else folder
    fault = f"it has {len(files)} Python files, not one"
    if len(files) == 1:
        fault = _fault_of(path, within)
    return Submission(_student(path.stem), path, None, fault)


def _fault_of(path: Path, folder: Path) -> str:
    """Return why a file is not read: a link may lead to another's file, and a pipe has no end."""
    if path.resolve() != folder.resolve() / path.relative_to(folder):
        return "its file is a link, and not a file of its own"
    return "" if path.is_file() else "it is not a file"


def _student(name: str) -> str:
    """Return a name as it is shown, short enough for the name of a file."""
    shown = in_line(name)
    if len(shown.encode()) <= 150:
        return shown
    mark = hashlib.sha256(name.encode(errors="backslashreplace")).hexdigest()[:8]
    return f"{shown.encode()[:141].decode(errors='ignore')}-{mark}"


# The process, seen by the grader

#: Times a limit of processor time after which the clock ends a process: machines are shared.
BY_THE_CLOCK = 10.0

#: Bytes of a reply, and of one read from a pipe.
LONGEST_REPLY = 1 << 16

NOBODY = 65534
IMPORT_SECONDS = 60.0
GONE = "its process sent something else than replies"
#: Python without the grader's variables and folders.
PYTHON = ("-I", "-B", "-u", "-X", "utf8")

BOOT = f"import sys; sys.path.append(sys.argv[1]); from {__name__} import serve; serve()"
THREADED = ("OPENBLAS", "OMP", "MKL", "NUMEXPR", "VECLIB_MAXIMUM", "NUMBA")
IN_THE_FOLDER = ("HOME", "TMPDIR", "TEMP", "TMP", "NUMBA_CACHE_DIR", "MPLCONFIGDIR")


@dataclass(frozen=True)
class Limits:
    """What a submission may take.

    Attributes:
        seconds: of processor time, in all.
        call_seconds: of processor time, for one call of a method.
        memory: MB beside what Python and the package take.

    Raises:
        InvalidArgumentError: for a number that is not above 0.
    """

    seconds: float = 300.0
    call_seconds: float = 10.0
    memory: int = 1024

    def __post_init__(self) -> None:
        positive("time_limit", self.seconds)
        positive("call_limit", self.call_seconds)
        integer("memory_limit", self.memory, 1, 10**7)


#: `json.loads`, but faster: it is called twice a step.
decode = json.JSONDecoder().raw_decode


class Process:
    """The process of a submission; `apart` opens and ends it."""

    def __init__(self, folder: str, class_name: str | None, limits: Limits) -> None:
        self._limits, self._number, self._unread = limits, 0, b""
        self._printed, self._n_printed = b"", 0
        self._end = time.monotonic() + BY_THE_CLOCK * limits.seconds
        variables = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
        variables |= {f"{library}_NUM_THREADS": "1" for library in THREADED}
        variables |= {**dict.fromkeys(IN_THE_FOLDER, folder), "PATH": os.defpath}
        options = json.dumps({"class": class_name, "limits": asdict(limits)})
        self._process: Any = subprocess.Popen(
            [sys.executable, *PYTHON, "-c", BOOT, str(Path(__file__).parents[2]), options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=variables,
            start_new_session=True,
            bufsize=0,
        )
        self._replies = self._process.stdout.fileno()  # type: ignore[union-attr]
        self._receive: Callable[[int], bytes] = partial(os.read, self._replies)
        if sys.platform == "win32":  # where `select` takes sockets alone
            mine, theirs = socket.socketpair()
            self._pump(self._process.stdout, theirs.sendall, theirs.close)
            self._replies, self._receive = mine.fileno(), mine.recv
        self._listener = self._pump(self._process.stderr, self._keep)
        with suppress(OSError, AttributeError):  # or a full pipe makes the grader wait
            os.set_blocking(self._process.stdin.fileno(), False)  # type: ignore[union-attr]

    @staticmethod
    def _pump(
        pipe: Any, take: Callable[[bytes], object], end: Callable[[], None] | None = None
    ) -> threading.Thread:
        """Pass on what comes through a pipe, in another thread."""

        def work() -> None:
            with suppress(OSError, ValueError):
                while data := pipe.read(LONGEST_REPLY):
                    take(data)
            if end is not None:
                end()

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        return thread

    def _keep(self, printed: bytes) -> None:
        self._n_printed += len(printed)
        self._printed += printed[: 4000 - len(self._printed)]

    def started(self) -> Mapping[str, Any]:
        """Return the attributes of the submission's agent, once its file is imported."""
        attributes = self._reply("the import of its file", IMPORT_SECONDS)
        if not isinstance(attributes, dict):
            raise SubmissionError(GradingOutcome.CHEATED, GONE)
        return attributes

    def ask(self, doing: str, calls: str) -> Any:
        """Call methods of the agent, and return the result of the last one.

        Args:
            doing: the methods, in words.
            calls: their names and arguments as JSON, as `["observe",3,true],["act"]`.

        Raises:
            SubmissionError: if there is no reply, or the reply is an error.
        """
        self._number += 1
        with suppress(OSError):  # it is gone or does not read, as the missing reply shows
            os.write(self._process.stdin.fileno(), f"[{self._number},{calls}]\n".encode())
        return self._reply(doing, self._limits.call_seconds)

    def _reply(self, doing: str, seconds: float) -> Any:
        """Return the reply to the last request, which may take so much processor time."""
        until = min(time.monotonic() + BY_THE_CLOCK * seconds, self._end)
        while b"\n" not in self._unread and len(self._unread) <= LONGEST_REPLY:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._replies], (), (), left)[0]:
                late = ("it", self._limits.seconds) if until == self._end else (doing, seconds)
                reason = f"{late[0]} took longer than {BY_THE_CLOCK * late[1]:g} s by the clock"
                raise SubmissionError(GradingOutcome.STOPPED, reason)
            data = self._receive(LONGEST_REPLY)
            if not data:
                raise self._ended(doing, seconds)
            self._unread += data
        line, _, self._unread = self._unread.partition(b"\n")
        try:
            number, value = decode(line.decode())[0]
        except (ValueError, TypeError, RecursionError):
            number, value = None, None
        if number != self._number or self._unread:
            raise SubmissionError(GradingOutcome.CHEATED, GONE)
        if isinstance(value, dict) and "raised" in value:
            text = one_line(in_line(str(value["raised"])), 400)
            if "MemoryError" in text:
                text += f"; it may take {self._limits.memory} MB"
            raise SubmissionError(GradingOutcome.FAILED, text)
        return value

    def _ended(self, doing: str, seconds: float) -> SubmissionError:
        """Return how the process ended by itself."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        code = self._process.poll()
        name = {-each.value: each.name for each in signal.Signals}.get(code, "")
        in_all = f"it took more than {self._limits.seconds:g} s of processor time in all"
        of_a_call = f"{doing} took more than {seconds:g} s of processor time"
        if name in (late := {"SIGPROF": of_a_call, "SIGXCPU": in_all}):
            return SubmissionError(GradingOutcome.STOPPED, late[name])
        reason = f"it ended its own process (exit code {code})"
        if code is not None and code < 0:
            why = ", perhaps for memory" if name == "SIGKILL" else ""
            reason = f"its process was ended by {name or -code}{why}"
        return SubmissionError(GradingOutcome.FAILED, f"{reason}, in {doing}")

    @property
    def output(self) -> str:
        """The text that the submission printed, cut off."""
        left_out = self._n_printed - len(self._printed)
        more = f"\n... and {left_out} bytes more" if left_out else ""
        return self._printed.decode("utf-8", "replace") + more

    def end(self) -> None:
        """End the process and all that it has started."""
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        self._process.wait()
        self._listener.join(1.0)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            with suppress(OSError):
                pipe.close()


@contextmanager
def apart(submission: Submission, limits: Limits) -> Iterator[Process]:
    """Open the process of a submission in a temporary folder; neither outlives the block.

    Raises:
        SubmissionError: if its file cannot be read, or is too large.
    """
    fault, source = submission.fault, b""
    if not fault:
        try:
            with submission.path.open("rb") as file:
                source = file.read(LARGEST_SUBMISSION + 1)
            if len(source) > LARGEST_SUBMISSION:
                fault = f"its file has more than {LARGEST_SUBMISSION} bytes"
        except OSError as error:
            fault = f"its file cannot be read ({error.strerror})"
    if fault:
        raise SubmissionError(GradingOutcome.FAILED, fault)
    folder = os.path.realpath(tempfile.mkdtemp(prefix="submission-"))
    try:
        (Path(folder) / FILE).write_bytes(source)
        process = Process(folder, submission.class_name, limits)
        try:
            yield process
        finally:
            process.end()
    finally:
        with suppress(RecursionError):  # of folders within folders
            shutil.rmtree(folder, ignore_errors=True)


class SubmittedAgent:
    """The agent of a submission for `evaluate`: every arm comes from its process.

    A submission that ran out of time names an arm by chance for the users who are left.

    Args:
        process: where the agent is.

    Attributes:
        failure: why it did not go on.
        n_finished: users with whom it came to an end.
        missing: the limits that this system does not enforce.

    Raises:
        SubmissionError: for a file that cannot be imported, or an agent that cannot be played.
    """

    def __init__(self, process: Process) -> None:
        attributes = process.started()
        self.name, self.max_steps = str(attributes.get("name")), attributes.get("max_steps")
        self.needs_horizon = attributes.get("needs_horizon") is True
        self.missing = [str(each) for each in attributes.get("missing", ())]
        self.failure: SubmissionError | None = None
        self.n_finished = 0
        self._process = process
        self._pending: tuple[str, str] | None = None  # a call that goes with the next one
        self._n_arms, self._n_steps, self._n_users = 0, 0, 0
        cap = self.max_steps
        if attributes.get("sees_rewards") is not False:
            reason = "it asks for rewards, which no agent sees"
            raise SubmissionError(GradingOutcome.FAILED, reason)
        if cap is not None and not (type(cap) is int and cap >= 1):
            reason = f"its max_steps is {cap!r}, not a number of at least 1"
            raise SubmissionError(GradingOutcome.FAILED, reason)

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        """Begin with a new user, and the agent's stream."""
        self._n_arms, self._n_steps, self._rng = n_arms, 0, rng
        self._n_users += 1
        entropy: Any = rng.bit_generator.seed_seq.entropy  # type: ignore[attr-defined]
        words = np.asarray(entropy, np.uint32).tolist()
        self._pending = "reset", json.dumps(["reset", n_arms, words, horizon])

    def act(self) -> int | None:
        """Return the arm that the agent recommends, None where it stops."""
        return self._ask("act")

    def observe(self, arm: int, accepted: bool) -> None:
        """Keep the user's response, which is sent with the next request."""
        self._n_steps += 1
        self._pending = "observe", f'["observe",{int(arm)},{"true" if accepted else "false"}]'

    def answer(self) -> int:
        """Return the agent's answer."""
        arm = self._ask("answer")
        if arm is None:
            return int(self._rng.integers(self._n_arms))
        self.n_finished += 1
        return arm

    def _ask(self, method: str) -> int | None:
        """Return the arm of a method; None where it gives none, or its time is up."""
        doing, calls = method, f'["{method}"]'
        if self._pending is not None:
            doing, calls = f"{self._pending[0]} or {method}", f"{self._pending[1]},{calls}"
            self._pending = None
        if self.failure is not None:
            return None
        try:
            arm = self._process.ask(doing, calls)
            if (type(arm) is int and 0 <= arm < self._n_arms) or (arm is None and method == "act"):
                return arm
            raise SubmissionError(GradingOutcome.CHEATED, GONE)
        except SubmissionError as error:
            where = f"{error.reason}, at step {self._n_steps + 1} with user {self._n_users}"
            self.failure = SubmissionError(error.outcome, where)
            if error.outcome != GradingOutcome.STOPPED:
                raise self.failure from error
            return None


# The process, seen from within

FILE = "submission.py"
AGENT_CLASS = "Agent"
METHODS = ("reset", "act", "observe", "answer")


class _FaultError(Exception):
    """The file does not have one agent, or a method returned something else than an arm."""


def serve() -> None:
    """Answer requests, in the process of a submission, until there are no more."""
    options = json.loads(sys.argv[2])
    requests, replies = os.fdopen(os.dup(0), "rb"), os.dup(1)
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)  # what it prints is no reply
    limits, leave = options["limits"], os._exit
    number, doing, n_arms = 0, "", 0
    try:
        missing = _limited(limits)
        agent: Any = _agent_in(_imported(), options["class"])
        value: Any = {"name": name_of(agent)[:200], "max_steps": cap_of(agent)}
        value |= {"needs_horizon": needs_horizon(agent), "sees_rewards": sees_rewards(agent)}
        os.write(replies, f"[0,{json.dumps(value | {'missing': missing})}]\n".encode())
        for line in requests:
            number, *calls = decode(line.decode())[0]
            _alarm(limits["call_seconds"])
            for method, *given in calls:
                doing = f"{method} raised "
                if method == "reset":
                    n_arms, words, horizon = given
                    sequence = np.random.SeedSequence(np.array(words, np.uint32))
                    given = [n_arms, np.random.Generator(np.random.PCG64(sequence)), horizon]
                value = getattr(agent, method)(*given)
            if not (type(value) is int and 0 <= value < n_arms):
                doing = ""
                value = _arm_of(value, method, n_arms)
            os.write(replies, f"[{number},{'null' if value is None else value}]\n".encode())
    except BaseException as error:  # whatever a stranger's code does, SystemExit as well
        with suppress(BaseException):
            _alarm(0.0)
            reply = json.dumps([number, {"raised": f"{doing}{_in_words(error)}"}])
            os.write(replies, f"{reply}\n".encode())
    leave(0)  # whatever of the stranger's waits to run


def _arm_of(value: Any, method: str, n_arms: int) -> int | None:
    """Return a value that a method returned as an arm, or None where act may return it."""
    if value is None and method == "act":
        return None
    try:
        return as_action(value, n_arms)
    except InvalidArgumentError:
        seen = f"{method} returned {one_line(repr(value), 100)}"
        raise _FaultError(f"{seen}, which has to be an arm in 0..{n_arms - 1}") from None


def _imported() -> types.ModuleType:
    """Run the submission's file as a module."""
    _alarm(IMPORT_SECONDS)
    path = Path.cwd() / FILE
    module = types.ModuleType(path.stem)
    module.__file__ = str(path)
    sys.modules[path.stem] = module  # where its classes are looked for
    sys.path.insert(0, str(path.parent))
    exec(compile(path.read_bytes(), str(path), "exec"), vars(module))
    return module


def _agent_in(module: types.ModuleType, name: str | None) -> Agent:
    """Return an agent of the class of this name, or of the one that is the agent.

    Raises:
        _FaultError: where the file has none, or several.
    """
    classes = {
        each.__name__: each
        for each in vars(module).values()
        if isinstance(each, type)
        and each.__module__ == module.__name__
        and all(callable(getattr(each, method, None)) for method in METHODS)
    }
    wanted = name or (next(iter(classes)) if len(classes) == 1 else AGENT_CLASS)
    if wanted not in classes:
        needed = f"the file has no agent called {name}"
        if name is None:
            needed = f"the file has to have one class with the methods {', '.join(METHODS)}, "
            needed += f"or one called {AGENT_CLASS}"
        raise _FaultError(f"{needed}; it has {', '.join(sorted(classes)) or 'none'}")
    agent: Agent = classes[wanted]()
    return agent


def _in_words(error: BaseException) -> str:
    """Return an error in a line, with the line of the submission in which it was raised."""
    if isinstance(error, _FaultError):
        return str(error)
    frames = traceback.extract_tb(error.__traceback__)
    lines = [each.lineno for each in frames if os.path.basename(each.filename) == FILE]
    if isinstance(error, SyntaxError) and error.lineno:
        lines = [error.lineno]
    where = f" (line {lines[-1]} of the file)" if lines else ""
    return one_line(traceback.format_exception_only(error)[-1].strip(), 300) + where


def _alarm(seconds: float) -> None:
    """Have the system end this process after so much more processor time; 0 is never."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _limited(limits: Mapping[str, Any]) -> list[str]:
    """Limit this process for good, before a stranger's code runs in it.

    Returns:
        The limits that this system does not enforce.
    """

    def limit(name: str, most: float) -> None:
        import resource

        which, whole = getattr(resource, name), math.ceil(most)
        hard = resource.getrlimit(which)[1]
        whole = whole if hard == resource.RLIM_INFINITY else min(whole, hard)
        # The soft limit of processor time sends the signal SIGXCPU.
        resource.setrlimit(which, (whole, hard if name == "RLIMIT_CPU" else whole))

    def memory() -> None:
        pages = Path("/proc/self/statm").read_text().split()[0]
        taken = int(pages) * os.sysconf("SC_PAGE_SIZE")
        limit("RLIMIT_AS", taken + (int(limits["memory"]) << 20))

    def processes() -> None:
        if os.geteuid() == 0:
            raise OSError("root starts as many as it likes")
        limit("RLIMIT_NPROC", 0)

    def sizes() -> None:
        limit("RLIMIT_FSIZE", 16 << 20)
        limit("RLIMIT_CORE", 0)

    steps: dict[str, Callable[[], None]] = {
        "another user": _as_nobody,
        "processor time": lambda: limit("RLIMIT_CPU", time.process_time() + limits["seconds"]),
        "sizes of files": sizes,
        "memory": memory,
        "other processes": processes,
    }
    missing = []
    for what, step in steps.items():
        try:
            step()
        except (OSError, AttributeError, ImportError, ValueError):
            missing.append(what)
    return missing


def _as_nobody() -> None:
    """Become a user who owns nothing but this folder.

    Raises:
        OSError: if that is not allowed, or that user cannot read Python.
    """
    if os.geteuid() != 0:
        raise OSError("only root can be somebody else")
    libraries = [sysconfig.get_paths()[name] for name in ("stdlib", "purelib")]
    for place in map(Path, (*libraries, __file__)):
        for each in (place, *place.parents)[place.is_file() :]:
            if not each.stat().st_mode & 0o001:
                raise OSError("nobody else can read Python here")
    for name in (".", FILE):
        os.chown(name, NOBODY, NOBODY)
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
