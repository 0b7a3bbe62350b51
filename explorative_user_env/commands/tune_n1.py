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
    from explorative_user_env.folder import Folder
    from explorative_user_env.tuning import Tuning


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

    from explorative_user_env.commands.output import terminal
    from explorative_user_env.folder import Folder
    from explorative_user_env.tuning import NoneFoundError
    from explorative_user_env.tuning import tune_n1 as tune
    from explorative_user_env.tuning.tables import (
        SEARCH_HEADER,
        frontier_table,
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
    written = _write(found, folder)
    lines.print(*sentences(found), sep="\n")
    if len(written) < len(FILES):
        lines.print(f'For {FILES[-1]}: pip install "explorative-user-env[plot]"')
    lines.print(f"Files: {', '.join(str(path) for path in written)}")
    lines.print(f"explorative-user bench --agent bair-tuned:{output}")


FILES = ("tuned.json", "search.csv", "frontier.csv", "table.md", "frontier.png")


def _write(found: "Tuning", folder: "Folder") -> list[Path]:
    """Write all files, the last of them only with Matplotlib."""
    from explorative_user_env.plotting import as_png, can_plot
    from explorative_user_env.tuning.picture import frontier_figure
    from explorative_user_env.tuning.tables import page

    writers = (
        found.tuned.save,
        lambda path: found.search().to_csv(path, index=False),
        lambda path: found.frontier.to_csv(path, index=False),
        lambda path: path.write_text(page(found), encoding="utf-8"),
        lambda path: path.write_bytes(as_png(frontier_figure(found))),
    )
    files = dict(zip(FILES, writers, strict=True))
    if not can_plot():
        del files[FILES[-1]]
    return folder.write(files)
