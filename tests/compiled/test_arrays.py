import dataclasses
import math
from typing import Any, NamedTuple

import numpy as np
import pytest

from explorative_user_env.users.model import (
    LONG_TABLES,
    UserState,
    as_arrays,
    blank_state,
    long_tables,
    user_arrays,
)
from explorative_user_env.users.population import Population, Setting


class Inner(NamedTuple):
    counts: list[int]
    shares: list[float]


class Outer(NamedTuple):
    own: list[Any]
    inner: Inner


def test_lists_become_arrays_of_their_own_in_the_same_places() -> None:
    state = Outer([1, 2], Inner([3], [0.5, 4.0]))
    arrays = as_arrays(state)
    assert (arrays.own.tolist(), arrays.own.dtype) == ([1, 2], int)
    assert (arrays.inner.counts.tolist(), arrays.inner.counts.dtype) == ([3], int)
    assert (arrays.inner.shares.tolist(), arrays.inner.shares.dtype) == ([0.5, 4.0], float)
    arrays.own[0] = arrays.inner.counts[0] = 9
    assert state == Outer([1, 2], Inner([3], [0.5, 4.0]))


def test_a_blank_user_is_the_readable_one_but_for_longer_tables(setting: Setting) -> None:
    user = Population(n_arms=4, setting=setting).user
    arrays, lists = user_arrays(user), blank_state(user)
    names = [field.name for field in dataclasses.fields(UserState)]
    assert sorted(arrays._fields) == sorted(names)
    for name in names:
        short, long = getattr(lists, name), getattr(arrays, name).tolist()
        assert long[: len(short)] == short, name
        assert (len(long) > len(short)) == (name in ("logarithms", "inverse_roots")), name


def test_two_users_share_their_tables_and_nothing_else() -> None:
    user = Population(n_arms=2).user
    one, other = user_arrays(user), user_arrays(user)
    shared = {name for name in one._fields if getattr(one, name) is getattr(other, name)}
    assert shared == {"logarithms", "inverse_roots"}


def test_the_long_tables_are_those_of_the_functions() -> None:
    logarithms, inverse_roots = long_tables()
    assert len(logarithms) == len(inverse_roots) >= LONG_TABLES
    for k in (1, 2, 3, 10, 12_345, LONG_TABLES - 1):
        assert logarithms[k] == math.log(k)
        assert inverse_roots[k] == 1.0 / math.sqrt(k)


def test_a_field_that_is_no_list_of_numbers_is_named() -> None:
    wrong: list[Any] = [{}, (1, 2), ["a"], [[1], [2]], np.zeros(2), 3, None]
    for each in wrong:
        with pytest.raises(TypeError, match="its state's shares is not a list of numbers"):
            as_arrays(Outer([1], Inner([1], each)))
