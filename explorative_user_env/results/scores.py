"""Runs as the scores that other libraries compare agents by: the more the better."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from explorative_user_env.protocol import Array
from explorative_user_env.results.metrics import succeeded
from explorative_user_env.results.provenance import Cell
from explorative_user_env.tasks import BAI, REGRET
from explorative_user_env.validation import InvalidArgumentError, choice


def _success(runs: pd.DataFrame, cell: Cell) -> Array:
    return np.asarray(succeeded(runs), float)


def _cost(runs: pd.DataFrame, cell: Cell) -> Array:
    times = np.asarray(runs["stopping_time"], float)
    return float(cell["step_cost"]) * times + 1.0 - _success(runs, cell)


SCORES: Mapping[str, Mapping[str, Callable[[pd.DataFrame, Cell], Array]]] = {
    BAI.name: {
        "cost": lambda runs, cell: -_cost(runs, cell),
        "stopping_time": lambda runs, cell: -np.asarray(runs["stopping_time"], float),
        "success": _success,
    },
    REGRET.name: {
        "regret": lambda runs, cell: -np.asarray(runs["regret"], float),
        "utility": lambda runs, cell: np.asarray(runs["utility"], float),
    },
}
"""By task and figure, that by which agents rank first; what is the better the less is negated."""


def scores_of(cells: Sequence[tuple[pd.DataFrame, Cell]], score: str | None) -> dict[str, Array]:
    """Return the scores of each agent in the shape (users, cells).

    Args:
        cells: the runs of each cell, and what they share, as in `Results`.
        score: the figure, of `SCORES`; None is that by which agents rank.

    Raises:
        InvalidArgumentError: for a figure that the task has not, or cells with other agents or
            other numbers of users.
    """
    known = SCORES[cells[0][1]["task"]]
    chosen = next(iter(known)) if score is None else choice("score", score, known)
    columns = [
        {str(name): known[chosen](own, cell) for name, own in runs.groupby("agent", sort=False)}
        for runs, cell in cells
    ]
    sizes = [{name: len(scores) for name, scores in column.items()} for column in columns]
    for size in sizes:
        if size != sizes[0]:
            raise InvalidArgumentError("cells", size, f"of the same agents and users as {sizes[0]}")
    return {name: np.column_stack([column[name] for column in columns]) for name in columns[0]}
