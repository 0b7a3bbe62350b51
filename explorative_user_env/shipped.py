"""The trained models that come with the package: where they are, and for what users.

Nothing here needs what it takes to run one.
"""

from pathlib import Path
from typing import Any

from explorative_user_env.files import from_json
from explorative_user_env.protocol import Task

#: The folder of the models.
MODELS = Path(__file__).parent / "data" / "models"

#: What says in the folder of a model how it was trained.
SETTINGS_FILE = "settings.json"

#: Behaviour and click noise of the paper's users.
ORDINARY = "explorative", 0.0


def shipped_models() -> dict[str, Path]:
    """Return the folders of the models that come with the package, by name.

    Those of the suite lie in folders named as its tasks, one for each training seed.
    """
    made = sorted(path.parent for path in MODELS.rglob(SETTINGS_FILE))
    return {folder.relative_to(MODELS).as_posix(): folder for folder in made}


def shipped_for(
    task: Task, n_arms: int, *, behaviour: str = ORDINARY[0], noise: float = ORDINARY[1]
) -> tuple[str, dict[str, Any]] | None:
    """Return the name of the package's model for these users, and how it was trained.

    The first one that was trained with users of this kind; or else with ordinary ones, which is no
    model of other users; None if there is neither.

    Args:
        task: what the model is for.
        n_arms: K.
        behaviour: what the users are called.
        noise: their click noise.
    """
    found: dict[tuple[str, float], tuple[str, dict[str, Any]]] = {}
    for name, folder in shipped_models().items():
        settings = from_json((folder / SETTINGS_FILE).read_text(encoding="utf-8"))
        if (settings["task"], settings["n_arms"]) == (task.name, n_arms):
            users = settings.get("users", settings["environment"])
            kind = users.get("behaviour", ORDINARY[0]), float(users.get("noise", ORDINARY[1]))
            found.setdefault(kind, (name, settings))
    return found.get((behaviour, noise), found.get(ORDINARY))
