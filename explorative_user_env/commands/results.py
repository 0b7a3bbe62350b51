"""The commands `explorative-user results`: `show`, `plot`, `export` and `verify`."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import pandas as pd
import typer

from explorative_user_env.check.verify import verify as verified
from explorative_user_env.commands.options import command
from explorative_user_env.commands.run import Run, places_around, say, show
from explorative_user_env.commands.suite import entrants_called
from explorative_user_env.display.plots import as_png, as_svg, require_plot
from explorative_user_env.display.progress import OnProgress, portion, progress_bar
from explorative_user_env.files import Folder, write_file
from explorative_user_env.results import records, store, tables
from explorative_user_env.results import results as runs
from explorative_user_env.results.plots import RUN_KINDS, heading_of, kinds_for, why_not
from explorative_user_env.studies import lower_bound, suite, tuning
from explorative_user_env.users.population import OPTIONS, Population, split_options
from explorative_user_env.validation import InvalidArgumentError, choice, require

RunPath = Annotated[Path, typer.Argument()]

#: Dots per inch of a plot, enough for a slide.
DOTS = 200

#: Most findings that `results verify` lists.
MOST_FINDINGS = 20


@command("results show")
def show_run(path: RunPath) -> None:
    """Show the results in a file of runs, and how the file was made; the run may be unfinished.

    Example: explorative-user results show results/bench

    Options:
        path: Output folder of a command, or its file of runs, such as run.sqlite.
    """
    file = places_around(path)[1]
    about = store.about(file)
    say(_state(about), f"options: {_in_words(about.request['options'])}")
    for session in about.sessions:
        made_by, how = session["made_by"], session["how"] or "running, or killed"
        say(f"{session['began']} to {session['ended'] or '?'} ({how}): {made_by['command']}")
        say(f"  on {_in_words(made_by['machine'])}, commit {made_by['commit'] or 'unknown'}")
    say(f"made with: {_in_words(about.request['versions'] | about.request['made with'])}")
    if about.n_results:
        legends: list[str] = []
        for title, summary in runs.summaries_of(runs.load(file)):
            show(tables.table_of(summary, title))
            say(*(line for line in tables.legend_of(summary) if line not in legends), style="dim")
            legends += tables.legend_of(summary)


def _state(about: store.About) -> str:
    state = "finished" if about.finished else "not finished"
    cells = f"{about.n_results} cell{'s' * (about.n_results != 1)}"
    return f"{about.request['command']}: {state}, {about.n_runs} runs in {cells}"


def _in_words(options: Mapping[str, Any]) -> str:
    words = []
    for name, value in options.items():
        if isinstance(value, Mapping):
            value = ", ".join(value) if name == "agents" else "..."
        if value is not None:
            words.append(f"{name}={value}")
    return ", ".join(words)


@command("results export")
def export(path: RunPath, output: RunPath, rows: str = "runs", overwrite: bool = False) -> None:
    """Export the runs of a file, or their summary, as CSV, JSON or Parquet.

    Example: explorative-user results export results/bench runs.parquet

    Options:
        path: Output folder of a command, or its file of runs, such as run.sqlite.
        output: File to write, as NAME.csv, NAME.json or NAME.parquet.
        rows: runs (one row for each run) or summary (one row for each agent and cell).
        overwrite: Replace the file if it exists.
    """
    what = choice("rows", rows, ("runs", "summary"))
    choice("output", output.suffix.lower() or str(output), (".csv", ".json", ".parquet"))
    loaded = runs.load(places_around(path)[1])
    frame = runs.runs_with_cells(_cells_of(loaded)) if what == "runs" else loaded.summary()
    write_file("output", output, partial(_write, frame), overwrite)
    say(f"{len(frame)} rows: {output}")


def _write(frame: pd.DataFrame, path: Path) -> None:
    match path.suffix.lower():
        case ".csv":
            frame.to_csv(path, index=False)
        case ".json":
            known = frame.astype(object).where(frame.notna(), None)
            # Python's JSON writer keeps all digits; that of pandas does not.
            rows = json.dumps(records.record_of(known.to_dict("records")), indent=1)
            path.write_text(f"{rows}\n", encoding="utf-8")
        case ".parquet":
            require("Parquet files need", "parquet", ("pyarrow",))
            frame.to_parquet(path, index=False)


@command("results plot")
def plot(
    path: RunPath,
    output: Path | None = None,
    n_arms: list[int] | None = None,
    delta: list[float] | None = None,
    overwrite: bool = False,
) -> None:
    """Draw all plots of a run as PNG and SVG; the run may be unfinished.

    Example: explorative-user results plot results/bench --n-arms 5 --delta 0.1

    Options:
        path: Output folder of a command, or its file of runs, such as run.sqlite.
        output: Folder for the plots. None is the folder plots in the run's folder.
        n_arms: Plot only cells with this K; repeat for more. None is all.
        delta: Plot only cells with this delta; repeat for more. None is all.
    """
    require_plot()
    home, file = places_around(path)
    about = store.about(file)
    cells = _cells_of(runs.load(file)) if about.n_results else []
    for name, wanted in ("n_arms", n_arms), ("delta", delta):
        ran = dict.fromkeys(each.cell[name] for each in cells)
        unknown = [value for value in wanted or () if value not in ran]
        if cells and unknown:
            raise InvalidArgumentError(name, unknown[0], f"one of {', '.join(map(str, ran))}")
        cells = [each for each in cells if not wanted or each.cell[name] in wanted]
    every = list(drawings_of(about.request, home, cells))
    drawings = [each for each in every if each.draw is not None]
    undrawn = [f"{each.name}: {each.about}" for each in every if each.draw is None]
    if not drawings:
        missing = "; ".join(undrawn) or "no runs"
        raise InvalidArgumentError("path", str(path), f"a run with data to draw ({missing})")
    if output is not None and output.resolve() == home.resolve():
        raise InvalidArgumentError(
            "output", str(output), "another folder, as plots would replace files of the run"
        )
    options = {"path": str(file), "n_arms": n_arms, "delta": delta}
    made_by = {"command": "results plot", "options": options, "versions": records.versions_of()}
    named = [f"K{value}" for value in n_arms or ()] + [f"delta{value:g}" for value in delta or ()]
    usual = home / "-".join(["plots", *named])
    if output is None and usual.is_symlink():  # it may lead to a folder of the reader
        raise InvalidArgumentError("path", str(path), f"a run without the link {usual.name}")
    folder = Folder(output or usual, made_by, overwrite)
    files: dict[str, Callable[[Path], object]] = {}
    with progress_bar() as report:
        for place, drawing in enumerate(drawings):
            progress = portion(report, place, len(drawings))
            progress(f"drawing {drawing.name}", 0, 1)
            try:
                axes: Any = drawing.draw(progress)  # type: ignore[misc]
                svg = as_svg(axes, f"{drawing.name}: {drawing.about}")
                for ending, data in ("png", as_png(axes, DOTS)), ("svg", svg):
                    files[f"{drawing.name}.{ending}"] = partial(Path.write_bytes, data=data)
            except Exception as error:  # this plot is left out
                undrawn.append(f"{drawing.name}: {type(error).__name__}: {error}")
    if files:
        folder.write(files)
    say(_state(about))
    say(*(f"Not drawn: {line}" for line in undrawn), style="dim")
    names = dict.fromkeys(name.rpartition(".")[0] for name in files)
    say(f"{folder.path}, as PNG and SVG: {', '.join(names)}")


def _cells_of(loaded: runs.Results | runs.Sweep) -> list[runs.Results]:
    return list(loaded.cells) if isinstance(loaded, runs.Sweep) else [loaded]


class Drawing(NamedTuple):
    """A plot: `name` is its file name, `about` describes the users, and `draw` draws the plot.

    If the run lacks data for the plot, `draw` is None and `about` names the missing data.
    """

    name: str
    about: str
    draw: Callable[[OnProgress], Any] | None = None


def drawings_of(request: Any, folder: Path, cells: Sequence[runs.Results]) -> Iterator[Drawing]:
    """Yield the plots of a stored run; `request` holds the command and the options of the run."""
    options = request["options"]
    pair = "the lower bound's pair of users"
    studies: list[tuple[str, Callable[[], Any], Mapping[str, Any]]] = []
    match request["command"]:
        case "paper tune-n1":
            draws: Mapping[str, Any] = {
                f"frontier_{each}": partial(tuning.draw_frontier, figure=each)
                for each in tuning.NAMED
            }
            studies = [("BAIR's N_1", partial(tuning.saved_tuning, folder), draws)]
        case "paper lower-bound":
            for name in ("overlap", "needed"):
                draw = getattr(lower_bound, f"draw_{name}")
                studies.append((pair, partial(lower_bound.saved_table, folder, name), {name: draw}))
        case "suite --user":
            kinds = suite.varieties_named(None if options["user"] == ["all"] else options["user"])
            population = Population(**split_options(options)[0])
            matrix = partial(suite.saved_matrix, cells, population, kinds)
            studies = [("robustness", matrix, {"heat_map": suite.heat_map})]
        case "suite":
            scores = partial(suite.saved_suite, options, cells)
            studies = [("the suite", scores, {"heat_map": suite.SuiteResults.plot})]
        case _:
            yield from _of_cells(cells)
    for about, load_study, draws in studies:
        try:
            study = load_study()
        except InvalidArgumentError as error:
            yield Drawing(", ".join(draws), f"needs {error.allowed}")
        else:
            for name, draw in draws.items():
                yield Drawing(name, about, partial(_drawn, draw, study))


def _drawn(draw: Callable[[Any], Any], given: Any, progress: OnProgress) -> Any:
    return draw(given)


def _of_cells(cells: Sequence[runs.Results]) -> Iterator[Drawing]:
    """Group the cells that differ only in K and delta; yield the plots of each group."""
    shared = ("task", "seed", *(option.name for option in OPTIONS if option.name != "n_arms"))
    by_key: dict[str, list[runs.Results]] = {}
    for each in cells:
        key = repr([each.cell.get(name) for name in shared])
        same = [(one.cell["n_arms"], one.cell["delta"]) for one in by_key.get(key, [])]
        if (each.cell["n_arms"], each.cell["delta"]) in same:  # the same users with other agents
            key += repr(list(each.deltas))
        by_key.setdefault(key, []).append(each)
    groups = list(by_key.values())
    abouts = [heading_of(each[0], ("n_arms", "delta") if len(each) > 1 else ()) for each in groups]
    # With several groups of cells, a plot's file name begins with the options that only its group
    # has.
    parts = [about.split(", ") for about in abouts]
    common = set.intersection(*map(set, parts)) if parts else set()
    names = [_as_name(" ".join(one for one in part if one not in common)) for part in parts]
    for place, (group, about, name) in enumerate(zip(groups, abouts, names, strict=True), 1):
        numbered = f"{place}-{name}".rstrip("-")
        prefix = f"{name if name and names.count(name) == 1 else numbered}-"
        prefix = prefix if len(groups) > 1 else ""
        if len(group) > 1:
            sweep = runs.Sweep(group)
            for kind in kinds_for(sweep):
                yield Drawing(prefix + kind, about, partial(_drawn, sweep.plot, kind))
            continue
        results = group[0]
        for kind, draw_kind in RUN_KINDS.items():
            why = why_not(kind, results)
            draw = None if why else partial(draw_kind, results, kind, None)
            yield Drawing(prefix + kind, why or about, draw)
        try:
            compared = results.compare_all(next(iter(results.deltas)))
        except InvalidArgumentError as error:
            yield Drawing(f"{prefix}differences", f"needs {error.allowed}")
            continue
        for figure in (each.figure for each in compared.comparisons[0].differences):
            name = f"{prefix}differences-{_as_name(figure)}"
            yield Drawing(name, f"{figure}, {about}", partial(_drawn, compared.plot, figure))
    if any(len(group) > 1 for group in groups):
        kinds = ["success by budget", *(name for name in RUN_KINDS if name != "success")]
        why = "each needs one cell: choose it with --n-arms and --delta"
        yield Drawing(", ".join([*kinds, "differences"]), why)


def _as_name(words: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", words.lower()).strip("-.")


@command(
    "results verify",
    "check.verify.verify",
    options="share rows seed",
    parallel=True,
    first="share rows every agent only",
)
def verify(
    run: Run,
    path: Annotated[Path, typer.Argument(metavar="RESULTS")],
    every: Annotated[bool, typer.Option("--all")] = False,
    agent: list[str] | None = None,
    only: list[str] | None = None,
) -> None:
    """Rerun a random sample of a file's rows and report each row that differs from its rerun.

    The exit code is 0 if all rows agree, 1 if one differs, 2 if some rows could not be checked.

    Example: explorative-user results verify results/bench --share 0.1

    Options:
        path: File of runs (run.sqlite or run.sqlite.xz), output folder of a command, or
            exported rows (.csv or .json).
        every: Rerun all rows.
        agent: Custom agent whose rows the file contains, as module:Class or sb3:DIR; repeat for
            more. None is no agent.
        only: Rerun only the rows of this agent or cell, by its name in the output of this command;
            repeat for more. None is all.
    """
    if every and (run.options["share"] is not None or run.options["rows"] is not None):
        raise InvalidArgumentError("--all", True, "left out if --share or --rows is given")
    options = run.options | run.workers | ({"share": 1.0} if every else {})
    agents = entrants_called(agent or [])
    with progress_bar() as report:
        verification = verified(path, agents, only=only or (), progress=report, **options)
    say(*verification.notes, style="dim")
    if (table := verification.table()).row_count:
        show(table)
    say(*verification.reasons())
    say(*(each.words for each in verification.findings[:MOST_FINDINGS]))
    if rest := len(verification.findings[MOST_FINDINGS:]):
        say(f"and {rest} more")
    say(*verification.in_short())
    if not verification.equal:
        raise typer.Exit(1 if verification.differs else 2)
