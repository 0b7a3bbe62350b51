"""An option that is added to the one list of users' options is there wherever users are met."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

ADDED = """
    patience: int = option(3, int, "How patient she is.")
"""

SCRIPT = """
import inspect, json, sys
from pathlib import Path
import gymnasium as gym
import explorative_user_env as eu
from explorative_user_env import commands as cli
from explorative_user_env.studies.suite import VARIETIES, robustness
from explorative_user_env.studies import tuning as trials
from explorative_user_env.studies.tuning import tune_n1
from explorative_user_env.wrappers.vector import make_task

home = Path(sys.argv[1])
assert Path(eu.__file__).is_relative_to(home), eu.__file__
quiet = {"n_instances": 2, "workers": 1}
for name in (eu.ENV_ID, eu.BAI_ENV_ID):
    assert gym.make(name, patience=7).unwrapped.population.patience == 7
    assert gym.make(name).unwrapped.population.patience == 3
    assert gym.make_vec(name, num_envs=2, patience=7)._single.population.patience == 7
assert make_task("bai", 2, patience=7).unwrapped._single.population.patience == 7
for function in (eu.evaluate, eu.ExplorativeUserEnv, robustness, tune_n1):
    assert inspect.signature(function).parameters["patience"].default == 3
results = eu.evaluate(["bair"], patience=7, progress=False, **quiet)
assert results.population.patience == results.cell["patience"] == 7
assert results.summary()["patience"].tolist() == [7]
assert robustness(["bair"], VARIETIES[:1], patience=7, **quiet)["patience"].tolist() == [7]
trials.FRONTIER_USERS = 2
small = {"n_arms": 2, "delta": 0.3, "n_instances": 100, "confirm": 0, "progress": False}
assert tune_n1(patience=7, **small).tuned.cell["patience"] == 7
try:
    from explorative_user_env.rl import train
    from explorative_user_env.rl import training as callback
except ImportError:
    print("no training")
else:
    met = []
    evaluate = callback.evaluate
    def watched(*arguments, population, **options):
        met.append(population.patience)
        return evaluate(*arguments, population=population, **options)
    callback.evaluate = watched
    train(patience=7, steps=64, horizon=8, n_envs=2, evaluation_users=2, output=home / "model")
    assert set(met) == {7}
    assert json.loads((home / "model" / "settings.json").read_text())["users"]["patience"] == 7
def run(*words):
    sys.argv = ["explorative-user", *words]
    try:
        cli.main()
    except SystemExit as stop:
        assert not stop.code, words
for command in ("bench", "suite", "paper tune-n1", "train"):
    run(*command.split(), "--help")
small = ["--n-instances", "2", "--agent", "bair", "--workers", "1", "--patience", "7"]
run("bench", *small, "--n-arms", "2", "--delta", "0.1", "--out", str(home / "bench"))
assert "patience" in (home / "bench" / "summary.csv").read_text().splitlines()[0]
run("suite", *small, "--user", "paper", "--out", str(home / "matrix"))
assert "patience" in (home / "matrix" / "summary.csv").read_text().splitlines()[0]
print("everywhere")
"""


# How wide a help is and whether it has colours is the terminal's affair, and some variables'.
PAGE = {"COLUMNS": "120", "TERMINAL_WIDTH": "120", "_TYPER_FORCE_DISABLE_TERMINAL": "1"}


@pytest.mark.slow
def test_an_option_that_is_added_once_is_everywhere(tmp_path: Path) -> None:
    copy = tmp_path / "explorative_user_env"
    shutil.copytree(ROOT / "explorative_user_env", copy, ignore=shutil.ignore_patterns("agents"))
    shutil.copytree(ROOT / "agents", copy / "agents", dirs_exist_ok=True)
    path = copy / "users" / "population.py"
    place = "    user: User = field(init=False"
    before, after = path.read_text(encoding="utf-8").split(place, 1)
    path.write_text(f"{before.rstrip()}{ADDED}{place}{after}", encoding="utf-8")
    finished = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)],
        cwd=tmp_path,
        env=os.environ | PAGE,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr[-2000:]
    assert finished.stdout.rstrip().endswith("everywhere")
    helps = finished.stdout.split("Usage: ")[1:]
    assert len(helps) == 4
    assert all("--patience" in text and "How patient she is." in text for text in helps)
