"""The command `explorative-user export`."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from explorative_user_env.commands.asked import OverwriteOption
from explorative_user_env.commands.show import RunArgument
from explorative_user_env.validation import choice

if TYPE_CHECKING:
    import pandas as pd

RUNS, SUMMARY = "runs", "summary"


def export(
    path: RunArgument,
    output: Annotated[
        Path, typer.Argument(help="File to write, as NAME.csv, NAME.json or NAME.parquet.")
    ],
    rows: Annotated[
        str, typer.Option(help="runs (a row a run) or summary (a row an agent and cell).")
    ] = RUNS,
    overwrite: OverwriteOption = False,
) -> None:
    """Write the runs of a file, or their summary, in a format that other programs read."""
    from explorative_user_env.commands.output import say
    from explorative_user_env.files import write_whole
    from explorative_user_env.results.results import Sweep, load, runs_with_cells

    what = choice("rows", rows, (RUNS, SUMMARY))
    write = _FORMATS[choice("output", output.suffix.lower() or str(output), _FORMATS)]
    loaded = load(path)
    cells = loaded.cells if isinstance(loaded, Sweep) else [loaded]
    frame = runs_with_cells(cells) if what == RUNS else loaded.summary()
    write_whole("output", output, lambda place: write(frame, place), overwrite)
    say(f"{len(frame)} rows: {output}")


def _as_csv(frame: "pd.DataFrame", path: Path) -> None:
    frame.to_csv(path, index=False)


def _as_json(frame: "pd.DataFrame", path: Path) -> None:
    import json

    from explorative_user_env.results.records import record_of

    # By Python's own writer: that of pandas cuts numbers off.
    known = frame.astype(object).where(frame.notna(), None)
    path.write_text(json.dumps(record_of(known.to_dict("records")), indent=1) + "\n", "utf-8")


def _as_parquet(frame: "pd.DataFrame", path: Path) -> None:
    from explorative_user_env.validation import require

    require("Parquet files need", "parquet", ("pyarrow",))
    frame.to_parquet(path, index=False)


_FORMATS: "dict[str, Callable[[pd.DataFrame, Path], Any]]" = {
    ".csv": _as_csv,
    ".json": _as_json,
    ".parquet": _as_parquet,
}
"""What writes a file, by how its name ends."""
