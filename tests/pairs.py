"""Options that meet in tests: all pairs of values in the usual run, the whole product on demand."""

import itertools

import pytest


def pairs(**options):
    """Return the decorator that gives a test these options, each by its name.

    In the usual run the rows form a covering array: any two values of two options meet in one of
    them. The other rows of the product have the marker `exhaustive`.

    Args:
        options: the values of each option.
    """
    values = {name: list(each) for name, each in options.items()}
    usual = covering([len(each) for each in values.values()])
    rows = []
    for row in itertools.product(*(range(len(each)) for each in values.values())):
        marks = () if row in usual else (pytest.mark.exhaustive,)
        named = zip(values.values(), row, strict=True)
        rows.append(pytest.param(*(each[place] for each, place in named), marks=marks))
    return pytest.mark.parametrize(list(values), rows)


def covering(sizes):
    """Return rows in which any two places of two columns meet, chosen greedily.

    Args:
        sizes: the number of places of each column.
    """
    if len(sizes) < 2:
        return {(place,) for size in sizes for place in range(size)}
    rows = list(itertools.product(*map(range, sizes)))
    met = {row: set(itertools.combinations(enumerate(row), 2)) for row in rows}
    open_pairs = set().union(*met.values())
    chosen = set()
    while open_pairs:
        best = max(rows, key=lambda row: len(met[row] & open_pairs))
        chosen.add(best)
        open_pairs -= met[best]
    return chosen
