"""The command line, `explorative-user`."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from explorative_user_env.validation import InvalidArgumentError, choice, integer, probability

if TYPE_CHECKING:
    import pandas as pd

    from explorative_user_env.evaluation import Results
    from explorative_user_env.folder import Folder

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Recommend to users who are still learning what they like, and compare who does it best.",
)

SettingOption = Annotated[
    str, typer.Option(help="Modelling choices: printed (the paper's text) or released (its code).")
]
InstancesOption = Annotated[int, typer.Option(help="Users in each cell, at least 1.")]
SeedOption = Annotated[int, typer.Option(help="Seed of everything, at least 0.")]
WorkersOption = Annotated[
    int, typer.Option(help="Runs at once; the numbers do not depend on it.", show_default="cores")
]


INTERRUPTED = 130
"""The exit code of a program that was interrupted, as shells have it."""


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@app.callback()
def _commands() -> None:
    """Keep `bench` a command of its own."""


@app.command()
def bench(
    setting: SettingOption = "released",
    agent: Annotated[
        list[str] | None,
        typer.Option(help="bair, tas, uni or exp3; repeat for more.", show_default="all four"),
    ] = None,
    delta: Annotated[
        list[float] | None,
        typer.Option(
            help="Allowed probability of a wrong answer, in (0, 1); repeat for more.",
            show_default="0.1 0.01",
        ),
    ] = None,
    n_arms: Annotated[
        list[int] | None,
        typer.Option(help="Number of arms K, at least 2; repeat for more.", show_default="2 5 20"),
    ] = None,
    alpha: Annotated[float, typer.Option(help="Users' willingness to explore, above 0.")] = 1.0,
    gap: Annotated[float, typer.Option(help="Gap Delta_1 of the best arm, above 0.")] = 0.5,
    noise: Annotated[
        float, typer.Option(help="Probability in [0, 1] that a decision is a coin flip.")
    ] = 0.0,
    n_instances: InstancesOption = 1000,
    seed: SeedOption = 0,
    workers: WorkersOption = 0,
    max_steps: Annotated[
        int | None,
        typer.Option(
            help="Step cap of a run, at least 1; a run that reaches it is censored.",
            show_default="1000000; T&S the setting's",
        ),
    ] = None,
    output: Annotated[Path, typer.Option(help="Folder for the files.")] = Path("results/bench"),
) -> None:
    """Compare agents on explorative users, beside the paper's figures where it has them."""
    from explorative_user_env.agents import AGENTS, agent_named
    from explorative_user_env.evaluation.progress import progress_bar
    from explorative_user_env.experiments import (
        BENCH_DELTAS,
        BENCH_N_ARMS,
        published_for,
        run_cells,
    )
    from explorative_user_env.folder import Folder
    from explorative_user_env.report import compared

    line_up = [agent_named(name, max_steps=max_steps) for name in agent or AGENTS]
    options = _options(setting, n_instances, seed, workers)
    if max_steps is not None:
        options["max_steps"] = max_steps
    probability("noise", noise)
    folder = Folder(output)
    with progress_bar() as report:
        results = run_cells(
            line_up,
            delta or BENCH_DELTAS,
            n_arms or BENCH_N_ARMS,
            on_progress=report,
            alpha=alpha,
            gap=gap,
            noise=noise,
            **options,
        )
    summary = compared(results, published_for(alpha, gap, noise))
    title = f"{setting}: {n_instances} users a cell, alpha={alpha:g}, gap={gap:g}, noise={noise:g}"
    _show_and_write(title, {setting: summary}, results, folder)


@app.command()
def reproduce(
    target: Annotated[str, typer.Argument(help="What to reproduce: table2.")],
    setting: Annotated[
        list[str] | None,
        typer.Option(help="printed or released; repeat for more.", show_default="both"),
    ] = None,
    n_instances: InstancesOption = 1000,
    seed: SeedOption = 0,
    workers: WorkersOption = 0,
    output: Annotated[
        Path | None, typer.Option(help="Folder for the files.", show_default="results/TARGET")
    ] = None,
) -> None:
    """Run a table of the paper in all its cells, beside the published figures."""
    from explorative_user_env.evaluation.progress import progress_bar
    from explorative_user_env.experiments import EXPERIMENTS, published_figures, run_experiment
    from explorative_user_env.folder import Folder
    from explorative_user_env.report import agreement, compared
    from explorative_user_env.settings import SETTINGS

    experiment = EXPERIMENTS[choice("target", target, EXPERIMENTS)]
    names = list(dict.fromkeys(setting or SETTINGS))
    options = {name: _options(name, n_instances, seed, workers) for name in names}
    folder = Folder(output or Path("results") / target)
    results: list[Results] = []
    sections = {}
    notes = []
    for name in names:
        with progress_bar(f"{name} ") as report:
            found = run_experiment(experiment, on_progress=report, **options[name])
        sections[name] = compared(found, published_figures(experiment))
        notes += [f"{name}: {line}" for line in agreement(sections[name])]
        results += found
    title = f"{experiment.title}, {n_instances} users a cell"
    _show_and_write(title, sections, results, folder, notes)


def _options(setting: str, n_instances: int, seed: int, workers: int) -> dict[str, Any]:
    """Check the options that every command has, and return them as `evaluate` takes them."""
    from explorative_user_env.settings import SETTINGS

    return {
        "setting": choice("setting", setting, SETTINGS),
        "n_instances": integer("n_instances", n_instances, 1),
        "seed": integer("seed", seed, 0),
        "workers": integer("workers", workers, 0) or _cores(),
    }


def _show_and_write(
    title: str,
    sections: "dict[str, pd.DataFrame]",
    results: "list[Results]",
    folder: "Folder",
    notes: "list[str] | None" = None,
) -> None:
    """Print a table for each section, write the files, and say last where they are."""
    import pandas as pd
    from rich.console import Console

    from explorative_user_env.evaluation.tables import LEGEND, WIDTH, summary_table
    from explorative_user_env.report import as_markdown, runs_of

    console = Console(width=None if sys.stdout.isatty() else WIDTH, highlight=False)
    for heading, summary in sections.items():
        console.print(summary_table(summary, title if len(sections) == 1 else heading))
    notes = [*(notes or []), *LEGEND]
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


def main() -> None:
    """Run the command line; an error is one line on standard error and exit code 2."""
    # Typer has click's exceptions under a name of its own; this is the base of all usage errors.
    usage_error: Any = typer.BadParameter.__mro__[1]
    try:
        code = app(standalone_mode=False) or 0
    except InvalidArgumentError as error:
        _fail(str(error), 2)
    except usage_error as error:
        _fail(error.format_message(), 2)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    if code == INTERRUPTED:  # newer Typer turns an interrupt into this code itself
        _fail("interrupted; no file was written", code)
    sys.exit(code)


def _fail(message: str, code: int) -> NoReturn:
    if message:
        print("error: " + " ".join(message.split()), file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
