"""Tables as plain text and as Markdown, of whatever they may be."""

import io
from collections.abc import Collection, Iterable, Sequence

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table

WIDTH = 100
"""Columns that a table may take where nobody says how wide the page is."""


def new_table(
    columns: Iterable[str], left: Collection[str] = (), title: str | None = None, padding: int = 0
) -> Table:
    """Return an empty table.

    Args:
        columns: the headings, in their order.
        left: which of them are words, aligned left; numbers are aligned right.
        title: above the table.
        padding: blanks on both sides of a column.
    """
    table = Table(title=title, box=box.SIMPLE_HEAD, padding=(0, padding))
    for name in columns:
        table.add_column(name, justify="left" if name in left else "right", no_wrap=True)
    return table


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
