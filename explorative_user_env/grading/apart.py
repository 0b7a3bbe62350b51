"""A process of its own for a submission, which is asked through pipes and ended in any case."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from explorative_user_env.display.text import in_line
from explorative_user_env.grading import inside, wire
from explorative_user_env.grading.limits import Limits, unreadable_to_others
from explorative_user_env.grading.own_folder import flatten, too_much_in
from explorative_user_env.grading.reasons import CHEATS, GradingOutcome, SubmissionError, ending
from explorative_user_env.validation import one_line

LOOKS_EVERY = 0.02
"""Seconds between two looks at whether time is up, or the process gone."""

SIGHTS_EVERY = 0.25
"""Seconds between two looks at how much it has written."""

MOST_OUTPUT = 4000
"""Bytes that are kept of what a submission prints."""

BOOT = f"""
import sys
sys.path.append(sys.argv[1])
from {inside.__name__} import play_on_request
play_on_request()
"""

ISOLATED = ("-I", "-B", "-u", "-X", "utf8")
"""Python that heeds no variables and folders of who grades, and writes at once what is printed."""

THREADED = ("OPENBLAS", "OMP", "MKL", "NUMEXPR", "VECLIB_MAXIMUM", "NUMBA")
"""Whose number of threads is set by a variable."""

START_SECONDS = 60.0
"""Of Python and its libraries, which the submission's file may take as well."""


class Apart:
    """The process; use `apart`, which ends it.

    Attributes:
        missing: what of the limits is not enforced on this system.
    """

    def __init__(self, limits: Limits, folder: str) -> None:
        self.missing: list[str] = []
        self._limits = limits
        self._number = 0
        self._stopped: str | None = None
        self._doing, self._deadline, self._seconds = "", float("inf"), START_SECONDS
        self._end = time.monotonic() + limits.seconds
        self._folder = folder
        self._output = bytearray()
        self._n_printed = 0
        self._replies, self._kept_open = os.pipe()
        with suppress(OSError, AttributeError):
            os.set_blocking(self._kept_open, False)
        self._process = subprocess.Popen(
            [sys.executable, *ISOLATED, "-c", BOOT, str(Path(__file__).parents[2])],
            stdin=subprocess.PIPE,
            stdout=self._kept_open,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=_clean_environment(folder),
            start_new_session=True,
            bufsize=0,
        )
        self._over = threading.Event()
        self._threads = [
            threading.Thread(target=work, daemon=True) for work in (self._watch, self._listen)
        ]
        for thread in self._threads:
            thread.start()

    def started(self, source: bytes, name: str | None) -> dict[str, Any]:
        """Hand over the submission's file, and return what its agent says of itself."""
        options = json.dumps({"limits": asdict(self._limits), "class": name}).encode()
        self.send("the import of its file", wire.START, more=options + b"\n" + source)
        reply = self.received(wire.READY)
        try:
            told = json.loads(reply.text)
            self.missing = [str(each) for each in told.pop("missing")]
            return dict(told)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise SubmissionError(GradingOutcome.CHEATED, CHEATS["channel"]) from error

    def send(
        self, doing: str, kind: int, first: int = 0, second: int = 0, more: bytes = b""
    ) -> None:
        """Ask for something, whose reply is `received`.

        Args:
            doing: what is asked for, in words.
            kind: of `wire`'s requests.
            first: the request's first number.
            second: and its second.
            more: what follows it.
        """
        self._number = (self._number + 1) & 0xFFFFFFFF
        now = time.monotonic()
        seconds = START_SECONDS if kind == wire.START else self._limits.call_seconds
        self._doing, self._deadline = doing, min(now + seconds, self._end)
        self._seconds = seconds
        stdin: IO[bytes] = self._process.stdin  # type: ignore[assignment]
        data = wire.packed_request(kind, self._number, first, second, more)
        with suppress(OSError):  # it is gone, as the reply tells
            while data:
                data = data[os.write(stdin.fileno(), data) :]

    def received(self, *kinds: int) -> wire.Reply:
        """Return the reply to what was asked last.

        Raises:
            SubmissionError: if it is of none of these kinds, or there is none.
        """
        reply = wire.read_reply(self._replies)
        self._deadline = float("inf")
        if reply.kind in kinds and reply.number == self._number:
            return reply
        raise self._error(reply)

    @property
    def output(self) -> str:
        """What the submission printed, cut off."""
        text = bytes(self._output).decode("utf-8", "replace")
        left_out = self._n_printed - len(self._output)
        return text + (f"\n... and {left_out} bytes more" if left_out > 0 else "")

    def end(self) -> None:
        """End the process and all that it has started."""
        self._over.set()
        self._kill()
        self._process.wait()
        for thread in self._threads:
            thread.join(1.0)
        for pipe in (self._process.stdin, self._process.stderr):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        os.close(self._replies)
        os.close(self._kept_open)

    def _error(self, reply: wire.Reply) -> SubmissionError:
        """Return what is to be said of a reply that was not asked for."""
        text = one_line(in_line(reply.text), 400)
        if reply.number == self._number:
            if reply.kind in (wire.RAISED, wire.NO_ARM):
                memory = "raised MemoryError" in text or text.startswith("MemoryError")
                more = f"; it may take {self._limits.memory} MB" if memory else ""
                return SubmissionError(GradingOutcome.FAILED, text + more)
            if reply.kind == wire.CAUGHT:
                kind, _, what = text.partition(" ")
                if kind in CHEATS:
                    return SubmissionError(GradingOutcome.CHEATED, f"{CHEATS[kind]} ({what})")
        if not reply.kind == reply.number == wire.ENDED:
            return SubmissionError(GradingOutcome.CHEATED, CHEATS["channel"])
        if self._stopped is not None:
            return SubmissionError(GradingOutcome.STOPPED, self._stopped)
        return SubmissionError(
            GradingOutcome.FAILED, f"{ending(self._process.wait())}, in {self._doing}"
        )

    def _watch(self) -> None:
        """Look whether time is up or the process is gone, and tell whoever waits for a reply."""
        next_sight = 0.0
        while not self._over.wait(LOOKS_EVERY):
            now = time.monotonic()
            if now > next_sight:
                if why := too_much_in(self._folder):
                    self._stopped = why
                    self._kill()
                next_sight = time.monotonic() + SIGHTS_EVERY
            if now > self._deadline:
                if now > self._end:
                    self._stopped = f"it took longer than {self._limits.seconds:g} s in all"
                else:
                    self._stopped = f"{self._doing} took longer than {self._seconds:g} s"
                self._kill()
            if self._process.poll() is not None:
                with suppress(OSError):  # if it is full, there is enough to read
                    os.write(self._kept_open, bytes(wire.REPLY_FORM.size + wire.LONGEST_TEXT))
                return

    def _listen(self) -> None:
        """Keep the first of what is printed, and let nobody wait who prints more."""
        stderr: IO[bytes] = self._process.stderr  # type: ignore[assignment]
        with suppress(OSError, ValueError):
            while data := os.read(stderr.fileno(), 1 << 16):
                self._n_printed += len(data)
                self._output += data[: MOST_OUTPUT - len(self._output)]

    def _kill(self) -> None:
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()


@contextmanager
def apart(limits: Limits) -> Iterator[Apart]:
    """Open a process in the block, with a folder of its own; neither outlives it."""
    with (
        unreadable_to_others(),
        tempfile.TemporaryDirectory(prefix="submission-", ignore_cleanup_errors=True) as folder,
    ):
        process = Apart(limits, os.path.realpath(folder))
        try:
            yield process
        finally:
            process.end()
            flatten(folder)


def _clean_environment(folder: str) -> Mapping[str, str]:
    """Return variables that say nothing of who grades."""
    needed = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    threads = {f"{library}_NUM_THREADS": "1" for library in THREADED}
    places = dict.fromkeys(
        ("HOME", "TMPDIR", "TEMP", "TMP", "NUMBA_CACHE_DIR", "MPLCONFIGDIR"), folder
    )
    return needed | threads | places | {"PATH": os.defpath, "LANG": "C.UTF-8"}
