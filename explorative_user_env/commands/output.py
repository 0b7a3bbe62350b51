"""What commands print, and the files that they write."""

import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from rich.console import Console, RenderableType
from rich.text import Text

from explorative_user_env.display import plots as figures
from explorative_user_env.display.text import Unfailing, is_terminal, page_width, printable
from explorative_user_env.files import Files, Folder
from explorative_user_env.results.records import closing_section
from explorative_user_env.results.results import all_runs
from explorative_user_env.results.tables import legend_of, summary_page, table_of
from explorative_user_env.validation import how_to_get

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from explorative_user_env.evaluation import Results


Pictures = Mapping[str, "Callable[[], Figure | Axes]"]


def say(*lines: str, style: str = "") -> None:
    """Print lines of words: folded between words on a terminal, else each as it is."""
    page = _page()
    for line in map(printable, lines):
        # What is longer than the page is a path or a command, which is no more one when cut.
        folds = textwrap.wrap(line, page.width, break_long_words=False, break_on_hyphens=False)
        shown = "\n".join(folds) if is_terminal(sys.stdout) else line
        page.print(Text(shown), style=style, soft_wrap=True)


def show(*sections: RenderableType) -> None:
    """Print headings and tables, on a page as wide as the terminal or as a file's readers like."""
    for section in sections:
        if isinstance(section, str):
            say(section)
        else:
            _page().print(section)


def _page() -> Console:
    """Return what prints on standard output as it is now: a bar may have put itself before it."""
    file: Any = Unfailing(sys.stdout)
    return Console(file=file, width=page_width(), highlight=False, markup=False)


def text_file(text: str) -> Callable[[Path], object]:
    """Return what writes `text` to a file."""
    return lambda path: path.write_text(text, encoding="utf-8")


def page_file(folder: Folder, text: str) -> Callable[[Path], object]:
    """Return what writes a page to a file, with a last section that says what made it."""
    return text_file(f"{text}\n{closing_section(folder.made_by)}" if folder.made_by else text)


def table_file(frame: pd.DataFrame) -> Callable[[Path], object]:
    """Return what writes `frame` to a file, as CSV."""
    return partial(frame.to_csv, index=False)


def binary_file(data: bytes) -> Callable[[Path], object]:
    """Return what writes `data` to a file."""
    return lambda path: path.write_bytes(data)


def write_and_show(
    folder: Folder,
    files: Files,
    sections: Iterable[RenderableType],
    *,
    notes: Iterable[str] = (),
    pictures: Pictures | None = None,
) -> None:
    """Write files by name, then print what is in them and last where they are.

    Args:
        folder: where they are written, before anything is printed.
        files: what writes each.
        sections: headings and tables.
        notes: what is said below them.
        pictures: what draws each, where Matplotlib is there; else it is said how to get it, and
            of one that cannot be drawn why.
    """
    painted, undrawn = _painted(pictures or {})
    written: list[Path] = []
    try:
        written = folder.write({**files, **painted})
    finally:  # where they cannot be written, what was found is seen at least
        with suppress(KeyboardInterrupt):  # as for a reader who has gone: the files are there
            show(*sections)
            say(*notes, style="dim")
            say(*undrawn)
            if written:
                say(f"Files: {', '.join(map(str, [*written, *folder.beside]))}")


def _painted(pictures: Pictures) -> tuple[Files, list[str]]:
    """Return what writes each picture, and in a line each why others are not there."""
    files: dict[str, Callable[[Path], object]] = {}
    undrawn = []
    for name, draw in pictures.items():
        try:
            if figures.can_plot():
                files[name] = binary_file(figures.painted(draw))
            else:
                undrawn.append(f"For {name}: {how_to_get('plot')}")
        except figures.UndrawnError as error:
            undrawn.append(f"{name}: {error}")
    return files, undrawn


def write_and_show_cells(
    title: str,
    sections: "dict[str, pd.DataFrame]",
    results: "list[Results]",
    folder: Folder,
    notes: "list[str] | None" = None,
) -> None:
    """Write the files of a table for each section, print it, and say last where they are."""
    notes = [*(notes or []), *legend_of(next(iter(sections.values())))]
    files = {
        "table.md": page_file(folder, summary_page(title, sections, notes)),
        "summary.csv": table_file(pd.concat(sections.values())),
        "runs.csv": table_file(all_runs(results)),
    }
    tables = [
        table_of(summary, title if len(sections) == 1 else heading)
        for heading, summary in sections.items()
    ]
    write_and_show(folder, files, tables, notes=notes)
