"""Wherever JSON is read, what is nested without end is refused in one line, as other nonsense."""

import dataclasses
import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import explorative_user_env as eu
from explorative_user_env.files import MADE_BY, Folder, from_json
from explorative_user_env.studies.tuning import Estimate, TunedN1, load_tuned
from explorative_user_env.users.population import RELEASED
from explorative_user_env.validation import missing_of

DEPTHS = (3, 300, 900, 990, 1000, 3000, 100_000)
NESTS: dict[str, Callable[[int], str]] = {
    "lists": lambda depth: "[" * depth + "]" * depth,
    "records": lambda depth: '{"a":' * depth + "1" + "}" * depth,
    "unclosed": lambda depth: "[" * depth,
    "digits": lambda depth: "9" * depth,
}
NO_FIGURE = Estimate(1.0, 1.0, 1.0)
TUNED = dataclasses.asdict(
    TunedN1(
        n1=7,
        interval=(4, 7),
        success=NO_FIGURE,
        stopping_time=NO_FIGURE,
        censored=0.0,
        n_fresh=100,
        paper_n1=30,
        paper_stopping_time=NO_FIGURE,
        error=0.05,
        n_runs=4321,
        n_instances=1000,
        seed=3,
        cell=eu.Population(setting=RELEASED).words() | {"delta": 0.1, "rho": None},
    )
)
ASKED: dict[str, Any] = {"command": "bench", "options": {"seed": 3}, "versions": {"python": "3"}}
MARK = "what is nested"


def documents(whole: dict[str, Any]) -> list[str]:
    """A document with the mark in place of it all, or of one thing in it."""
    return [json.dumps(MARK), *(json.dumps(whole | {name: MARK}) for name in whole)]


def read_tuned(text: str, folder: Path) -> None:
    (folder / "tuned.json").write_text(text)
    load_tuned(folder).agent().params(3, None)


def read_maker(text: str, folder: Path) -> None:
    (folder / MADE_BY).write_text(text)
    Folder(folder, ASKED)


def read_settings(text: str, folder: Path) -> None:
    from explorative_user_env.rl import load_agent
    from explorative_user_env.shipped import shipped_models

    made = shipped_models()["regret-k5"]
    shutil.copy(made / "model.zip", folder)
    (folder / "settings.json").write_text(text)
    load_agent(folder)


def read_model(text: str, folder: Path) -> None:
    from explorative_user_env.rl import load_agent
    from explorative_user_env.shipped import shipped_models

    made = shipped_models()["regret-k5"]
    shutil.copy(made / "settings.json", folder)
    with (
        zipfile.ZipFile(made / "model.zip") as kept,
        zipfile.ZipFile(folder / "model.zip", "w") as changed,
    ):
        for name in kept.namelist():
            changed.writestr(name, text if name == "data" else kept.read(name))
    load_agent(folder)


SETTINGS = {"algo": "ppo", "task": "regret", "observation": "counts", "horizon": 500}
SETTINGS |= {"environment": {"setting": "printed"}}
PLACES: dict[str, tuple[Callable[[str, Path], None], list[str]]] = {
    "tuned.json": (read_tuned, documents(TUNED)),
    MADE_BY: (read_maker, documents(ASKED)),
}
if not missing_of(("stable_baselines3", "sb3_contrib")):
    PLACES["settings.json"] = (read_settings, documents(SETTINGS))
    PLACES["model.zip"] = (read_model, documents({"policy_class": {}, "n_envs": 1}))


@pytest.mark.slow
@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("place", PLACES)
def test_what_is_nested_without_end_is_read_or_refused_in_one_line(
    place: str, depth: int, tmp_path: Path
) -> None:
    read, texts = PLACES[place]
    for text in texts:
        for nest in NESTS.values():
            said = ""
            try:
                read(text.replace(json.dumps(MARK), nest(depth)), tmp_path)
            except eu.InvalidArgumentError as error:
                said = str(error)
            assert "\n" not in said
            assert len(said) < 1500


def test_json_is_what_it_says_or_a_value_error() -> None:
    assert from_json('{"a": [1, null]}') == {"a": [1, None]}
    for text in ("[" * 100_000, "{", b"\xff", "9" * 5000):
        with pytest.raises(ValueError, match=r"."):
            from_json(text)
