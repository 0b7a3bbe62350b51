"""Tables: one specification (rows and columns), printed as text, as Markdown or as HTML.

    table(frame, [Column("agent", left=True), Column("time", "stopping_time", "{:.0f}")])

gives a Rich table. `as_text`, `markdown` and `html_table` write it.
"""

import io
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

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
    import pandas as pd

#: Width of a page on which every table fits.
UNBOUNDED = 10_000

#: Least width of a column of words that is folded.
LEAST_OF_WORDS = 6


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        heading: the words above it.
        of: what it shows of a row: a field's name, a position, or a function of the row. The
            default is the field named as the heading, or in a tuple the column's own position.
        form: how a value is written: a format, such as "{:.2f}", or a function.
        left: whether cells are aligned left, as words are; numbers are aligned right.
        once: whether a row repeats the value of the row above; see `table`.
        beside: whether the column is dimmed and never parted from the one before it.
    """

    heading: str
    of: Any = None
    form: str | Callable[[Any], str] = "{}"
    left: bool = False
    once: bool = False
    beside: bool = False

    def cell(self, row: Any, place: int) -> str:
        """Return the text of a row's cell; `place` is the position of the column."""
        if callable(self.of):
            value = self.of(row)
        elif isinstance(row, Mapping):
            value = row[self.heading if self.of is None else self.of]
        elif isinstance(self.of, str):
            value = getattr(row, self.of)
        else:
            value = row[place if self.of is None else self.of]
        return self.form.format(value) if isinstance(self.form, str) else self.form(value)


def table(
    rows: "pd.DataFrame | Iterable[Any]",
    columns: Sequence[Column],
    title: str | None = None,
    padding: int = 0,
    leading: int = 1,
    sections: bool = False,
) -> "PartedTable":
    """Return rows as a table.

    Args:
        rows: a data frame, or an iterable of mappings, tuples or objects.
        columns: what is shown of each row. Columns that are `once` are blank where all of them
            have the values of the row above.
        title: above the table.
        padding: blanks on both sides of a column.
        leading: how many columns name a row; a table too wide for the page is printed in parts,
            and each part begins with them.
        sections: whether a blank line stands where values of columns that are `once` change.
    """
    made = PartedTable(title=title, box=box.SIMPLE_HEAD, padding=(0, padding))
    made.leading = leading
    made.beside = {place for place, column in enumerate(columns) if column.beside}
    for column in columns:
        made.add_column(
            column.heading,
            justify="left" if column.left else "right",
            style="dim" if column.beside else None,
            no_wrap=True,
        )
    above: list[str] | None = None
    for row in rows.to_dict("records") if hasattr(rows, "to_dict") else rows:
        cells = [column.cell(row, place) for place, column in enumerate(columns)]
        group = [cell for cell, column in zip(cells, columns, strict=True) if column.once]
        if sections and above not in (None, group):
            made.add_section()
        repeated = group == above
        shown = zip(cells, columns, strict=True)
        made.add_row(*("" if repeated and column.once else cell for cell, column in shown))
        above = group
    return made


class PartedTable(Table):
    """A Rich table that is printed in parts where the page is too narrow, without losing a cell.

    Where even one column does not fit beside the leading ones, cells are folded.

    Attributes:
        leading: how many columns, from the left, name a row; each part begins with them.
        beside: positions of columns that are never parted from the column before.
    """

    leading: int = 1
    beside: Collection[int] = ()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the parts, one below the other."""
        unbounded = options.update_width(UNBOUNDED)

        def width(places: Sequence[int]) -> int:
            part = self._part(places, options.encoding)
            return Measurement.get(console, unbounded, part).maximum

        for number, places in enumerate(self._places(width, options.max_width)):
            folded = self._folded(places, width, options.max_width)
            title = self.title if number == 0 else None
            yield self._part(places, options.encoding, title, folded)

    def _places(self, width: Callable[[Sequence[int]], int], most: int) -> list[list[int]]:
        """Return the columns of each part: as many as fit."""
        lead = list(range(min(self.leading, len(self.columns))))
        groups: list[list[int]] = []
        for place in range(self.leading, len(self.columns)):
            if groups and place in self.beside:
                groups[-1].append(place)
            else:
                groups.append([place])
        parts = [lead]
        for group in groups:
            if parts[-1] == lead or width(parts[-1] + group) <= most:
                parts[-1] = parts[-1] + group
            else:
                parts.append(lead + group)
        return parts

    def _folded(
        self, places: Sequence[int], width: Callable[[Sequence[int]], int], most: int
    ) -> Collection[int]:
        """Return which columns of a part are folded: words if that is enough, or all.

        The columns that name a row are folded last: half a name is no name.
        """
        if width(places) <= most:
            return ()
        words = [place for place in places if self.columns[place].justify == "left"]
        for folded in ([place for place in words if place >= self.leading], words):
            rest = width([place for place in places if place not in folded])
            if folded and most - rest >= LEAST_OF_WORDS * len(folded):
                return folded
        return places

    def _part(
        self,
        places: Sequence[int],
        encoding: str,
        title: object = None,
        folded: Collection[int] = (),
    ) -> Table:
        """Return a table of some of the columns, in the symbols of an encoding."""

        def as_shown(text: object, style: str = "") -> Text:
            return Text(plain(printable(str(text)), encoding), style=style)

        lines = None if self.box is None else box.Box(plain(str(self.box), encoding), ascii=True)
        part = Table(box=lines, padding=self.padding)
        part.title = as_shown(title, "table.title") if title else None
        for place in places:
            column = self.columns[place]
            part.add_column(
                as_shown(column.header),
                justify=column.justify,
                style=column.style,
                no_wrap=place not in folded,
                overflow="fold",
            )
        cells = (self.columns[place].cells for place in places)
        for row, *shown in zip(self.rows, *cells, strict=True):
            part.add_row(*map(as_shown, shown), end_section=row.end_section)
        return part


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
    aligned = ["---:" if column.justify == "right" else ":---" for column in table.columns]
    rows = zip(*(column.cells for column in table.columns), strict=True)
    return "\n".join(
        "| "
        + " | ".join("<br>".join(map(in_markdown, str(cell).split("\n"))) for cell in row)
        + " |"
        for row in [header, aligned, *rows]
    )


def html_table(table: Table) -> str:
    """Return a Rich table as an HTML table, with its title as the caption."""
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
    return escape(printable(words), quote=False)
