"""The paper's experiments: what runs, on what, with which published figures."""

from explorative_user_env.studies.paper.cells import run_experiment
from explorative_user_env.studies.paper.ladder import run_ladder
from explorative_user_env.studies.paper.published import (
    PUBLISHED_CELLS,
    published_figures,
    published_for,
)
from explorative_user_env.studies.paper.records import (
    BENCH_DELTAS,
    BENCH_N_ARMS,
    EXPERIMENTS,
    LINE_UP,
    TABLE2,
    Entrant,
    Experiment,
    quick_form,
    with_entrants,
)

__all__ = [
    "BENCH_DELTAS",
    "BENCH_N_ARMS",
    "EXPERIMENTS",
    "LINE_UP",
    "PUBLISHED_CELLS",
    "TABLE2",
    "Entrant",
    "Experiment",
    "published_figures",
    "published_for",
    "quick_form",
    "run_experiment",
    "run_ladder",
    "with_entrants",
]
