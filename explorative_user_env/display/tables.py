"""Make tables, and print them as text, Markdown or HTML.

    table(frame, [Column("agent", left=True), Column("time", "stopping_time", "{:.0f}")])

returns a Rich table. `as_text`, `markdown` and `html_table` convert the table.
"""

import io
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from rich import box
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from explorative_user_env.display import text as texts
from explorative_user_env.display.text import in_markdown, printable

#: Page width that fits every table.
UNBOUNDED = 10_000

#: Line style of a table; consoles without its symbols use ASCII.
LINES = box.Box(str(box.SIMPLE_HEAD), ascii=True)

#: Minimum width of a wrapped text column.
LEAST_OF_WORDS = 6


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        heading: the heading.
        of: source of the value: a field name, a position, or a function of the row. By default the
            heading is the field name; in a tuple, the default is the column's position.
        form: a format string, such as "{:.2f}", or a function from value to text.
        left: whether cells are left-aligned, as for text; numbers are right-aligned.
        once: whether to omit repeated values. If a row and the row above have equal values in all
            columns with `once`, these columns are blank in the row.
        attached: whether the column is dimmed, and always printed next to the column to its left.
    """

    heading: str
    of: Any = None
    form: str | Callable[[Any], str] = "{}"
    left: bool = False
    once: bool = False
    attached: bool = False

    def cell(self, row: Any, place: int) -> str:
        """Return the text of a row's cell; `place` is the column's position."""
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
    rows: Any,
    columns: Sequence[Column],
    title: str | None = None,
    padding: int = 0,
    leading: int = 1,
    sections: bool = False,
) -> "PartedTable":
    """Return rows as a table.

    Args:
        rows: a data frame, or an iterable of mappings, tuples or objects.
        columns: the columns.
        title: the title above the table.
        padding: number of blanks on both sides of a column.
        leading: number of columns, from the left, that name a row. A table that is too wide for the
            page is printed in parts; each part starts with these columns.
        sections: whether a blank line separates rows that differ in a column with `once`.
    """
    made = PartedTable(title=title, box=LINES, padding=(0, padding))
    made.leading = leading
    made.attached = {place for place, column in enumerate(columns) if column.attached}
    for column in columns:
        made.add_column(
            column.heading,
            justify="left" if column.left else "right",
            style="dim" if column.attached else None,
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
    """A Rich table that is printed in several parts if the page is too narrow.

    If a single column does not fit next to the leading columns, its cells are wrapped.

    Attributes:
        leading: number of columns, from the left, that name a row; each part starts with them.
        attached: positions of columns that stay in one part with the previous column.
    """

    leading: int = 1
    attached: Collection[int] = ()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the parts from top to bottom."""
        unbounded, most = options.update_width(UNBOUNDED), options.max_width
        every = list(range(len(self.columns)))

        def width(places: Sequence[int]) -> int:
            return Measurement.get(console, unbounded, self._part(places)).maximum

        groups: list[list[int]] = []
        for place in every[self.leading :]:
            if groups and place in self.attached:
                groups[-1].append(place)
            else:
                groups.append([place])
        lead = every[: self.leading]
        parts = [lead]
        for group in groups:
            if parts[-1] == lead or width(parts[-1] + group) <= most:
                parts[-1] = parts[-1] + group
            else:
                parts.append(lead + group)
        for number, places in enumerate(parts):
            folded: Sequence[int] = ()
            if width(places) > most:  # wrap text columns, the leading columns only if necessary
                words = [place for place in places if self.columns[place].justify == "left"]
                for folded in ([place for place in words if place >= self.leading], words, places):
                    rest = width([place for place in places if place not in folded])
                    if folded and most - rest >= LEAST_OF_WORDS * len(folded):
                        break
            yield self._part(places, None if number else self.title, folded)

    def _part(self, places: Sequence[int], title: Any = None, folded: Sequence[int] = ()) -> Table:
        """Return the table of the columns at `places`; cells of the `folded` columns wrap."""

        def as_shown(text: object, style: str = "") -> Text:
            return Text(printable(str(text)), style=style)

        part = Table(box=self.box, padding=self.padding)
        part.title = as_shown(title, "table.title") if title else None
        for place in places:
            column = self.columns[place]
            how: dict[str, Any] = {"justify": column.justify, "style": column.style}
            how |= {"no_wrap": place not in folded, "overflow": "fold"}
            part.add_column(as_shown(column.header), **how)
        cells = (self.columns[place].cells for place in places)
        for row, *shown in zip(self.rows, *cells, strict=True):
            part.add_row(*map(as_shown, shown), end_section=row.end_section)
        return part


def as_text(renderable: RenderableType) -> str:
    """Return a Rich renderable as plain text in the encoding of standard output.

    The text is at most 100 columns wide, and at most as wide as the terminal.
    """
    page, width = io.StringIO(), texts.page_width(texts.WIDTH)
    how: dict[str, Any] = {"color_system": None, "force_terminal": False, "highlight": False}
    Console(file=page, width=width, **how).print(renderable)
    lines = (line.rstrip() for line in page.getvalue().splitlines())
    return texts.plain("\n".join(lines).strip("\n"), texts.encoding_of(sys.stdout))


def markdown(table: Table) -> str:
    """Return a Rich table as a Markdown table."""
    columns = (
        [column.header, "---:" if column.justify == "right" else ":---", *column.cells]
        for column in table.columns
    )
    rows = (
        " | ".join("<br>".join(map(in_markdown, str(cell).split("\n"))) for cell in row)
        for row in zip(*columns, strict=True)
    )
    return "\n".join(f"| {row} |" for row in rows)


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
    """Return lines as HTML paragraphs."""
    return "".join(f"<p>{_escaped(line)}</p>" for line in lines)


def _escaped(words: str) -> str:
    return escape(printable(words), quote=False)
