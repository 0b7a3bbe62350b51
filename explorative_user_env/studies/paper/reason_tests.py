"""How the reasons for what differs are tested: other ways to run an agent, or digits compared.

Every test is called with (experiment, rows, options) and returns a row for each figure of `rows`:
the same columns, `found` and `at` (what gave it), and whether it is `explained`.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from explorative_user_env.agents import AGENTS, BAIR, TrackAndStop
from explorative_user_env.agents.bair_thresholds import phase1_acceptances
from explorative_user_env.results.tables import PUBLISHED
from explorative_user_env.studies.paper.agreement import is_given, tolerance_of
from explorative_user_env.studies.paper.inquiry import (
    Alternative,
    Row,
    run_alternatives,
    run_under_caps,
)
from explorative_user_env.studies.paper.published import published_figures
from explorative_user_env.studies.paper.records import TABLE2, Experiment

LARGEST_CAP = 1_000_000
LARGEST_CAP_WITH_NOISE = 100_000
"""Track-and-Stop's steps take ten times as long with click noise."""

OTHER_HORIZONS = (0.7, 0.8, 0.9, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0)
REJECTIONS = (5, 10, 15, 20, 25, 30, 35, 40, 50)


def by_alternatives(
    alternatives: Callable[[Row], Sequence[Alternative]],
    experiment: Experiment,
    rows: Sequence[Row],
    options: dict[str, Any],
) -> pd.DataFrame:
    """Try alternatives; one explains a cell if all the published figures come near at once.

    Of several the nearest is shown. Intervals do not count here: a wide one would explain anything.
    """
    return _nearest(
        experiment, rows, run_alternatives(experiment, _cells(rows), alternatives, **options)
    )


def by_caps(experiment: Experiment, rows: Sequence[Row], options: dict[str, Any]) -> pd.DataFrame:
    """Try step caps of Track-and-Stop; see `by_alternatives`."""
    largest = LARGEST_CAP_WITH_NOISE if experiment.noise else LARGEST_CAP
    caps = [round(cap) for cap in np.geomspace(2_000, largest, 60)]
    agent = TrackAndStop(max_steps=largest)
    return _nearest(
        experiment, rows, run_under_caps(experiment, _cells(rows), agent, caps, **options)
    )


def _cells(rows: Sequence[Row]) -> list[Row]:
    """Return one row a cell and agent."""
    return list({(row["delta"], row["n_arms"], row["agent"]): row for row in rows}.values())


def _nearest(experiment: Experiment, rows: Sequence[Row], tried: pd.DataFrame) -> pd.DataFrame:
    """Return `rows` with what comes nearest of what was tried in each cell."""
    published = published_figures(experiment)
    tried = tried.merge(published, on=["delta", "n_arms", "agent"], how="left")
    best: dict[tuple[Any, ...], Any] = {}
    for one in tried.dropna(subset=["stopping_time"]).to_dict("records"):
        place = (one["delta"], one["n_arms"], one["agent"])
        if place not in best or _closeness(one) > _closeness(best[place]):
            best[place] = one
    found = []
    for row in rows:
        one = best[row["delta"], row["n_arms"], row["agent"]]
        explained = all(_is_near(one, figure) for figure in _compared(one))
        found.append(row | {"found": one[row["figure"]], "at": one["what"], "explained": explained})
    return pd.DataFrame(found)


def _compared(one: Row) -> list[str]:
    """Return the published figures of a cell that are not given."""
    return [
        figure
        for figure, beside in PUBLISHED.items()
        if not is_given(one["agent"], figure) and not pd.isna(one[beside])
    ]


def _is_near(one: Row, figure: str) -> bool:
    return tolerance_of(figure, one["agent"]).allows(one[figure], one[PUBLISHED[figure]])


def _closeness(one: Row) -> tuple[int, float]:
    """Return how many figures are near the published ones, and then how near they are in all."""
    near = [_is_near(one, figure) for figure in _compared(one)]
    distances = [
        abs(one[figure] - one[PUBLISHED[figure]]) / one[PUBLISHED[figure]]
        for figure in _compared(one)
    ]
    return sum(near), -sum(distances)


def longer(row: Row) -> list[Alternative]:
    """Return the agent run to other multiples of its T."""
    make = AGENTS[row["agent"]]
    times = [round(factor * row["horizon"]) for factor in OTHER_HORIZONS]
    return [Alternative(f"T = {time}", make(), time) for time in times]


def rejections(row: Row) -> list[Alternative]:
    """Return BAIR(m) with other numbers of rejections."""
    return [Alternative(f"m = {m}", BAIR(m=m, rejections="all")) for m in REJECTIONS]


def one_pass(row: Row) -> list[Alternative]:
    """Return BAIR with one pass over the arms as its Phase 1."""
    capped = partial(BAIR, n1=0, max_steps=100 * row["n_arms"] * 5)
    return [
        Alternative("one pass over the arms", BAIR(n1=0)),
        Alternative("one pass over the arms, capped at 500 K steps", capped()),
    ]


COPIED = {
    ("table4", "BAIR", "stopping_time"),
    ("table4", "BAIR", "rejection_rate"),
    ("table4", "T&S", "stopping_time"),
}
"""Columns of Table 4 in which digits of Table 2 come back."""


def by_digits(experiment: Experiment, rows: Sequence[Row], options: dict[str, Any]) -> pd.DataFrame:
    """Compare the digits with those of Table 2, less 2(K-1)/delta for BAIR's time."""
    cells = published_figures(replace(TABLE2, entrants=experiment.entrants))
    table2 = cells.set_index(["delta", "n_arms", "agent"])
    found = []
    for row in rows:
        other = table2.loc[(row["delta"], row["n_arms"], row["agent"]), PUBLISHED[row["figure"]]]
        at = "Table 2's figure"
        if (row["agent"], row["figure"]) == ("BAIR", "stopping_time"):
            other -= 2 * (row["n_arms"] - 1) / row["delta"]
            at = "Table 2's time less 2(K-1)/delta"
        same = abs(other - row["published"]) <= 1e-9 * max(1.0, row["published"])
        found.append(row | {"found": other, "at": at, "explained": bool(same)})
    return pd.DataFrame(found)


SMALL_SHARE = 0.05


def by_share_of_n1(
    experiment: Experiment, rows: Sequence[Row], options: dict[str, Any]
) -> pd.DataFrame:
    """Compare N_1, through which alone delta acts on BAIR, with the stopping time."""
    found = []
    for row in rows:
        n1 = phase1_acceptances("proof", row["n_arms"], row["delta"], experiment.alpha, 1.0)
        small = n1 <= SMALL_SHARE * row["published"]
        found.append(row | {"found": n1, "at": "N_1", "explained": bool(small)})
    return pd.DataFrame(found)
