"""The command line, `explorative-user`."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from explorative_user_env import training_command
from explorative_user_env.bai_rules import STEP_COST
from explorative_user_env.command_options import (
    SETTING_HELP,
    AlphaOption,
    GapOption,
    InstancesOption,
    NoiseOption,
    SeedOption,
    WorkersOption,
)
from explorative_user_env.validation import (
    InvalidArgumentError,
    MissingExtraError,
    choice,
    integer,
    not_negative,
    probability,
)

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

INTERRUPTED = 130
"""The exit code of a program that was interrupted, as shells have it."""


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


app.command()(training_command.train)


@app.callback()
def _commands() -> None:
    """Keep `bench` a command of its own."""


@app.command()
def bench(
    setting: Annotated[
        str | None,
        typer.Option(
            help=SETTING_HELP,
            show_default="released, or a model's",
        ),
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            help="bair, tas, uni, exp3, se, ucb1, thompson, full-information or sb3:DIR (a model).",
            show_default="first four; with --task all",
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(
            help="bai (stop and name the best arm) or regret (over a horizon).",
            show_default="bai, or a model's",
        ),
    ] = None,
    delta: Annotated[
        list[float] | None,
        typer.Option(
            help="Allowed probability of a wrong answer, in (0, 1); repeat for more.",
            show_default="0.1 0.01; beside a model, or for regret, 0.1",
        ),
    ] = None,
    n_arms: Annotated[
        list[int] | None,
        typer.Option(
            help="Number of arms K, at least 2; repeat for more.",
            show_default="2 5 20, or a model's",
        ),
    ] = None,
    alpha: AlphaOption = 1.0,
    gap: GapOption = 0.5,
    noise: NoiseOption = 0.0,
    horizon: Annotated[
        int | None,
        typer.Option(help="Steps of the task regret, at least 1.", show_default="500"),
    ] = None,
    step_cost: Annotated[
        float, typer.Option(help="c of the cost c T + error, at least 0.")
    ] = STEP_COST,
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
    output: Annotated[Path, typer.Option("--output", "--out", help="Folder for the files.")] = Path(
        "results/bench"
    ),
) -> None:
    """Compare agents on explorative users, beside the paper's figures where it has them."""
    from explorative_user_env.evaluation.progress import progress_bar
    from explorative_user_env.experiments import published_for, run_cells
    from explorative_user_env.folder import Folder
    from explorative_user_env.line_up import bench_defaults, line_up_of
    from explorative_user_env.report import compared
    from explorative_user_env.tasks import REGRET

    line_up = line_up_of(agent, max_steps, task)
    usual = bench_defaults(line_up, task, setting, delta, n_arms)
    options = _options(usual.setting, n_instances, seed, workers)
    options |= {"task": usual.task, "step_cost": not_negative("step_cost", step_cost)}
    if max_steps is not None:
        options["max_steps"] = max_steps
    probability("noise", noise)
    over_horizon = usual.task == REGRET.name
    if horizon is not None and not over_horizon:
        raise InvalidArgumentError("horizon", horizon, "left out, except for the task regret")
    folder = Folder(output)
    with progress_bar() as report:
        results = run_cells(
            line_up,
            usual.deltas,
            usual.n_arms,
            horizons=lambda delta, arms: horizon,
            on_progress=report,
            alpha=alpha,
            gap=gap,
            noise=noise,
            **options,
        )
    published = published_for(alpha, gap, noise) if usual.papers else None
    summary = compared(results, published)
    cell = f"alpha={alpha:g}, gap={gap:g}, noise={noise:g}"
    title = f"{usual.setting}: {n_instances} users a cell, {cell}"
    _show_and_write(title, {usual.setting: summary}, results, folder)


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
        Path | None,
        typer.Option(
            "--output", "--out", help="Folder for the files.", show_default="results/TARGET"
        ),
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

    from explorative_user_env.evaluation.tables import WIDTH, legend_of, table_of
    from explorative_user_env.report import as_markdown, runs_of

    console = Console(width=None if sys.stdout.isatty() else WIDTH, highlight=False)
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


def main() -> None:
    """Run the command line; an error is one line on standard error and exit code 2."""
    # Typer has click's exceptions under a name of its own; this is the base of all usage errors.
    usage_error: Any = typer.BadParameter.__mro__[1]
    try:
        code = app(standalone_mode=False) or 0
    except (InvalidArgumentError, MissingExtraError) as error:
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
