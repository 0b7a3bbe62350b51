"""A command that is ended says so in one line, and its worker processes end with it."""

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import pytest
from processes import PACKAGE, TESTS, heed_signals

LONG_ENOUGH = 180  # seconds

AGENT = """
from watched import Silent

class Slow(Silent):
    def __init__(self):
        super().__init__(steps=900_000)  # no run is over when it is ended
"""
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs Linux's /proc"),
]


def alive(mark):
    """The processes with this in their environment."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended
            if mark.encode() in (place / "environ").read_bytes():
                found.append(int(place.name))
    return found


def within(condition):
    """Wait until it holds, and return whether it came to that."""
    end = time.monotonic() + LONG_ENOUGH
    while not condition() and time.monotonic() < end:
        time.sleep(0.1)
    return condition()


@pytest.mark.parametrize(
    ("how", "everybody", "agent"),
    [
        (signal.SIGTERM, False, "own:Slow"),
        pytest.param(signal.SIGINT, True, "own:Slow", marks=pytest.mark.exhaustive),
        pytest.param(signal.SIGHUP, False, "thompson", marks=pytest.mark.exhaustive),
    ],
)
def test_a_command_that_is_ended_says_so_in_a_line_and_leaves_nothing(
    tmp_path, agent, how, everybody
):
    command = f"bench --agent {agent} --n-instances 1000000 --workers 2 --output out"
    command += "" if agent == "own:Slow" else " --agent uni --baseline-time 2000 --n-arms 20"
    (tmp_path / "own.py").write_text(AGENT)
    mark = uuid4().hex
    own = {"PYTHONPATH": f"{PACKAGE}{os.pathsep}{TESTS}", "TERM": "dumb", "MARK": mark}
    program = subprocess.Popen(
        [sys.executable, "-m", "explorative_user_env", *command.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=os.environ | own,
        start_new_session=True,
        preexec_fn=heed_signals,
    )
    try:
        assert within(lambda: len(alive(mark)) >= (3 if agent == "own:Slow" else 1))
        assert within((tmp_path / "out").exists)
        time.sleep(1.0)
        for patience in (20, 20, LONG_ENOUGH):  # where nothing happens it is sent again
            (os.killpg if everybody else os.kill)(program.pid, how)
            with suppress(subprocess.TimeoutExpired):
                printed, said = program.communicate(timeout=patience)
                break
        assert within(lambda: not alive(mark))
    finally:
        for number in alive(mark):
            os.kill(number, signal.SIGKILL)
    assert (program.returncode, printed) == (128 + how, "")
    # Joblib may have to say, later, that it has cleared a semaphore away.
    assert said.startswith("error: interrupted; no file was written\n")
    assert "Traceback" not in said
    assert not list((tmp_path / "out").iterdir())
    named = re.compile(rf"(loky-|.*folder_){program.pid}[-_]")  # by joblib
    assert [each for each in os.listdir("/dev/shm") if named.match(each)] == []
