"""The command `explorative-user suite`."""

import json
from typing import Any

from explorative_user_env.commands.agents import entrants_called
from explorative_user_env.commands.options import MORE, command
from explorative_user_env.commands.output import write_and_show
from explorative_user_env.commands.run import Run
from explorative_user_env.display.progress import progress_bar
from explorative_user_env.studies import suite as study


@command(
    "suite",
    study.run_suite,
    options="quick seed",
    first="agent task quick seed output",
    keeps="results/suite",
    parallel=True,
    texts={
        "agent": f"As for bench; sb3:DIR may have folders of models, named as tasks; {MORE}. "
        "None is all of the package.",
        "task": f"Only this task, as bai-k5; {MORE}. None is all.",
        "quick": "A tenth of the users; by default all, as published.",
    },
)
def suite(
    run: Run,
    workers: dict[str, Any],
    options: dict[str, Any],
    agent: list[str] | None = None,
    task: list[str] | None = None,
) -> None:
    """Score agents on the tasks of the suite, where UNI has 0 and a stated reference 1.

    Example: explorative-user suite --agent my_module:MyAgent --quick
    """
    chosen = study.SuiteRun(task or None, **options)
    entrants = study.taking_part(entrants_called(agent) if agent else None)
    with run.opened(study.who(entrants)) as (folder, store):
        with progress_bar() as report:
            scores = study.run_suite(
                entrants,
                tasks=chosen.tasks,
                progress=report,
                store=store,
                **options,
                **workers,
            )
        contents = {
            "scores.md": scores.page(),
            "scores.csv": scores.scores(),
            "totals.csv": scores.totals(),
            "scores.json": json.dumps(scores.record(), indent=2) + "\n",
            "heat_map.png": scores.plot,
        }
        cells = [cell.cell for cell in scores.cells.values()]
        write_and_show(folder, contents, scores.tables(), notes=scores.notes(), cells=cells)
