"""Records of lists as NamedTuples of arrays, the form in which compiled code takes them."""

import functools
from collections import namedtuple
from dataclasses import fields
from typing import Any

import numpy as np

from explorative_user_env import user as rules
from explorative_user_env.number_tables import number_tables

TABLE_LENGTH = 2**19
"""Enough for runs of a quarter of a million steps; longer ones compute what is beyond."""

UserTuple = namedtuple("UserTuple", [field.name for field in fields(rules.User)])
StateTuple = namedtuple("StateTuple", [field.name for field in fields(rules.UserState)])


def as_arrays(state: Any) -> Any:
    """Return the NamedTuple `state` of lists as one of arrays, for compiled code.

    Raises:
        TypeError: if a field is not a list of numbers.
    """
    return state._make(_as_array(name, values) for name, values in state._asdict().items())


def _as_array(name: str, values: Any) -> np.ndarray:
    if not isinstance(values, list) or not all(isinstance(value, int | float) for value in values):
        raise TypeError(f"its state's {name} is not a list of numbers")
    return np.array(values)


def user_tuple(user: rules.User) -> Any:
    """Return the numbers of a user."""
    return UserTuple(*(getattr(user, name) for name in UserTuple._fields))


def user_arrays(user: rules.User) -> Any:
    """Return a blank state of `user`, with longer tables."""
    state = rules.blank(user)
    logarithms, inverse_roots = _long_tables()
    arrays = (
        _as_array(name, getattr(state, name))
        for name in StateTuple._fields
        if name not in ("logarithms", "inverse_roots")
    )
    return StateTuple(*arrays, logarithms=logarithms, inverse_roots=inverse_roots)


@functools.cache
def _long_tables() -> tuple[np.ndarray, np.ndarray]:
    logarithms, inverse_roots = number_tables(TABLE_LENGTH)
    number_tables.cache_clear()  # as lists they take eight times the memory
    return np.array(logarithms), np.array(inverse_roots)


ARM_FIELDS = {"means": float, "estimates": float, "scales": float, "counts": int}
OWN_FIELDS = {
    "acceptances": int,
    "interactions": int,
    "refreshed": int,
    "spread": float,
    "reward": float,
    "ceiling": float,
    "ceiling_spread": float,
    "witness": int,
}
"""What is kept together in memory when there are many users: an arm's 32 bytes, a user's 64."""


def user_rows(user: rules.User, n_users: int) -> Any:
    """Return blank states of many users: every field but the tables has a row for each."""
    blank = user_arrays(user)
    arms = np.zeros((n_users, user.n_arms, len(ARM_FIELDS)))
    own = np.zeros((n_users, 1, len(OWN_FIELDS)))
    rows = {}
    for block, fields_of_block in ((arms, ARM_FIELDS), (own, OWN_FIELDS)):
        for place, (name, kind) in enumerate(fields_of_block.items()):
            rows[name] = block.view(kind)[:, :, place]
            rows[name][:] = getattr(blank, name)
    return blank._replace(**rows)


def row_of(states: Any, user: int) -> Any:
    """Return the state of one of many users, in compiled code too; a change of it is theirs."""
    return StateTuple(
        states.means[user],
        states.estimates[user],
        states.counts[user],
        states.scales[user],
        states.acceptances[user],
        states.interactions[user],
        states.refreshed[user],
        states.spread[user],
        states.reward[user],
        states.ceiling[user],
        states.ceiling_spread[user],
        states.witness[user],
        states.logarithms,
        states.inverse_roots,
    )
