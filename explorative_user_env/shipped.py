"""The trained models that come with the package: where they are, and for what users.

Nothing here needs what it takes to run one.
"""

from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from explorative_user_env.files import from_json
from explorative_user_env.protocol import Task

#: What says in the folder of a model how it was trained.
SETTINGS_FILE = "settings.json"


#: Behaviour and click noise of the paper's users.
ORDINARY = "explorative", 0.0


class ShippedModel(NamedTuple):
    """A model of the package.

    Attributes:
        name: what it is called.
        settings: how it was trained.
    """

    name: str
    settings: dict[str, Any]


def shipped_models() -> dict[str, Path]:
    """Return the folders of the models that come with the package, by name.

    Those of the suite lie in folders named as its tasks, one for each training seed.
    """
    root = models_folder()
    made = sorted(path.parent for path in root.rglob(SETTINGS_FILE))
    return {folder.relative_to(root).as_posix(): folder for folder in made}


def models_folder() -> Path:
    """Return the folder in which the models of the package lie."""
    return Path(str(resources.files("explorative_user_env") / "data" / "models"))


def shipped_for(
    task: Task, n_arms: int, *, behaviour: str = ORDINARY[0], noise: float = ORDINARY[1]
) -> ShippedModel | None:
    """Return the model of the package for a task, so many arms and these users.

    The first one that was trained with users of this kind; or else with ordinary ones, which is no
    model of other users; None if there is neither.

    Args:
        task: what the model is for.
        n_arms: K.
        behaviour: what the users are called.
        noise: their click noise.
    """
    found: dict[tuple[str, float], ShippedModel] = {}
    for name, folder in shipped_models().items():
        settings = from_json((folder / SETTINGS_FILE).read_text(encoding="utf-8"))
        if (settings["task"], settings["n_arms"]) == (task.name, n_arms):
            users = settings.get("users", settings["environment"])
            kind = users.get("behaviour", ORDINARY[0]), float(users.get("noise", ORDINARY[1]))
            found.setdefault(kind, ShippedModel(name, settings))
    return found.get((behaviour, noise), found.get(ORDINARY))
