"""The commands `explorative-user results`: what a finished or interrupted run has."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from explorative_user_env.check.verify import verify as verified
from explorative_user_env.commands.drawings import Drawing, NotDrawn, drawings_of
from explorative_user_env.commands.options import command
from explorative_user_env.commands.output import say, show
from explorative_user_env.commands.run import Places
from explorative_user_env.commands.suite import entrants_called
from explorative_user_env.display.plots import as_png, as_svg, require_plot
from explorative_user_env.display.progress import portion, progress_bar
from explorative_user_env.files import Folder, write_whole
from explorative_user_env.results.records import record_of, versions_of
from explorative_user_env.results.results import Results, Sweep, load, runs_with_cells, summaries_of
from explorative_user_env.results.store import About, about
from explorative_user_env.results.tables import legend_of, table_of
from explorative_user_env.validation import InvalidArgumentError, choice, require

RunArgument = Annotated[Path, typer.Argument()]

#: Dots an inch of a plot: as wide as a slide needs.
DOTS = 200

#: Findings of a verification that are listed.
MOST_FINDINGS = 20


@command("results show")
def show_run(path: RunArgument) -> None:
    """Show what a file of runs has, also while it is being written: its table and what made it.

    Example: explorative-user results show results/bench

    Options:
        path: Folder of a command, or its file of runs, as run.sqlite.
    """
    file = Places.around(path).file
    found = about(file)
    say(_state(found), f"asked for: {_in_words(found.request['options'])}")
    for session in found.sessions:
        made_by, how = session["made_by"], session["how"] or "it goes on, or was killed"
        say(f"{session['began']} to {session['ended'] or '?'} ({how}): {made_by['command']}")
        say(f"  on {_in_words(made_by['machine'])}, commit {made_by['commit'] or 'unknown'}")
    say(f"made with: {_in_words(found.request['versions'] | found.request['made with'])}")
    if found.n_results:
        legends: list[str] = []
        for title, summary in summaries_of(load(file)):
            show(table_of(summary, title))
            say(*(line for line in legend_of(summary) if line not in legends), style="dim")
            legends += legend_of(summary)


def _state(found: About) -> str:
    state = "finished" if found.finished else "not finished"
    cells = f"{found.n_results} cell{'s' * (found.n_results != 1)}"
    return f"{found.request['command']}: {state}, {found.n_runs} runs in {cells}"


def _in_words(options: Mapping[str, Any]) -> str:
    words = []
    for name, value in options.items():
        if isinstance(value, Mapping):
            value = ", ".join(value) if name == "agents" else "..."
        if value is not None:
            words.append(f"{name}={value}")
    return ", ".join(words)


@command("results export")
def export(
    path: RunArgument, output: RunArgument, rows: str = "runs", overwrite: bool = False
) -> None:
    """Write the runs of a file, or their summary, in a format that other programs read.

    Example: explorative-user results export results/bench runs.parquet

    Options:
        path: Folder of a command, or its file of runs, as run.sqlite.
        output: File to write, as NAME.csv, NAME.json or NAME.parquet.
        rows: runs (a row a run) or summary (a row an agent and cell).
        overwrite: Write over the file if it is there.
    """
    what = choice("rows", rows, ("runs", "summary"))
    write = FORMATS[choice("output", output.suffix.lower() or str(output), FORMATS)]
    loaded = load(Places.around(path).file)
    frame = runs_with_cells(_cells_of(loaded)) if what == "runs" else loaded.summary()
    write_whole("output", output, lambda place: write(frame, place), overwrite)
    say(f"{len(frame)} rows: {output}")


def _as_json(frame: pd.DataFrame, path: Path) -> None:
    known = frame.astype(object).where(frame.notna(), None)
    # Python's writer keeps all digits, and pandas' does not.
    path.write_text(json.dumps(record_of(known.to_dict("records")), indent=1) + "\n", "utf-8")


def _as_parquet(frame: pd.DataFrame, path: Path) -> None:
    require("Parquet files need", "parquet", ("pyarrow",))
    frame.to_parquet(path, index=False)


#: What writes a file, by the ending of its name.
FORMATS: dict[str, Callable[[pd.DataFrame, Path], object]] = {
    ".csv": partial(pd.DataFrame.to_csv, index=False),
    ".json": _as_json,
    ".parquet": _as_parquet,
}


@command("results plot")
def plot(
    path: RunArgument,
    output: Path | None = None,
    n_arms: list[int] | None = None,
    delta: list[float] | None = None,
    overwrite: bool = False,
) -> None:
    """Draw all plots that a run has, as PNG and SVG, also while it is going on.

    Example: explorative-user results plot results/bench --n-arms 5 --delta 0.1

    Options:
        path: Folder of a command, or its file of runs, as run.sqlite.
        output: Folder for the plots. None is plots in the run's.
        n_arms: Only cells with this K; repeat for more. None is all.
        delta: Only cells with this delta; repeat for more. None is all.
    """
    require_plot()
    places = Places.around(path)
    found = about(places.file)
    cells = _cells_of(load(places.file)) if found.n_results else []
    for name, wanted in ("n_arms", n_arms), ("delta", delta):
        known = dict.fromkeys(each.cell[name] for each in cells)
        unknown = [value for value in wanted or () if value not in known]
        if cells and unknown:
            raise InvalidArgumentError(name, unknown[0], f"one of {', '.join(map(str, known))}")
        cells = [each for each in cells if not wanted or each.cell[name] in wanted]
    every = list(drawings_of(found.request, places.folder, cells))
    drawings = [each for each in every if isinstance(each, Drawing)]
    undrawn = [f"{each.name}: {each.why}" for each in every if isinstance(each, NotDrawn)]
    if not drawings:
        allowed = f"a run of which there is something to draw ({'; '.join(undrawn) or 'no runs'})"
        raise InvalidArgumentError("path", str(path), allowed)
    if output is not None and output.resolve() == places.folder.resolve():
        allowed = "another folder than the run's, as plots would take the place of its files"
        raise InvalidArgumentError("output", str(output), allowed)
    options = {"path": str(places.file), "n_arms": n_arms, "delta": delta}
    made_by = {"command": "results plot", "options": options, "versions": versions_of()}
    named = [f"K{value}" for value in n_arms or ()] + [f"delta{value:g}" for value in delta or ()]
    usual = places.folder / "-".join(["plots", *named])
    folder = Folder(output or usual, made_by, overwrite)
    files: dict[str, Callable[[Path], object]] = {}
    with progress_bar() as report:
        for place, drawing in enumerate(drawings):
            progress = portion(report, place, len(drawings))
            progress(f"drawing {drawing.name}", 0, 1)
            try:
                axes = drawing.draw(progress)
                svg = as_svg(axes, f"{drawing.name}: {drawing.about}")
                for ending, data in ("png", as_png(axes, DOTS)), ("svg", svg):
                    files[f"{drawing.name}.{ending}"] = partial(Path.write_bytes, data=data)
            except Exception as error:  # one picture is not worth the others
                undrawn.append(f"{drawing.name}: {type(error).__name__}: {error}")
    if files:
        folder.write(files)
    say(_state(found))
    say(*(f"Not drawn: {line}" for line in undrawn), style="dim")
    names = dict.fromkeys(name.rpartition(".")[0] for name in files)
    say(f"{folder.path}, as PNG and SVG: {', '.join(names)}")


def _cells_of(loaded: Results | Sweep) -> list[Results]:
    return list(loaded.cells) if isinstance(loaded, Sweep) else [loaded]


@command(
    "results verify",
    verified,
    options="share rows seed",
    parallel=True,
    first="share rows every agent only",
)
def verify(
    options: dict[str, Any],
    workers: dict[str, Any],
    path: Annotated[Path, typer.Argument(metavar="RESULTS")],
    every: Annotated[bool, typer.Option("--all")] = False,
    agent: list[str] | None = None,
    only: list[str] | None = None,
) -> None:
    """Run a random part of somebody's rows again and say which differ.

    The exit code is 0 if all is as the file says, 1 if not, 2 if not all of it could be checked.

    Example: explorative-user results verify results/bench --share 0.1

    Options:
        path: File of runs, as run.sqlite or run.sqlite.xz, the folder of a command, or rows as
            export writes them (.csv, .json).
        every: Run all rows again.
        agent: Agent of the rows that the package does not have: module:Class or sb3:DIR; repeat
            for more. None is no other.
        only: Only rows of this agent or cell, as the table names it; repeat for more. None is all.
    """
    if every and (options["share"] is not None or options["rows"] is not None):
        raise InvalidArgumentError("every", True, "left out beside --share or --rows")
    options |= {"share": 1.0} if every else {}
    options |= {"only": only or (), **workers}
    own = entrants_called(agent or [])
    with progress_bar() as report:
        found = verified(path, own, progress=report, **options)
    say(*found.notes, style="dim")
    if (table := found.table()).row_count:
        show(table)
    say(*found.reasons())
    say(*(each.words for each in found.findings[:MOST_FINDINGS]))
    if rest := len(found.findings[MOST_FINDINGS:]):
        say(f"and {rest} more")
    say(*found.in_short())
    if not found.equal:
        raise typer.Exit(1 if found.differs else 2)
