"""The page as it is served, in a process of its own."""

import os
import subprocess
import sys

from processes import PACKAGE, heed_signals

WITHOUT_A_MODEL = (
    "from explorative_user_env import cli; from explorative_user_env.play import game\n"
    "game.load_first_model = int; cli.main()"
)


def started(*options):
    """Start `explorative-user play` without a browser; return it and the address that it says."""
    command = [sys.executable, "-c", WITHOUT_A_MODEL, "play", "--no-browser", "--port", "0"]
    server = subprocess.Popen(
        [*command, *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(PACKAGE), "TERM": "dumb"},
        preexec_fn=heed_signals,
    )
    line = server.stdout.readline()
    assert line.startswith("The page is at http://127.0.0.1:"), line
    return server, line.split()[-1]


def check_end(server):
    """Check that a server that was told to end does so in order."""
    printed, errors = server.communicate(timeout=60)
    assert (server.returncode, errors) == (0, "")
    assert printed.splitlines()[-1].startswith("The page is closed.")
