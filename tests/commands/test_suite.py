"""The command `suite`: what it prints and writes, and who takes part by which words."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from explorative_user_env.commands.run import RUN_FILE
from explorative_user_env.commands.suite import entrants_called, models_in
from explorative_user_env.display import plots as plotting
from explorative_user_env.shipped import SETTINGS_FILE, shipped_models
from explorative_user_env.studies.suite import load_suite, run_suite
from explorative_user_env.studies.suite_tasks import ModelsByTask, who
from explorative_user_env.validation import InvalidArgumentError

FEW = ["--quick", "--agent", "ucb1", "--task", "bai-k2", "--task", "regret-k5"]
ROOM = "explorative_user_env.studies.suite"
FILES = {"scores.md", "scores.csv", "totals.csv", "scores.json", RUN_FILE, "made_by.json"}


@pytest.mark.slow
def test_it_prints_the_tables_and_writes_the_files(
    run: Callable[..., int],
    output: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(plotting, "can_plot", lambda: False)
    assert run("suite", *FEW, "--output", str(output)) == 0
    printed = capsys.readouterr().out
    assert {path.name for path in output.iterdir()} == FILES
    expected = run_suite(["UCB1"], tasks=["bai-k2", "regret-k5"], quick=True, progress=False)
    assert printed.splitlines()[0].strip() == expected.run.title
    pd.testing.assert_frame_equal(pd.read_csv(output / "scores.csv"), expected.scores())
    page = (output / "scores.md").read_text(encoding="utf-8")
    assert page.startswith(expected.page())
    assert "## What made this" in page
    record = json.loads((output / "scores.json").read_text(encoding="utf-8"))
    assert record == json.loads(json.dumps(expected.record()))
    assert str(load_suite(output / RUN_FILE)) == str(expected)
    assert run("results show", str(output / RUN_FILE)) == 0
    shown = capsys.readouterr().out
    assert shown.count("UCB1") == 2  # one a task, each in a table with the task's own figures
    assert "stopping time" in shown
    assert "utility" in shown


def test_every_option_arrives(
    run: Callable[..., int], calls_of: Callable[[str], list[Any]], output: Path
) -> None:
    calls = calls_of(f"{ROOM}.run_suite")
    words = "--agent tas --agent se --task bai-k5 --quick --seed 8 --workers 3"
    assert run("suite", *words.split(), "--output", str(output)) == 130
    assert run("suite", "--output", str(output)) == 130
    (((few,), given), ((usual,), open_)) = calls
    assert [agent.name for agent in few] == ["T&S", "SE"]
    names = ("tasks", "quick", "seed", "workers")
    assert {name: given[name] for name in names} == {
        "tasks": ["bai-k5"],
        "quick": True,
        "seed": 8,
        "workers": 3,
    }
    assert {open_[name] for name in names[:3]} == {None, False}
    assert {"BAIR", "T&S", "UNI", "EXP3", "SE"} < {agent.name for agent in usual}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--task bai-k6", "--task must be one of bai-k2, bai-k5, "),
        ("--agent nobody", "--agent must be one of"),
        ("--seed -1", "--seed must be an integer of at least 0"),
    ],
)
def test_what_there_is_none_of_is_refused_in_one_line(
    refused: Callable[..., str], words: str, message: str
) -> None:
    assert refused("suite", *words.split()).startswith(message)


def model_at(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / SETTINGS_FILE).write_text("{}", encoding="utf-8")


def test_folders_called_like_tasks_hold_a_model_or_its_trainings_in_their_order(
    tmp_path: Path,
) -> None:
    model_at(tmp_path / "bai-k5")
    for number in (10, 2, 0):
        model_at(tmp_path / "regret-k5" / f"seed-{number}")
    (tmp_path / "notes").mkdir()
    assert models_in(tmp_path) == {
        "bai-k5": [tmp_path / "bai-k5"],
        "regret-k5": [tmp_path / "regret-k5" / f"seed-{number}" for number in (0, 2, 10)],
    }
    assert models_in(tmp_path / "bai-k5") == {}
    assert models_in(tmp_path / "nowhere") == {}
    (tmp_path / "noisy-k5").mkdir()
    with pytest.raises(InvalidArgumentError, match="noisy-k5 has none"):
        models_in(tmp_path)


def test_what_stands_in_a_module_may_be_models_by_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = (
        "from explorative_user_env.agents import UCB1",
        "from explorative_user_env.studies.suite_tasks import ModelsByTask",
        "def models() -> ModelsByTask:",
        "    return ModelsByTask('learnt', {'bai-k5': [UCB1(name='learnt')]})",
        "agent = UCB1(name='one')",
    )
    (tmp_path / "own_models.py").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    by_task, one, named = entrants_called(["own_models:models", "own_models:agent", "bair"])
    assert (by_task.name, one.name, named.name) == ("learnt", "one", "BAIR")
    assert [agent.name for agent in by_task.models["bai-k5"]] == ["learnt"]
    with pytest.raises(InvalidArgumentError, match="module:Class with the methods"):
        entrants_called(["math:pi.hex"])


@pytest.mark.slow
def test_models_by_task_take_part_as_one_and_a_single_one_where_it_fits(tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib", reason="the extra rl is not installed")
    source = shipped_models()["regret-k5"]
    for number in range(2):
        shutil.copytree(source, tmp_path / "mine" / "regret-k5" / f"seed-{number}")
    names = [f"sb3:{tmp_path / 'mine'}", "sb3:regret-k5", "UCB1"]
    mine, one, named = entrants_called(names)
    assert isinstance(mine, ModelsByTask)
    assert list(who([mine])) == ["mine #0 (regret-k5)", "mine #1 (regret-k5)"]
    assert named.name == "UCB1"
    scores = run_suite([mine, one], quick=True, tasks=["regret-k5"], progress=False).scores()
    by_agent = scores.set_index("agent")
    assert by_agent["n_trainings"].to_dict() == {"mine": 2, one.name: 1, "UNI": 1, "SE": 1}
    assert by_agent.loc["mine", "score"] == pytest.approx(by_agent.loc[one.name, "score"], abs=0.1)
