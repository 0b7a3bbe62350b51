"""What a file of runs holds, as tests look at it."""

import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd

from explorative_user_env.results.metrics import RUN_FRAMES

ASKED = {"command": "evaluate", "options": {"seed": 0, "agents": {"BAIR": {"delta": 0.1}}}}


def runs(first=0, n_runs=3):
    """Return columns of best-arm identification, of the users from `first` on."""
    numbers = np.arange(first, first + n_runs)
    columns = {name: numbers + place for place, name in enumerate(RUN_FRAMES["bai"])}
    columns |= {"instance": numbers, "correct": numbers % 2 == 0, "censored": numbers % 2 == 1}
    columns |= {"left": numbers % 3 == 1}
    del columns["agent"]
    return columns


def part_of(mine, **record):
    """Return a part of a store."""
    return mine.part("bai", "BAIR", {"seed": 0, **record})


def rows_in(path):
    """Return the rows of runs by table, each with the key of its part in place of its number."""
    query = "SELECT parts.key, {0}.* FROM {0} JOIN parts ON parts.id = part ORDER BY key, instance"
    with closing(sqlite3.connect(path)) as db:
        tables = ("runs_bai", "runs_regret")
        return {table: db.execute(query.format(table)).fetchall() for table in tables}


def without_numbers(rows):
    """Return rows without the numbers of their parts, which follow the order of the work."""
    return {table: [row[:1] + row[2:] for row in each] for table, each in rows.items()}


def assert_same(ours, others):
    """Make sure that two results are equal to the bit, with their types."""
    pd.testing.assert_frame_equal(ours.runs, others.runs, check_exact=True)
    assert dict(ours.cell) == dict(others.cell)
    assert ours.population == others.population
    assert dict(ours.deltas) == dict(others.deltas)
    pd.testing.assert_frame_equal(ours.summary(), others.summary(), check_exact=True)
    assert (ours.checks is None) == (others.checks is None)
    if ours.checks is not None:
        pd.testing.assert_frame_equal(ours.checks, others.checks, check_exact=True)
