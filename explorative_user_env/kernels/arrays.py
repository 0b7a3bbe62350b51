"""The states of users and agents as arrays, for compiled code."""

import functools
from collections import namedtuple
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from explorative_user_env.users.laws import number_tables
from explorative_user_env.users.model import RememberingState, User, UserState, blank_state

LONG_TABLES = 2**19
"""Enough for runs of a quarter of a million steps; longer ones compute what is beyond."""


def _tuple_of(name: str, fields_of: type, without: str = "", then: str = "") -> Any:
    names = [field.name for field in fields(fields_of) if field.name != without]
    return namedtuple(name, [*names, then] if then else names, module=__name__)


UserTuple = _tuple_of("UserTuple", User, without="own_law")
LawfulTuple = _tuple_of("LawfulTuple", User, without="own_law", then="own_law")
"""The numbers of a user, and with her own reward law besides, which goes into compiled code."""

StateTuple = _tuple_of("StateTuple", UserState)
RememberingTuple = _tuple_of("RememberingTuple", RememberingState)
"""With what a user of another behaviour keeps besides (see `users.behaviour`)."""


def as_arrays(state: Any) -> Any:
    """Return the NamedTuple `state` of lists as one of arrays, for compiled code.

    A field may be such a NamedTuple itself.

    Raises:
        TypeError: if a field is not a list of numbers.
    """
    return state._make(_as_array(name, values) for name, values in state._asdict().items())


def _as_array(name: str, values: Any) -> Any:
    if hasattr(values, "_asdict"):
        return as_arrays(values)
    if not isinstance(values, list) or not all(isinstance(value, int | float) for value in values):
        raise TypeError(f"its state's {name} is not a list of numbers")
    return np.array(values)


def user_tuple(user: User) -> Any:
    """Return the numbers of a user, without a reward law of her own."""
    return UserTuple(*(getattr(user, name) for name in UserTuple._fields))


def user_arrays(user: User, memory: Sequence[float] = ()) -> Any:
    """Return a blank state of `user`, with longer tables, and with her `memory` if she has one."""
    blank = blank_state(user)
    logarithms, inverse_roots = long_tables()
    arrays = (
        _as_array(name, getattr(blank, name))
        for name in StateTuple._fields
        if name not in ("logarithms", "inverse_roots")
    )
    state = StateTuple(*arrays, logarithms=logarithms, inverse_roots=inverse_roots)
    return RememberingTuple(*state, memory=np.array(memory)) if memory else state


@functools.cache
def long_tables() -> tuple[np.ndarray, np.ndarray]:
    """Return the tables of log(k) and 1/sqrt(k) that all users in compiled code share."""
    logarithms, inverse_roots = number_tables(LONG_TABLES)
    number_tables.cache_clear()  # as lists they take eight times the memory
    return np.array(logarithms), np.array(inverse_roots)
