"""What an agent says of itself while it is watched, in a form that can be shown."""

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from explorative_user_env.display.text import in_line
from explorative_user_env.protocol import Against, name_of
from explorative_user_env.validation import CallableError, InvalidArgumentError, one_line, sequence

# A number, a word, K numbers, K truth values (which arms are left), or two of the numbers to
# compare.
Explained = float | str | tuple[float, ...] | tuple[bool, ...] | Against
LONGEST_SAID = 40  # words and names are cut to this length


def explanation_of(agent: object, n_arms: int) -> dict[str, Explained]:
    """Return what `agent.explain()` says, by name; nothing for an agent without that method.

    Raises:
        CallableError: if its code fails, or returns what cannot be shown.
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
            _short(str(name)): _as_shown(f"{what}, {name}", value, n_arms)
            for name, value in said.items()
        }
    except Exception as error:
        raise CallableError.of(what, error, "while it was watched") from error


def _as_shown(name: str, value: Any, n_arms: int) -> Any:
    """Return a value as plain numbers and words.

    Raises:
        InvalidArgumentError: naming it, for a value of another kind.
    """
    allowed = f"a number, a word, {n_arms} numbers or an Against of two numbers or {n_arms} each"
    if isinstance(value, Against):
        pair = [_as_shown(name, side, n_arms) for side in value]
        if isinstance(pair[0], str | Against) or type(pair[0]) is not type(pair[1]):
            raise InvalidArgumentError(name, value, allowed)
        return Against(*pair)
    if isinstance(value, str):
        return _short(value)
    if isinstance(value, Real | np.bool_):
        return float(value)
    values = sequence(name, value, allowed)
    if len(values) != n_arms or not all(isinstance(each, Real | np.bool_) for each in values):
        raise InvalidArgumentError(name, value, allowed)
    kind = bool if all(isinstance(each, bool | np.bool_) for each in values) else float
    return tuple(map(kind, values))


def _short(text: str) -> str:
    return one_line(in_line(text), LONGEST_SAID)


def sides(value: Explained) -> tuple[Any, ...]:
    """Return a value as one or, of an `Against`, two numbers, words or tuples."""
    return tuple(value) if isinstance(value, Against) else (value,)


def is_by_arm(value: Explained) -> bool:
    """Return whether a value is K numbers, or compares K numbers with K."""
    return isinstance(sides(value)[0], tuple)


def is_flags(value: Explained) -> bool:
    """Return whether a value is K truth values."""
    return not isinstance(value, Against | float | str) and isinstance(value[0], bool)
