"""The page as it is served, in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from processes import PACKAGE, heed_signals

COMMAND = ("-m", "explorative_user_env", "play", "--no-browser")


def started(*more: str) -> "subprocess.Popen[str]":
    """Start `explorative-user play` without a browser."""
    return subprocess.Popen(
        [sys.executable, *COMMAND, *more],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(PACKAGE), "TERM": "dumb"},
        preexec_fn=heed_signals,
    )


def address_of(server: "subprocess.Popen[str]") -> str:
    """Return the address that it says, once the page is there."""
    assert server.stdout is not None
    line = server.stdout.readline()
    assert line.startswith("The page is at http://127.0.0.1:"), line
    return line.split()[-1]


@contextmanager
def served() -> Iterator[str]:
    """Serve the page for the block, and yield its address."""
    server = started("--port", "0")
    try:
        yield address_of(server)
    finally:
        server.terminate()
        server.communicate()
