"""The command `explorative-user robustness`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from explorative_user_env.commands.asked import Asked, keeps_what_was_asked
from explorative_user_env.commands.options import (
    DaskOption,
    DeltaOption,
    FewUsersOption,
    MaxStepsOption,
    OldBaselineTimeOption,
    OutputOption,
    QuickInstancesOption,
    SeedOption,
    WorkersOption,
    setting_named,
    shared_options,
    takes_users,
    users_a_cell,
)


@takes_users()
@keeps_what_was_asked
def robustness(
    users: dict[str, Any],
    asked: Asked,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            help="As for bench; repeat for more.",
            show_default="bair, bair(m) for click noise, tas, uni, exp3",
        ),
    ] = None,
    user: Annotated[
        list[str] | None,
        typer.Option(
            help="paper, rho=1, alpha=0.8, alpha=2, noise=0.1, bernoulli, bounded, omniscient, "
            "forgetful, drifting, logistic, varied; or several.",
            show_default="all",
        ),
    ] = None,
    delta: DeltaOption = 0.1,
    n_instances: QuickInstancesOption = None,
    quick: FewUsersOption = False,
    baseline_time: OldBaselineTimeOption = None,
    max_steps: MaxStepsOption = 20_000,
    seed: SeedOption = 0,
    workers: WorkersOption = 0,
    dask: DaskOption = None,
    output: OutputOption = Path("results/robustness"),
) -> None:
    """Compare agents on users who are not the paper's: success and stopping time of each pair."""
    from explorative_user_env.commands.agent_names import agents_called
    from explorative_user_env.commands.kept import kept_run
    from explorative_user_env.commands.output import page_file, table_file, write_and_show
    from explorative_user_env.display.progress import progress_bar
    from explorative_user_env.results.records import details_of
    from explorative_user_env.studies import robustness as room
    from explorative_user_env.users.population import Population

    setting_named(users["setting"])
    options = shared_options(users_a_cell(n_instances, quick), seed, workers, dask)
    options |= {"delta": delta, "baseline_time": baseline_time, "max_steps": max_steps}
    varieties = room.varieties_named(user)
    agents = agents_called(agent, max_steps) if agent else None
    population = Population(**users)
    with kept_run(asked, output, agents or ()) as (folder, store):
        with progress_bar() as report:
            matrix = room.robustness(
                agents, varieties, population=population, progress=report, store=store, **options
            )
        folder.note(**details_of(matrix.attrs["cells"]))
        title = room.title_of_matrix(population, delta, options["n_instances"], max_steps)
        files = {
            "table.md": page_file(folder, room.matrix_page(matrix, title)),
            "summary.csv": table_file(matrix),
        }
        pictures = {"heat_map.png": lambda: room.heat_map(matrix)}
        notes = room.notes_of(matrix)
        write_and_show(
            folder, files, [title, room.matrix_table(matrix)], notes=notes, pictures=pictures
        )
