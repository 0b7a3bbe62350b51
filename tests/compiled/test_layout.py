import pytest

pytest.importorskip("numba")

from explorative_user_env.kernels.words import row_of, user_rows
from explorative_user_env.users.population import Population

TABLES = ("logarithms", "inverse_roots")


def test_no_two_numbers_of_users_share_a_place() -> None:
    user = Population(n_arms=3).user
    rows = user_rows(user, 2)
    fields = [name for name in row_of(rows, 0)._fields if name not in TABLES]
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
