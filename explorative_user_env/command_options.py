"""Options that several commands have, each spelled and explained once."""

from typing import Annotated

import typer

SETTING_HELP = "Modelling choices: printed (the paper's text) or released (its code)."

SettingOption = Annotated[str, typer.Option(help=SETTING_HELP)]
AlphaOption = Annotated[float, typer.Option(help="Users' willingness to explore, above 0.")]
GapOption = Annotated[float, typer.Option(help="Gap Delta_1 of the best arm, above 0.")]
NoiseOption = Annotated[
    float, typer.Option(help="Probability in [0, 1] that a decision is a coin flip.")
]
InstancesOption = Annotated[int, typer.Option(help="Users in each cell, at least 1.")]
SeedOption = Annotated[int, typer.Option(help="Seed of everything, at least 0.")]
WorkersOption = Annotated[
    int, typer.Option(help="Runs at once; the numbers do not depend on it.", show_default="cores")
]
