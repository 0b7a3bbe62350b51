"""Python in a process of its own, with the very package that is tested."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import explorative_user_env

PACKAGE = Path(explorative_user_env.__file__).parents[1]
TESTS = Path(__file__).parent


def python(*arguments, folder=None):
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(PACKAGE), "COLUMNS": "100", "TERM": "dumb"},
    )


def heed_signals():
    """Let a program end as it does by itself: one that is started in the background would not."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
