"""The results of a grid of cells, as one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from explorative_user_env.display.html import html_table
from explorative_user_env.display.tables import as_text
from explorative_user_env.protocol import Array
from explorative_user_env.results.results import Results
from explorative_user_env.results.scores import scores_of
from explorative_user_env.results.tables import table_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, repr=False)
class Sweep:
    """The same agents in several cells.

    Printed, or as the last line of a notebook's cell, it is the table of all of them.

    Attributes:
        cells: the results of each cell, in the order they ran.
    """

    cells: Sequence[Results]

    @property
    def runs(self) -> pd.DataFrame:
        """One row a run, with the `setting`, `delta` and `n_arms` of its cell."""
        return all_runs(self.cells)

    def summary(self) -> pd.DataFrame:
        """Return one row an agent and cell; see `Results.summary`."""
        return pd.concat([cell.summary() for cell in self.cells], ignore_index=True)

    def to_rliable(self, score: str | None = None) -> dict[str, Array]:
        """Return scores as rliable takes them: by agent an array (users, cells); see `Results`.

        Args:
            score: as for `Results.to_rliable`.

        Raises:
            InvalidArgumentError: for another score, or cells with other agents or other numbers of
                users.
        """
        return scores_of([(cell.runs, cell.cell) for cell in self.cells], score)

    def plot(self, kind: str | None = None, axes: "Axes | None" = None) -> "Axes":
        """Draw a figure of every agent against K, or 1/delta where K is the same, and return axes.

        Args:
            kind: "stopping_time", "success" or "rejection_rate"; over a horizon "regret" or
                "utility"; "rounds" or "phase1_rejections" of `check_theory=True`. None is the
                first of them.
            axes: where it is drawn; None is a new figure.

        Raises:
            InvalidArgumentError: for another kind, or cells that differ in something else.
        """
        from explorative_user_env.results.figures import plot_cells

        return plot_cells(self, kind, axes)

    def __str__(self) -> str:
        return "\n\n".join(as_text(table_of(each, title)) for title, each in summaries_of(self))

    def __repr__(self) -> str:
        return f"Sweep({len(self.cells)} cells, the first {self.cells[0]!r})"

    def _repr_html_(self) -> str:
        return "".join(html_table(table_of(each, title)) for title, each in summaries_of(self))


NOT_TITLED = ("task", "delta", "n_arms", "horizon", "max_steps", "seed")
"""What a table says of a cell by itself, or who its users are does not rest on."""


def summaries_of(found: Results | Sweep) -> list[tuple[str | None, pd.DataFrame]]:
    """Return the summary of each task's cells, as those of another task have other figures.

    Cells with other users are in one of their own, with a title that says in what they differ.
    """
    if isinstance(found, Results):
        return [(None, found.summary())]
    of_task: dict[str, list[Results]] = {}
    for cell in found.cells:
        of_task.setdefault(str(cell.cell.get("task")), []).append(cell)
    frames: dict[tuple[str, str], list[pd.DataFrame]] = {}
    for task, cells in of_task.items():
        for cell in cells:
            frames.setdefault((task, _who(cell, cells)), []).append(cell.summary())
    return [(who or None, pd.concat(each, ignore_index=True)) for (_, who), each in frames.items()]


def _who(one: Results, cells: Sequence[Results]) -> str:
    """Return in what the users of a cell differ from those of others, as `noise=0.2`."""
    return ", ".join(
        f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in one.cell.items()
        if isinstance(value, bool | int | float | str)
        and name not in NOT_TITLED
        and any(each.cell.get(name) != value for each in cells)
    )


def all_runs(results: Sequence[Results]) -> pd.DataFrame:
    """Return all runs, one row each, with the cell they belong to."""
    frames = [
        cell.runs.assign(**{name: cell.cell[name] for name in ("setting", "delta", "n_arms")})
        for cell in results
    ]
    return pd.concat(frames, ignore_index=True)


def runs_with_cells(results: Sequence[Results]) -> pd.DataFrame:
    """Return all runs, one row each, with all that a word or a number says of their cells."""
    frames = []
    for each in results:
        cell = {
            name: value
            for name, value in each.cell.items()
            if isinstance(value, bool | int | float | str) and name not in each.runs
        }
        frames.append(each.runs.assign(**cell))
    return pd.concat(frames, ignore_index=True)
