"""A zip that grades on Gradescope, and what Gradescope reads of a graded submission."""

import json
import math
import shlex
import zipfile
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from explorative_user_env.files import write_whole
from explorative_user_env.grading.assignment import FULL_POINTS
from explorative_user_env.grading.grader import Leaderboard
from explorative_user_env.grading.hidden import Key
from explorative_user_env.grading.leaderboard import TOLD_FIGURES, board_notes, reasons_of
from explorative_user_env.grading.reasons import GradingOutcome
from explorative_user_env.validation import DISTRIBUTION, PACKAGE, InvalidArgumentError

RUN_SCRIPT = """#!/usr/bin/env bash
# Grades one submission and writes results/results.json. Made by `explorative-user grade`.
set -euo pipefail
cd "${{AUTOGRADER:-/autograder}}"
export PYTHONPATH="$PWD/source/package" PYTHONDONTWRITEBYTECODE=1
exec source/environment/bin/python -m {package} grade submission \\
    --gradescope results/results.json --key-file source/key.txt \\
    {options}
"""

SETUP_SCRIPT = """#!/usr/bin/env bash
# Installs what the package needs, once, when the image is built.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
umask 022
newest() {
    for name in python3.14 python3.13 python3.12 python3.11 python3; do
        if "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' \\
            2> /dev/null; then
            command -v "$name"
            return
        fi
    done
    return 1
}
if ! newest > /dev/null; then
    apt-get update
    apt-get install -y python3.12 python3.12-venv || apt-get install -y python3.11 python3.11-venv
fi
"$(newest)" -m venv environment
environment/bin/pip install -r requirements.txt
# The submission's process is that of a user who owns nothing, and cannot read this.
chmod 600 key.txt
# One agent is graded now: what has to be compiled is, and what is wrong is seen before any student.
mkdir -p trial/submission trial/results
cp example.py trial/submission
ln -sfn "$PWD" trial/source
AUTOGRADER="$PWD/trial" bash run_autograder
"""

EXAMPLE = """class Agent:
    def reset(self, n_arms, rng, horizon=None):
        self.n_arms, self.rng = n_arms, rng

    def act(self):
        return int(self.rng.integers(self.n_arms)) if self.rng.random() < 0.9 else None

    def observe(self, arm, accepted):
        pass

    def answer(self):
        return 0
"""

LEFT_OUT = ("__pycache__",)
PRIVATE, READABLE, EXECUTABLE = 0o600, 0o644, 0o755
"""Who may do what with a file of the zip."""


def single_options(options: Mapping[str, Any]) -> str:
    """Return options as they are written on a command line, without those that are open."""
    words = []
    for name, value in options.items():
        if value is not None:
            words += [f"--{name.replace('_', '-')}", str(value)]
    return shlex.join(words)


def write_autograder(path: Path, key: Key, options: str, overwrite: bool = False) -> None:
    """Write the zip: the package, the key, and the two scripts that Gradescope runs.

    Args:
        path: where.
        key: the secret, which is in the zip.
        options: those of the command, see `single_options`.
        overwrite: whether something may be there.

    Raises:
        InvalidArgumentError: for a path that is no zip, or cannot be written to; where the package
            runs without having been installed.
    """
    if path.suffix != ".zip":
        raise InvalidArgumentError("autograder", str(path), "a path that ends in .zip")
    home = Path(__file__).resolve().parents[1]
    texts = {
        "setup.sh": (SETUP_SCRIPT, EXECUTABLE),
        "run_autograder": (RUN_SCRIPT.format(package=PACKAGE, options=options), EXECUTABLE),
        "requirements.txt": (_requirements(path), READABLE),
        "example.py": (EXAMPLE, READABLE),
        "key.txt": (key.text() + "\n", PRIVATE),
    }

    def write(place: Path) -> None:
        with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, (text, mode) in texts.items():
                _add(archive, name, text.encode(), mode)
            for folder, within in ((home, ""), (home / "agents", "agents")):
                _add_folder(archive, folder, f"package/{PACKAGE}/{within}".rstrip("/"))
        place.chmod(PRIVATE)

    write_whole("autograder", path, write, overwrite)


def _add_folder(archive: zipfile.ZipFile, folder: Path, name: str) -> None:
    there = set(archive.namelist())
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder)
        place = f"{name}/{inner.as_posix()}"
        if path.is_file() and place not in there and not set(inner.parts) & set(LEFT_OUT):
            _add(archive, place, path.read_bytes(), READABLE)


def _add(archive: zipfile.ZipFile, name: str, data: bytes, mode: int) -> None:
    entry = zipfile.ZipInfo(name)  # of no date: the same zip for the same
    entry.external_attr = (0o100000 | mode) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, data)


def _requirements(path: Path) -> str:
    """Return what the package needs, a line each."""
    try:
        every = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        allowed = "written where the package is installed, which says what it needs"
        raise InvalidArgumentError("autograder", str(path), allowed) from None
    return "".join(f"{line}\n" for line in every if "extra ==" not in line)


def results_json(board: Leaderboard) -> str:
    """Return the first submission of a leaderboard as Gradescope reads it."""
    graded = board.graded[0]
    names = TOLD_FIGURES[board.assignment.over_horizon]
    lines = reasons_of(board)
    if graded.outcome == GradingOutcome.GRADED:
        points = graded.points
        interval = (
            "" if math.isnan(points.low) else f" (95%: {points.low:.1f} to {points.high:.1f})"
        )
        lines = [f"{points.value:.1f} of {FULL_POINTS:.0f} points{interval}"]
        lines += [f"{name}: {graded.figures[name]:.4g}" for name in names]
    lines += [f"{name}: {points.value:.1f} points" for name, points, _ in board.references]
    told = {
        "score": round(graded.points.value, 2),
        "execution_time": round(graded.seconds),
        "output": "\n".join([*lines, *board_notes(board)]),
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [
            {
                "name": "hidden users",
                "score": round(graded.points.value, 2),
                "max_score": FULL_POINTS,
                "output": "\n".join(lines),
            }
        ],
        "leaderboard": [{"name": "points", "value": round(graded.points.value, 2)}],
    }
    return json.dumps(told, indent=2, ensure_ascii=False) + "\n"
