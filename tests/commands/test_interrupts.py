"""Who interrupts a command gets it to end, whatever it is at."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from processes import PACKAGE

LONG_ENOUGH = 120
"""Seconds until the wait for what does not come is over."""


def heed_interrupts() -> None:
    """A program that is started in the background would not."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.slow
def test_an_interrupt_while_loops_compile_ends_the_command(tmp_path: Path) -> None:
    arguments = ("-m", "explorative_user_env", "bench", "--quick", "--output", "out")
    cache = tmp_path / "cache"
    child = subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(PACKAGE), "XDG_CACHE_HOME": str(cache)},
        preexec_fn=heed_interrupts,
    )
    end = time.monotonic() + LONG_ENOUGH
    while not list(cache.rglob("*_loop_*.py")) and time.monotonic() < end:
        time.sleep(0.05)
    assert list(cache.rglob("*_loop_*.py"))  # it is about to be compiled
    time.sleep(1.0)
    child.send_signal(signal.SIGINT)
    printed, complained = child.communicate(timeout=LONG_ENOUGH)
    assert (child.returncode, printed) == (130, "")
    assert complained == "error: interrupted; no file was written\n"
    assert not list((tmp_path / "out").iterdir())
    kept = [path.name for path in cache.rglob("*") if path.is_file()]
    assert all(name.startswith("explorative_user_env_loop_") for name in kept)
