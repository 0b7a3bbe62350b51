import math
from typing import Any, NamedTuple

import numpy as np
import pytest

from explorative_user_env.users.model import (
    LONG_TABLES,
    as_arrays,
    long_tables,
)
from explorative_user_env.users.population import Population


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
    assert (arrays.inner.shares.tolist(), arrays.inner.shares.dtype) == ([0.5, 4.0], float)
    arrays.own[0] = arrays.inner.counts[0] = 9
    assert state == Outer([1, 2], Inner([3], [0.5, 4.0]))
    wrong: list[Any] = [{}, (1, 2), ["a"], [[1], [2]], np.zeros(2), 3, None]
    for each in wrong:
        with pytest.raises(TypeError, match="its state's shares is not a list of numbers"):
            as_arrays(Outer([1], Inner([1], each)))


def test_the_long_tables_are_those_of_the_functions() -> None:
    logarithms, inverse_roots = long_tables()
    assert len(logarithms) == len(inverse_roots) >= LONG_TABLES
    for k in (1, 2, 3, 10, 12_345, LONG_TABLES - 1):
        assert logarithms[k] == math.log(k)
        assert inverse_roots[k] == 1.0 / math.sqrt(k)


@pytest.mark.compiler
def test_no_two_numbers_of_users_share_a_place() -> None:
    from explorative_user_env.kernels.words import row_of, user_rows

    user = Population(n_arms=3).user
    rows = user_rows(user, 2)
    fields = [
        name for name in row_of(rows, 0)._fields if name not in ("logarithms", "inverse_roots")
    ]
    written: dict[tuple[int, str], list[int]] = {}
    number = 1
    for row in range(2):
        for name in fields:
            values = getattr(row_of(rows, row), name)
            written[row, name] = list(range(number, number + len(values)))
            values[:] = written[row, name]
            number += len(values)
    for (row, name), values in written.items():
        assert getattr(row_of(rows, row), name).tolist() == values, name
    assert len(written) == 2 * len(fields)
