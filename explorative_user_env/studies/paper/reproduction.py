"""Experiments run under every setting, with what is said of each published figure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from explorative_user_env.display.progress import OnProgress, named, portion
from explorative_user_env.evaluation import Results
from explorative_user_env.studies.paper import Experiment, published_figures, run_experiment
from explorative_user_env.studies.paper.calibration import Calibration, calibrate
from explorative_user_env.studies.paper.comparison import compared
from explorative_user_env.studies.paper.verdicts import (
    DECISIVE,
    decisive_of,
    explained,
    verdicts,
)

MOST_USERS_OF_A_TEST = 1000
"""A reason is tested with many alternatives in many cells."""


@dataclass(frozen=True)
class Reproduction:
    """One experiment, run.

    Attributes:
        experiment: what ran.
        results: by setting, one a cell.
        summaries: by setting, beside the published figures.
        found: a row a published figure with a verdict; empty for a drawn experiment, whose figures
            are a table's.
        evidence: by the key of a reason, what its test found.
    """

    experiment: Experiment
    results: Mapping[str, list[Results]]
    summaries: Mapping[str, pd.DataFrame]
    found: pd.DataFrame = field(default_factory=pd.DataFrame)
    evidence: Mapping[str, pd.DataFrame] = field(default_factory=dict)


def reproduce(
    experiments: Sequence[Experiment],
    settings: Sequence[str],
    *,
    progress: OnProgress,
    **options: Any,
) -> list[Reproduction]:
    """Run `experiments` under `settings`; two that run the same share their runs.

    Args:
        experiments: what runs.
        settings: names of settings.
        progress: told what runs, and the share done over all.
        options: `n_instances`, `seed`, `workers` and `store`, as for `evaluate`.
    """
    runs: dict[Experiment, Mapping[str, list[Results]]] = {}
    found = []
    for position, experiment in enumerate(experiments):
        report = portion(progress, position, len(experiments))
        what = _what_runs(experiment)
        if what not in runs:
            runs[what] = {
                setting: run_experiment(
                    experiment,
                    setting,
                    progress=named(portion(report, place, len(settings) + 1), experiment.name),
                    **options,
                )
                for place, setting in enumerate(settings)
            }
        last = named(portion(report, len(settings), len(settings) + 1), experiment.name)
        found.append(_judged(experiment, runs[what], progress=last, **options))
    return found


def _judged(
    experiment: Experiment,
    results: Mapping[str, list[Results]],
    *,
    progress: OnProgress,
    **options: Any,
) -> Reproduction:
    published = published_figures(experiment)
    summaries = {name: compared(cells, published) for name, cells in results.items()}
    if experiment.data is None or experiment.drawn:
        return Reproduction(experiment, results, summaries)
    found = verdicts(experiment, summaries)
    evidence: dict[str, pd.DataFrame] = {}
    if DECISIVE in results:
        fewer = options | {"n_instances": min(options["n_instances"], MOST_USERS_OF_A_TEST)}
        fewer |= {"store": options["store"].aside()} if options.get("store") else {}
        found, evidence = explained(experiment, found, progress=progress, setting=DECISIVE, **fewer)
    return Reproduction(experiment, results, summaries, found, evidence)


def calibration_of(
    reproductions: Sequence[Reproduction], seed: int, *, progress: OnProgress
) -> Calibration | None:
    """Return how far the verdicts of experiments can be trusted; None where nothing is judged."""
    judged = [one for one in reproductions if not one.found.empty]
    if not judged:
        return None
    found = pd.concat([one.found for one in judged], ignore_index=True)
    results = {one.experiment.name: one.results[decisive_of(one.results)] for one in judged}
    return calibrate(found, results, seed, progress=progress)


def _what_runs(experiment: Experiment) -> Experiment:
    return replace(experiment, name="", title="", drawn=False)
