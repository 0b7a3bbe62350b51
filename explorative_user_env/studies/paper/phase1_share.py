"""Where N_1, which is given, is most of BAIR's stopping time: what is left is what was found."""

from typing import Any

import pandas as pd

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.agents.bair_thresholds import phase1_acceptances
from explorative_user_env.settings import as_setting
from explorative_user_env.studies.paper.records import Experiment

MOST = 0.5


def n1_of(experiment: Experiment, agent: str, setting: str, delta: float, n_arms: int) -> float:
    """Return N_1 of an entrant in a cell; 0 if it has none or its Phase 1 is not counted."""
    entrant = next(one for one in experiment.entrants if one.name == agent)
    made: AlgorithmAgent = entrant.make(delta, n_arms, experiment.alpha)
    if "n1" not in made.options or experiment.shared_phase1:
        return 0.0
    own = made.options["n1"]
    n1 = as_setting(setting).bair_n1 if own is None else own
    return phase1_acceptances(n1, n_arms, delta, experiment.alpha, 1.0)


def n1_if_most(
    experiment: Experiment, setting: str, row: "pd.Series[Any]", published: float
) -> float:
    """Return N_1 of the entrant in this row where it is at least half of the time, else 0."""
    n1 = n1_of(experiment, row["agent"], setting, row["delta"], row["n_arms"])
    return n1 if n1 >= MOST * published else 0.0
