import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

pytest.importorskip("torch", reason="needs the extra rl")
pytest.importorskip("stable_baselines3", reason="needs the extra rl")
pytest.importorskip("sb3_contrib", reason="needs the extra rl")

from sb3_trainings import SMALL, TINY, same, weights

import explorative_user_env as eu
from explorative_user_env.files import Folder
from explorative_user_env.rl import SB3Agent, load_agent, train
from explorative_user_env.shipped import shipped_models


@pytest.fixture(scope="module")
def made() -> Path:
    """The folder of a model."""
    return shipped_models()["regret-k5"]


def copy_of(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder, tmp_path / "copy"))


@pytest.mark.parametrize("kept", [[], ["model.zip"], ["training.csv"]])
def test_a_folder_without_a_model_is_refused_by_name(
    kept: list[str], made: Path, tmp_path: Path
) -> None:
    for name in kept:
        shutil.copy(made / name, tmp_path / name)
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(eu.InvalidArgumentError) as error:
            load_agent(folder)
        assert str(error.value).startswith("model must be a folder written by `explorative-user")
        assert str(error.value).endswith(f"got {str(folder)!r}")


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "null", '{"algo": "sarsa"}', '{"algo": ["ppo"]}', '{"algo": "ppo"}']
)
def test_settings_that_are_none_are_refused_by_name(text: str, made: Path, tmp_path: Path) -> None:
    folder = copy_of(made, tmp_path)
    (folder / "settings.json").write_text(text)
    with pytest.raises(eu.InvalidArgumentError, match="model must be a folder written by"):
        load_agent(folder)


@pytest.mark.parametrize("content", [b"", b"no zip", None, "cut off"])
def test_a_model_that_cannot_be_read_is_refused_by_name(
    content: Any, made: Path, tmp_path: Path
) -> None:
    folder = copy_of(made, tmp_path)
    whole = (folder / "model.zip").read_bytes()
    if content is None:
        (folder / "model.zip").unlink()
    else:
        kept = whole[: len(whole) // 2] if content == "cut off" else content
        (folder / "model.zip").write_bytes(kept)
    with pytest.raises(eu.InvalidArgumentError, match="model must be a model that can be read"):
        load_agent(folder)


@pytest.mark.parametrize("name", ["model.zip", "settings.json"])
def test_a_model_with_a_file_of_another_training_is_refused(
    name: str, made: Path, tmp_path: Path
) -> None:
    folder = Folder(tmp_path / "mixed")
    files = {file.name: partial(shutil.copy, file) for file in made.iterdir() if file.is_file()}
    folder.write(files)
    assert load_agent(folder.path).name == "PPO"
    with (folder.path / name).open("ab") as file:
        file.write(b" ")
    with pytest.raises(eu.InvalidArgumentError, match=rf"^model must be .*\({name} is not\)"):
        load_agent(folder.path)


def test_the_package_has_a_small_model_of_each_task() -> None:
    models = shipped_models()
    assert sorted(models) == ["bai-k5", "regret-k5"]
    for folder in models.values():
        assert (folder / "model.zip").stat().st_size < 300_000


def test_the_packages_own_models_are_found_by_name() -> None:
    for name, task in (("bai-k5", "bai"), ("regret-k5", "regret")):
        assert shipped_models()[name].name == name
        agent = load_agent(name)
        assert (agent.task.name, agent.n_arms) == (task, 5)
        assert agent.trained_on["task"] == task


@pytest.mark.slow
def test_a_saved_model_has_the_same_runs(trained: tuple[SB3Agent, Path]) -> None:
    agent, folder = trained
    loaded = load_agent(folder)
    assert same(weights(agent), weights(loaded))
    assert (loaded.name, loaded.horizon, loaded.observation) == ("PPO", 30, "sorted-counts")
    assert loaded.trained_on == {"task": "regret", "n_arms": 3, "setting": "released"}
    facts = SMALL | {"task": "regret", "horizon": 30}
    runs = eu.evaluate([agent], **facts).runs
    pd.testing.assert_frame_equal(runs, eu.evaluate([loaded], **facts).runs, check_exact=True)
    assert load_agent(str(folder), name="mine").name == "mine"
    with pytest.warns(UserWarning, match="PPO with deterministic=True"):
        assert load_agent(folder, deterministic=True).deterministic


@pytest.mark.slow
def test_a_model_of_the_other_task_is_saved_with_its_mask(tmp_path: Path) -> None:
    facts = TINY | {"steps": 200, "task": "bai", "mask": "none", "step_cost": 0.01}
    agent = train("maskable-ppo", output=tmp_path, **facts)
    loaded = load_agent(tmp_path)
    assert (agent.mask, loaded.mask, loaded.task.name) == ("none", "none", "bai")
    assert loaded.max_steps == 30
    runs = eu.evaluate([agent], **SMALL).runs
    pd.testing.assert_frame_equal(runs, eu.evaluate([loaded], **SMALL).runs, check_exact=True)
    columns = ["steps", "cost", "success", "stopping_time"]
    progress = pd.read_csv(tmp_path / "training.csv")
    assert list(progress) == columns
    own = 0.01 * progress["stopping_time"] + 1.0 - progress["success"]
    assert progress["cost"].to_numpy() == pytest.approx(own.to_numpy())
