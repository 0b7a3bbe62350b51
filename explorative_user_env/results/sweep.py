"""The results of a grid of cells, as one."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from explorative_user_env.display.html import html_table
from explorative_user_env.display.tables import as_text
from explorative_user_env.protocol import Array
from explorative_user_env.results.results import Results, all_runs
from explorative_user_env.results.scores import scores_of
from explorative_user_env.results.tables import table_of


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

    def __str__(self) -> str:
        return as_text(table_of(self.summary()))

    def __repr__(self) -> str:
        return f"Sweep({len(self.cells)} cells, the first {self.cells[0]!r})"

    def _repr_html_(self) -> str:
        return html_table(table_of(self.summary()))
