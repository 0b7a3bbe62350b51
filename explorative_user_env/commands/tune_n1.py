"""The command `explorative-user tune-n1`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from explorative_user_env.commands.asked import Asked, keeps_what_was_asked
from explorative_user_env.commands.options import (
    DaskOption,
    DeltaOption,
    MaxStepsOption,
    OutputOption,
    SeedOption,
    WorkersOption,
    setting_named,
    shared_options,
    takes_users,
)
from explorative_user_env.protocol import STEP_CAP

if TYPE_CHECKING:
    from explorative_user_env.studies.tuning import Candidate, Tuning


@takes_users(n_arms=20, setting="released")
@keeps_what_was_asked
def tune_n1(
    users: dict[str, Any],
    asked: Asked,
    delta: DeltaOption = 0.1,
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
    max_steps: MaxStepsOption = STEP_CAP,
    seed: SeedOption = 0,
    workers: WorkersOption = 0,
    dask: DaskOption = None,
    output: OutputOption = Path("results/tune-n1"),
) -> None:
    """Find the least N_1 with which BAIR still succeeds; `bench --agent bair-tuned:DIR` uses it.

    The paper's open question, answered for one law of users: binary search with a sequential test
    of each N_1, a bound on the error of all of them together, and a confirmation on fresh users.
    """
    from explorative_user_env.commands.kept import kept_run
    from explorative_user_env.commands.output import say
    from explorative_user_env.results.records import details_of
    from explorative_user_env.studies.tuning import SEARCH_HEADER, NoneFoundError, search_line
    from explorative_user_env.studies.tuning import tune_n1 as tune

    setting_named(users["setting"])
    options = shared_options(n_instances, seed, workers, dask)
    options |= {"delta": delta, "error": error, "confirm": confirm, "max_steps": max_steps}
    header = iter([SEARCH_HEADER])  # is told once, by the first candidate

    def tell(candidate: "Candidate") -> None:
        say(*header, search_line(candidate))

    in_vain = ""
    with kept_run(asked, output) as (folder, store):
        try:
            found = tune(on_candidate=tell, store=store, **users, **options)
        except NoneFoundError as none:  # which is an end as well
            in_vain = f"error: {none}; its runs are in {store.path}"
        else:
            folder.note(**details_of(found.frontier.attrs["cells"]))
            _write_and_show(found, folder)
    if in_vain:
        print(in_vain, file=sys.stderr)
        raise typer.Exit(1)
    say(f"explorative-user bench --agent bair-tuned:{folder.path}")


def _write_and_show(found: "Tuning", folder: Any) -> None:
    from explorative_user_env.commands.output import page_file, table_file, write_and_show
    from explorative_user_env.studies.tuning import (
        FRONTIER_FILE,
        frontier_figure,
        frontier_table,
        sentences,
        title,
        tuning_page,
    )

    write_and_show(
        folder,
        {
            "tuned.json": found.tuned.save,
            "search.csv": table_file(found.search()),
            FRONTIER_FILE: table_file(found.frontier),
            "table.md": page_file(folder, tuning_page(found)),
        },
        [title(found), frontier_table(found), *sentences(found)],
        pictures={"frontier.png": lambda: frontier_figure(found)},
    )
