import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from explorative_user_env import cli
from explorative_user_env.evaluation import grid
from explorative_user_env.studies import paper as experiments

SMALL = ["--n-instances", "12", "--n-arms", "2", "--delta", "0.2", "--agent", "bair"]


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """Run the command in this process and return its exit code."""
    monkeypatch.setattr(sys, "argv", ["explorative-user", *arguments])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    assert isinstance(stop.value.code, int)
    return stop.value.code


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "out"


def test_bench_prints_a_table_writes_files_and_says_where(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], output: Path
) -> None:
    code = run(monkeypatch, "bench", *SMALL, "--agent", "uni", "--output", str(output))
    printed = capsys.readouterr().out.splitlines()
    assert code == 0
    assert any("BAIR" in line for line in printed)
    assert max(len(line) for line in printed if "BAIR" in line) <= 100
    files = [output / name for name in ("table.md", "summary.csv", "runs.csv")]
    assert printed[-1] == "Files: " + ", ".join(map(str, files))
    assert list(pd.read_csv(files[1])["agent"]) == ["BAIR", "UNI"]
    assert len(pd.read_csv(files[2])) == 24


def test_bench_shows_published_figures_where_a_cell_has_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], output: Path
) -> None:
    cell = ["--n-instances", "12", "--n-arms", "2", "--delta", "0.1", "--agent", "bair"]
    run(monkeypatch, "bench", *cell, "--output", str(output))
    (line,) = (line for line in capsys.readouterr().out.splitlines() if "BAIR" in line)
    assert " 405 " in line
    assert ".999" in line


def test_the_same_seed_gives_the_same_files_for_any_number_of_workers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for workers in ("1", "2"):
        folder = str(tmp_path / workers)
        run(monkeypatch, "bench", *SMALL, "--workers", workers, "--output", folder)
    for name in ("table.md", "summary.csv", "runs.csv"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


@pytest.fixture
def small_table2(monkeypatch: pytest.MonkeyPatch) -> None:
    small = replace(experiments.TABLE2, deltas=(0.1,), n_arms=(2, 100))
    monkeypatch.setitem(experiments.EXPERIMENTS, "table2", replace(small, n_arms=(2,)))
    monkeypatch.setitem(experiments.EXPERIMENTS, "figure1a", replace(small, drawn=True))


@pytest.mark.usefixtures("small_table2")
def test_reproduce_judges_both_settings_and_writes_a_report(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], output: Path
) -> None:
    code = run(monkeypatch, "reproduce", "table2", "--n-instances", "10", "--output", str(output))
    printed = capsys.readouterr().out
    assert code == 0
    assert "Table 2" in printed
    assert " of 1" in printed
    names = ("report.md", "report.html", "summary.csv", "verdicts.csv", "runs.csv")
    assert printed.splitlines()[-1] == "Files: " + ", ".join(str(output / name) for name in names)
    summary = pd.read_csv(output / "summary.csv")
    assert list(summary["setting"].unique()) == ["printed", "released"]
    assert {"stopping_time_difference", "success_difference"} <= set(summary)
    verdicts = pd.read_csv(output / "verdicts.csv")
    assert {"published", "printed", "released", "verdict", "reason"} <= set(verdicts)
    assert len(pd.read_csv(output / "runs.csv")) == 2 * 4 * 10
    assert "10 users a cell, seed 0; settings: printed, released." in (
        output / "report.md"
    ).read_text(encoding="utf-8")


@pytest.mark.usefixtures("small_table2")
def test_reproduce_quick_leaves_out_many_arms_and_runs_a_hundred_users(
    monkeypatch: pytest.MonkeyPatch, output: Path
) -> None:
    arguments = ("figure1a", "--quick", "--setting", "released", "--output", str(output))
    assert run(monkeypatch, "reproduce", *arguments) == 0
    summary = pd.read_csv(output / "summary.csv")
    assert set(summary["n_arms"]) == {2}
    assert set(summary["n_runs"]) == {100}
    assert set(summary["setting"]) == {"released"}
    assert not (output / "verdicts.csv").exists()  # the figures are Table 2's


def test_reproduce_all_runs_every_experiment_and_the_ladder_in_one_report(
    monkeypatch: pytest.MonkeyPatch, output: Path
) -> None:
    for name, experiment in list(experiments.EXPERIMENTS.items()):
        small = replace(experiment, deltas=experiment.deltas[:1], n_arms=experiment.n_arms[:1])
        bair = replace(small, entrants=small.entrants[:1])
        monkeypatch.setitem(experiments.EXPERIMENTS, name, bair if name != "table4" else small)
    arguments = ("all", "--n-instances", "3", "--workers", "1", "--output", str(output))
    assert run(monkeypatch, "reproduce", *arguments) == 0
    page = (output / "report.md").read_text(encoding="utf-8")
    for experiment in experiments.EXPERIMENTS.values():
        assert f"## {experiment.title}\n" in page
    assert "## What differs between the paper's text and its released code" in page
    assert set(pd.read_csv(output / "verdicts.csv")["experiment"]) == {
        f"table{number}" for number in range(2, 8)
    }
    assert len(pd.read_csv(output / "ladder.csv")) == 4 * 21
    assert not (output / "runs.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--n-arms", "1"], "n_arms must be an integer of at least 2, got 1"),
        (["--gap", "0"], "gap must be a finite number above 0, got 0.0"),
        (["--gap", "nan"], "gap must be a finite number above 0, got nan"),
        (["--delta", "0.1", "--delta", "1"], "delta must be a number in (0, 1), got 1.0"),
        (["--alpha", "-1"], "alpha must be a finite number above 0, got -1.0"),
        (["--noise", "2"], "noise must be a number in [0, 1], got 2.0"),
        (["--agent", "greedy"], "agent must be one of bair, exp3, full-information, se, tas, "),
        (["--agent", "sb3:"], "agent must be sb3:DIR, with the folder of a trained model"),
        (["--task", "sleep"], "task must be one of bai, regret, got 'sleep'"),
        (["--horizon", "9"], "horizon must be left out, except for the task regret, got 9"),
        (["--step-cost", "-1"], "step_cost must be a finite number of at least 0, got -1.0"),
        (["--setting", "text"], "setting must be one of printed, released, got 'text'"),
        (["--seed", "-1"], "seed must be an integer of at least 0, got -1"),
        (["--workers", "-1"], "workers must be an integer of at least 0, got -1"),
        (["--max-steps", "0"], "max_steps must be an integer of at least 1, got 0"),
        (["--n-instances", "0"], "n_instances must be an integer of at least 1, got 0"),
        (["--agent", "uni"], "baseline_time must be a number, or an agent of the line-up"),
        (["--seeds", "1"], "No such option"),
        (["--seed", "one"], "Invalid value for '--seed'"),
    ],
)
def test_bad_input_is_one_line_exit_code_2_and_no_file(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    output: Path,
    arguments: list[str],
    message: str,
) -> None:
    code = run(monkeypatch, "bench", *arguments, "--output", str(output))
    captured = capsys.readouterr()
    assert code == 2
    assert captured.err.startswith("error: " + message)
    assert len(captured.err.splitlines()) == 1
    assert not output.exists() or not list(output.iterdir())


def test_an_output_that_cannot_be_written_is_refused_before_anything_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")

    def never(*arguments: object, **options: object) -> None:
        raise AssertionError("ran")

    monkeypatch.setattr(grid, "run_cells", never)
    code = run(monkeypatch, "bench", "--output", str(tmp_path / "file" / "out"))
    assert code == 2
    assert "output must be a folder that can be written to" in capsys.readouterr().err


def test_reproduce_refuses_no_users(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "reproduce", "table2", "--n-instances", "0") == 2
    assert "n_instances must be an integer of at least 1, got 0" in capsys.readouterr().err


def test_an_unknown_target_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "reproduce", "table9") == 2
    assert capsys.readouterr().err.startswith(
        "error: target must be one of all, figure1a, figure1b, table2, "
    )


def test_an_interrupt_says_so_and_leaves_no_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], output: Path
) -> None:
    def interrupt(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(grid, "run_cells", interrupt)
    assert run(monkeypatch, "bench", "--output", str(output)) == 130
    assert capsys.readouterr().err == "error: interrupted; no file was written\n"
    assert list(output.iterdir()) == []


@pytest.mark.parametrize(
    "command", ["bench", "lower-bound", "reproduce", "robustness", "train", "tune-n1"]
)
def test_help_explains_each_option_with_its_default(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert run(monkeypatch, command, "--help") == 0
    printed = capsys.readouterr().out
    options = [line for line in printed.splitlines() if "│ --" in line and "--help" not in line]
    assert len(options) >= 5
    assert all("default" in line for line in options)


def test_the_module_runs_as_the_command_does() -> None:
    finished = subprocess.run(
        [sys.executable, "-m", "explorative_user_env", "bench", "--n-arms", "1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 2
    assert finished.stderr == "error: n_arms must be an integer of at least 2, got 1\n"
