"""Whatever ends a command, what it had finished is there, and it is gone on with to equal rows."""

import os
import signal
import subprocess
import sys
import time

import pytest
from processes import PACKAGE, heed_signals
from stores import rows_in, without_numbers

from explorative_user_env.commands.run import RUN_FILE
from explorative_user_env.results.store import about
from explorative_user_env.validation import InvalidArgumentError

pytestmark = pytest.mark.slow

WORDS = "bench --n-instances 20000 --agent bair --agent uni --n-arms 5 --delta 0.1 --workers 2"
FIVE = [signal.SIGKILL, signal.SIGINT, signal.SIGKILL, signal.SIGTERM, signal.SIGKILL]
LONG_ENOUGH = 120.0


def started(folder, *words):
    return subprocess.Popen(
        [sys.executable, "-m", "explorative_user_env", *words],
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "cwd": folder},
        env=os.environ | {"PYTHONPATH": str(PACKAGE)},
        preexec_fn=heed_signals,
    )


def n_runs_in(file):
    try:
        return about(file).n_runs
    except InvalidArgumentError:  # there is nothing yet
        return 0


def finish(process):
    _, said = process.communicate(timeout=LONG_ENOUGH)
    assert process.returncode == 0, said


@pytest.mark.parametrize(
    "ends", [[signal.SIGTERM], pytest.param(FIVE, marks=pytest.mark.exhaustive)], ids=len
)
def test_no_row_is_lost_doubled_or_changed(ends, tmp_path):
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
        killed = end == signal.SIGKILL
        assert process.returncode == (-end if killed else 128 + end)
        assert killed or f"{n_runs} runs are in out/{RUN_FILE}; to continue: " in said
    assert n_ends >= len(ends) // 2
    finish(started(tmp_path, *words))
    assert without_numbers(rows_in(file)) == without_numbers(rows_in(tmp_path / "whole" / RUN_FILE))
    for name in ("table.md", "summary.csv", "runs.csv"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
