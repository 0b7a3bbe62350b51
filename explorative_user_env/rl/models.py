"""Trained models as folders: the model, how it was made, and how it came along."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from stable_baselines3.common.base_class import BaseAlgorithm

from explorative_user_env.files import Folder, check_one_run, from_json
from explorative_user_env.results.provenance import versions_of
from explorative_user_env.rl.agent import SB3Agent
from explorative_user_env.rl.recipes import RECIPES
from explorative_user_env.rl.stored import kept_in
from explorative_user_env.shipped import SETTINGS_FILE, shipped_models
from explorative_user_env.validation import InvalidArgumentError

MODEL_FILE, PROGRESS_FILE = "model.zip", "training.csv"

MODEL_LIBRARIES = (
    "gymnasium",
    "numpy",
    "sb3-contrib",
    "stable-baselines3",
    "torch",
)
"""What the numbers of a training may depend on."""


def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that a training rests on."""
    return versions_of(MODEL_LIBRARIES)


def save_model(
    folder: Folder,
    model: BaseAlgorithm,
    settings: Mapping[str, Any],
    progress: Sequence[Mapping[str, Any]],
) -> list[Path]:
    """Write a model, its settings and its evaluations in training; all of it or nothing."""
    text = json.dumps(settings, indent=2) + "\n"
    return folder.write(
        {
            MODEL_FILE: lambda path: model.save(path),
            SETTINGS_FILE: lambda path: path.write_text(text, encoding="utf-8"),
            PROGRESS_FILE: lambda path: pd.DataFrame(progress).to_csv(path, index=False),
        }
    )


def settings_of(source: str | Path) -> tuple[Path, dict[str, Any]]:
    """Return the folder of a model and its settings.

    Args:
        source: a folder that a training has written, or the name of a model of this package.

    Raises:
        InvalidArgumentError: if there is no model, or its files are not all of one training.
    """
    folder = shipped_models().get(str(source), Path(source))
    check_one_run("model", folder, (MODEL_FILE, SETTINGS_FILE))
    try:
        settings = from_json((folder / SETTINGS_FILE).read_text(encoding="utf-8"))
        needed = {"task", "observation", "horizon", "environment"} - set(settings)
        if settings["algo"] not in RECIPES or needed:
            raise KeyError(*needed)
        if not isinstance(settings["environment"], dict):
            raise TypeError("environment")
    except (OSError, ValueError, KeyError, TypeError) as error:
        names = ", ".join(shipped_models())
        raise InvalidArgumentError(
            "model",
            str(source),
            f"a folder written by `explorative-user train`, or a model of the package ({names})",
        ) from error
    return folder, settings


def load_agent(
    source: str | Path, *, deterministic: bool | None = None, name: str | None = None
) -> SB3Agent:
    """Return a saved model as an agent of the harness.

    No code in the file is run, as it is where Stable-Baselines3 loads a model itself: of what is
    pickled there only arrays, spaces, schedules and the names of classes are read (see
    `rl.stored`). Buffers and counters of the training are left out.

    Args:
        source: a folder that a training has written, or the name of a model of this package.
        deterministic: as in `SB3Agent`.
        name: what tables call the agent; None is the algorithm's name, as "PPO".

    Raises:
        InvalidArgumentError: if there is no model, it cannot be read, or its file has something
            pickled that is not known of such models.
    """
    folder, settings = settings_of(source)
    recipe = RECIPES[settings["algo"]]
    algorithm, path = recipe.model, folder / MODEL_FILE
    try:
        kept = kept_in(path, algorithm, recipe.policy)
        model = algorithm.load(path, device="cpu", custom_objects=kept)
    except InvalidArgumentError:
        raise
    except Exception as error:  # whatever is wrong inside the file
        raise InvalidArgumentError(
            "model", str(source), f"a model that can be read ({type(error).__name__}: {error})"
        ) from error
    agent = SB3Agent(
        model,
        task=settings["task"],
        observation=settings["observation"],
        horizon=settings["horizon"],
        mask=settings["environment"].get("mask", "rejections"),
        deterministic=deterministic,
        name=name,
        n_users=settings.get("n_users"),
    )
    if isinstance(setting := settings["environment"].get("setting"), str):
        agent.trained_on["setting"] = setting
    return agent
