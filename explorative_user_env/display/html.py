"""Tables and lines as HTML, for notebooks."""

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from explorative_user_env.display.plain_text import printable

if TYPE_CHECKING:
    from rich.table import Table


def html_table(table: "Table") -> str:
    """Return a Rich table as an HTML table, with its title if it has one."""
    import pandas as pd

    header = [printable(str(column.header)) for column in table.columns]
    columns = [[printable(str(cell)) for cell in column.cells] for column in table.columns]
    rows = zip(*columns, strict=True)
    page = str(pd.DataFrame(rows, columns=header).to_html(index=False, border=0))
    if table.title is None:
        return page
    opening, rest = page.split("\n", 1)
    return f"{opening}\n  <caption>{_escaped(str(table.title))}</caption>\n{rest}"


def paragraphs(lines: Iterable[str]) -> str:
    """Return lines of words as HTML, a paragraph each."""
    return "".join(f"<p>{_escaped(line)}</p>" for line in lines)


def _escaped(words: str) -> str:
    """Return words as they stand in a page."""
    return escape(printable(words), quote=False)
