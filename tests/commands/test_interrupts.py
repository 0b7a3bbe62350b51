"""Who interrupts a command gets it to end, whatever it is at."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from processes import PACKAGE, heed_signals

LONG_ENOUGH = 120
"""Seconds until the wait for what does not come is over."""


@pytest.mark.slow
def test_an_interrupt_while_loops_compile_ends_the_command(tmp_path: Path) -> None:
    arguments = ("-m", "explorative_user_env", "bench", "--quick", "--output", "out")
    cache = tmp_path / "cache"
    screen, terminal = os.openpty()  # where it is said at once what is going on
    child = subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=terminal,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(PACKAGE), "XDG_CACHE_HOME": str(cache), "TERM": "dumb"},
        preexec_fn=heed_signals,
    )
    os.close(terminal)
    said = read_until(screen, b"compiling")
    assert b"compiling" in said
    time.sleep(1.0)
    child.send_signal(signal.SIGINT)
    printed, _ = child.communicate(timeout=LONG_ENOUGH)
    assert (child.returncode, printed) == (130, "")
    assert read_until(screen, None).endswith(b"error: interrupted; no file was written\r\n")
    assert not list((tmp_path / "out").iterdir())
    kept = [path.name for path in cache.rglob("*") if path.is_file()]
    assert all(name.endswith(".kernel") for name in kept)


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
