"""The command `explorative-user tune-n1`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from explorative_user_env.commands.options import (
    AlphaOption,
    GapOption,
    NoiseOption,
    SeedOption,
    SettingOption,
    WorkersOption,
    shared_options,
)

if TYPE_CHECKING:
    pass


def tune_n1(
    n_arms: Annotated[int, typer.Option(help="Number of arms K, at least 2.")] = 20,
    delta: Annotated[
        float, typer.Option(help="Allowed probability of a wrong answer, in (0, 1).")
    ] = 0.1,
    alpha: AlphaOption = 1.0,
    gap: GapOption = 0.5,
    noise: NoiseOption = 0.0,
    setting: SettingOption = "released",
    means: Annotated[
        str | None,
        typer.Option(help="Law of the means, normal or uniform.", show_default="the setting's"),
    ] = None,
    error: Annotated[
        float,
        typer.Option(help="Probability that the search may decide anything wrongly, in (0, 1)."),
    ] = 0.05,
    n_instances: Annotated[
        int, typer.Option(help="Most users for a candidate, at least 1; then it is not good.")
    ] = 20_000,
    confirm: Annotated[
        int, typer.Option(help="Fresh users to confirm the N_1 found with; 0 for none.")
    ] = 10_000,
    max_steps: Annotated[
        int, typer.Option(help="Step cap of a run, at least 1; one that reaches it is no success.")
    ] = 1_000_000,
    seed: SeedOption = 0,
    workers: WorkersOption = 0,
    output: Annotated[Path, typer.Option("--output", "--out", help="Folder for the files.")] = Path(
        "results/tune-n1"
    ),
) -> None:
    """Find the least N_1 with which BAIR still succeeds; `bench --agent bair-tuned:DIR` uses it.

    The paper's open question, answered for one law of users: binary search with a sequential test
    of each N_1, a bound on the error of all of them together, and a confirmation on fresh users.
    """
    from rich.console import Console

    from explorative_user_env.commands.output import (
        table_file,
        terminal,
        text_file,
        write_and_say,
    )
    from explorative_user_env.files import Folder
    from explorative_user_env.studies.tuning import NoneFoundError
    from explorative_user_env.studies.tuning import tune_n1 as tune
    from explorative_user_env.studies.tuning.picture import frontier_figure
    from explorative_user_env.studies.tuning.tables import (
        SEARCH_HEADER,
        frontier_table,
        page,
        search_line,
        sentences,
        title,
    )

    options = shared_options(setting, n_instances, seed, workers)
    folder = Folder(output)
    # Beside a bar on standard error Rich takes over standard output: right for a terminal only.
    file = None if sys.stdout.isatty() else sys.stdout
    lines = Console(file=file, highlight=False, markup=False, soft_wrap=True)
    lines.print(SEARCH_HEADER)
    try:
        found = tune(
            n_arms=n_arms,
            delta=delta,
            alpha=alpha,
            gap=gap,
            noise=noise,
            means=means,
            error=error,
            confirm=confirm,
            max_steps=max_steps,
            on_candidate=lambda candidate: lines.print(search_line(candidate)),
            **options,
        )
    except NoneFoundError as none:
        print(f"error: {none}; no file was written", file=sys.stderr)
        raise typer.Exit(1) from none
    terminal().print(title(found), frontier_table(found), sep="\n", soft_wrap=True)
    lines.print(*sentences(found), sep="\n")
    write_and_say(
        folder,
        {
            "tuned.json": found.tuned.save,
            "search.csv": table_file(found.search()),
            "frontier.csv": table_file(found.frontier),
            "table.md": text_file(page(found)),
        },
        {"frontier.png": lambda: frontier_figure(found)},
    )
    lines.print(f"explorative-user bench --agent bair-tuned:{output}")
