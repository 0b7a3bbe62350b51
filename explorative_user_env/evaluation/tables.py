"""Summaries as tables a person can read in 100 columns."""

import io
import math
from collections.abc import Iterable, Sequence

import pandas as pd
from rich import box
from rich.console import Console, RenderableType
from rich.table import Table

WIDTH = 100

PUBLISHED = {
    "stopping_time": "published_stopping_time",
    "rejection_rate": "published_rejection_rate",
    "success": "published_success",
}
"""Columns that hold a published figure beside ours, where a cell has one."""

LEGEND = (
    "stopping time: mean ± half a 95% interval. wrong: stopped and named another arm. "
    "cens.: cut off by the step cap. (1-p)/δ: above 1 the confidence is missed.",
)
COST_LEGEND = ("cost: c T + error, by which agents rank.",)


def summary_table(summary: pd.DataFrame, title: str | None = None) -> Table:
    """Return the rows of `summary` (see `Results.summary`) as a Rich table.

    Published figures stand beside ours when the frame has them, and else the cost and the rank.
    """
    published = PUBLISHED["success"] in summary
    table = Table(title=title, box=box.SIMPLE_HEAD, padding=0)
    for name in ("δ", "K", "agent"):
        table.add_column(name, justify="left" if name == "agent" else "right", no_wrap=True)
    for name in ("stopping time", "rej. %", "success [95%]"):
        table.add_column(name, justify="right", no_wrap=True)
        if published:
            table.add_column("paper", justify="right", style="dim", no_wrap=True)
    for name in ("wrong", "cens.", "(1-p)/δ", *(() if published else ("cost", "rank"))):
        table.add_column(name, justify="right", no_wrap=True)
    cell: tuple[object, object] | None = None
    for row in summary.to_dict("records"):
        here = (row["delta"], row["n_arms"])
        lead = ["", ""] if here == cell else [f"{row['delta']:g}", str(row["n_arms"])]
        if cell not in (None, here):
            table.add_section()
        table.add_row(*lead, str(row["agent"]), *_figures(row, published))
        cell = here
    return table


def regret_table(summary: pd.DataFrame, title: str | None = None) -> Table:
    """Return regret over a horizon as a Rich table."""
    table = Table(title=title, box=box.SIMPLE_HEAD, padding=0)
    for name in ("K", "T", "agent", "regret", "utility", "acc. %", "last best", "most acc. best"):
        table.add_column(name, justify="left" if name == "agent" else "right", no_wrap=True)
    for row in summary.to_dict("records"):
        shares = [
            f"{share(row[name])} [{share(row[f'{name}_low'])}, {share(row[f'{name}_high'])}]"
            for name in ("last_is_best", "most_accepted_is_best")
        ]
        table.add_row(
            str(row["n_arms"]),
            str(row["horizon"]),
            str(row["agent"]),
            with_error(row["regret"], row["regret_high"]),
            with_error(row["utility"], row["utility_high"]),
            percent(row["acceptance_rate"]),
            *shares,
        )
    return table


REGRET_LEGEND = (
    "regret: sum of mu_* - mu_a over T recommendations, mean ± half a 95% interval. utility: sum "
    "of mu_a over the accepted ones. last best: the last recommendation is the best arm [95%]. "
    "most acc. best: the most accepted arm is.",
)


def table_of(summary: pd.DataFrame, title: str | None = None) -> Table:
    """Return the table for the task of `summary`."""
    over_horizon = "regret" in summary
    return regret_table(summary, title) if over_horizon else summary_table(summary, title)


def legend_of(summary: pd.DataFrame) -> tuple[str, ...]:
    """Return what the columns of the table mean."""
    if "regret" in summary:
        return REGRET_LEGEND
    return LEGEND if PUBLISHED["success"] in summary else LEGEND + COST_LEGEND


def _figures(row: dict[str, float], published: bool) -> list[str]:
    cells = [
        with_error(row["stopping_time"], row["stopping_time_high"]),
        percent(row["rejection_rate"]),
        f"{share(row['success'])} [{share(row['success_low'])}, {share(row['success_high'])}]",
    ]
    if published:
        beside = [
            whole(row[PUBLISHED["stopping_time"]]),
            percent(row[PUBLISHED["rejection_rate"]]),
            share(row[PUBLISHED["success"]]),
        ]
        cells = [text for pair in zip(cells, beside, strict=True) for text in pair]
    return [
        *cells,
        share(row["wrong"]),
        share(row["censored"]),
        f"{row['failure_over_delta']:.2f}",
        *([] if published else [cost(row["cost"]), str(row["rank"])]),
    ]


def whole(value: float) -> str:
    """Return a number of steps, empty where there is none."""
    return "" if math.isnan(value) else f"{value:.0f}"


def with_error(mean: float, high: float) -> str:
    """Return a mean with the half-width of its interval, where that is above 0."""
    error = high - mean
    return whole(mean) if math.isnan(error) or error == 0.0 else f"{mean:.0f} ± {error:.0f}"


def percent(value: float) -> str:
    """Return a rate as a percentage, empty where there is none."""
    return "" if math.isnan(value) else f"{100 * value:.1f}"


def share(value: float) -> str:
    """Return a probability with three digits as the paper prints it, empty where there is none."""
    if math.isnan(value):
        return ""
    return f"{value:.3f}".removeprefix("0") if value < 0.9995 else "1.00"


def cost(value: float) -> str:
    """Return a cost with three digits."""
    return f"{value:.3f}".removeprefix("0")


def as_text(renderable: RenderableType) -> str:
    """Return what Rich would print, as plain text of at most 100 columns."""
    console = Console(file=io.StringIO(), width=WIDTH, color_system=None, force_terminal=False)
    with console.capture() as capture:
        console.print(renderable)
    return "\n".join(line.rstrip() for line in capture.get().splitlines()).strip("\n")


def markdown(table: Table) -> str:
    """Return a Rich table as a Markdown table."""
    header = [str(column.header) for column in table.columns]
    rows = [list(cells) for cells in zip(*(column.cells for column in table.columns), strict=True)]
    return markdown_table(header, rows, [column.justify == "right" for column in table.columns])


def markdown_table(
    header: Sequence[str], rows: Iterable[Sequence[object]], right: Sequence[bool]
) -> str:
    """Return a Markdown table; `right` says which columns are numbers, to be aligned so."""
    aligned = ["---:" if number else ":---" for number in right]
    return "\n".join(
        "| " + " | ".join(str(cell) for cell in row) + " |" for row in [header, aligned, *rows]
    )
