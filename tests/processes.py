"""Python in a process of its own, with the very package that is tested."""

import os
import subprocess
import sys
from pathlib import Path

import explorative_user_env

PACKAGE = Path(explorative_user_env.__file__).parents[1]


def python(*arguments: str, folder: Path | None = None) -> "subprocess.CompletedProcess[str]":
    """Run Python with these arguments, in a folder where there is none of the checkout."""
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(PACKAGE), "COLUMNS": "100", "TERM": "dumb"},
    )
