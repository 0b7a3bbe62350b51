"""The page as it is served, in a process of its own."""

import os
import subprocess
import sys

from processes import PACKAGE, heed_signals

COMMAND = ("-m", "explorative_user_env")
WITHOUT_A_MODEL = (
    "-c",
    "from explorative_user_env import cli; from explorative_user_env.play import game\n"
    "game.get_ready = int; cli.main()",
)


def started(*more, command=COMMAND):
    """Start `explorative-user play` without a browser."""
    return subprocess.Popen(
        [sys.executable, *command, "play", "--no-browser", *more],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(PACKAGE), "TERM": "dumb"},
        preexec_fn=heed_signals,
    )


def address_of(server):
    """Return the address that it says, once the page is there."""
    assert server.stdout is not None
    line = server.stdout.readline()
    assert line.startswith("The page is at http://127.0.0.1:"), line
    return line.split()[-1]
