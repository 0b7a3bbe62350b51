"""How far the verdicts can be trusted: false alarms, what would be missed, and the spread.

Found by simulation: users are drawn anew from those we have, for us and for the paper. Where both
are drawn, "differs" is a false alarm; where the drawn published figure is moved as well, it is what
would be found; where only ours are, the counts of verdicts spread as they would over seeds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from scipy import stats

from explorative_user_env.display.progress import OnProgress, silent
from explorative_user_env.results.results import Results
from explorative_user_env.studies.paper.agreement import LIMIT
from explorative_user_env.studies.paper.errors import (
    PUBLISHED_RUNS,
    UNITS,
    arrays_of,
    figures_of,
    z_of,
)
from explorative_user_env.studies.paper.published import CELL

DRAWS = 200
"""Samples of each agent's runs in each cell, twice."""

MOVES: Mapping[str, Sequence[float]] = {
    "stopping_time": (1.05, 1.1, 1.2),
    "rejection_rate": (1.05, 1.1, 1.2),
    "success": (0.01, 0.02, 0.05),
}
"""How the drawn published figures are moved: times a number, or a success down by points."""


@dataclass(frozen=True)
class Calibration:
    """What the simulation found, by figure and draw.

    Attributes:
        figures: one row a judged figure, as in `verdicts`.
        false_alarms: whether it differs from a published figure drawn from the same runs, shape
            (figures, draws), bool.
        agreeing: whether ours, drawn anew, agrees with the published figure, shape (figures,
            draws), bool.
        found: by place in `MOVES`, whether it differs from a drawn one that was moved, shape
            (figures, draws), bool.
    """

    figures: pd.DataFrame
    false_alarms: np.ndarray
    agreeing: np.ndarray
    found: Sequence[np.ndarray]

    @property
    def expected(self) -> float:
        """How many false alarms the level of the test allows for, if errors were normal."""
        return 2.0 * float(stats.norm.sf(LIMIT)) * len(self.figures)

    def spread(self, by: Sequence[str]) -> dict[tuple[str, ...], tuple[int, int]]:
        """Return between how many figures agree in 95% of the draws, by groups of `by`."""
        groups = self.figures.groupby(list(by), sort=False).indices
        return {key: range_of(self.agreeing[places].sum(axis=0)) for key, places in groups.items()}


def range_of(counts: np.ndarray) -> tuple[int, int]:
    """Return what 95% of `counts` lie between."""
    low, high = np.quantile(counts, (0.025, 0.975), method="nearest")
    return int(low), int(high)


def calibrate(
    found: pd.DataFrame,
    results: Mapping[str, Sequence[Results]],
    seed: int,
    draws: int = DRAWS,
    *,
    progress: OnProgress = silent,
) -> Calibration:
    """Draw users anew and judge again.

    Args:
        found: as from `verdicts`, of all experiments; those without a verdict are left out.
        results: by experiment, its cells under the setting that is judged.
        seed: of the draws.
        draws: how many samples.
        progress: told how many cells are done.
    """
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    judged = found[found["verdict"] != ""].reset_index(drop=True)
    rows_of = judged.groupby(["experiment", *CELL]).indices
    shape = (len(judged), draws)
    false, agreeing = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    moved = [np.zeros(shape, dtype=bool) for _ in MOVES["success"]]
    total = sum(map(len, results.values()))
    done = 0
    for experiment, cells in results.items():
        for cell in cells:
            progress("drawing users anew", done, total)
            done += 1
            n_runs = int(cell.runs.groupby("agent").size().iloc[0])
            ours = rng.integers(n_runs, size=(draws, n_runs))
            theirs = rng.integers(n_runs, size=(draws, PUBLISHED_RUNS))
            for agent in dict.fromkeys(cell.runs["agent"]):
                place = (experiment, cell.cell["delta"], cell.cell["n_arms"], agent)
                if place not in rows_of:
                    continue
                sample, other = _drawn(cell, agent, ours), _drawn(cell, agent, theirs)
                for row in rows_of[place]:
                    figure = judged.loc[row, "figure"]
                    differs = partial(_differs, figure, sample, n_runs)
                    false[row] = differs(_rounded(other[figure], figure))
                    agreeing[row] = ~differs(np.full(draws, judged.loc[row, "published"]))
                    for found_so, move in zip(moved, MOVES[figure], strict=True):
                        found_so[row] = differs(_rounded(_moved(other, figure, move), figure))
    return Calibration(judged, false, agreeing, moved)


def _differs(
    figure: str, ours: Mapping[str, np.ndarray], n_runs: int, published: np.ndarray
) -> np.ndarray:
    differing: np.ndarray = ~(abs(z_of(figure, ours, published, n_runs)) <= LIMIT)
    return differing


def _drawn(cell: Results, agent: str, users: np.ndarray) -> Mapping[str, np.ndarray]:
    """Return the figures of an agent with other users, shape (draws,) each."""
    setting = cell.population.setting
    return figures_of(
        *(values[users] for values in arrays_of(cell, agent)),
        rejection_rate=setting.rejection_rate,
        drops_censored=setting.drops_censored,
    )


def _rounded(values: np.ndarray, figure: str) -> np.ndarray:
    """Return values as they would be printed."""
    return np.round(values / UNITS[figure]) * UNITS[figure]


def _moved(figures: Mapping[str, np.ndarray], figure: str, move: float) -> np.ndarray:
    if figure == "success":
        return np.maximum(figures[figure] - move, 0.0)
    return figures[figure] * move
