"""Records of lists as NamedTuples of arrays, the form in which compiled code takes them."""

import functools
from collections import namedtuple
from dataclasses import fields
from typing import Any, NamedTuple

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


class Rows(NamedTuple):
    """States of many users, a row for each, laid out so that what is used together is together.

    An arm has 32 bytes (its mean, estimate, scale and count), a user 64 of her own. Whole numbers
    are in the same memory as the fractions, seen as such.
    """

    arms: np.ndarray  # (n_users, n_arms, 4), fractions
    arm_counts: np.ndarray  # the same memory, whole numbers
    own: np.ndarray  # (n_users, 8), fractions
    own_counts: np.ndarray  # the same memory, whole numbers
    logarithms: np.ndarray
    inverse_roots: np.ndarray


def user_rows(user: rules.User, n_users: int) -> Rows:
    """Return rows to be filled by `start`."""
    arms, own = np.zeros((n_users, user.n_arms, 4)), np.zeros((n_users, 8))
    return Rows(arms, arms.view(int), own, own.view(int), *_long_tables())


def row_of(rows: Rows, user: int) -> Any:
    """Return the state of one of many users, in compiled code too; to change it is to change her.

    The places are the layout's: nothing else knows them.
    """
    return StateTuple(
        rows.arms[user, :, 0],  # means
        rows.arms[user, :, 1],  # estimates
        rows.arm_counts[user, :, 3],  # counts
        rows.arms[user, :, 2],  # scales
        rows.own_counts[user, 0:1],  # acceptances
        rows.own_counts[user, 1:2],  # interactions
        rows.own_counts[user, 2:3],  # refreshed
        rows.own[user, 4:5],  # spread
        rows.own[user, 5:6],  # reward
        rows.own[user, 6:7],  # ceiling
        rows.own[user, 7:8],  # ceiling_spread
        rows.own_counts[user, 3:4],  # witness
        rows.logarithms,
        rows.inverse_roots,
    )
