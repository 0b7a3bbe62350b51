"""A real terminal of a given width, for programs that look whether they have one."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping
from pathlib import Path

from processes import PACKAGE

CONTROLS = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
"""What a terminal does not show."""


def in_terminal(
    columns: int,
    *arguments: str,
    stderr: bool = False,
    folder: Path | None = None,
    variables: Mapping[str, str] | None = None,
) -> tuple[int, str]:
    """Run Python on a terminal that is so wide; return its exit code and all it was sent.

    Standard error goes there too if it is asked for, else nowhere.
    """
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    child = subprocess.Popen(
        [sys.executable, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=its,
        stderr=its if stderr else subprocess.DEVNULL,
        cwd=folder,
        env=kept | {"PYTHONPATH": str(PACKAGE), "TERM": "xterm", **(variables or {})},
    )
    os.close(its)
    sent = bytearray()
    with open(ours, "rb", buffering=0) as screen:
        while True:
            try:
                portion = screen.read(4096)
            except OSError:  # so Linux says that nobody is left at the other end
                break
            if not portion:
                break
            sent += portion
    return child.wait(), sent.decode().replace("\r\n", "\n")


def shown(sent: str) -> list[str]:
    """Return the lines that a terminal was sent, without colours, cursor and trailing blanks."""
    return [line.rstrip() for line in CONTROLS.sub("", sent).split("\n")]
