"""Every plot of results: one function a figure, and which of them are for what results.

A function takes results and, where it is to draw into somebody's plot, Matplotlib's axes; it
returns the axes. `Results.plot` and `Sweep.plot` choose one by its kind.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from explorative_user_env.display.progress import OnProgress
from explorative_user_env.results.figures_of_cells import (
    CELL_FIGURES,
    cell_axis_of,
    figure_by_cell,
)
from explorative_user_env.results.figures_of_comparisons import paired_differences
from explorative_user_env.results.figures_of_courses import (
    acceptances_by_arm,
    regret_over_time,
    rejections_over_time,
)
from explorative_user_env.results.figures_of_members import regret_by_user
from explorative_user_env.results.figures_of_theory import CHECKED, phase1_against_bound
from explorative_user_env.results.figures_of_times import (
    stopping_time_survival,
    success_by_budget,
)
from explorative_user_env.results.plotted import PlottedCells, PlottedRuns
from explorative_user_env.tasks import POPULATION
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
