"""Plots over cells and of comparisons, beside the paper's bounds.

`Sweep.plot` and `Comparison.plot` draw them; `plots_of_runs` has those of one cell.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.display.plots import (
    DASHES,
    LONGEST_NAME,
    SERIES,
    TEXT_SIZE,
    colour_of,
    dress,
    line_style,
    logarithmic,
    plot_axes,
    spread_out,
    verbatim,
)
from explorative_user_env.protocol import Array
from explorative_user_env.results.intervals import mean_interval
from explorative_user_env.results.plots_of_runs import (
    CHECKED,
    Named,
    PlottedRuns,
    agents_in,
    heading_of,
    instance_met,
    label_of,
)
from explorative_user_env.theory import Order, exponent_loss, lower_bound, upper_bound
from explorative_user_env.users.behaviours import EXPLORATIVE
from explorative_user_env.validation import InvalidArgumentError, choice

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Figures of an agent in a cell, with the words of their axis.
CELL_FIGURES = {
    "stopping_time": "stopping time T,\nin recommendations",
    "success": "success",
    "rejection_rate": "rejection rate",
    "regret": "regret over the horizon",
    "utility": "utility over the horizon",
    **CHECKED,
}

#: The most users over whose instances a bound is averaged.
MOST_INSTANCES = 100

#: How far beyond the measured times an axis goes to show a bound, as a factor.
ROOM_FOR_BOUNDS = 10.0

#: Inches of a line of a plot of differences.
ROW_HEIGHT = 0.32


def kinds_for(sweep: Any) -> list[str]:
    """Return the figures of cells that can be drawn against K or 1/delta.

    Raises:
        InvalidArgumentError: for cells that differ in neither, or in something else.
    """
    cells = [(each.cell["n_arms"], each.cell["delta"]) for each in sweep.cells]
    if len(set(cells)) < max(2, len(cells)):
        allowed = "cells that differ in K or delta and in nothing else"
        raise InvalidArgumentError("cells", cells, allowed)
    summary = sweep.summary()
    checked = all(each.checks is not None for each in sweep.cells)
    return [name for name in CELL_FIGURES if name in summary or (name in CHECKED and checked)]


def figure_by_cell(sweep: Any, kind: str | None = None, axes: "Axes | None" = None) -> "Axes":
    """Draw a figure of every agent against K, or against 1/delta where K is the same everywhere.

    With 95% intervals, as the table has them. Where both vary, each delta has dashes of its own.
    Beside stopping times against 1/delta stand the theory's bounds, where the users are the
    paper's; beside the rounds and rejections of Phase 1 their bounds.

    Args:
        sweep: cells that differ in K or delta only.
        kind: "stopping_time", "success" or "rejection_rate"; over a horizon "regret" or
            "utility"; "rounds" or "phase1_rejections" of checked runs. None is the first of them.
        axes: where it is drawn; None is a new figure.

    Raises:
        InvalidArgumentError: for other cells, or a figure that they do not have.
        MissingExtraError: without Matplotlib.
    """
    kinds = kinds_for(sweep)
    usual = "regret" if "regret" in kinds else "stopping_time"
    figure = usual if kind is None else choice("kind", kind, kinds)
    rows = _figures_of_cells(sweep, figure)
    over_arms = rows["n_arms"].nunique() > 1
    rows["x"], rows["line"] = rows["n_arms"], rows["delta"]
    if not over_arms:
        rows["x"], rows["line"] = 1.0 / rows["delta"], rows["n_arms"]
    axes = plot_axes(axes)
    named = _draw_lines(sweep, rows.sort_values("x"), figure, axes)
    how: dict[str, Any] = {"color": colour_of("quiet"), "lw": 1.2}
    if figure in CHECKED:
        for _, own in rows.sort_values("x").groupby(["agent", "line"], sort=False):
            line = axes.plot(own["x"], own["bound"], ls=":", marker="_", **how)[0]
        named.append((line, "at most, as proved"))
    least, most = _range_of(axes)
    if figure == "stopping_time" and not over_arms:
        for curve in theory_curves(sweep.cells):
            named.append((axes.plot(curve.x, curve.y, ls=curve.dashes, **how)[0], curve.name))
    logarithmic(axes, "x")
    places = sorted(set(rows["x"]))
    axes.set_xticks(places, [f"{place:g}" for place in places])
    axes.set_xticks([], minor=True)
    low, high = axes.get_ylim()
    if figure == "success":
        axes.set_ylim(-0.02, 1.02)
    elif figure == "rejection_rate":
        axes.set_ylim(0.0, max(0.05, high))
    elif spread_out(*_range_of(axes)):
        logarithmic(axes, "y")
        low, high = axes.get_ylim()
        axes.set_ylim(max(low, least / ROOM_FOR_BOUNDS), min(high, most * ROOM_FOR_BOUNDS))
    else:
        axes.set_ylim(bottom=min(0.0, low))
    first: PlottedRuns = sweep.cells[0]
    varying = {"n_arms": over_arms, "delta": rows["delta"].nunique() > 1}
    y = CELL_FIGURES[figure]
    if figure == "stopping_time" and first.population.setting.counts_private_draws:
        y += "\nand private draws"
    heading = heading_of(first, [name for name, varies in varying.items() if varies])
    dress(axes, heading, "number of arms K" if over_arms else "1/δ", y, named)
    return axes


def _figures_of_cells(sweep: Any, figure: str) -> pd.DataFrame:
    """Return one row a cell and agent: the figure and its interval; of checked runs its `bound`."""
    columns = ["n_arms", "delta", "agent", figure, f"{figure}_low", f"{figure}_high"]
    if figure not in CHECKED:
        return sweep.summary()[columns]
    rows = []
    for each in sweep.cells:
        for agent, runs in each.checks.groupby("agent", sort=False):
            cell = each.cell["n_arms"], each.cell["delta"]
            ends = mean_interval(runs[figure].to_numpy(float))
            bound = runs[f"{figure}_bound"].mean()
            rows.append((*cell, agent, runs[figure].mean(), *ends, bound))
    return pd.DataFrame(rows, columns=[*columns, "bound"])


def _draw_lines(sweep: Any, rows: pd.DataFrame, figure: str, axes: "Axes") -> Named:
    """Draw a line for each agent and value of the other axis, and return the legend."""
    labels = {name: label_of(each, name) for each in sweep.cells for name in agents_in(each)}
    others = sorted(set(rows["line"]), reverse=True)
    named: Named = []
    for place, (agent, label) in enumerate(labels.items()):
        style = line_style(place)
        for number, value in enumerate(others):
            own = rows[(rows["agent"] == agent) & (rows["line"] == value) & rows[figure].notna()]
            # Beside each other, or intervals would hide each other.
            x = own["x"] * 1.03 ** (place - (len(labels) - 1) / 2)
            ends = own[figure] - own[f"{figure}_low"], own[f"{figure}_high"] - own[figure]
            errors = np.nan_to_num(np.array(ends).astype(float)).clip(min=0.0)
            dashes = DASHES[number % len(DASHES)] if len(others) > 1 else style.dashes
            how = {"color": style.colour, "ls": dashes, "marker": style.mark, "lw": 1.5}
            drawn = axes.errorbar(x, own[figure], errors, markersize=5, capsize=2, **how)
            if number == 0 and agent in set(rows["agent"]):
                named.append((drawn, label))
    for number, value in enumerate(others if len(others) > 1 else ()):
        dashes = DASHES[number % len(DASHES)]
        line = axes.plot([], [], color=colour_of("ink"), ls=dashes, lw=1.5)[0]
        named.append((line, f"δ = {value:g}"))
    return named


def _range_of(axes: "Axes") -> tuple[float, float]:
    """Return the least and the largest value that is drawn."""
    values = np.concatenate([np.asarray(line.get_ydata(), float) for line in axes.get_lines()])
    values = values[np.isfinite(values)]
    return (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)


class Curve(NamedTuple):
    """A computed line."""

    name: str
    x: Array
    y: Array
    dashes: Any


def theory_curves(cells: Sequence[PlottedRuns]) -> list[Curve]:
    """Return the paper's bounds for each cell's delta, where they are about these users.

    The lower bound is that of Theorem thm:lowerbound4delta, of the hardest users with this gap; the
    upper one, of BAIR alone, is Theorem thm:upperbound2's, the mean over the instances that were
    met.

    Args:
        cells: the same users under several deltas.
    """
    first = cells[0].population
    fits = first.behaviour == EXPLORATIVE and first.user.own_law.name == "gaussian"
    if not fits or first.noise > 0.0:
        return []
    deltas = np.array(sorted({float(each.cell["delta"]) for each in cells}, reverse=True))
    curves = []
    if (gap := first.instance_law.gap) is not None:
        alpha, rho_0 = first.alpha, first.schedule.rho_0
        c = exponent_loss(None, alpha)
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


def paired_differences(
    comparisons: Sequence[Any], figure: str | None = None, axes: "Axes | None" = None
) -> "Axes":
    """Draw how far others are from one agent with the same users: a line an agent, its interval.

    Args:
        comparisons: a `Comparison` of each of the others with the one.
        figure: one of their figures; None is the first.
        axes: where it is drawn; None is a new figure.

    Raises:
        InvalidArgumentError: for a figure that they do not have.
        MissingExtraError: without Matplotlib.
    """
    known = [each.figure for each in comparisons[0].differences]
    place = known.index(choice("figure", figure, known)) if figure is not None else 0
    found = [each.differences[place] for each in comparisons]
    axes = plot_axes(axes, 1.1 + ROW_HEIGHT * max(2, len(found)))
    values = np.array([[each.value, each.low, each.high] for each in found])
    errors = np.abs(values[:, 1:] - values[:, :1]).T
    places = range(len(found))
    how: dict[str, Any] = {"color": SERIES[0], "capsize": 4, "markersize": 7, "lw": 1.8}
    axes.errorbar(values[:, 0], places, xerr=errors, fmt="o", **how)
    pair, shown = comparisons[0], found[0]
    same, than, x = 0.0, ", minus", "difference of shares"
    if shown.kind == "probability":
        same, than, x = 0.5, " than", "probability, ties count half"
    elif shown.kind == "mean":
        x = f"difference of means{', in recommendations' * (shown.figure == 'stopping time')}"
    axes.axvline(same, color=colour_of("quiet"), lw=1, ls=":", zorder=0)
    users = f"{pair.n_users} users, {100 * pair.level:.3g}% intervals"
    dress(axes, f"{shown.figure}{than} {pair.second}: {users}", x, "")
    labels = [
        verbatim(each.first, LONGEST_NAME)
        + "*" * own.dominated
        + ("" if math.isnan(own.tau) else f"\nup to {own.tau:.0f}")
        for each, own in zip(comparisons, found, strict=True)
    ]
    axes.set_yticks(places, labels, fontsize=TEXT_SIZE)
    axes.set_ylim(len(found) - 0.4, -0.6)
    return axes
