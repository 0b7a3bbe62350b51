"""The trained models that come with the package: where they are, and for what users.

Nothing here needs what it takes to run one.
"""

from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from explorative_user_env.files import from_json
from explorative_user_env.tasks import Task

SETTINGS_FILE = "settings.json"
"""What says in the folder of a model how it was trained."""


class ShippedModel(NamedTuple):
    """A model of the package.

    Attributes:
        name: what it is called.
        settings: how it was trained.
    """

    name: str
    settings: dict[str, Any]


def shipped_models() -> dict[str, Path]:
    """Return the folders of the models that come with the package, by name."""
    root = Path(str(resources.files("explorative_user_env") / "data" / "models"))
    return {folder.name: folder for folder in sorted(root.iterdir()) if folder.is_dir()}


def shipped_for(task: Task, n_arms: int) -> ShippedModel | None:
    """Return the first model of the package for a task and so many arms, None if there is none."""
    for name, folder in shipped_models().items():
        settings = from_json((folder / SETTINGS_FILE).read_text(encoding="utf-8"))
        if (settings["task"], settings["n_arms"]) == (task.name, n_arms):
            return ShippedModel(name, settings)
    return None
