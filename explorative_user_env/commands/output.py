"""What commands print, and the files that they write."""

import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
from rich.console import Console

from explorative_user_env.commands.asked import page_file
from explorative_user_env.display import figures
from explorative_user_env.display.tables import WIDTH
from explorative_user_env.extras import how_to_get
from explorative_user_env.results.results import all_runs
from explorative_user_env.results.tables import legend_of, summary_page, table_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from explorative_user_env.evaluation import Results
    from explorative_user_env.files import Folder


def terminal() -> Console:
    """Return where results are printed: as wide as the terminal, or as a file's readers like it."""
    return Console(width=None if sys.stdout.isatty() else WIDTH, highlight=False)


Files = Mapping[str, Callable[[Path], object]]
Pictures = Mapping[str, "Callable[[], Figure]"]


def text_file(text: str) -> Callable[[Path], object]:
    """Return what writes `text` to a file."""
    return lambda path: path.write_text(text, encoding="utf-8")


def table_file(frame: pd.DataFrame) -> Callable[[Path], object]:
    """Return what writes `frame` to a file, as CSV."""
    return partial(frame.to_csv, index=False)


def _bytes_file(data: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(data)


def write_and_say(folder: "Folder", files: Files, pictures: Pictures | None = None) -> None:
    """Write files by name, and pictures where Matplotlib is there; say last where they all are."""
    console = Console(highlight=False, markup=False, soft_wrap=True)
    everything = dict(files)
    for name, draw in (pictures or {}).items():
        if figures.can_plot():
            everything[name] = _bytes_file(figures.as_png(draw()))
        else:
            console.print(f"For {name}: {how_to_get('plot')}")
    written = folder.write(everything)
    console.print(f"Files: {', '.join(str(path) for path in written)}")


def show_and_write(
    title: str,
    sections: "dict[str, pd.DataFrame]",
    results: "list[Results]",
    folder: "Folder",
    notes: "list[str] | None" = None,
) -> None:
    """Print a table for each section, write the files, and say last where they are."""
    console = terminal()
    for heading, summary in sections.items():
        console.print(table_of(summary, title if len(sections) == 1 else heading))
    notes = [*(notes or []), *legend_of(next(iter(sections.values())))]
    for note in notes:
        console.print(note, style="dim", soft_wrap=True)
    write_and_say(
        folder,
        {
            "table.md": page_file(folder, summary_page(title, sections, notes)),
            "summary.csv": table_file(pd.concat(sections.values())),
            "runs.csv": table_file(all_runs(results)),
        },
    )
