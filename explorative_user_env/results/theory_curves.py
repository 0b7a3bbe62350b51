"""What theory says of stopping times, as curves over 1/delta beside those that were measured."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.protocol import Array
from explorative_user_env.results.courses import instance_met
from explorative_user_env.results.plotted import PlottedRuns
from explorative_user_env.theory import Order, lower_bound, upper_bound
from explorative_user_env.theory.hard_instances import exponent_loss
from explorative_user_env.users.behaviour import EXPLORATIVE

MOST_INSTANCES = 100
"""Users over whose instances a bound is averaged, at most."""


class Curve(NamedTuple):
    """A line that is computed."""

    name: str
    x: Array
    y: Array
    dashes: Any


def theory_curves(cells: Sequence[PlottedRuns]) -> list[Curve]:
    """Return the paper's bounds for each cell's delta, where they are about these users.

    The lower bound is that of Theorem thm:lowerbound4delta, of the hardest users there are with
    this gap; the upper one, of BAIR alone, is Theorem thm:upperbound2's, the mean over the
    instances that were met.

    Args:
        cells: the same users under several deltas.
    """
    first = cells[0].population
    fits = first.behaviour == EXPLORATIVE and first.user.own_law.name == "gaussian"
    if not fits or first.noise > 0.0:
        return []
    alpha, schedule = first.alpha, first.schedule
    deltas = np.array(sorted({float(each.cell["delta"]) for each in cells}, reverse=True))
    curves = []
    if first.instance_law.gap is not None:
        c = exponent_loss(None, alpha)
        gap, rho_0 = first.instance_law.gap, schedule.rho_0
        lows = [lower_bound(each, gap, c=c, alpha=alpha, rho_0=rho_0) for each in deltas]
        name = f"lower bound,\nhardest users, c = {c:g}"
        curves.append(Curve(name, 1.0 / deltas, np.array(lows), ":"))
    if first.setting.private_draws <= 1 and any(map(_bair_in, cells)):
        highs = {float(each.cell["delta"]): _upper_bound(each) for each in cells}
        means = np.array([highs[each] for each in deltas])
        curves.append(Curve("upper bound, BAIR", 1.0 / deltas, means, "-."))
    return [each for each in curves if np.all(np.isfinite(each.y))]


def _bair_in(cell: PlottedRuns) -> AlgorithmAgent | None:
    """Return the first BAIR of a line-up."""
    agents = (each for each in cell.line_up.values() if isinstance(each, AlgorithmAgent))
    return next((each for each in agents if each.algorithm.name == "BAIR"), None)


def _upper_bound(cell: PlottedRuns) -> float:
    """Return the mean of the upper bound over instances that BAIR met; NaN without BAIR."""
    agent, users = _bair_in(cell), cell.population
    if agent is None:
        return math.nan
    params = agent.params(users.n_arms, None)
    order: Order = "round robin" if params.round_robin else "fewest acceptances"
    numbers = users.alpha, users.schedule.rho_0, users.schedule.rho_1
    delta = cell.deltas.get(agent.name, cell.cell["delta"])
    totals = [
        upper_bound(instance_met(cell, int(seed)), delta, *numbers, n1=params.n1, order=order).total
        for seed in cell.runs["user_seed"].drop_duplicates()[:MOST_INSTANCES]
    ]
    return float(np.mean(totals))
