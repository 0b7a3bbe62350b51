"""The paper's experiments: what runs, on what, with which published figures."""

from .cells import run_cells, run_experiment
from .ladder import run_ladder
from .published import PUBLISHED_CELLS, published_figures, published_for
from .records import (
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
