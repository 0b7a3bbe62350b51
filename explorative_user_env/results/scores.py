"""Runs as the scores that other libraries compare agents by: the more the better."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from explorative_user_env.protocol import Array
from explorative_user_env.results.metrics import succeeded
from explorative_user_env.results.provenance import Cell
from explorative_user_env.tasks import BAI, POPULATION, REGRET
from explorative_user_env.validation import InvalidArgumentError, choice


def _success(runs: pd.DataFrame, cell: Cell) -> Array:
    return np.asarray(succeeded(runs), float)


def _cost(runs: pd.DataFrame, cell: Cell) -> Array:
    times = np.asarray(runs["stopping_time"], float)
    return float(cell["step_cost"]) * times + 1.0 - _success(runs, cell)


OVER_HORIZON: Mapping[str, Callable[[pd.DataFrame, Cell], Array]] = {
    "regret": lambda runs, cell: -np.asarray(runs["regret"], float),
    "utility": lambda runs, cell: np.asarray(runs["utility"], float),
}

SCORES: Mapping[str, Mapping[str, Callable[[pd.DataFrame, Cell], Array]]] = {
    BAI.name: {
        "cost": lambda runs, cell: -_cost(runs, cell),
        "stopping_time": lambda runs, cell: -np.asarray(runs["stopping_time"], float),
        "success": _success,
    },
    REGRET.name: OVER_HORIZON,
    POPULATION.name: OVER_HORIZON,
}
"""By task and figure, that by which agents rank first; what is the better the less is negated."""


def _figure_of(cell: Cell, score: str | None) -> Callable[[pd.DataFrame, Cell], Array]:
    known = SCORES[cell["task"]]
    return known[next(iter(known)) if score is None else choice("score", score, known)]


def scores_of(cells: Sequence[tuple[pd.DataFrame, Cell]], score: str | None) -> dict[str, Array]:
    """Return the scores of each agent in the shape (users, cells).

    Args:
        cells: the runs of each cell, and what they share, as in `Results`.
        score: the figure, of `SCORES`; None is that by which agents rank.

    Raises:
        InvalidArgumentError: for a figure that the task has not, or cells with other agents or
            other numbers of users.
    """
    figures = [_figure_of(cell, score) for _, cell in cells]
    columns = [
        {str(name): figure(own, cell) for name, own in runs.groupby("agent", sort=False)}
        for (runs, cell), figure in zip(cells, figures, strict=True)
    ]
    sizes = [{name: len(scores) for name, scores in column.items()} for column in columns]
    for size in sizes:
        if size != sizes[0]:
            raise InvalidArgumentError("cells", size, f"of the same agents and users as {sizes[0]}")
    return {name: np.column_stack([column[name] for column in columns]) for name in columns[0]}
