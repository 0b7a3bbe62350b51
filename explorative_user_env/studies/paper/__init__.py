"""The paper's experiments: what runs, on what, with which published figures."""

from explorative_user_env.studies.paper.cells import run_cells, run_experiment
from explorative_user_env.studies.paper.ladder import run_ladder
from explorative_user_env.studies.paper.published import (
    PUBLISHED_CELLS,
    published_figures,
    published_for,
)
from explorative_user_env.studies.paper.records import (
    AGENTS,
    BENCH_DELTAS,
    BENCH_N_ARMS,
    EXPERIMENTS,
    TABLE2,
    Entrant,
    Experiment,
    quick_form,
    with_entrants,
)

__all__ = [
    "AGENTS",
    "BENCH_DELTAS",
    "BENCH_N_ARMS",
    "EXPERIMENTS",
    "PUBLISHED_CELLS",
    "TABLE2",
    "Entrant",
    "Experiment",
    "published_figures",
    "published_for",
    "quick_form",
    "run_cells",
    "run_experiment",
    "run_ladder",
    "with_entrants",
]
