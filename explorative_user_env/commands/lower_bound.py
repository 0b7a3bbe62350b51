"""The command `explorative-user lower-bound`."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from explorative_user_env.commands.asked import Asked, keeps_what_was_asked
from explorative_user_env.commands.options import (
    DELTAS_HELP,
    DaskOption,
    InstancesOption,
    OutputOption,
    SeedOption,
    WorkersOption,
    shared_options,
    takes_users,
)

if TYPE_CHECKING:
    import pandas as pd

    from explorative_user_env.files import Folder
    from explorative_user_env.theory.lower import HardPair

DELTAS = (0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002)
"""The last ones are for the bounds: too few users are met to measure them."""

N0 = 1000
"""N_0 of the pair that agents meet: about as many acceptances as they are given."""

ALPHA = 0.25
"""With a small alpha the power shows soon: the cost is about delta^(-1/alpha)."""


@takes_users(only=("n_arms", "alpha", "gap"), n_arms=2, alpha=ALPHA, gap=0.5)
@keeps_what_was_asked
def lower_bound(
    users: dict[str, Any],
    asked: Asked,
    delta: Annotated[
        list[float] | None,
        typer.Option(help=DELTAS_HELP, show_default=" ".join(map(str, DELTAS))),
    ] = None,
    n_instances: InstancesOption = 2000,
    seed: SeedOption = 0,
    workers: WorkersOption = 0,
    dask: DaskOption = None,
    output: OutputOption = Path("results/lower-bound"),
) -> None:
    """Meet the lower bound's pair of users, whom no agent can tell apart soon."""
    from explorative_user_env.commands.kept import kept_run
    from explorative_user_env.display.progress import progress_bar
    from explorative_user_env.studies.lower_bound import DEFAULT_N0S, needed, overlap, success
    from explorative_user_env.theory.lower import hard_pair
    from explorative_user_env.validation import integer, risk

    options = shared_options(n_instances, seed, workers, dask)
    deltas = [risk("delta", value) for value in delta or DELTAS]
    n_arms = integer("n_arms", users["n_arms"], 2, N0)
    pair = hard_pair(min(deltas), n0=N0, **users)
    n0s = sorted({max(n0, n_arms) for n0 in DEFAULT_N0S} | {N0})
    with kept_run(asked, output) as (folder, store):
        with progress_bar() as report:
            grown = overlap(n0s, n_instances=n_instances, seed=seed, progress=report, **users)
            measured = success(pair, progress=report, store=store, **options)
        frames = {"overlap": grown, "success": measured, "needed": needed(measured, pair, deltas)}
        _write_and_show(pair, frames, folder)


def _write_and_show(pair: "HardPair", frames: "dict[str, pd.DataFrame]", folder: "Folder") -> None:
    from explorative_user_env.commands.output import page_file, table_file, write_and_show
    from explorative_user_env.display.tables import markdown
    from explorative_user_env.results.records import details_of
    from explorative_user_env.studies.lower_bound import draw, footnotes_of, sections_of

    sections, footnotes = sections_of(pair, **frames), footnotes_of(frames["success"])
    page = ["# The lower bound's pair of users"]
    for heading, table in sections.items():
        page += [f"## {heading}", markdown(table)]
    page += [f"- {note}" for note in footnotes]
    folder.note(**details_of(frames["success"].attrs["cells"]))
    files = {"table.md": page_file(folder, "\n\n".join(page) + "\n")}
    files |= {f"{name}.csv": table_file(frame) for name, frame in frames.items()}
    shown = [part for section in sections.items() for part in section]
    picture = partial(draw, frames["overlap"], frames["needed"])
    write_and_show(folder, files, shown, notes=footnotes, pictures={"lower_bound.png": picture})
