"""What an agent says of itself while it is watched, in a form that can be shown."""

from collections.abc import Mapping
from numbers import Real
from typing import Any, TypeGuard

import numpy as np

from explorative_user_env.display.text import in_line
from explorative_user_env.protocol import Against, name_of
from explorative_user_env.validation import CallableError, InvalidArgumentError, one_line, sequence

ByArm = tuple[float, ...]
"""K numbers, one an arm."""

Flags = tuple[bool, ...]
"""K truth values: the arms that something is true of, as of those that an agent has left."""

Explained = float | str | ByArm | Flags | Against
"""What is said under one name: a number, a word, K numbers or truth values, or two of the numbers
side by side."""

LONGEST_SAID = 40
"""What is said, and what it is called, is cut to this length."""


def explanation_of(agent: object, n_arms: int) -> dict[str, Explained]:
    """Return what `agent` says of itself now, by name; nothing where it has no `explain`.

    Raises:
        CallableError: if its code fails, or says what cannot be shown.
    """
    explain = getattr(agent, "explain", None)
    if not callable(explain):
        return {}
    what = f"explain of {name_of(agent)}"
    try:
        said = explain()
        if not isinstance(said, Mapping):
            raise InvalidArgumentError(what, said, "a mapping of what is said by name")
        return {
            _one_word(str(name)): _as_shown(f"{what}, {name}", value, n_arms)
            for name, value in said.items()
        }
    except Exception as error:
        raise CallableError.of(what, error, "while it was watched") from error


def _as_shown(name: str, value: Any, n_arms: int) -> Explained:
    """Return a value as one that can be shown.

    Raises:
        InvalidArgumentError: naming it, where it is none.
    """
    allowed = f"a number, a word, {n_arms} numbers or an Against of two numbers or {n_arms} each"
    if isinstance(value, Against):
        pair = [_as_shown(name, side, n_arms) for side in value]
        kinds = [is_by_arm(side) for side in pair]
        if any(isinstance(side, str | Against) for side in pair) or kinds[0] != kinds[1]:
            raise InvalidArgumentError(name, value, allowed)
        return Against(*pair)
    if isinstance(value, str):
        return _one_word(value)
    if _is_number(value):
        return float(value)
    values = sequence(name, value, allowed)
    if len(values) != n_arms or not all(map(_is_number, values)):
        raise InvalidArgumentError(name, value, allowed)
    if all(isinstance(each, bool | np.bool_) for each in values):
        return tuple(map(bool, values))
    return tuple(map(float, values))


def _one_word(text: str) -> str:
    return one_line(in_line(text), LONGEST_SAID)


def is_by_arm(value: Explained) -> TypeGuard[ByArm]:
    """Return whether this is K numbers, and no `Against`, which is a pair."""
    return isinstance(value, tuple) and not isinstance(value, Against)


def is_flags(value: Explained) -> TypeGuard[Flags]:
    """Return whether these are K truth values, and no numbers."""
    return is_by_arm(value) and all(isinstance(each, bool) for each in value)


def _is_number(value: Any) -> bool:
    """Return whether this is a number, of whatever size; True is 1."""
    return isinstance(value, Real | np.bool_) and not isinstance(value, str)
