"""How the reasons for what differs are tested: other ways to run an agent, or digits compared.

Every test is called with (experiment, rows, options) and returns a row for each figure of `rows`:
the same columns, `found` and `at` (what gave it), and whether it is `explained`.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from explorative_user_env.agents import TrackAndStop
from explorative_user_env.agents.bair_thresholds import phase1_acceptances
from explorative_user_env.results.tables import PUBLISHED
from explorative_user_env.studies.paper.agreement import agrees, is_given
from explorative_user_env.studies.paper.errors import UNITS, z_of
from explorative_user_env.studies.paper.inquiry import (
    Alternative,
    Row,
    run_alternatives,
    run_under_caps,
)
from explorative_user_env.studies.paper.published import published_figures
from explorative_user_env.studies.paper.records import TABLE2, Experiment

TOO_WIDE = 0.5
"""Relative error of a mean time above which it would agree with anything."""


def by_alternatives(
    alternatives: Callable[[Row], Sequence[Alternative]],
    experiment: Experiment,
    rows: Sequence[Row],
    options: dict[str, Any],
) -> pd.DataFrame:
    """Try alternatives; one explains a cell if all its published figures agree at once.

    Of several the nearest is shown.
    """
    return _nearest(
        experiment, rows, run_alternatives(experiment, _cells(rows), alternatives, **options)
    )


def by_caps(
    caps: Callable[[Experiment], Sequence[int]],
    experiment: Experiment,
    rows: Sequence[Row],
    options: dict[str, Any],
) -> pd.DataFrame:
    """Try step caps of Track-and-Stop; see `by_alternatives`."""
    tried = caps(experiment)
    agent = TrackAndStop(max_steps=max(tried))
    return _nearest(
        experiment, rows, run_under_caps(experiment, _cells(rows), agent, tried, **options)
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
        nearest = best[(row["delta"], row["n_arms"], row["agent"])]
        at = {"found": nearest[row["figure"]], "at": nearest["what"]}
        at |= {"explained": _explains(nearest)}
        found.append(row | at)
    return pd.DataFrame(found)


def _explains(one: Row) -> bool:
    """Return whether all figures agree, and an error is no wider than to say something."""
    said = one["stopping_time_error"] <= TOO_WIDE
    return said and all(agrees(z) for z in _distances(one))


def _distances(one: Row) -> list[float]:
    """Return how many errors each figure is from the published one, of those that are findings."""
    return [
        float(z_of(figure, one, one[beside], one["n_runs"]))
        for figure, beside in PUBLISHED.items()
        if not pd.isna(one[beside]) and not is_given(one["agent"], figure)
    ]


def _closeness(one: Row) -> tuple[bool, int, float]:
    """Return how many figures agree with the published ones, and then how near the others are."""
    distances = _distances(one)
    return _explains(one), sum(map(agrees, distances)), -sum(map(abs, distances))


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
        at = {"found": n1, "at": "acceptances of Phase 1, N_1"}
        found.append(row | at | {"explained": bool(n1 <= SMALL_SHARE * row["published"])})
    return pd.DataFrame(found)


COUNTED = ("stopping_time", "rejection_rate")
"""The pair of figures whose product is the mean number of rejections."""


def by_counting(
    experiment: Experiment, rows: Sequence[Row], options: dict[str, Any]
) -> pd.DataFrame:
    """Compare the rejections that time and rate leave room for with the fewest there can be.

    The rate of any of the ways to count is at least (mean rejections) / (mean time) if every run
    has as many rejections, and both figures may be up to half a digit more than what is printed.
    """
    published = published_figures(experiment).set_index(["delta", "n_arms", "agent"])
    found = []
    for row in rows:
        cell = published.loc[(row["delta"], row["n_arms"], row["agent"])]
        room = 1.0
        for figure in COUNTED:
            room *= cell[PUBLISHED[figure]] + UNITS[figure] / 2
        fewest = fewest_rejections(row["agent"], row["n_arms"])
        at = f"rejections at most, of at least {fewest}"
        found.append(row | {"found": room, "at": at, "explained": bool(room < fewest)})
    return pd.DataFrame(found)


def fewest_rejections(agent: str, n_arms: int) -> int:
    """Return the fewest rejections of a run that stops, as the tables count them.

    BAIR is left with one arm after K-1 rejections, and the K private draws are counted. Those of
    Track-and-Stop are not; an arm that was never rejected looks as good as any to it.
    """
    return 2 * n_arms - 1 if agent == "BAIR" else n_arms - 1
