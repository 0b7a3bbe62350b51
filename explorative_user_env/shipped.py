"""The trained models of the package: their folders and settings.

This module does not import the libraries that run a model.
"""

from pathlib import Path
from typing import Any

from explorative_user_env.files import from_json
from explorative_user_env.protocol import Task

#: The folder of the models.
MODELS = Path(__file__).parent / "data" / "models"

#: File of a model's training settings.
SETTINGS_FILE = "settings.json"

#: Behaviour and click noise of the paper's users.
ORDINARY = "explorative", 0.0


def shipped_models() -> dict[str, Path]:
    """Return the folders of the package's models by name.

    A model of the suite is named after its task and its training seed.
    """
    folders = sorted(path.parent for path in MODELS.rglob(SETTINGS_FILE))
    return {folder.relative_to(MODELS).as_posix(): folder for folder in folders}


def shipped_for(
    task: Task, n_arms: int, *, behaviour: str = ORDINARY[0], noise: float = ORDINARY[1]
) -> tuple[str, dict[str, Any]] | None:
    """Return the name and the training settings of the package's model for these users.

    The result is the first model for this behaviour and noise, or else the first model for the
    paper's users, or else None.

    Args:
        task: the task of the model.
        n_arms: K.
        behaviour: name of the users' behaviour.
        noise: click noise of the users, in [0, 1].
    """
    models: dict[tuple[str, float], tuple[str, dict[str, Any]]] = {}
    for name, folder in shipped_models().items():
        settings = from_json((folder / SETTINGS_FILE).read_text(encoding="utf-8"))
        if (settings["task"], settings["n_arms"]) == (task.name, n_arms):
            users = settings.get("users", settings["environment"])
            kind = users.get("behaviour", ORDINARY[0]), float(users.get("noise", ORDINARY[1]))
            models.setdefault(kind, (name, settings))
    return models.get((behaviour, noise), models.get(ORDINARY))
