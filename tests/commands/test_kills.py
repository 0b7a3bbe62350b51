"""Whatever ends a command, what it had finished is there, and it is gone on with to equal rows."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from processes import PACKAGE, heed_signals
from stores import rows_in, without_numbers

from explorative_user_env.commands.run import RUN_FILE
from explorative_user_env.results.store import about
from explorative_user_env.validation import InvalidArgumentError

pytestmark = pytest.mark.slow

WORDS = "bench --n-instances 20000 --agent bair --agent uni --n-arms 5 --delta 0.1 --workers 2"
LONG_ENOUGH = 120.0
"""Seconds until the wait for what does not come is over."""


def started(
    folder: Path, *words: str, screen: int = subprocess.PIPE, **variables: str
) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "explorative_user_env", *words],
        stdout=subprocess.PIPE,
        stderr=screen,
        text=True,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(PACKAGE), **variables},
        preexec_fn=heed_signals,
    )


def n_runs_in(file: Path) -> int:
    try:
        return about(file).n_runs
    except InvalidArgumentError:  # there is nothing yet
        return 0


def finish(process: "subprocess.Popen[str]") -> None:
    _, said = process.communicate(timeout=LONG_ENOUGH)
    assert process.returncode == 0, said


FIVE = [signal.SIGKILL, signal.SIGINT, signal.SIGKILL, signal.SIGTERM, signal.SIGKILL]


@pytest.mark.parametrize(
    "ends", [[signal.SIGTERM], pytest.param(FIVE, marks=pytest.mark.exhaustive)], ids=len
)
def test_no_row_is_lost_doubled_or_changed(ends: list[signal.Signals], tmp_path: Path) -> None:
    finish(started(tmp_path, *WORDS.split(), "--output", "whole"))
    file, n_runs, n_ends = tmp_path / "out" / RUN_FILE, 0, 0
    words = [*WORDS.split(), "--output", "out"]
    for end in ends:
        process, last = started(tmp_path, *words), time.monotonic() + LONG_ENOUGH
        while n_runs_in(file) <= n_runs and process.poll() is None and time.monotonic() < last:
            time.sleep(0.01)
        process.send_signal(end)
        _, said = process.communicate(timeout=LONG_ENOUGH)
        n_before, n_runs = n_runs, n_runs_in(file)
        if process.returncode == 0:  # it came to its end just then
            break
        n_ends += 1
        words = ["bench", "--resume", f"out/{RUN_FILE}"]
        assert n_runs > n_before
        if end == signal.SIGKILL:
            assert process.returncode == -end
        else:
            assert process.returncode == 128 + end
            assert f"{n_runs} runs are in out/{RUN_FILE}; to go on: explorative-user " in said
    assert n_ends >= len(ends) // 2
    finish(started(tmp_path, *words))
    assert without_numbers(rows_in(file)) == without_numbers(rows_in(tmp_path / "whole" / RUN_FILE))
    for name in ("table.md", "summary.csv", "runs.csv"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


@pytest.mark.exhaustive
def test_an_interrupt_while_loops_compile_ends_the_command(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    screen, terminal = os.openpty()  # where it is said at once what is going on
    words = ("bench", "--quick", "--output", "out")
    child = started(tmp_path, *words, screen=terminal, XDG_CACHE_HOME=str(cache), TERM="dumb")
    os.close(terminal)
    assert b"compiling" in read_until(screen, b"compiling")
    time.sleep(1.0)
    child.send_signal(signal.SIGINT)
    printed, _ = child.communicate(timeout=LONG_ENOUGH)
    assert (child.returncode, printed) == (130, "")
    assert read_until(screen, None).endswith(b"error: interrupted; no file was written\r\n")
    assert not list((tmp_path / "out").iterdir())
    kept = [path.name for path in cache.rglob("*") if path.is_file()]
    assert all(name.endswith(".loop") for name in kept)


def read_until(screen: int, word: bytes | None) -> bytes:
    """Return what is shown up to a word, or to the end, or until it takes too long."""
    shown, end = b"", time.monotonic() + LONG_ENOUGH
    while (word is None or word not in shown) and time.monotonic() < end:
        try:
            more = os.read(screen, 65536)
        except OSError:  # as Linux says that nobody writes there any more
            break
        if not more:
            break
        shown += more
    return shown
