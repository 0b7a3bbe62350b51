"""Records that check themselves when they are made, by the types of their fields."""

import functools
from collections.abc import Callable, Mapping
from collections.abc import Callable as AnyCallable
from dataclasses import fields
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from explorative_user_env.validation import (
    InvalidArgumentError,
    choice,
    flag,
    integer,
    of_class,
    real,
)

Check = Callable[[str, Any], object]

PLAIN: Mapping[Any, Check] = {
    bool: flag,
    int: lambda name, value: integer(name, value, 0),
    float: lambda name, value: real(name, value, "a finite number"),
}
"""What is asked of a field of a plain type where nothing else is said: counts are not negative."""


def check_fields(record: Any, **said: Check) -> None:
    """Make sure that every field of a new record holds what its type says.

    A `Literal` is one of its words, a bool True or False, an int at least 0, a float finite, a
    tuple holds what it is a tuple of, a function can be called, and the rest is of its class.

    Args:
        record: a dataclass, from its `__post_init__`.
        **said: what checks a field of which more is said than its type, called with its name and
            value.

    Raises:
        InvalidArgumentError: naming the field, its value and what is allowed.
    """
    kind: Any = type(record)
    for name, check in _checks(kind).items():
        said.get(name, check)(name, getattr(record, name))


@functools.cache
def _checks(kind: Any) -> Mapping[str, Check]:
    hints = get_type_hints(kind)
    return {field.name: _check_of(hints[field.name]) for field in fields(kind)}


def _check_of(kind: Any) -> Check:
    """Return what checks a value of this type."""
    if kind in PLAIN:
        return PLAIN[kind]
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return lambda name, value: choice(name, value, inner)
    if origin is AnyCallable:
        return _can_be_called
    if origin is tuple:
        return functools.partial(_check_tuple, _check_of(inner[0]))
    if origin in (Union, UnionType):
        (rest,) = [part for part in inner if part is not type(None)]
        check = _check_of(rest)
        return lambda name, value: value is None or check(name, value)
    return lambda name, value: of_class(name, value, object if kind is Any else origin or kind)


def _can_be_called(name: str, value: Any) -> None:
    if not callable(value):
        raise InvalidArgumentError(name, value, "a function")


def _check_tuple(each: Check, name: str, values: Any) -> None:
    if not isinstance(values, tuple):
        raise InvalidArgumentError(name, values, "a tuple")
    for value in values:
        each(f"{name} (each)", value)
