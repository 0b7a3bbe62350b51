"""A command that is ended says so in one line, and its worker processes end with it."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from processes import PACKAGE, heed_signals

LONG_ENOUGH = 180


"""Seconds until the wait for what does not come is over."""


AGENT = """
class Slow:
    name = "slow"

    def reset(self, n_arms, rng, horizon=None):
        self.steps = 0

    def act(self):
        self.steps += 1
        return None if self.steps > 900_000 else 0  # no run is over when it is ended

    def observe(self, arm, accepted):
        pass

    def answer(self):
        return 0
"""


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs Linux's /proc"),
]


def shared_memory(number: int) -> list[str]:
    """What joblib keeps there for a process, whose number is in the name."""
    kept = Path("/dev/shm").iterdir() if Path("/dev/shm").exists() else []
    return [path.name for path in kept if re.search(rf"(loky-|folder_){number}[-_]", path.name)]


class Started:
    """A program with all of its processes, which its environment marks."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        (folder / "own.py").write_text(AGENT)
        self._mark = f"STARTED_AS={uuid4()}"
        name, _, value = self._mark.partition("=")
        self.process = subprocess.Popen(
            [sys.executable, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(PACKAGE), "TERM": "dumb", name: value},
            start_new_session=True,
            preexec_fn=heed_signals,
        )

    def alive(self) -> list[int]:
        """Its processes."""
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            try:
                if self._mark.encode() in (place / "environ").read_bytes().split(b"\0"):
                    found.append(int(place.name))
            except OSError:  # it has ended
                continue
        return found

    def has(self, n_processes: int) -> bool:
        """Wait until it has so many processes, and return whether it came to that."""
        return within(lambda: len(self.alive()) >= n_processes)

    def cleared_away(self) -> bool:
        """Wait until nothing of it is left, and return whether it came to that."""
        return within(lambda: not self.alive() and not shared_memory(self.process.pid))


def within(condition: Callable[[], bool]) -> bool:
    """Wait until it holds, and return whether it came to that."""
    end = time.monotonic() + LONG_ENOUGH
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Started]]:
    """What starts a program with these arguments, of which nothing is left in the end."""
    programs: list[Started] = []

    def started(*arguments: str) -> Started:
        programs.append(Started(tmp_path, *arguments))
        return programs[-1]

    yield started
    for program in programs:
        for number in program.alive():
            os.kill(number, signal.SIGKILL)
        program.process.communicate()


@pytest.mark.parametrize(
    ("how", "everybody", "agent"),
    [
        (signal.SIGTERM, False, "own:Slow"),
        (signal.SIGINT, True, "own:Slow"),
        (signal.SIGHUP, False, "thompson"),
    ],
)
def test_a_command_that_is_ended_says_so_in_a_line_and_leaves_nothing(
    start: Callable[..., Started], tmp_path: Path, agent: str, how: signal.Signals, everybody: bool
) -> None:
    command = f"bench --agent {agent} --n-instances 1000000 --workers 2 --output out"
    command += "" if agent == "own:Slow" else " --agent uni --baseline-time 2000 --n-arms 20"
    program = start("-m", "explorative_user_env", *command.split())
    assert program.has(3 if agent == "own:Slow" else 1)
    assert within((tmp_path / "out").exists)
    time.sleep(1.0)
    (os.killpg if everybody else os.kill)(program.process.pid, how)
    printed, said = program.process.communicate(timeout=LONG_ENOUGH)
    assert (program.process.returncode, printed) == (128 + how, "")
    # Joblib may have to say, later, that it has cleared a semaphore away.
    assert said.startswith("error: interrupted; no file was written\n")
    assert "Traceback" not in said
    assert not list((tmp_path / "out").iterdir())
    assert program.cleared_away()
