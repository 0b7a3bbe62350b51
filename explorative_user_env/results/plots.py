"""Every plot of results: one function a figure, and which of them are for what results.

A function takes results and, where it is to draw into somebody's plot, Matplotlib's axes; it
returns the axes. `Results.plot` and `Sweep.plot` choose one by its kind.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from explorative_user_env.display.plots import (
    DASHES,
    colour_of,
    dress,
    line_style,
    logarithmic,
    name_lines,
    plot_axes,
    spread_out,
)
from explorative_user_env.display.progress import OnProgress
from explorative_user_env.protocol import POPULATION
from explorative_user_env.results.compare import paired_differences
from explorative_user_env.results.courses import (
    PlottedCells,
    PlottedRuns,
    agents_in,
    heading_of,
    label_of,
    theory_curves,
)
from explorative_user_env.results.intervals import mean_interval
from explorative_user_env.results.plots_of_runs import (
    acceptances_by_arm,
    regret_by_user,
    regret_over_time,
    rejections_over_time,
    stopping_time_survival,
    success_by_budget,
)
from explorative_user_env.validation import InvalidArgumentError, choice

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "RUN_KINDS",
    "acceptances_by_arm",
    "figure_by_cell",
    "kinds_for",
    "paired_differences",
    "phase1_against_bound",
    "plot_cells",
    "plot_runs",
    "regret_by_user",
    "regret_over_time",
    "rejections_over_time",
    "stopping_time_survival",
    "success_by_budget",
]


CHECKED = {"rounds": "rounds of Phase 1", "phase1_rejections": "rejections of Phase 1"}
"""Figures of checked runs whose bound is the same for all users, and what their axis is called."""


def phase1_against_bound(
    results: PlottedRuns, figure: str = "rounds", axes: "Axes | None" = None
) -> "Axes":
    """Draw which share of BAIR's runs had at most so many rounds of Phase 1, and the bound.

    Args:
        results: of an evaluation with `check_theory=True`.
        figure: "rounds" or "phase1_rejections".
        axes: where it is drawn; None is a new figure.

    Returns:
        The axes, whose figure can be saved.

    Raises:
        InvalidArgumentError: for results without checks, or another figure.
        MissingExtraError: without Matplotlib.
    """
    label = CHECKED[choice("figure", figure, CHECKED)]
    if results.checks is None:
        raise InvalidArgumentError("results", "unchecked runs", "of check_theory=True")
    axes = plot_axes(axes)
    named, ends = [], [1.0]
    for agent, runs in results.checks.groupby("agent", sort=False):
        style = line_style(agents_in(results).index(str(agent)))
        values = np.sort(runs[figure].to_numpy())
        shares = np.arange(len(values) + 1) / len(values)
        shown: dict[str, Any] = {"color": style.colour, "ls": style.dashes, "lw": 1.8}
        steps = np.concatenate([[0], values])
        line = axes.plot(steps, shares, drawstyle="steps-post", **shown)[0]
        named.append((line, label_of(results, str(agent))))
        bound = float(runs[f"{figure}_bound"].mean())
        above = float(runs[f"{figure}_broken"].mean())
        limit = axes.axvline(bound, color=colour_of("quiet"), linestyle=style.dashes, linewidth=1.2)
        named.append((limit, f"its bound: {above:.1%}\nof the runs above"))
        ends += [float(values[-1]), bound]
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlim(-0.03 * max(ends), max(ends) * 1.05)
    least = float(results.checks[figure].min())
    if spread_out(least, max(ends)):
        axes.set_xlim(least / 1.5, max(ends) * 1.2)
        logarithmic(axes, "x")
    dress(axes, heading_of(results), label, "share of runs with at most as many")
    name_lines(axes, named)
    return axes


CELL_FIGURES = {
    "stopping_time": "stopping time T,\nin recommendations",
    "success": "success",
    "rejection_rate": "rejection rate",
    "regret": "regret over the horizon",
    "utility": "utility over the horizon",
    **CHECKED,
}
"""Figures of an agent in a cell, and what their axis is called."""

SHARE_FIGURES = ("success", "rejection_rate")


class CellAxis(NamedTuple):
    """What cells differ in that is an axis.

    Attributes:
        name: "n_arms" or "delta".
        values: its values, in order.
        others: of K and delta the other one's values, each with lines of its own.
    """

    name: str
    values: list[float]
    others: list[float]

    def place_of(self, value: float) -> float:
        """Return where a value is: K itself, or 1/delta."""
        return value if self.name == "n_arms" else 1.0 / value


def cell_axis_of(sweep: PlottedCells) -> CellAxis:
    """Return what the horizontal axis is: K where there is more than one, or else 1/delta.

    Raises:
        InvalidArgumentError: for cells that differ in neither, or in something else.
    """
    allowed = "cells that differ in K or delta and in nothing else"
    cells = [(each.cell["n_arms"], each.cell["delta"]) for each in sweep.cells]
    if len(set(cells)) < max(2, len(cells)):
        raise InvalidArgumentError("cells", cells, allowed)
    arms, deltas = (sorted(set(values)) for values in zip(*cells, strict=True))
    if len(arms) > 1:
        return CellAxis("n_arms", arms, deltas[::-1])
    return CellAxis("delta", deltas[::-1], arms)


def figures_of_cells(sweep: PlottedCells, figure: str) -> pd.DataFrame:
    """Return one row a cell and agent: `n_arms`, `delta`, `agent`, the figure and its interval.

    Args:
        sweep: the cells.
        figure: one of `CELL_FIGURES`; those of `CHECKED` with their `bound`.

    Raises:
        InvalidArgumentError: for a figure that these cells have not.
    """
    columns = ["n_arms", "delta", "agent", figure, f"{figure}_low", f"{figure}_high"]
    if figure not in CHECKED:
        summary = sweep.summary()
        known = [name for name in CELL_FIGURES if name in summary]
        return summary[[name for name in columns if choice("figure", figure, known)]]
    rows = []
    for each in sweep.cells:
        if each.checks is None:
            raise InvalidArgumentError("figure", figure, "asked of runs with check_theory=True")
        for agent, runs in each.checks.groupby("agent", sort=False):
            cell = each.cell["n_arms"], each.cell["delta"]
            ends = mean_interval(runs[figure].to_numpy(float))
            bound = runs[f"{figure}_bound"].mean()
            rows.append((*cell, agent, runs[figure].mean(), *ends, bound))
    return pd.DataFrame(rows, columns=[*columns, "bound"])


def figure_by_cell(
    sweep: PlottedCells, figure: str = "stopping_time", axes: "Axes | None" = None
) -> "Axes":
    """Draw a figure of every agent against K, or against 1/delta where K is the same everywhere.

    With 95% intervals, as the table has them. Where both vary, each delta has dashes of its own.
    Beside stopping times against 1/delta stand the theory's bounds, where the users are the
    paper's; beside the rounds and rejections of Phase 1 theirs.

    Args:
        sweep: cells that differ in K or delta only.
        figure: "stopping_time", "success" or "rejection_rate"; over a horizon "regret" or
            "utility"; "rounds" or "phase1_rejections" of runs held against the paper's bounds.
        axes: where it is drawn; None is a new figure.

    Returns:
        The axes, whose figure can be saved.

    Raises:
        InvalidArgumentError: for other cells, or a figure that they have not.
        MissingExtraError: without Matplotlib.
    """
    choice("figure", figure, CELL_FIGURES)
    axis, rows = cell_axis_of(sweep), figures_of_cells(sweep, figure)
    axes = plot_axes(axes)
    named = _lines(sweep, axis, rows, figure, axes)
    if figure in CHECKED:
        named.append((_bounds(axis, rows, axes), "at most, as proved"))
    if figure == "stopping_time" and axis.name == "delta":
        for curve in theory_curves(sweep.cells):
            how = {"color": colour_of("quiet"), "lw": 1.2, "ls": curve.dashes}
            named.append((axes.plot(curve.x, curve.y, **how)[0], curve.name))
    _dress(axes, sweep, axis, figure)
    name_lines(axes, named)
    return axes


def _lines(
    sweep: PlottedCells, axis: CellAxis, rows: pd.DataFrame, figure: str, axes: "Axes"
) -> list[tuple[Any, str]]:
    """Draw a line for each agent and value of what is no axis, and return what a legend names."""
    labels: dict[str, str] = {}
    for each in sweep.cells:
        labels |= {name: label_of(each, name) for name in agents_in(each)}
    named: list[tuple[Any, str]] = []
    agents = list(dict.fromkeys(rows["agent"]))
    other = "delta" if axis.name == "n_arms" else "n_arms"
    for place, agent in enumerate(labels):
        style = line_style(place)
        for number, value in enumerate(axis.others):
            own = rows[(rows["agent"] == agent) & (rows[other] == value)]
            own = own[own[figure].notna()].sort_values("n_arms")
            dashes = style.dashes if len(axis.others) == 1 else DASHES[number % len(DASHES)]
            # Beside each other, or intervals would hide each other.
            x = own[axis.name].map(axis.place_of) * 1.03 ** (place - (len(labels) - 1) / 2)
            errors = np.array(
                [own[figure] - own[f"{figure}_low"], own[f"{figure}_high"] - own[figure]]
            )
            how = {"color": style.colour, "ls": dashes, "marker": style.mark, "lw": 1.5}
            errors = np.nan_to_num(errors.astype(float)).clip(min=0.0)
            drawn = axes.errorbar(x, own[figure], errors, markersize=5, capsize=2, **how)
            if number == 0 and agent in agents:
                named.append((drawn, labels[agent]))
    if len(axis.others) > 1:
        for number, value in enumerate(axis.others):
            dashes = DASHES[number % len(DASHES)]
            line = axes.plot([], [], color=colour_of("ink"), ls=dashes, lw=1.5)[0]
            named.append((line, f"δ = {value:g}"))
    return named


def _bounds(axis: CellAxis, rows: pd.DataFrame, axes: "Axes") -> Any:
    other = "delta" if axis.name == "n_arms" else "n_arms"
    for _, own in rows.groupby(["agent", other], sort=False):
        own = own.sort_values(axis.name)
        x = own[axis.name].map(axis.place_of)
        line = axes.plot(x, own["bound"], color=colour_of("quiet"), ls=":", marker="_", lw=1.2)[0]
    return line


def _dress(axes: "Axes", sweep: PlottedCells, axis: CellAxis, figure: str) -> None:
    from matplotlib.ticker import FixedLocator, NullFormatter, NullLocator

    first: PlottedRuns = sweep.cells[0]
    logarithmic(axes, "x")
    places = [axis.place_of(value) for value in axis.values]
    axes.xaxis.set_major_locator(FixedLocator(places))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xticks(places, [f"{place:g}" for place in places])
    low, high = axes.get_ylim()
    if figure in SHARE_FIGURES:
        axes.set_ylim(-0.02, 1.02 if figure == "success" else max(0.05, high))
    elif spread_out(*_range_of(axes)):
        logarithmic(axes, "y")
    else:
        axes.set_ylim(bottom=min(0.0, low))
    varying = (axis.name, "delta") if len(axis.others) > 1 else (axis.name,)
    x = "number of arms K" if axis.name == "n_arms" else "1/δ"
    y = CELL_FIGURES[figure]
    if figure == "stopping_time" and first.population.setting.counts_private_draws:
        y += "\nand private draws"
    dress(axes, heading_of(first, varying), x, y)


def _range_of(axes: "Axes") -> tuple[float, float]:
    """Return the least and the largest value that is drawn."""
    values = np.concatenate([np.asarray(line.get_ydata(), float) for line in axes.get_lines()])
    values = values[np.isfinite(values)]
    return (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)


class RunPlot(NamedTuple):
    """A plot of the runs of one cell.

    Attributes:
        draw: draws it into axes, telling how far it is.
        why_not: why there is none of some results; nothing where there is one.
    """

    draw: "Callable[[PlottedRuns, Axes | None, bool | OnProgress], Axes]"
    why_not: Callable[[PlottedRuns], str]


def _not_population(results: PlottedRuns) -> str:
    return "" if _has_members(results) else f"of the task {POPULATION.name} only"


def _has_members(results: PlottedRuns) -> bool:
    return bool(results.cell.get("task") == POPULATION.name)


def _not_bai(results: PlottedRuns) -> str:
    return "of best-arm identification only" if results.over_horizon else ""


def _not_replayed(results: PlottedRuns) -> str:
    if _has_members(results):
        return "of one user at a time"
    return "" if results.line_up else "made of replayed runs, and no agent's code is at hand"


def _no_regret(results: PlottedRuns) -> str:
    if results.population.behaviour.moves_means:
        return "of users whose means stay"
    return _not_replayed(results)


def _not_checked(results: PlottedRuns) -> str:
    return "of evaluations with check_theory=True" if results.checks is None else ""


def _first_run(results: PlottedRuns, axes: "Axes | None", progress: bool | OnProgress) -> "Axes":
    """Draw the acceptances of each arm in the first run that can be replayed."""
    rows = results.runs[results.runs["agent"].isin(list(results.line_up))]
    row = rows.iloc[0]
    return acceptances_by_arm(results.replay(row), int(row["best_arm"]), axes)


RUN_KINDS: Mapping[str, RunPlot] = {
    "success": RunPlot(lambda results, axes, _: success_by_budget(results, axes), _not_bai),
    "stopping_times": RunPlot(
        lambda results, axes, _: stopping_time_survival(results, axes), _not_bai
    ),
    "regret": RunPlot(
        lambda results, axes, progress: regret_over_time(results, axes, progress=progress),
        _no_regret,
    ),
    "rejections": RunPlot(
        lambda results, axes, progress: rejections_over_time(results, axes, progress=progress),
        _not_replayed,
    ),
    "acceptances": RunPlot(_first_run, _not_replayed),
    "rounds": RunPlot(
        lambda results, axes, _: phase1_against_bound(results, "rounds", axes), _not_checked
    ),
    "phase1_rejections": RunPlot(
        lambda results, axes, _: phase1_against_bound(results, "phase1_rejections", axes),
        _not_checked,
    ),
    "regret_by_user": RunPlot(
        lambda results, axes, _: regret_by_user(results, axes), _not_population
    ),
}
"""The plots of one cell, by name."""


def plot_runs(
    results: PlottedRuns,
    kind: str | None = None,
    axes: "Axes | None" = None,
    progress: bool | OnProgress = True,
) -> "Axes":
    """Draw the runs of one cell; see `Results.plot`."""
    usual = "regret_by_user" if _has_members(results) else "regret"
    chosen = (usual if results.over_horizon else "success") if kind is None else kind
    found = RUN_KINDS[choice("kind", chosen, RUN_KINDS)]
    if why := found.why_not(results):
        there = [name for name, each in RUN_KINDS.items() if not each.why_not(results)]
        allowed = f"one of {', '.join(there)} for these results (it is {why})"
        raise InvalidArgumentError("kind", chosen, allowed)
    return found.draw(results, axes, progress)


def kinds_for(sweep: PlottedCells) -> list[str]:
    """Return the figures of cells that can be drawn against K or 1/delta.

    Raises:
        InvalidArgumentError: for cells that differ in neither, or in something else.
    """
    cell_axis_of(sweep)
    summary = sweep.summary()
    checked = all(each.checks is not None for each in sweep.cells)
    return [name for name in CELL_FIGURES if name in summary or (name in CHECKED and checked)]


def plot_cells(sweep: PlottedCells, kind: str | None = None, axes: "Axes | None" = None) -> "Axes":
    """Draw a figure of every agent over the cells; see `Sweep.plot`."""
    kinds = kinds_for(sweep)
    usual = "regret" if "regret" in kinds else "stopping_time"
    return figure_by_cell(sweep, usual if kind is None else choice("kind", kind, kinds), axes)
