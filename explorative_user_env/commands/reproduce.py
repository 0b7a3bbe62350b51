"""The command `explorative-user reproduce`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from explorative_user_env.commands.options import (
    InstancesOption,
    SeedOption,
    WorkersOption,
    shared_options,
)
from explorative_user_env.validation import choice

if TYPE_CHECKING:
    from explorative_user_env.evaluation import Results


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
    from explorative_user_env.commands.output import show_and_write
    from explorative_user_env.evaluation.progress import progress_bar
    from explorative_user_env.experiments import EXPERIMENTS, published_figures, run_experiment
    from explorative_user_env.folder import Folder
    from explorative_user_env.report import agreement, compared
    from explorative_user_env.settings import SETTINGS

    experiment = EXPERIMENTS[choice("target", target, EXPERIMENTS)]
    names = list(dict.fromkeys(setting or SETTINGS))
    options = {name: shared_options(name, n_instances, seed, workers) for name in names}
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
    show_and_write(title, sections, results, folder, notes)
