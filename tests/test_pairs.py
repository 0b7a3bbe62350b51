"""Rows of the usual run hold every pair, and few rows."""

import itertools

import pytest
from pairs import covering


@pytest.mark.parametrize(
    ("sizes", "most"), [([3], 3), ([2, 3], 6), ([2, 2, 2, 2], 6), ([5, 4, 3, 2], 24)]
)
def test_any_two_values_meet_in_few_rows(sizes: list[int], most: int) -> None:
    rows = covering(sizes)
    assert len(rows) <= most
    for first, second in itertools.combinations(range(len(sizes)), 2):
        met = {(row[first], row[second]) for row in rows}
        assert met == set(itertools.product(range(sizes[first]), range(sizes[second])))
