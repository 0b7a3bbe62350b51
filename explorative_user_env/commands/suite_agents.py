"""Who takes part in a suite, by the words of a command line."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from explorative_user_env.commands.agent_names import MODEL_PREFIX, TUNED_PREFIX, these_agents
from explorative_user_env.commands.own_agents import agent_at
from explorative_user_env.shipped import SETTINGS_FILE
from explorative_user_env.studies.suite import SUITE, ModelsByTask, training_name
from explorative_user_env.validation import InvalidArgumentError

PREFIXES = (MODEL_PREFIX, TUNED_PREFIX)
"""Of names with a colon that are no place in a module."""


def entrants_called(names: Sequence[str]) -> list[Any]:
    """Return who takes part under these names, in their order.

    Args:
        names: as for `these_agents`; in the folder after "sb3:" there may also be folders that are
            called like tasks, of which each is a model or holds several, one a training; and
            what stands at "module:name" may be `ModelsByTask`.

    Raises:
        InvalidArgumentError: for a name that means nothing.
        MissingExtraError: for a model without Stable-Baselines3.
    """
    sources = [name for name in names if name.startswith(MODEL_PREFIX)]
    by_task = {name: models_in(Path(name.removeprefix(MODEL_PREFIX))) for name in sources}
    known = {name: _models(name, folders) for name, folders in by_task.items() if folders}
    own = [name for name in names if ":" in name and not name.startswith(PREFIXES)]
    known |= {name: agent_at(name, ModelsByTask) for name in own}
    others = [name for name in names if name not in known]
    known |= dict(zip(others, these_agents(others), strict=True))
    return [known[name] for name in names]


def _models(source: str, folders: dict[str, list[Path]]) -> ModelsByTask:
    from explorative_user_env.rl import load_agent

    name = Path(source.removeprefix(MODEL_PREFIX)).resolve().name
    models = {}
    for task, places in folders.items():
        called = (
            [name] if len(places) == 1 else [training_name(name, i) for i in range(len(places))]
        )
        models[task] = [
            load_agent(place, name=own) for place, own in zip(places, called, strict=True)
        ]
    return ModelsByTask(name, models)


def models_in(folder: Path) -> dict[str, list[Path]]:
    """Return the folders of the models that a folder has for tasks, by the tasks' names.

    Args:
        folder: holds a folder for each task, called like it, which is a model or holds the
            trainings of one. It has none where it is a model itself.

    Raises:
        InvalidArgumentError: for a task's folder without a model.
    """
    found = {}
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
    """Return what sorts names as people do: seed-2 before seed-10."""
    parts = re.findall(r"\d+|\D+", folder.name)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]
