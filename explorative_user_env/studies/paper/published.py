"""The published figures: data files of this package, in the units they were printed in."""

import math
from dataclasses import replace
from importlib import resources

import pandas as pd

from explorative_user_env.population import Population
from explorative_user_env.results.tables import PUBLISHED
from explorative_user_env.studies.paper.records import TABLE2, TABLE3, TABLE5, TABLE6, Experiment

PUBLISHED_CELLS = (TABLE2, TABLE3, TABLE5, TABLE6)
"""Experiments with published figures for cells that a benchmark can meet."""

CELL = ["delta", "n_arms", "agent"]
"""What a published figure belongs to."""


def published_figures(experiment: Experiment) -> pd.DataFrame:
    """Return the published figures of these cells, one row a cell and agent; NaN for none.

    Rates are shares, not percentages. UNI and EXP3 ran to BAIR's stopping time, which therefore
    stands for theirs.
    """
    if experiment.data is None:
        return pd.DataFrame(columns=[*CELL, *PUBLISHED.values()])
    file = resources.files("explorative_user_env") / "data" / experiment.data
    with resources.as_file(file) as path:
        printed = pd.read_csv(path)
    times = "phase2_stopping_time" if experiment.shared_phase1 else "stopping_time"
    rows = []
    for row in printed.to_dict("records"):
        if row["delta"] not in experiment.deltas or row["K"] not in experiment.n_arms:
            continue
        for entrant in experiment.entrants:
            time = row.get(f"{times}_{entrant.column}", row.get(f"{times}_BAIR"))
            rows.append(
                {
                    "delta": row["delta"],
                    "n_arms": row["K"],
                    "agent": entrant.name,
                    PUBLISHED["stopping_time"]: float(time),
                    PUBLISHED["rejection_rate"]: row.get(
                        f"rejection_pct_{entrant.column}", math.nan
                    )
                    / 100,
                    PUBLISHED["success"]: row[f"success_{entrant.column}"],
                }
            )
    return pd.DataFrame(rows)


def published_for(population: Population) -> pd.DataFrame | None:
    """Return the published figures of BAIR and the baselines with these users, None if none are.

    Those of Table 3 stand beside BAIR, whichever form of BAIR(m) it runs.
    """
    for experiment in PUBLISHED_CELLS:
        users = {"alpha": experiment.alpha, "gap": experiment.gap, "noise": experiment.noise}
        if is_papers(population, **users):
            figures = published_figures(experiment)
            first = figures["agent"] == experiment.entrants[0].name
            others = figures["agent"].isin(("T&S", "UNI", "EXP3"))
            return figures.assign(agent=figures["agent"].mask(first, "BAIR"))[first | others]
    return None


def is_papers(population: Population, *, alpha: float, gap: float, noise: float) -> bool:
    """Return whether these are the paper's users with this alpha, gap and click noise."""
    papers = Population(setting=population.setting, n_arms=population.n_arms)
    users = replace(papers, alpha=alpha, gap=gap, noise=noise)
    return users.words() == population.words()
