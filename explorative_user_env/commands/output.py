"""What commands print, and the files that they write."""

import os
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import Console, RenderableType
from rich.text import Text

from explorative_user_env.display import plots
from explorative_user_env.display.text import Unfailing, is_terminal, page_width, printable
from explorative_user_env.files import Folder
from explorative_user_env.results.records import closing_section, details_of
from explorative_user_env.validation import how_to_get


def say(*lines: str, style: str = "") -> None:
    """Print lines, folded between words on a terminal."""
    page = _page()
    for line in map(printable, lines):
        # A path or command that is longer than the page is no more one when cut.
        folds = textwrap.wrap(line, page.width, break_long_words=False, break_on_hyphens=False)
        shown = "\n".join(folds) if is_terminal(sys.stdout) else line
        page.print(Text(shown), style=style, soft_wrap=True)


def show(*sections: RenderableType) -> None:
    """Print headings and tables."""
    for section in sections:
        if isinstance(section, str):
            say(section)
        else:
            _page().print(section)


def _page() -> Console:
    file: Any = Unfailing(sys.stdout)  # as it is now: a progress bar may have replaced it
    return Console(file=file, width=page_width(), highlight=False, markup=False)


def write_and_show(
    folder: Folder,
    contents: Mapping[str, Any],
    sections: Iterable[RenderableType],
    *,
    notes: Iterable[str] = (),
    cells: Iterable[Any] = (),
) -> None:
    """Write the files of a run, then print its tables and where the files are.

    Where the files cannot be written, the tables are printed all the same. A picture that cannot be
    drawn is left out, and a line says why.

    Args:
        folder: the folder of the run.
        contents: by the name of a file: a text (with a section on what made it, if it is a page),
            a frame, bytes, a function that draws a picture, or one that writes the file.
        sections: headings and tables.
        notes: lines below them.
        cells: the cells that were evaluated, for the manifest.
    """
    if cells := list(cells):
        folder.note(**details_of(cells))
    files: dict[str, Callable[[Path], object]] = {}
    undrawn = []
    for name, content in contents.items():
        if isinstance(content, pd.DataFrame):
            files[name] = partial(content.to_csv, index=False)
        elif isinstance(content, bytes):
            files[name] = partial(Path.write_bytes, data=content)
        elif isinstance(content, str):
            is_page = name.endswith(".md") and folder.made_by
            text = f"{content}\n{closing_section(folder.made_by)}" if is_page else content
            files[name] = partial(Path.write_text, data=text, encoding="utf-8")
        elif not name.endswith(".png"):
            files[name] = content
        elif not plots.can_plot():
            undrawn.append(f"For {name}: {how_to_get('plot')}")
        else:
            try:
                files[name] = partial(Path.write_bytes, data=plots.painted(content))
            except plots.UndrawnError as error:
                undrawn.append(f"{name}: {error}")
    written: list[Path] = []
    try:
        written = folder.write(files)
    finally:
        with suppress(KeyboardInterrupt):  # the files are written
            show(*sections)
            say(*notes, style="dim")
            say(*undrawn)
            if written:
                gone = [path for path in folder.beside if not os.path.exists(path)]
                here = [path for path in [*written, *folder.beside] if path not in gone]
                say(f"Files: {', '.join(map(str, here))}")
                say(*(f"{path} is not there: its folder was moved meanwhile" for path in gone))
