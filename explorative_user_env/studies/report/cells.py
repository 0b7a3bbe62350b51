"""Numbers and tables as the report shows them."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from explorative_user_env.display.numbers import share, share_with_interval, with_error
from explorative_user_env.display.tables import markdown_table


def table(header: Sequence[str], rows: Sequence[Sequence[str]], n_words: int = 1) -> str:
    """Return a Markdown table whose first `n_words` columns are words, the others numbers."""
    return markdown_table(header, rows, [place >= n_words for place in range(len(header))])


def number(figure: str, value: float) -> str:
    """Return one figure: steps, a percentage for a rejection rate, or a probability."""
    if figure == "stopping_time":
        return f"{value:.0f}"
    return f"{100 * value:.1f}" if figure == "rejection_rate" else share(value)


def errors(z: float) -> str:
    """Return how many errors two figures are apart, empty where there is none."""
    return "" if pd.isna(z) else f"{round(z, 1) + 0.0:.1f}"


def figure_with_interval(figure: str, row: Any, name: str) -> str:
    """Return the figure in `row[name]` with its 95% interval, as `number` shows it."""
    value, high = row[name], row[f"{name}_high"]
    if pd.isna(value):
        return "-"
    if figure == "stopping_time":
        return with_error(value, high)
    if figure == "rejection_rate":
        return f"{100 * value:.1f} ± {100 * (high - value):.1f}"
    return share_with_interval(row, name)
