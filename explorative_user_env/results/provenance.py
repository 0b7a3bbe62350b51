"""What made results: what was asked for, with which versions, and what the runs rest on."""

import functools
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from explorative_user_env.compiled.presence import COMPILER, is_installed
from explorative_user_env.display.plain_text import in_markdown
from explorative_user_env.population import OPTIONS
from explorative_user_env.version import __version__

LIBRARIES = ("gymnasium", COMPILER, "numpy")
"""What the numbers of a run may depend on; without the compiler no run was compiled."""

SAID_ONCE = ("versions", "differences")
"""What is the same in every cell of one setting."""

Cell = Mapping[str, Any]


def versions_of(libraries: Iterable[str] = LIBRARIES) -> dict[str, str]:
    """Return the versions of the package, of Python and of those of these that are installed."""
    found = {"explorative-user-env": __version__, "python": platform.python_version()}
    there = [name for name in libraries if name != COMPILER or is_installed()]
    versions = {name: _version(name) for name in there}
    return found | {name: version for name, version in versions.items() if version is not None}


@functools.cache
def _version(library: str) -> str | None:
    """Return the version of a library, None where it is not installed."""
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return None


def made_now() -> dict[str, Any]:
    """Return what makes results here and now: the machine, the command, and a commit if any."""
    machine = {"system": platform.platform(), "processor": platform.machine()}
    machine["cores"] = str(os.cpu_count())
    program, *words = sys.argv or [""]
    name = Path(program).name
    command = "explorative-user" if name == "__main__.py" else name or "python"
    return {"machine": machine, "command": shlex.join([command, *words]), "commit": _commit()}


def time_now() -> str:
    """Return the time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@functools.cache
def _commit() -> str | None:
    """Return the commit of a checkout that the package is run from, if it is run from one."""
    git = [
        "git",
        "-C",
        str(Path(__file__).parent),
        "describe",
        "--always",
        "--dirty",
        "--abbrev=40",
    ]
    tracked = [*git[:3], "ls-files", "--error-unmatch", __file__]
    try:
        for command in (tracked, git):
            done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def details_of(cells: Sequence[Cell]) -> dict[str, Any]:
    """Return what the runs of these cells rest on, as a file can keep it.

    Returns:
        `settings`, where each differs from the paper's text, and `cells`, with what else they say.
    """
    own = [{name: word for name, word in cell.items() if name not in SAID_ONCE} for cell in cells]
    return {"settings": {cell["setting"]: cell["differences"] for cell in cells}, "cells": own}


def closing_section(made_by: Mapping[str, Any]) -> str:
    """Return what made a page as its last section, in Markdown.

    Args:
        made_by: what a folder says of it: `command`, `options`, `versions`, and where there are
            cells their `settings` and `cells`.
    """
    lines = [f"`explorative-user {made_by['command']}`: {_told(made_by['options'])}"]
    lines += [", ".join(f"{name} {number}" for name, number in made_by["versions"].items())]
    for title, differences in made_by.get("settings", {}).items():
        points = "; ".join(differences) or "nothing"
        lines.append(f"{title}: differs from the paper's text in {points}")
    cells = made_by.get("cells", [])
    names = [each.name for each in OPTIONS]
    if cells:
        lines.append(f"users: {_told(_together([_only(cell, names) for cell in cells]))}")
    for agent in dict.fromkeys(name for cell in cells for name in cell["agents"]):
        options = [cell["agents"][agent] for cell in cells if agent in cell["agents"]]
        lines.append(f"{agent}: {_told(_together(options))}")
    items = "\n".join(f"- {in_markdown(line)}" for line in lines)
    return f"## What made this\n\n{items}\n"


def _only(cell: Cell, names: Iterable[str]) -> dict[str, Any]:
    return {name: cell[name] for name in names if name in cell}


def _together(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return one record with all values that a name has, those of several cells with a slash."""
    names = dict.fromkeys(name for record in records for name in record)
    values = {name: [_word(record.get(name)) for record in records] for name in names}
    return {name: " / ".join(dict.fromkeys(each)) for name, each in values.items()}


def _told(options: Mapping[str, Any]) -> str:
    words = {name: _word(value) for name, value in options.items()}
    return ", ".join(f"{name}={word}" for name, word in words.items() if word != _word(None))


def _word(value: Any) -> str:
    """Return a value in a word; an option that nobody gave is a dash."""
    if isinstance(value, list | tuple):
        return " ".join(map(_word, value))
    return "-" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
