"""Who takes part in `suite`: also models by task, in a folder or in a module."""

import shutil
import sys

import pytest

from explorative_user_env.commands.suite import entrants_called, models_in
from explorative_user_env.protocol import trained_on
from explorative_user_env.shipped import SETTINGS_FILE, shipped_models
from explorative_user_env.studies.suite_tasks import ModelsByTask, agents_by_name
from explorative_user_env.validation import InvalidArgumentError


def test_folders_called_like_tasks_hold_a_model_or_its_trainings_in_their_order(tmp_path):
    trainings = [tmp_path / "regret-k5" / f"seed-{number}" for number in (0, 2, 10)]
    for folder in (tmp_path / "bai-k5", *trainings):
        folder.mkdir(parents=True)
        (folder / SETTINGS_FILE).write_text("{}", encoding="utf-8")
    (tmp_path / "notes").mkdir()
    assert models_in(tmp_path) == {"bai-k5": [tmp_path / "bai-k5"], "regret-k5": trainings}
    assert models_in(tmp_path / "bai-k5") == models_in(tmp_path / "nowhere") == {}
    (tmp_path / "noisy-k5").mkdir()
    with pytest.raises(InvalidArgumentError, match="noisy-k5 has no model"):
        models_in(tmp_path)


MODULE = """
from explorative_user_env.agents import UCB1
from explorative_user_env.studies.suite_tasks import ModelsByTask

def models():
    return ModelsByTask("learnt", {"bai-k5": [UCB1(name="learnt")]})
"""


def test_what_stands_in_a_module_may_be_models_by_task(tmp_path, monkeypatch):
    (tmp_path / "own_models.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    by_task, named = entrants_called(["own_models:models", "bair"])
    assert (by_task.name, by_task.models["bai-k5"][0].name, named.name) == (
        "learnt",
        "learnt",
        "BAIR",
    )


@pytest.mark.slow
def test_the_models_of_a_folder_take_part_as_one_and_a_single_one_by_its_name(tmp_path):
    pytest.importorskip("sb3_contrib", reason="the extra rl is not installed")
    source = shipped_models()["regret-k5"]
    for number in range(2):
        shutil.copytree(source, tmp_path / "mine" / "regret-k5" / f"seed-{number}")
    mine, one, _ = entrants_called([f"sb3:{tmp_path / 'mine'}", "sb3:regret-k5", "UCB1"])
    assert isinstance(mine, ModelsByTask)
    assert list(agents_by_name([mine])) == ["mine #0 (regret-k5)", "mine #1 (regret-k5)"]
    assert trained_on(one) == trained_on(mine.models["regret-k5"][0])
