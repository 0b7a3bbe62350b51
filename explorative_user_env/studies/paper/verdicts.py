"""What is said of each published figure: it agrees, differs, or cannot be had for a reason."""

from collections.abc import Collection, Mapping
from typing import Any

import pandas as pd

from explorative_user_env.display.progress import OnProgress, portion
from explorative_user_env.results.tables import PUBLISHED
from explorative_user_env.studies.paper import Experiment
from explorative_user_env.studies.paper.agreement import agrees, is_given, is_near
from explorative_user_env.studies.paper.errors import z_of
from explorative_user_env.studies.paper.inquiry import Known
from explorative_user_env.studies.paper.phase1_share import n1_if_most
from explorative_user_env.studies.paper.reasons import REASONS

AGREES, CANNOT, DIFFERS = VERDICTS = ("agrees", "cannot", "differs")
NOT_JUDGED = ""

DECISIVE = "released"
"""The setting the published tables were made with, by which a figure is judged."""


def decisive_of(settings: Collection[str]) -> str:
    """Return the setting whose figures are judged: `released`, or the only one there is."""
    return DECISIVE if DECISIVE in settings else next(iter(settings))


def verdicts(experiment: Experiment, summaries: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return one row a published figure, with ours under each setting, and whether it agrees.

    The verdict is that under `released`, or under the only setting there is; it is empty for
    entrants that are not judged, and where there are too few runs for an error.

    Args:
        experiment: what ran.
        summaries: by setting, as from `compared`.

    Returns:
        The place, the figure, `published`, `n1` (N_1 where it is most of the published time, else
        0), and by setting the figure of ours, its interval (`_low`, `_high`), how many errors it is
        apart (`_z`) and whether it is near in practice (`_near`); `verdict` and `reason`.
    """
    decisive = decisive_of(summaries)
    beside_only = [entrant.name for entrant in experiment.entrants if not entrant.judged]
    rows = []
    for index, row in summaries[decisive].iterrows():
        for figure, beside in PUBLISHED.items():
            published = row.get(beside)
            if published is None or pd.isna(published) or is_given(row["agent"], figure):
                continue
            place = {name: row[name] for name in ("delta", "n_arms", "agent", "horizon")}
            found = {"experiment": experiment.name, **place, "figure": figure}
            found |= {"published": published, "n1": 0.0}
            if figure == "stopping_time":
                found["n1"] = n1_if_most(experiment, decisive, row, published)
            for setting, summary in summaries.items():
                found |= _ours(setting, summary.loc[index], figure, published, found["n1"])
            verdict = _verdict(found[f"{decisive}_z"], row["agent"] not in beside_only)
            rows.append(found | {"verdict": verdict, "reason": ""})
    return pd.DataFrame(rows)


def _verdict(z: float, judged: bool) -> str:
    if not judged or pd.isna(z):
        return NOT_JUDGED
    return AGREES if agrees(z) else DIFFERS


def _ours(
    setting: str, row: "pd.Series[Any]", figure: str, published: float, n1: float
) -> dict[str, Any]:
    return {
        setting: row[figure],
        f"{setting}_low": row[f"{figure}_low"],
        f"{setting}_high": row[f"{figure}_high"],
        f"{setting}_z": float(z_of(figure, row, published, row["n_runs"])),
        f"{setting}_near": is_near(figure, row[figure], published, n1),
    }


def explained(
    experiment: Experiment, found: pd.DataFrame, *, progress: OnProgress, **options: Any
) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Test the reasons for what differs, and say "cannot" where one holds.

    Args:
        experiment: what ran.
        found: as from `verdicts`.
        progress: told what is tested.
        options: `setting`, `n_instances`, `seed` and `workers`, as for `evaluate`.

    Returns:
        `found` with verdicts and reasons, and by reason what its test found.
    """
    found = found.copy()
    evidence = {}
    known: Known = {}  # reasons try the same runs: each of the caps cuts off those of the largest
    for position, reason in enumerate(REASONS):
        differing = found[found["verdict"] == DIFFERS]
        rows = [
            {str(name): value for name, value in row.items()} | {"index": index}
            for index, row in zip(differing.index, differing.to_dict("records"), strict=True)
        ]
        rows = [row for row in rows if reason.concerns(row)]
        if not rows:
            continue
        report = portion(progress, position, len(REASONS))
        tested = reason.test(experiment, rows, {**options, "progress": report, "known": known})
        holds = tested.loc[tested["explained"], "index"]
        found.loc[holds, ["verdict", "reason"]] = [CANNOT, reason.key]
        evidence[reason.key] = tested.drop(columns="index")
    return found, evidence


def counted(found: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return how many figures have each verdict, and how many are judged, by groups of `by`."""
    judged = found[found["verdict"] != NOT_JUDGED]
    groups = judged.groupby(by, sort=False)["verdict"]
    counts = {
        verdict: groups.agg(lambda said, verdict=verdict: int((said == verdict).sum()))
        for verdict in VERDICTS
    }
    return pd.DataFrame({**counts, "cells": groups.size()}).reset_index()
