"""Find students' files, and run each student's agent in a separate process.

The two processes exchange lines of JSON. Only the grader's process has the users and the teacher's
key, so a score depends only on the recommended arms. The limits stop accidents, but not hostile
code: use a container for agents of people you do not trust.
"""

import hashlib
import json
import math
import os
import queue
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
import traceback
import types
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from itertools import chain, count
from pathlib import Path
from typing import Any

import numpy as np

from explorative_user_env import protocol
from explorative_user_env.display.text import in_line
from explorative_user_env.envs.user import as_action
from explorative_user_env.validation import InvalidArgumentError, integer, one_line, positive

#: Largest size of a submission's file, in bytes.
LARGEST_SUBMISSION = 1_000_000

PLACES = "a .py file, FILE:Class or a folder with .py files"
HIDDEN = ("_", ".")  # files whose name starts with one of these are no submissions


class GradingOutcome(StrEnum):
    """How the grading of a submission ended."""

    GRADED = "graded"
    FAILED = "failed"  # the submission raised an error, or is not valid
    STOPPED = "stopped"  # the submission exceeded its time limit
    CHEATED = "cheated"  # the process of the submission sent data that are not replies


class SubmissionError(Exception):
    """Grading of a submission cannot continue; the message is the reason."""

    def __init__(self, outcome: GradingOutcome, reason: str) -> None:
        super().__init__(reason)
        self.outcome, self.reason = outcome, reason


# Files


@dataclass(frozen=True)
class Submission:
    """A student's file."""

    student: str  # the name on the leaderboard
    path: Path  # the path of the file
    class_name: str | None = None  # the agent's class; None selects the file's only agent class
    fault: str = ""  # why the file cannot run, else ""


def submissions_at(places: Iterable[str]) -> list[Submission]:
    """Return the submissions at `places`, sorted by student's name.

    Args:
        places: files such as "agent.py" or "agent.py:Class", and folders. Each file in a folder is
            a submission, and so is each subfolder with one file. Names that start with "_" or "."
            are ignored.

    Raises:
        InvalidArgumentError: if a place has no submissions, or if a file occurs twice.
    """
    submissions: list[Submission] = []
    for place in places:
        path, name = Path(place), None
        if not path.exists() and ":" in path.name:
            file, _, name = place.rpartition(":")
            path = Path(file)
        if path.is_file():
            submissions.append(Submission(path.stem, path, name))
            continue
        entries = sorted(path.iterdir()) if path.is_dir() and name is None else ()
        within = [one_submission(each, path) for each in entries if each.name[0] not in HIDDEN]
        if not within:
            raise InvalidArgumentError("submission", place, PLACES)
        submissions += within
    files = Counter((each.path.absolute(), each.class_name) for each in submissions)
    for (path, _), times in files.items():
        if times > 1:
            raise InvalidArgumentError("submission", str(path), "listed only once")
    counts = Counter(each.student.casefold() for each in submissions)
    chosen: dict[str, Submission] = {}
    for each in submissions:
        name = in_line(each.student)
        if counts[each.student.casefold()] > 1:
            name = in_line(f"{each.path.absolute().parent.name}-{each.path.stem}")
        if len(name.encode()) > 150:  # file names contain the student's name
            mark = hashlib.sha256(name.encode()).hexdigest()[:8]
            name = f"{name.encode()[:141].decode(errors='ignore')}-{mark}"
        # File names may differ only in case, as Anna.py and anna.py do.
        numbered = chain([name], (f"{name}-{number}" for number in count(2)))
        name = next(one for one in numbered if one.casefold() not in chosen)
        chosen[name.casefold()] = replace(each, student=name)
    return [chosen[name] for name in sorted(chosen)]


def one_submission(place: str | Path, within: Path | None = None) -> Submission:
    """Return the submission in a file, or in a folder with one file.

    Args:
        place: the file or folder.
        within: the folder of the file; None is `place`. A link in this folder is not accepted.
    """
    path = file = Path(place)
    within, fault = within or path, ""
    if path.is_dir():
        files = [each for each in sorted(path.rglob("*.py")) if each.name[0] not in HIDDEN]
        if len(files) == 1:
            file = files[0]
        else:
            fault = f"it has {len(files)} Python files, not one"
    elif path.suffix != ".py":
        fault = f"{path.name} is not a .py file"
    if not fault and file.resolve() != within.resolve() / file.relative_to(within):
        fault = "its file is a link"  # the link may lead to another student's file
    elif not fault and not file.is_file():
        fault = "it is not a file"
    return Submission(path.name if path.is_dir() else path.stem, file, None, fault)


# The rest of this section runs in the grader's process.

#: Limit of wall-clock time, as a multiple of the limit of processor time: other processes may slow
#: a submission down.
BY_THE_CLOCK = 10.0

#: Most bytes of a reply, and of one read of the process's output.
LONGEST_REPLY = 1 << 16

NOBODY = 65534
IMPORT_SECONDS = 60.0
GONE = "its process sent data that are not replies"
#: Options of Python that ignore the grader's environment variables and folders.
PYTHON = ("-I", "-B", "-u", "-X", "utf8")

BOOT = f"import sys; sys.path.append(sys.argv[1]); from {__name__} import serve; serve()"
THREADED = ("OPENBLAS", "OMP", "MKL", "NUMEXPR", "VECLIB_MAXIMUM", "NUMBA")
IN_THE_FOLDER = ("HOME", "TMPDIR", "TEMP", "TMP", "NUMBA_CACHE_DIR", "MPLCONFIGDIR")


@dataclass(frozen=True)
class Limits:
    """Limits of a submission.

    Attributes:
        seconds: total processor time, in seconds, above 0.
        call_seconds: processor time of one call of a method, in seconds, above 0.
        memory: memory in MB, in addition to that of Python and the package, 1 to 10**7.

    Raises:
        InvalidArgumentError: if a limit is out of range.
    """

    seconds: float = 300.0
    call_seconds: float = 10.0
    memory: int = 1024

    def __post_init__(self) -> None:
        positive("time_limit", self.seconds)
        positive("call_limit", self.call_seconds)
        integer("memory_limit", self.memory, 1, 10**7)


class SubmittedAgent:
    """An agent for `evaluate` that calls a student's agent in a separate process.

    After the submission exceeds its time, this agent answers at random for the remaining users.

    Args:
        submission: the student's file.
        limits: the limits of time and memory.

    Attributes:
        failure: the error that stopped the submission, or None.
        n_finished: the number of users with an answer of the student's agent.
        missing: the limits that this system does not enforce.
    """

    def __init__(self, submission: Submission, limits: Limits) -> None:
        self.failure: SubmissionError | None = None
        self.n_finished, self.missing = 0, list[str]()
        self._submission, self._limits = submission, limits
        self._process: Any = None
        self._late, self._replies = False, queue.Queue[bytes | None](2)
        self._printed, self._n_printed = b"", 0
        self._pending: tuple[str, str] | None = None  # a call to send with the next request
        self._n_arms, self._n_steps, self._n_users, self._n_requests = 0, 0, 0, 0

    def begin(self) -> None:
        """Start the process in a temporary folder, and wait until it has imported the file.

        Raises:
            SubmissionError: if the file fails to import, or if it has no valid agent.
        """
        path, fault = self._submission.path, self._submission.fault
        try:
            if not fault and path.stat().st_size > LARGEST_SUBMISSION:
                fault = f"its file has more than {LARGEST_SUBMISSION} bytes"
            source = b"" if fault else path.read_bytes()
        except OSError as error:
            fault = f"its file cannot be read ({error.strerror})"
        if fault:
            raise SubmissionError(GradingOutcome.FAILED, fault)
        self._folder = tempfile.TemporaryDirectory(prefix="submission-", ignore_cleanup_errors=True)
        folder = os.path.realpath(self._folder.name)
        Path(folder, FILE).write_bytes(source)
        variables = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
        variables |= {f"{library}_NUM_THREADS": "1" for library in THREADED}
        variables |= {**dict.fromkeys(IN_THE_FOLDER, folder), "PATH": os.defpath}
        options = {"class": self._submission.class_name, "limits": asdict(self._limits)}
        home = str(Path(__file__).parents[2])
        self._end = time.monotonic() + BY_THE_CLOCK * self._limits.seconds
        self._process = subprocess.Popen(
            [sys.executable, *PYTHON, "-c", BOOT, home, json.dumps(options)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=variables,
            start_new_session=True,
        )
        for work in (self._receive, self._listen):
            self._listener = threading.Thread(target=work, daemon=True)
            self._listener.start()
        value = self._reply("the import of its file", IMPORT_SECONDS)
        try:
            self.name, self.max_steps, self.needs_horizon, self.missing = value
        except (TypeError, ValueError):
            raise SubmissionError(GradingOutcome.CHEATED, GONE) from None
        cap = self.max_steps
        if cap is not None and not (type(cap) is int and cap >= 1):
            reason = f"its max_steps must be None or an integer of at least 1, got {cap!r}"
            raise SubmissionError(GradingOutcome.FAILED, reason)

    def end(self) -> None:
        """Kill the process and its child processes, and remove its folder."""
        if self._process is not None:
            with self._process:
                self._kill()
                self._listener.join(1.0)
            self._folder.cleanup()

    def _kill(self) -> None:
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()

    def _receive(self) -> None:
        """Store the replies of the process, and None when the process has ended."""
        reply = b""
        with suppress(OSError, ValueError):
            while part := os.read(self._process.stdout.fileno(), LONGEST_REPLY):
                reply += part
                if reply.endswith(b"\n") or len(reply) > LONGEST_REPLY:
                    self._replies.put(reply)
                    reply = b""
        self._replies.put(None)

    def _listen(self) -> None:
        with suppress(OSError, ValueError):
            while printed := os.read(self._process.stderr.fileno(), LONGEST_REPLY):
                self._n_printed += len(printed)
                self._printed += printed[: 4000 - len(self._printed)]

    @property
    def output(self) -> str:
        """The first 4000 bytes of the submission's output, and the number of further bytes."""
        left_out = self._n_printed - len(self._printed)
        more = f"\n... and {left_out} bytes more" if left_out else ""
        return self._printed.decode("utf-8", "replace") + more

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        """Begin a run with a new user; `rng` is the agent's random stream."""
        self._n_arms, self._n_steps, self._rng = n_arms, 0, rng
        self._n_users += 1
        entropy: Any = rng.bit_generator.seed_seq.entropy  # type: ignore[attr-defined]
        words = np.asarray(entropy, np.uint32).tolist()
        self._pending = "reset", json.dumps(["reset", n_arms, words, horizon])

    def act(self) -> int | None:
        """Return the arm that the agent recommends, or None if it stops."""
        return self._ask("act")

    def observe(self, arm: int, accepted: bool) -> None:
        """Store the user's response, to send it with the next request."""
        self._n_steps += 1
        self._pending = "observe", f'["observe",{int(arm)},{"true" if accepted else "false"}]'

    def answer(self) -> int:
        """Return the student's answer, or a random arm if the submission exceeded its time."""
        arm = self._ask("answer")
        if arm is None:
            return int(self._rng.integers(self._n_arms))
        self.n_finished += 1
        return arm

    def _ask(self, method: str) -> int | None:
        """Return the arm from `act` or `answer`; None if `act` stops or the time is exceeded."""
        doing, calls = method, f'["{method}"]'
        if self._pending is not None:
            doing, calls = f"{self._pending[0]} or {method}", f"{self._pending[1]},{calls}"
            self._pending = None
        if self.failure is not None:
            return None
        self._n_requests += 1
        try:
            with suppress(OSError):  # if the process has ended, `_reply` reports it
                request = f"[{self._n_requests},{calls}]\n"
                os.write(self._process.stdin.fileno(), request.encode())
            arm = self._reply(doing, self._limits.call_seconds)
            if (type(arm) is int and 0 <= arm < self._n_arms) or (arm is None and method == "act"):
                return arm
            raise SubmissionError(GradingOutcome.CHEATED, GONE)
        except SubmissionError as error:
            where = f"{error.reason}, at step {self._n_steps + 1} with user {self._n_users}"
            self.failure = SubmissionError(error.outcome, where)
            if error.outcome != GradingOutcome.STOPPED:
                raise self.failure from error
            return None

    def _reply(self, doing: str, seconds: float) -> Any:
        """Return the reply to the last request; wait at most `seconds` of processor time for it."""
        wait = max(min(BY_THE_CLOCK * seconds, self._end - time.monotonic()), 0.0)
        line, self._late = None, True
        with suppress(queue.Empty):  # a read of the pipe would have no time limit
            line, self._late = self._replies.get(timeout=wait), False
        if line is None:
            raise self._ended(doing, seconds)
        try:
            number, value = json.loads(line.decode())
        except (ValueError, TypeError, RecursionError):
            number, value = None, None
        if number != self._n_requests:
            raise SubmissionError(GradingOutcome.CHEATED, GONE)
        if isinstance(value, dict) and "raised" in value:
            text = one_line(in_line(str(value["raised"])), 400)
            if "MemoryError" in text:
                text += f"; its limit is {self._limits.memory} MB"
            raise SubmissionError(GradingOutcome.FAILED, text)
        return value

    def _ended(self, doing: str, seconds: float) -> SubmissionError:
        """Return the error for a process that has ended, with the reason."""
        if self._late:
            self._kill()
            is_total, total = time.monotonic() > self._end, self._limits.seconds
            subject, limit = ("it", total) if is_total else (doing, seconds)
            reason = f"{subject} took longer than {BY_THE_CLOCK * limit:g} s of wall-clock time"
            return SubmissionError(GradingOutcome.STOPPED, reason)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        code = self._process.poll()
        name = {-each.value: each.name for each in signal.Signals}.get(code, "")
        late = {
            "SIGPROF": f"{doing} took more than {seconds:g} s of processor time",
            "SIGXCPU": f"it took more than {self._limits.seconds:g} s of processor time in total",
        }
        if name in late:
            return SubmissionError(GradingOutcome.STOPPED, late[name])
        reason = f"signal {name} ended its process" if name else "it ended its own process"
        reason += {"SIGKILL": ", perhaps for memory", "": f" (exit code {code})"}.get(name, "")
        return SubmissionError(GradingOutcome.FAILED, f"{reason}, in {doing}")


# The rest of this file runs in the submission's process.

FILE = "submission.py"
AGENT_CLASS = "Agent"
METHODS = ("reset", "act", "observe", "answer")


class _FaultError(Exception):
    """The file has no valid agent, or a method returned no arm."""


def serve() -> None:
    """Import the submission's agent and answer the grader's requests, in a separate process."""
    options = json.loads(sys.argv[2])
    requests, replies = os.fdopen(os.dup(0), "rb"), os.dup(1)
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)  # keeps the submission's output apart from the replies
    limits, leave = options["limits"], os._exit
    number, doing, n_arms = 0, "", 0
    try:
        missing = _limited(limits)
        agent = _imported_agent(options["class"])
        if protocol.sees_rewards(agent):
            raise _FaultError("the agent requests rewards, which no agent may observe")
        value: Any = [protocol.name_of(agent)[:200], protocol.cap_of(agent)]
        value += [protocol.needs_horizon(agent), missing]
        os.write(replies, f"[0,{json.dumps(value)}]\n".encode())
        for line in requests:
            number, *calls = json.loads(line)
            _alarm(limits["call_seconds"])
            for method, *given in calls:
                doing = f"{method} raised "
                if method == "reset":
                    n_arms, words, horizon = given
                    sequence = np.random.SeedSequence(np.array(words, np.uint32))
                    given = [n_arms, np.random.Generator(np.random.PCG64(sequence)), horizon]
                value = getattr(agent, method)(*given)
            if value is not None or method != "act":
                try:
                    value = as_action(value, n_arms)
                except InvalidArgumentError:
                    doing, got = "", one_line(repr(value), 100)
                    allowed = f"an arm in 0..{n_arms - 1}"
                    raise _FaultError(f"{method} must return {allowed}, got {got}") from None
            os.write(replies, f"[{number},{json.dumps(value)}]\n".encode())
    except BaseException as error:  # a student's code may raise any error, also SystemExit
        with suppress(BaseException):
            _alarm(0.0)
            text = str(error)
            if not isinstance(error, _FaultError):
                frames = traceback.extract_tb(error.__traceback__)
                theirs = [each for each in frames if each.filename != __file__]
                lines = [each.lineno for each in theirs if os.path.basename(each.filename) == FILE]
                if isinstance(error, SyntaxError) and error.lineno:
                    lines = [error.lineno]
                text = one_line(traceback.format_exception_only(error)[-1].strip(), 300)
                text += f" (line {lines[-1]} of the file)" if lines else ""
            reply = json.dumps([number, {"raised": doing + text}])
            os.write(replies, f"{reply}\n".encode())
    leave(0)  # skips the submission's exit handlers and threads


def _imported_agent(name: str | None) -> Any:
    """Run the file, and return an agent of the class `name`, by default the only agent class.

    Raises:
        _FaultError: if the file has no agent class `name`, or if `name` is None and the file has
            several agent classes, but no class `Agent`.
    """
    _alarm(IMPORT_SECONDS)
    path = Path.cwd() / FILE
    module = types.ModuleType(path.stem)
    module.__file__ = str(path)
    sys.modules[path.stem] = module  # pickle and dataclasses look modules up here
    sys.path.insert(0, str(path.parent))
    exec(compile(path.read_bytes(), str(path), "exec"), vars(module))
    classes = {
        each.__name__: each
        for each in vars(module).values()
        if isinstance(each, type)
        and each.__module__ == module.__name__
        and all(callable(getattr(each, method, None)) for method in METHODS)
    }
    selected = name or (next(iter(classes)) if len(classes) == 1 else AGENT_CLASS)
    if selected not in classes:
        fault = f"the file has no agent class {name}"
        if name is None:
            fault = f"the file must have one class with the methods {', '.join(METHODS)}, "
            fault += f"or one called {AGENT_CLASS}"
        raise _FaultError(f"{fault}; it has the classes: {', '.join(sorted(classes)) or 'none'}")
    return classes[selected]()


def _alarm(seconds: float) -> None:
    """Let the system end this process after `seconds` of processor time; 0 removes the limit."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _limited(limits: Mapping[str, Any]) -> list[str]:
    """Set the limits of this process, and return those that this system does not enforce."""
    if sys.platform == "win32":
        return ["system user", "processor time", "sizes of files", "memory", "other processes"]
    import resource

    missing = []
    try:
        places = [Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib")]
        folders = {each for place in (*places, Path(__file__).parent) for each in place.parents}
        if not all(each.stat().st_mode & 0o001 for each in folders | set(places)):
            raise PermissionError("another system user cannot read this installation of Python")
        for name in (".", FILE):
            os.chown(name, NOBODY, NOBODY)
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    except (OSError, AttributeError):
        missing.append("system user")
    memory = Path("/proc/self/statm")
    used = int(memory.read_text().split()[0]) if memory.exists() else math.nan
    most = {
        # The soft limit of processor time sends the signal SIGXCPU.
        ("processor time", resource.RLIMIT_CPU): time.process_time() + limits["seconds"],
        ("sizes of files", resource.RLIMIT_FSIZE): 16 << 20,
        ("memory", resource.RLIMIT_AS): used * resource.getpagesize() + (limits["memory"] << 20),
        # The system does not limit the processes of root.
        ("other processes", resource.RLIMIT_NPROC): 0 if os.geteuid() else math.nan,
    }
    for (name, which), value in most.items():
        try:
            hard = resource.getrlimit(which)[1]
            soft = math.ceil(value) if hard < 0 else min(math.ceil(value), hard)
            resource.setrlimit(which, (soft, hard if which == resource.RLIMIT_CPU else soft))
        except (OSError, ValueError):
            missing.append(name)
    return missing
