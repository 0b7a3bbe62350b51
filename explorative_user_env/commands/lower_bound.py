"""The command `explorative-user lower-bound`."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from explorative_user_env.commands.options import InstancesOption, SeedOption, WorkersOption

if TYPE_CHECKING:
    import pandas as pd

    from explorative_user_env.files import Folder
    from explorative_user_env.theory.hard_instances import HardPair

DELTAS = (0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002)
"""The last ones are for the bounds: too few users are met to measure them."""

N0 = 1000
"""N_0 of the pair that agents meet: about as many acceptances as they are given."""


def lower_bound(
    delta: Annotated[
        list[float] | None,
        typer.Option(
            help="Allowed probability of a wrong answer, in (0, 1); repeat for more.",
            show_default=" ".join(map(str, DELTAS)),
        ),
    ] = None,
    n_arms: Annotated[int, typer.Option(help="Number of arms K, in 2..1000.")] = 2,
    alpha: Annotated[
        float,
        typer.Option(
            help="Users' willingness to explore, above 0; the cost is about delta^(-1/alpha)."
        ),
    ] = 0.25,
    gap: Annotated[float, typer.Option(help="Gap Delta_1 of the best arm of nu', above 0.")] = 0.5,
    n_instances: InstancesOption = 2000,
    seed: SeedOption = 0,
    workers: WorkersOption = 0,
    output: Annotated[Path, typer.Option("--output", "--out", help="Folder for the files.")] = Path(
        "results/lower-bound"
    ),
) -> None:
    """Meet the lower bound's pair of users, whom no agent can tell apart soon."""
    from explorative_user_env.commands.options import shared_options
    from explorative_user_env.display.progress import progress_bar
    from explorative_user_env.files import Folder
    from explorative_user_env.studies.lower_bound import needed, overlap, success
    from explorative_user_env.studies.lower_bound.growth import DEFAULT_N0S
    from explorative_user_env.theory.hard_instances import hard_pair
    from explorative_user_env.validation import integer, risk

    options = shared_options("printed", n_instances, seed, workers)
    del options["setting"]
    deltas = [risk("delta", value) for value in delta or DELTAS]
    pair = hard_pair(min(deltas), alpha, n_arms=integer("n_arms", n_arms, 2, N0), n0=N0, gap=gap)
    n0s = sorted({max(n0, n_arms) for n0 in DEFAULT_N0S} | {N0})
    folder = Folder(output)
    with progress_bar() as report:
        grown = overlap(
            n0s,
            alpha=alpha,
            n_arms=n_arms,
            gap=gap,
            n_instances=n_instances,
            seed=seed,
            on_progress=report,
        )
        measured = success(pair, on_progress=report, **options)
    frames = {"overlap": grown, "success": measured, "needed": needed(measured, pair, deltas)}
    _show_and_write(pair, frames, folder)


def _show_and_write(pair: "HardPair", frames: "dict[str, pd.DataFrame]", folder: "Folder") -> None:
    from explorative_user_env.commands.output import (
        table_file,
        terminal,
        text_file,
        write_and_say,
    )
    from explorative_user_env.results.tables import markdown
    from explorative_user_env.studies.lower_bound import draw
    from explorative_user_env.studies.lower_bound.tables import NOTES, tables_of

    console = terminal()
    sections = tables_of(pair, **frames)
    page = ["# The lower bound's pair of users"]
    for heading, table in sections.items():
        console.print(heading, table, sep="\n", soft_wrap=True)
        page += [f"## {heading}", markdown(table)]
    for note in NOTES:
        console.print(note, style="dim", soft_wrap=True)
    page += [f"- {note}" for note in NOTES]
    files = {"table.md": text_file("\n\n".join(page) + "\n")}
    files |= {f"{name}.csv": table_file(frame) for name, frame in frames.items()}
    picture = partial(draw, frames["overlap"], frames["needed"])
    write_and_say(folder, files, {"lower_bound.png": picture})
