"""The command `explorative-user suite`."""

from pathlib import Path
from typing import Annotated

import typer

from explorative_user_env.commands.asked import Asked, keeps_what_was_asked
from explorative_user_env.commands.options import (
    DaskOption,
    OutputOption,
    WorkersOption,
    workers_asked,
)


@keeps_what_was_asked
def suite(
    asked: Asked,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            help="As for bench; sb3:DIR may hold folders of models, called like tasks. Repeatable.",
            show_default="the package's",
        ),
    ] = None,
    task: Annotated[
        list[str] | None,
        typer.Option(help="Only this task, as bai-k5; repeat for more.", show_default="all"),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="A tenth of the users; by default all, as published."),
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option(help="Other users than the suite's own, by this seed.", show_default="none"),
    ] = None,
    workers: WorkersOption = 0,
    dask: DaskOption = None,
    output: OutputOption = Path("results/suite"),
) -> None:
    """Score agents on the tasks of the suite, where UNI has 0 and a stated reference 1."""
    import json

    from explorative_user_env.commands.kept import kept_run
    from explorative_user_env.commands.output import (
        page_file,
        table_file,
        text_file,
        write_and_show,
    )
    from explorative_user_env.commands.suite_agents import entrants_called
    from explorative_user_env.display.progress import progress_bar
    from explorative_user_env.results.records import details_of
    from explorative_user_env.studies import suite as room

    run = room.SuiteRun(task or None, quick, seed)
    entrants = room.taking_part(entrants_called(agent) if agent else None)
    with kept_run(asked, output, room.who(entrants)) as (folder, store):
        with progress_bar() as report:
            found = room.run_suite(
                entrants,
                tasks=run.tasks,
                quick=quick,
                seed=seed,
                **workers_asked(workers, dask),
                progress=report,
                store=store,
            )
        folder.note(**details_of([cell.cell for cell in found.cells.values()]))
        files = {
            "scores.md": page_file(folder, found.page()),
            "scores.csv": table_file(found.scores()),
            "totals.csv": table_file(found.totals()),
            "scores.json": text_file(json.dumps(found.record(), indent=2) + "\n"),
        }
        pictures = {"heat_map.png": found.plot}
        write_and_show(folder, files, found.tables(), notes=found.notes(), pictures=pictures)
