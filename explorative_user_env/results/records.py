"""What a run was asked for as JSON: every number to the bit, and code by its place and digest.

What a record says of this package is made again from it; somebody else's code is only ever told
from other code, and never run because a file names it.
"""

import functools
import hashlib
import inspect
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from explorative_user_env.agents import ALGORITHMS, AlgorithmAgent
from explorative_user_env.population import Population
from explorative_user_env.settings import Setting
from explorative_user_env.users.behaviour import Behaviour
from explorative_user_env.users.confidence import Schedule
from explorative_user_env.users.reward_laws import RewardLaw
from explorative_user_env.validation import PACKAGE

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
