import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import typer

from explorative_user_env import InvalidArgumentError
from explorative_user_env.commands.bench import bench
from explorative_user_env.commands.tune_n1 import tune_n1
from explorative_user_env.display import figures as plotting
from explorative_user_env.studies.tuning import load_tuned, trials

SMALL: dict[str, Any] = {
    "n_arms": 3,
    "delta": 0.2,
    "gap": 0.4,
    "n_instances": 600,
    "confirm": 80,
    "workers": 1,
}
FILES = ["frontier.csv", "search.csv", "table.md", "tuned.json"]


@pytest.fixture(autouse=True)
def few_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "FRONTIER_USERS", 40)


def tune(output: Path, **options: object) -> None:
    tune_n1(**SMALL | options, output=output)


def test_it_prints_the_search_what_was_found_and_where_it_is(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    tune(tmp_path)
    lines = capsys.readouterr().out.splitlines()
    tuned = load_tuned(tmp_path)
    assert lines[0].split() == ["N_1", "users", "success", "[95%]", "decision"]
    assert lines[1].split()[0] == "5"
    assert any(line.startswith(f"Found N_1 = {tuned.n1}, success at least 0.8") for line in lines)
    assert lines[-1] == f"explorative-user bench --agent bair-tuned:{tmp_path}"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*FILES, "frontier.png"])
    assert all(str(tmp_path / name) in lines[-2] for name in FILES)
    search = pd.read_csv(tmp_path / "search.csv")
    assert search["n1"].iloc[0] == 5
    assert search["n_runs"].sum() == tuned.n_runs
    assert pd.read_csv(tmp_path / "frontier.csv")["n1"].iloc[-1] == tuned.paper_n1 == 30


def test_without_matplotlib_everything_else_is_written(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plotting, "can_plot", lambda: False)
    tune(tmp_path)
    assert 'For frontier.png: pip install "explorative-user-env[plot]"' in capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == FILES


def test_where_nothing_is_found_it_says_so_and_writes_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with pytest.raises(typer.Exit) as stop:
        tune(tmp_path, max_steps=3)
    assert stop.value.exit_code == 1
    printed = capsys.readouterr()
    assert printed.err == (
        "error: no N_1 was found to succeed with probability 0.8; no file was written\n"
    )
    assert "bad" in printed.out
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_option_is_refused_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="error must be a number in"):
        tune(tmp_path, error=1.0)
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidArgumentError, match="output must be a folder that can be written"):
        tune(tmp_path / "file")


def test_the_command_itself_needs_nothing_heavy() -> None:
    code = (
        "import sys, explorative_user_env.commands.tune_n1;"
        "print([name for name in ('numba', 'pandas', 'scipy') if name in sys.modules])"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert printed.stdout.strip() == "[]"


def test_bench_warns_where_a_tuned_n1_meets_other_users(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    tune(tmp_path)
    capsys.readouterr()
    few: dict[str, Any] = {"n_instances": 4, "workers": 1, "output": tmp_path / "bench"}
    names = ["bair", f"bair-tuned:{tmp_path}"]
    bench(agent=names, gap=0.4, **few)
    assert "promises" not in capsys.readouterr().out
    bench(agent=names, gap=0.5, **few)
    printed = capsys.readouterr().out
    assert "BAIR-tuned: N_1 was tuned for gap=0.4; it promises nothing else." in printed
