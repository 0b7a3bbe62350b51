"""Convert the inputs of runs to JSON records and back, and record the machine and versions."""

import hashlib
import inspect
import json
import math
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from functools import cache, partial
from importlib import import_module, metadata
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from explorative_user_env.agents import ALGORITHMS, AlgorithmAgent
from explorative_user_env.display.text import in_markdown
from explorative_user_env.kernels.compiler import COMPILER, is_installed
from explorative_user_env.optimum import EitherOrder, OptimalAgent, TinyTask
from explorative_user_env.seeding import agent_generator, user_generator, user_seeds
from explorative_user_env.users.behaviours import Behaviour
from explorative_user_env.users.instances import LAWS
from explorative_user_env.users.model import REWARD_LAWS, RewardLaw, Schedule, as_reward_law
from explorative_user_env.users.population import OPTIONS, Population, Setting
from explorative_user_env.validation import PACKAGE
from explorative_user_env.version import __version__

#: Key of the record of an object, of a function, and of a non-finite number.
KIND, FUNCTION, NUMBER = "kind", "function", "number"

#: The classes that `from_record` rebuilds.
_KINDS = (Population, Setting, Schedule, RewardLaw, Behaviour, EitherOrder)
REBUILT = {kind.__name__: kind for kind in _KINDS}

#: The subpackages whose functions a record may name: they have no side effects.
PURE_MODULES = (["theory"], ["users"])

#: Depth limit for attributes, as they may have reference cycles.
DEEPEST = 20

#: Libraries that affect the numbers of a run; the compiler is optional.
LIBRARIES = ("gymnasium", COMPILER, "numpy")

#: Draws of each law in the fingerprint, enough to reach rare branches. The fingerprint uses ten
#: digits of each draw, as the last bits of `log` and `exp` depend on the processor.
FIRST_DRAWS = 100


class UnknownCodeError(ValueError):
    """A record names code outside this package."""


def digest(value: Any) -> str:
    """Return the SHA-256 of a record."""
    text = json.dumps(value, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def record_of(value: Any, depth: int = 0) -> Any:
    """Return `value` as a JSON value.

    Args:
        value: a number, a string, a record of this package, an agent, or any other object. For any
            other object, the result states the class, a digest of its code, and the attributes.
        depth: nesting depth of the value.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {NUMBER: repr(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    inner, kind = partial(record_of, depth=depth + 1), type(value)
    if isinstance(value, Mapping):
        return {str(name): inner(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [inner(each) for each in value]
    if isinstance(value, np.ndarray):
        return {KIND: "array", "digest": hashlib.sha256(value.tobytes()).hexdigest()}
    if isinstance(value, partial):
        given = inner([value.args, value.keywords])
        return {KIND: "partial", "of": inner(value.func), "with": given}
    if depth > DEEPEST:
        return {KIND: _place(kind)}
    if isinstance(value, FunctionType | type):
        record = {FUNCTION: _place(value)} | _digest_of(value)
        if isinstance(value, FunctionType) and _root(value) != PACKAGE:
            cells = [cell.cell_contents for cell in value.__closure__ or ()]
            record["holds"] = inner([*cells, *(value.__defaults__ or ())])
        return record
    if isinstance(value, AlgorithmAgent):
        known = ALGORITHMS.get(value.algorithm.name) == value.algorithm
        algorithm = value.algorithm.name if known else inner(value.algorithm)
        named = {"name": value.name, "options": inner(value.options), "max_steps": value.max_steps}
        return {KIND: "agent", "algorithm": algorithm, **named}
    if is_dataclass(value):
        # A field with compare=False, such as an explanation, does not change a run: omit it.
        names = [each.name for each in fields(value) if each.init and each.compare]
        short = kind.__name__ if REBUILT.get(kind.__name__) is kind else _place(kind)
        return {KIND: short, **{name: inner(getattr(value, name)) for name in names}}
    attributes = inner(dict(sorted(getattr(value, "__dict__", {}).items())))
    return record_of_class(kind) | {"attributes": attributes}


def record_of_class(kind: type) -> dict[str, Any]:
    """Return the part of an object's record that depends on its class: the name and code digest."""
    return {KIND: _place(kind)} | _digest_of(kind)


def _place(code: Any) -> str:
    return f"{code.__module__}:{code.__qualname__}"


def _root(code: Any) -> str:
    return str(code.__module__).partition(".")[0]


def _digest_of(code: Any) -> dict[str, str]:
    """Return the digest of custom code: of its source file or, without a file, of its bytecode."""
    if _root(code) in (PACKAGE, "builtins"):
        return {}
    try:
        content = Path(inspect.getsourcefile(code) or "").read_bytes()
    except (OSError, TypeError):  # code in a notebook has no source file
        content = _bytes_of(getattr(code, "__code__", None) or code)
    return {"code": hashlib.sha256(content).hexdigest()[:16]}


def _bytes_of(code: Any) -> bytes:
    """Return the bytecode and constants of a function or class, recursively."""
    if isinstance(code, CodeType):
        return code.co_code + b"".join(map(_bytes_of, code.co_consts))
    if isinstance(code, type):
        members = (getattr(each, "__code__", None) for _, each in sorted(vars(code).items()))
        return b"".join(map(_bytes_of, members))
    return repr(code).encode() if isinstance(code, bool | int | float | str | bytes) else b""


def from_record(record: Any, custom: Sequence[Any] = ()) -> Any:
    """Rebuild the object of a record; lists become tuples.

    Args:
        record: the record.
        custom: objects of the caller. If an object has this record, that object is returned.

    Raises:
        UnknownCodeError: if the record names code that is neither in this package nor in `custom`.
    """
    if isinstance(record, list):
        return tuple(from_record(each, custom) for each in record)
    if not isinstance(record, dict):
        return record
    if set(record) == {NUMBER}:
        return float(record[NUMBER])
    for each in custom:
        if record_of(each) == record:
            return each
    if FUNCTION in record:
        module, _, name = record[FUNCTION].partition(":")
        root, *rest = module.split(".")
        function = None
        if root == PACKAGE and rest[:1] in PURE_MODULES and name.isidentifier():
            function = getattr(import_module(module), name, None)
        if not isinstance(function, FunctionType) or function.__module__ != module:
            raise UnknownCodeError(record[FUNCTION])
        return function
    values = {name: from_record(each, custom) for name, each in record.items() if name != KIND}
    kind = record.get(KIND)
    if kind is None:
        return values
    if kind == "agent" and isinstance(values["algorithm"], str):
        options = {name: values[name] for name in ("options", "name", "max_steps")}
        return AlgorithmAgent(ALGORITHMS[values["algorithm"]], **options)
    if kind == _place(OptimalAgent) and "agent" not in values["attributes"]:
        return OptimalAgent(TinyTask(**values["attributes"]))
    if kind not in REBUILT:
        raise UnknownCodeError(values["name"] if kind == "agent" else kind)
    return REBUILT[kind](**values)


@cache
def package_digest() -> str:
    """Return the digest of the package's source code, including its agents."""
    root = Path(inspect.getfile(import_module(PACKAGE))).parent
    code = hashlib.sha256()
    # In a git checkout `agents` is a symbolic link, which rglob does not follow.
    for folder in (root, root / "agents"):
        for path in sorted(folder.rglob("*.py")):
            name = path.relative_to(root).as_posix()
            code.update(name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return code.hexdigest()[:16]


@cache
def stream_fingerprint() -> str:
    """Return a hash of the first draws of all random streams and laws on this machine."""
    words = [
        f"{name} {value}" if isinstance(value, int | np.integer) else f"{name} {value:.9e}"
        for name, value in _first_draws()
    ]
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:16]


def _first_draws() -> Iterator[tuple[str, float]]:
    """Yield the name of each stream or law together with each of its first draws."""
    seeds = user_seeds(0, FIRST_DRAWS)
    yield from (("user_seeds", seed) for seed in seeds)
    of_user, of_agent = user_generator(seeds[0]), agent_generator(seeds[0], "BAIR")
    for name, rng in (("user", of_user), ("agent", of_agent)):
        yield from ((name, rng.random()) for _ in range(FIRST_DRAWS))
    for name, law in LAWS.items():
        yield from ((name, mean) for mean in law.many(FIRST_DRAWS, of_user))
    for name in REWARD_LAWS:
        yield from ((name, as_reward_law(name).draw(0.5, of_user)) for _ in range(FIRST_DRAWS))
    for successes in range(FIRST_DRAWS):
        yield "beta", of_agent.beta(0.5 + successes, 0.5 + FIRST_DRAWS - successes)
    yield from (("standard_normal", of_agent.standard_normal()) for _ in range(FIRST_DRAWS))
    yield from (("integers", value) for value in of_agent.integers(1000, size=FIRST_DRAWS))


_version = cache(metadata.version)


def versions_of(libraries: Iterable[str] = LIBRARIES) -> dict[str, str]:
    """Return the versions of the package, of Python and of the installed `libraries`."""
    versions = {"explorative-user-env": __version__, "python": platform.python_version()}
    for library in libraries:
        with suppress(metadata.PackageNotFoundError):
            if library != COMPILER or is_installed():
                versions[library] = _version(library)
    return versions


@cache
def provenance() -> Mapping[str, Any]:
    """Return the machine, the command and the git commit (or None) of this process."""
    machine = {"system": platform.platform(), "processor": platform.machine()}
    machine |= {"cores": str(os.cpu_count())}
    program, *words = sys.argv or [""]
    name = Path(program).name
    command = "explorative-user" if name == "__main__.py" else name or "python"
    commit, git = None, ["git", "-C", str(Path(__file__).parent)]
    with suppress(OSError, subprocess.SubprocessError):  # git is missing, or this file untracked
        for command_line in (
            ("ls-files", "--error-unmatch", __file__),
            ("describe", "--always", "--dirty", "--abbrev=40"),
        ):
            done = subprocess.run(
                [*git, *command_line], capture_output=True, text=True, timeout=5, check=True
            )
        commit = done.stdout.strip()
    return {"machine": machine, "command": shlex.join([command, *words]), "commit": commit}


def time_now() -> str:
    """Return the UTC time in ISO format, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def details_of(cells: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the settings and options of results, for the manifest of a result folder.

    Args:
        cells: the attribute `cell` of each `Results`.

    Returns:
        A dict: `settings` lists how each setting differs from the paper's text; `cells` has all
        other entries of each cell except the versions.
    """
    once = ("versions", "differences")  # equal in all cells with one setting
    rest = [{name: word for name, word in cell.items() if name not in once} for cell in cells]
    return {"settings": {cell["setting"]: cell["differences"] for cell in cells}, "cells": rest}


def closing_section(made_by: Mapping[str, Any]) -> str:
    """Return the last section of a page in Markdown: command, versions, users and agents.

    Args:
        made_by: the manifest of a result folder. It has the keys `command`, `options`, `versions`,
            and optionally `settings` and `cells`.
    """
    cells = made_by.get("cells", [])
    lines = [f"`explorative-user {made_by['command']}`: {_in_words([made_by['options']])}"]
    lines += [", ".join(f"{name} {number}" for name, number in made_by["versions"].items())]
    for title, differences in made_by.get("settings", {}).items():
        points = "; ".join(differences) or "nothing"
        lines.append(f"{title}: differs from the paper's text in {points}")
    if cells:
        names = [each.name for each in OPTIONS]
        users = [{name: cell[name] for name in names if name in cell} for cell in cells]
        lines.append(f"users: {_in_words(users)}")
    for agent in dict.fromkeys(name for cell in cells for name in cell["agents"]):
        options = [cell["agents"][agent] for cell in cells if agent in cell["agents"]]
        lines.append(f"{agent}: {_in_words(options)}")
    items = "\n".join(f"- {in_markdown(line)}" for line in lines)
    return f"## What made this\n\n{items}\n"


def _in_words(records: Sequence[Mapping[str, Any]]) -> str:
    """Return options as text; a slash separates values that differ between records."""

    def word(value: Any) -> str:
        if isinstance(value, list | tuple):
            return " ".join(map(word, value))
        return "-" if value is None else f"{value:g}" if isinstance(value, float) else str(value)

    words = {}
    for name in dict.fromkeys(name for record in records for name in record):
        words[name] = " / ".join(dict.fromkeys(word(record.get(name)) for record in records))
    return ", ".join(f"{name}={each}" for name, each in words.items() if each != "-")
