"""What commands print, and the files that they write."""

import sys
from typing import TYPE_CHECKING

import pandas as pd
from rich.console import Console

from explorative_user_env.evaluation.tables import WIDTH, legend_of, table_of
from explorative_user_env.report import as_markdown, runs_of

if TYPE_CHECKING:
    from explorative_user_env.evaluation import Results
    from explorative_user_env.folder import Folder


def terminal() -> Console:
    """Return where results are printed: as wide as the terminal, or as a file's readers like it."""
    return Console(width=None if sys.stdout.isatty() else WIDTH, highlight=False)


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
    written = folder.write(
        {
            "table.md": lambda path: path.write_text(
                as_markdown(title, sections, notes), encoding="utf-8"
            ),
            "summary.csv": lambda path: pd.concat(sections.values()).to_csv(path, index=False),
            "runs.csv": lambda path: runs_of(results).to_csv(path, index=False),
        }
    )
    console.print(f"Files: {', '.join(str(path) for path in written)}", soft_wrap=True)
