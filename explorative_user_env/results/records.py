"""What made results: what was asked for, with which versions, and what the runs rest on."""

import functools
import hashlib
import inspect
import json
import math
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from importlib import import_module, metadata
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from explorative_user_env.agents import ALGORITHMS, AlgorithmAgent
from explorative_user_env.display.text import in_markdown
from explorative_user_env.kernels.presence import COMPILER, is_installed
from explorative_user_env.seeding import agent_generator, user_generator, user_seeds
from explorative_user_env.users.behaviours import Behaviour
from explorative_user_env.users.laws import LAWS, REWARD_LAWS, RewardLaw, Schedule, as_reward_law
from explorative_user_env.users.population import OPTIONS, Population
from explorative_user_env.users.settings import Setting
from explorative_user_env.validation import PACKAGE
from explorative_user_env.version import __version__

KIND, FUNCTION, NUMBER = "kind", "function", "number"
"""What begins the record of an object, of a function, and of a number that is none in JSON."""

REBUILT = {kind.__name__: kind for kind in (Population, Setting, Schedule, RewardLaw, Behaviour)}
"""The records of which objects are made again."""

OF_RULES = ("settings", "theory", "users")
"""The rooms whose functions a record may name: what is there computes, and does nothing else."""

DEEPEST = 20
"""How far is followed what holds what, which may go in a circle."""


class UnknownCodeError(ValueError):
    """A record names code that is not this package's."""


def digest(value: Any) -> str:
    """Return what tells a record from any other."""
    text = json.dumps(value, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def record_of(value: Any, depth: int = 0) -> Any:
    """Return `value` as JSON can hold it.

    Args:
        value: a number, a word, a record of this package, an agent, or any other object, which is
            told by its class, its code and its attributes.
        depth: how far it is from what was asked about.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {NUMBER: repr(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    inner = functools.partial(record_of, depth=depth + 1)
    if isinstance(value, Mapping):
        return {str(name): inner(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [inner(each) for each in value]
    if isinstance(value, np.ndarray):
        return {KIND: "array", "digest": hashlib.sha256(value.tobytes()).hexdigest()}
    if isinstance(value, functools.partial):
        return {
            KIND: "partial",
            "of": inner(value.func),
            "with": inner([value.args, value.keywords]),
        }
    if depth > DEEPEST:
        return {KIND: _place(type(value))}
    if inspect.isfunction(value) or isinstance(value, type):
        return _of_code(value, inner)
    return _of_object(value, inner)


def _of_object(value: Any, inner: Callable[[Any], Any]) -> dict[str, Any]:
    kind = type(value)
    if isinstance(value, AlgorithmAgent):
        known = ALGORITHMS.get(value.algorithm.name) == value.algorithm
        algorithm = value.algorithm.name if known else inner(value.algorithm)
        own = {"name": value.name, "options": inner(value.options), "max_steps": value.max_steps}
        return {KIND: "agent", "algorithm": algorithm, **own}
    if is_dataclass(value):
        # What makes no two records differ, such as how an algorithm explains itself, is not told.
        told = [each.name for each in fields(value) if each.init and each.compare]
        own = {name: inner(getattr(value, name)) for name in told}
        short = kind.__name__ if REBUILT.get(kind.__name__) is kind else _place(kind)
        return {KIND: short, **own}
    attributes = inner(dict(sorted(getattr(value, "__dict__", {}).items())))
    return record_of_class(kind) | {"attributes": attributes}


def record_of_class(kind: type) -> dict[str, Any]:
    """Return what is told of an object by its class, which is not one of this package's records."""
    return {KIND: _place(kind)} | _digest_of(kind)


def _of_code(value: Any, inner: Callable[[Any], Any]) -> dict[str, Any]:
    """Return where a function or a class stands, and of one that is not ours what it holds."""
    told = {FUNCTION: _place(value)} | _digest_of(value)
    if isinstance(value, FunctionType) and not is_ours(value):
        cells = value.__closure__ or ()
        told["holds"] = inner(
            [cell.cell_contents for cell in cells] + [*(value.__defaults__ or ())]
        )
    return told


def _place(code: Any) -> str:
    return f"{code.__module__}:{code.__qualname__}"


def is_ours(code: Any) -> bool:
    """Return whether a function or a class is this package's."""
    return str(code.__module__).split(".")[0] == PACKAGE


def _digest_of(code: Any) -> dict[str, str]:
    """Return the digest of the file that somebody else's code stands in, or else of the code."""
    if is_ours(code) or str(code.__module__).split(".")[0] == "builtins":
        return {}
    try:
        whole = Path(inspect.getsourcefile(code) or "").read_bytes()
    except (OSError, TypeError):  # as in a notebook
        whole = _bytes_of(getattr(code, "__code__", None) or code)
    return {"code": hashlib.sha256(whole).hexdigest()[:16]}


def _bytes_of(code: Any) -> bytes:
    """Return what a function or a class without a file does, as bytes."""
    if isinstance(code, CodeType):
        return code.co_code + b"".join(map(_bytes_of, code.co_consts))
    if isinstance(code, type):
        members = (getattr(each, "__code__", None) for _, each in sorted(vars(code).items()))
        return b"".join(_bytes_of(each) for each in members if each is not None)
    return repr(code).encode() if isinstance(code, bool | int | float | str | bytes) else b""


@functools.cache
def package_digest() -> str:
    """Return the digest of this package's code, that of its agents included."""
    root = Path(inspect.getfile(import_module(PACKAGE))).parent
    found = hashlib.sha256()
    # Folders that are links, as that of the agents in a checkout, are named: they are not followed.
    for folder in (root, root / "agents"):
        for path in sorted(folder.rglob("*.py")):
            name = path.relative_to(root).as_posix()
            found.update(name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()[:16]


def from_record(record: Any, own: Sequence[Any] = ()) -> Any:
    """Return what a record of this package's objects was made of; lists become tuples.

    Args:
        record: the record.
        own: objects that are not this package's, and may be what a record in it tells of.

    Raises:
        UnknownCodeError: for code that is neither.
    """
    if isinstance(record, list):
        return tuple(from_record(each, own) for each in record)
    if not isinstance(record, dict):
        return record
    if set(record) == {NUMBER}:
        return float(record[NUMBER])
    for each in own:
        if record_of(each) == record:
            return each
    if FUNCTION in record:
        return _function_at(record[FUNCTION])
    inside = {name: from_record(each, own) for name, each in record.items() if name != KIND}
    return _made(record[KIND], inside) if KIND in record else inside


def _made(kind: str, inside: Mapping[str, Any]) -> Any:
    """Return the object of a kind that this package makes."""
    if kind == "agent":
        if not isinstance(inside["algorithm"], str):
            raise UnknownCodeError(inside["name"])
        own = {name: inside[name] for name in ("options", "name", "max_steps")}
        return AlgorithmAgent(ALGORITHMS[inside["algorithm"]], **own)
    if kind not in REBUILT:
        raise UnknownCodeError(kind)
    return REBUILT[kind](**inside)


def _function_at(place: str) -> Any:
    module, _, name = place.partition(":")
    found = None
    root, _, rest = module.partition(".")
    if root == PACKAGE and rest.split(".")[0] in OF_RULES and name.isidentifier():
        found = getattr(import_module(module), name, None)
    if not isinstance(found, FunctionType) or found.__module__ != module:
        raise UnknownCodeError(place)
    return found


FIRST_DRAWS = 100
"""How many of each law: enough for its rare branches, as the tail of the normal law."""

TOLD_DIGITS = 10
"""Of a draw: the last bits of `log` and `exp` are the processor's, not NumPy's."""

FINGERPRINT_LENGTH = 16
"""Hexadecimal digits of a fingerprint."""


@functools.cache
def stream_fingerprint() -> str:
    """Return the fingerprint of the streams and laws as they are drawn here."""
    told = (f"{name} {_word(value)}" for name, value in _first_draws())
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:FINGERPRINT_LENGTH]


def _word(value: float) -> str:
    return str(value) if isinstance(value, int | np.integer) else f"{value:.{TOLD_DIGITS - 1}e}"


def _first_draws() -> Iterator[tuple[str, float]]:
    """Yield the name of each law and a draw: the seeds of users first, then all that is drawn."""
    seeds = user_seeds(0, FIRST_DRAWS)
    for seed in seeds:
        yield "user_seeds", seed
    hers, its = user_generator(seeds[0]), agent_generator(seeds[0], "BAIR")
    for name, rng in (("user", hers), ("agent", its)):
        for _ in range(FIRST_DRAWS):
            yield name, rng.random()
    for name, law in LAWS.items():
        for mean in law.many(FIRST_DRAWS, hers):
            yield name, mean
    for name in REWARD_LAWS:
        for _ in range(FIRST_DRAWS):
            yield name, as_reward_law(name).draw(0.5, hers)
    yield from _draws_of_agents(its)


def _draws_of_agents(rng: np.random.Generator) -> Iterator[tuple[str, float]]:
    """Yield draws of the laws that agents and studies ask NumPy for."""
    for successes in range(FIRST_DRAWS):
        yield "beta", rng.beta(0.5 + successes, 0.5 + FIRST_DRAWS - successes)
    for _ in range(FIRST_DRAWS):
        yield "standard_normal", rng.standard_normal()
    for value in rng.integers(1000, size=FIRST_DRAWS):
        yield "integers", value


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
    values = {name: [_word_provenance(record.get(name)) for record in records] for name in names}
    return {name: " / ".join(dict.fromkeys(each)) for name, each in values.items()}


def _told(options: Mapping[str, Any]) -> str:
    words = {name: _word_provenance(value) for name, value in options.items()}
    return ", ".join(
        f"{name}={word}" for name, word in words.items() if word != _word_provenance(None)
    )


def _word_provenance(value: Any) -> str:
    """Return a value in a word; an option that nobody gave is a dash."""
    if isinstance(value, list | tuple):
        return " ".join(map(_word_provenance, value))
    return "-" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
