"""The sliders that change the user of a mind while she is looked at."""

import math
from collections.abc import Mapping
from typing import NamedTuple

from explorative_user_env.play.address import Pairs, as_written
from explorative_user_env.play.game import Game

FOLLOW = "follow"
"""Checked where rho_t follows its schedule in place of its slider."""

ENDS: Mapping[str, tuple[float, float]] = {
    "alpha": (0.05, 4.0),
    "rho": (1.0, 2.0),
    "noise": (0.0, 0.5),
    "gap": (0.05, 4.0),
}
"""Of each slider. What an address says beyond them moves them."""

STEP = 0.05

SLID = tuple(ENDS)
"""The options that have a slider."""


class Slider(NamedTuple):
    """A number that is changed by a slide."""

    name: str
    least: str
    most: str
    step: str
    value: str


def sliders_of(game: Game) -> list[Slider]:
    """Return the sliders as they stand in a game."""
    population = game.population
    schedule = population.schedule
    values = {
        "alpha": population.user.alpha,
        "rho": population.user.rho_0 if schedule.rho_0 == schedule.rho_1 else ENDS["rho"][1],
        "noise": population.user.noise,
        "gap": population.instance_law.gap or 0.0,
    }
    sliders = []
    for name, (least, most) in ENDS.items():
        value = values[name]
        ends = (as_written(min(least, value)), as_written(max(most, value)))
        # A browser moves what is between two steps to one of them: nothing may move by itself.
        on_step = abs(math.remainder(value, STEP)) < 1e-9
        step = as_written(STEP) if on_step and value >= least else "any"
        sliders.append(Slider(name, *ends, step, as_written(value)))
    return sliders


def slid(pairs: Pairs, follows: bool) -> dict[str, str]:
    """Return what an address says after a slide; a schedule that is followed needs no number."""
    return {name: text for name, text in pairs.items() if not (follows and name == "rho")}
