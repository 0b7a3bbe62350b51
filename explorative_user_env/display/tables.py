"""Tables as plain text and as Markdown, of whatever they may be."""

import io
import sys
from collections.abc import Collection, Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from explorative_user_env.display.text import (
    WIDTH,
    encoding_of,
    in_markdown,
    page_width,
    plain,
    printable,
)

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


UNBOUNDED = 10_000
"""Columns of a page on which every table fits."""

LEAST_OF_WORDS = 6
"""Columns that are left to words where they have to be folded beside numbers."""


class PartedTable(Table):
    """A table that is printed in as many parts as the page is too narrow for it, losing nothing.

    Each part begins with the columns that say what a row is. Where even one more does not fit
    beside them, cells are folded.

    Attributes:
        leading: how many columns, from the left, say what a row is.
        beside: headings of columns that are never parted from the one before them.
    """

    leading: int = 1
    beside: Collection[str] = ()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the parts, one below the other."""
        for number, places in enumerate(self._places(console, options)):
            folding = self._folding(places, console, options)
            title = self.title if number == 0 else None
            yield self._part(places, options.encoding, title, folding)

    def _places(self, console: Console, options: ConsoleOptions) -> list[list[int]]:
        """Return which columns stand in each part: as many as fit."""
        lead = list(range(min(self.leading, len(self.columns))))
        parts = [list(lead)]
        for group in self._groups():
            longer = parts[-1] + group
            fits = self._width(longer, console, options) <= options.max_width
            if fits or parts[-1] == lead:
                parts[-1] = longer
            else:
                parts.append(lead + group)
        return parts

    def _groups(self) -> list[list[int]]:
        """Return the columns after the leading ones, with what stands beside each."""
        groups: list[list[int]] = []
        for place in range(self.leading, len(self.columns)):
            if groups and self.columns[place].header in self.beside:
                groups[-1].append(place)
            else:
                groups.append([place])
        return groups

    def _width(self, places: Sequence[int], console: Console, options: ConsoleOptions) -> int:
        """Return how wide a page is that these columns fill."""
        unbounded = options.update_width(UNBOUNDED)
        return Measurement.get(console, unbounded, self._part(places, options.encoding)).maximum

    def _folding(
        self, places: Sequence[int], console: Console, options: ConsoleOptions
    ) -> Collection[int]:
        """Return which columns of a part are folded: words if that is enough, or all.

        Of words those that say what a row is are folded last: a name in two halves is none.
        """
        if self._width(places, console, options) <= options.max_width:
            return ()
        words = [place for place in places if self.columns[place].justify == "left"]
        for folded in ([place for place in words if place >= self.leading], words):
            whole = [place for place in places if place not in folded]
            left = options.max_width - self._width(whole, console, options)
            if folded and left >= LEAST_OF_WORDS * len(folded):
                return folded
        return places

    def _part(
        self,
        places: Sequence[int],
        encoding: str,
        title: object = None,
        folding: Collection[int] = (),
    ) -> Table:
        """Return a table of some of the columns, in symbols that the page has."""

        def as_shown(text: object, style: str = "") -> Text:
            return Text(plain(printable(str(text)), encoding), style=style)

        lines = None if self.box is None else box.Box(plain(str(self.box), encoding), ascii=True)
        part = Table(box=lines, padding=self.padding)
        part.title = as_shown(title, "table.title") if title else None
        chosen = [self.columns[place] for place in places]
        for place, column in zip(places, chosen, strict=True):
            part.add_column(
                as_shown(column.header),
                justify=column.justify,
                style=column.style,
                no_wrap=place not in folding,
                overflow="fold",
            )
        for row, *cells in zip(self.rows, *(column.cells for column in chosen), strict=True):
            part.add_row(*map(as_shown, cells), end_section=row.end_section)
        return part


def new_table(
    columns: Iterable[str],
    left: Collection[str] = (),
    title: str | None = None,
    padding: int = 0,
    leading: int = 1,
    beside: Collection[str] = (),
) -> PartedTable:
    """Return an empty table.

    Args:
        columns: the headings, in their order.
        left: which of them are words, aligned left; numbers are aligned right.
        title: above the table.
        padding: blanks on both sides of a column.
        leading: how many columns say what a row is; where the page is too narrow for the table
            each part begins with them.
        beside: which of them belong to the column before them, are dimmed and stay with it.
    """
    table = PartedTable(title=title, box=box.SIMPLE_HEAD, padding=(0, padding))
    table.leading, table.beside = leading, beside
    for name in columns:
        table.add_column(
            name,
            justify="left" if name in left else "right",
            style="dim" if name in beside else None,
            no_wrap=True,
        )
    return table


def as_text(renderable: RenderableType) -> str:
    """Return what Rich would print, as plain text that standard output can take.

    It is at most 100 columns wide, or as wide as a narrower terminal.
    """
    encoding = encoding_of(sys.stdout)
    page = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    console = Console(
        file=page, width=page_width(WIDTH), color_system=None, force_terminal=False, highlight=False
    )
    with console.capture() as capture:
        console.print(renderable)
    lines = (line.rstrip() for line in capture.get().splitlines())
    return plain("\n".join(lines).strip("\n"), encoding)


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
        "| " + " | ".join(_in_cell(str(cell)) for cell in row) + " |"
        for row in [header, aligned, *rows]
    )


def _in_cell(text: str) -> str:
    return "<br>".join(map(in_markdown, text.split("\n")))
