"""The matrix as a table and as a picture."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from rich.table import Table

from explorative_user_env.display.numbers import percent, share, whole, with_error
from explorative_user_env.display.series import plot_axes
from explorative_user_env.display.tables import markdown_table, new_table
from explorative_user_env.population import Population
from explorative_user_env.results.tables import MEANS_LEGEND, marked, references_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NOTES = (
    f"first line: success [95% interval]. Second: stopping time, {MEANS_LEGEND}. cut: "
    "share of runs that the step cap ended, which are no successes; under printed their length "
    "counts in the time, under released not.",
    "UNI and EXP3 do not stop by themselves: their T is BAIR's with the same users, or "
    "--baseline-time.",
    "drifting: success is to name the arm that is the best when the agent answers.",
)
"""What has to be known to read the matrix."""


def notes_of(matrix: pd.DataFrame) -> tuple[str, ...]:
    """Return what the cells of the matrix say, and what the sign of a reference."""
    return NOTES + references_of(matrix)


def title_of_matrix(population: Population, delta: float, n_instances: int, max_steps: int) -> str:
    """Return what was run."""
    words = population.words()
    return (
        f"Robustness, {words['setting']}: {n_instances} users a cell, K={words['n_arms']}, "
        f"delta={delta:g}, gap={words['gap']:g}, at most {max_steps} steps"
    )


def matrix_table(matrix: pd.DataFrame) -> Table:
    """Return the rows of `robustness` as a Rich table, a row a user and a column an agent."""
    matrix = marked(matrix)
    agents = list(dict.fromkeys(matrix["agent"]))
    table = new_table(("user", *agents), left=("user",))
    for user, *cells in _rows(matrix, agents):
        table.add_row(user, *("\n".join(lines) for lines in cells))
    return table


def matrix_page(matrix: pd.DataFrame, title: str) -> str:
    """Return the rows of `robustness` as one page of Markdown."""
    notes = notes_of(matrix)
    matrix = marked(matrix)
    agents = list(dict.fromkeys(matrix["agent"]))
    rows = [[row[0], *("\n".join(cell) for cell in row[1:])] for row in _rows(matrix, agents)]
    table = markdown_table(["user", *agents], rows, [False, *[True] * len(agents)])
    return "\n\n".join([f"# {title}", table, *(f"- {note}" for note in notes)]) + "\n"


def _rows(matrix: pd.DataFrame, agents: Sequence[str]) -> list[list[Any]]:
    """Return a row a user: her name, and the lines of each agent's cell."""
    return [
        [user, *(_lines(rows.set_index("agent").loc[agent]) for agent in agents)]
        for user, rows in matrix.groupby("user", sort=False)
    ]


def _lines(row: "pd.Series[Any]") -> list[str]:
    """Return what a cell of the matrix says."""
    interval = f"[{share(row['success_low'])}–{share(row['success_high'])}]"
    lines = [
        f"{share(row['success'])} {interval}",
        with_error(row["stopping_time"], row["stopping_time_high"]) or "no run ended",
    ]
    return [*lines, f"{percent(row['censored'])}% cut"] if row["censored"] > 0.0 else lines


def heat_map(matrix: pd.DataFrame, axes: "Axes | None" = None) -> "Axes":
    """Draw the success of every agent (rows) with every user (columns), with times written in.

    Args:
        matrix: the rows of `robustness`.
        axes: where it is drawn; None is a new figure, as large as it needs to be.

    Returns:
        The axes, whose figure can be saved.

    Raises:
        MissingExtraError: without Matplotlib.
    """
    matrix = marked(matrix)
    agents, users = (list(dict.fromkeys(matrix[name])) for name in ("agent", "user"))
    cells = matrix.set_index(["agent", "user"])
    table = cells["success"].unstack("user").reindex(index=agents, columns=users)
    success = table.to_numpy(float)  # NaN where a run was broken off before
    axes = plot_axes(axes, 1.4 + 0.75 * len(agents), 1.5 + 0.95 * len(users))
    image = axes.imshow(success, vmin=0.0, vmax=1.0, cmap="viridis", aspect="auto")
    axes.set_xticks(range(len(users)), users, rotation=35, ha="right")
    axes.set_yticks(range(len(agents)), agents)
    for line, agent in enumerate(agents):
        for column, user in enumerate(users):
            if np.isnan(success[line, column]):
                continue
            row = cells.loc[(agent, user)]
            text = f"{share(row['success'])}\nT {whole(row['stopping_time'])}"
            if row["censored"] > 0.0:
                text += f"\n{percent(row['censored'])}% cut"
            shade = "black" if success[line, column] > 0.6 else "white"
            axes.text(column, line, text, ha="center", va="center", fontsize=8, color=shade)
    axes.figure.colorbar(image, ax=axes, label="success")
    return axes
