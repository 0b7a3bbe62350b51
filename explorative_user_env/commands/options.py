"""Options that several commands have, each spelled and explained once."""

import os
from typing import Annotated, Any

import typer

from explorative_user_env.validation import choice, integer

SETTING_HELP = "Modelling choices: printed (the paper's text) or released (its code)."

N_INSTANCES = 1000
"""Users a cell, as in the paper."""

QUICK_N_INSTANCES = 100
"""Users a cell with --quick."""

INSTANCES_HELP = "Users in each cell, at least 1."

SettingOption = Annotated[str, typer.Option(help=SETTING_HELP)]
AlphaOption = Annotated[float, typer.Option(help="Users' willingness to explore, above 0.")]
GapOption = Annotated[float, typer.Option(help="Gap Delta_1 of the best arm, above 0.")]
NoiseOption = Annotated[
    float, typer.Option(help="Probability in [0, 1] that a decision is a coin flip.")
]
InstancesOption = Annotated[int, typer.Option(help=INSTANCES_HELP)]
SeedOption = Annotated[int, typer.Option(help="Seed of everything, at least 0.")]
WorkersOption = Annotated[
    int, typer.Option(help="Runs at once; the numbers do not depend on it.", show_default="cores")
]


def shared_options(setting: str, n_instances: int, seed: int, workers: int) -> dict[str, Any]:
    """Check the options that every command has, and return them as `evaluate` takes them."""
    from explorative_user_env.settings import SETTINGS

    return {
        "setting": choice("setting", setting, SETTINGS),
        "n_instances": integer("n_instances", n_instances, 1),
        "seed": integer("seed", seed, 0),
        "workers": integer("workers", workers, 0) or cores(),
    }


def cores() -> int:
    """Return how many processors this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
