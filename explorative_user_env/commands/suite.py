"""The command `explorative-user suite`."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from explorative_user_env.commands.agents import MODEL_PREFIX, PREFIXES, agent_at, these_agents
from explorative_user_env.commands.options import MORE, command
from explorative_user_env.commands.output import write_and_show
from explorative_user_env.commands.run import Run
from explorative_user_env.display.progress import progress_bar
from explorative_user_env.shipped import SETTINGS_FILE
from explorative_user_env.studies import suite as study
from explorative_user_env.studies.suite import SUITE, ModelsByTask, training_name
from explorative_user_env.validation import InvalidArgumentError


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


def entrants_called(names: Sequence[str]) -> list[Any]:
    """Return who takes part in a suite under these names, in their order.

    Args:
        names: as for `these_agents`. The folder of "sb3:" may also have folders named as tasks,
            each a model or several trainings of one; "module:name" may be a `ModelsByTask`.

    Raises:
        InvalidArgumentError: for a name that means nothing.
        MissingExtraError: for a model without Stable-Baselines3.
    """
    known: dict[str, Any] = {}
    for name in names:
        if name.startswith(MODEL_PREFIX):
            if folders := models_in(Path(name.removeprefix(MODEL_PREFIX))):
                known[name] = _models(name.removeprefix(MODEL_PREFIX), folders)
        elif ":" in name and not name.startswith(PREFIXES):
            known[name] = agent_at(name, ModelsByTask)
    others = [name for name in names if name not in known]
    known |= dict(zip(others, these_agents(others), strict=True))
    return [known[name] for name in names]


def _models(source: str, folders: Mapping[str, Sequence[Path]]) -> ModelsByTask:
    from explorative_user_env.rl import load_agent

    name = Path(source).resolve().name
    models = {
        task: [
            load_agent(place, name=name if len(places) == 1 else training_name(name, number))
            for number, place in enumerate(places)
        ]
        for task, places in folders.items()
    }
    return ModelsByTask(name, models)


def models_in(folder: Path) -> dict[str, list[Path]]:
    """Return the folders of the models that a folder has for tasks, by the tasks' names.

    Args:
        folder: has a folder named as each task, which is a model or has trainings of one. A folder
            that is a model itself has none.

    Raises:
        InvalidArgumentError: for a task's folder without a model.
    """
    found: dict[str, list[Path]] = {}
    for task in SUITE:
        own = folder / task.name
        if (folder / SETTINGS_FILE).exists() or not own.is_dir():
            continue
        trainings = [each.parent for each in own.glob(f"*/{SETTINGS_FILE}")]
        found[task.name] = (
            [own] if (own / SETTINGS_FILE).exists() else sorted(trainings, key=_order)
        )
        if not found[task.name]:
            allowed = f"a folder with a model, or with folders of models ({own} has none)"
            raise InvalidArgumentError("agent", str(folder), allowed)
    return found


def _order(folder: Path) -> list[tuple[int, str]]:
    """Return a key by which seed-2 is before seed-10."""
    parts = re.findall(r"\d+|\D+", folder.name)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]
