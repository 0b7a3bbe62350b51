"""What `bench` refuses, and what ends it, before anything is written."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

RUN_CELLS = "explorative_user_env.evaluation.runner.run_cells"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--n-arms", "1"], "--n-arms must be an integer of at least 2, got 1"),
        (["--gap", "0"], "--gap must be a finite number above 0, got 0.0"),
        (["--gap", "nan"], "--gap must be a finite number above 0, got nan"),
        (["--delta", "0.1", "--delta", "1"], "--delta must be a number in (0, 1), got 1.0"),
        (["--alpha", "-1"], "--alpha must be a finite number above 0, got -1.0"),
        (["--noise", "2"], "--noise must be a number in [0, 1], got 2.0"),
        (["--agent", "greedy"], "--agent must be one of bair, "),
        (["--task", "sleep"], "--task must be one of bai, population, regret, got 'sleep'"),
        (["--horizon", "9"], "--horizon must be left out for the task bai, got 9"),
        (["--n-users", "9"], "--n-users must be left out, except for the task population, got 9"),
        (
            ["--task", "population", "--behaviour", "drifting"],
            "--behaviour must be one whose means stay",
        ),
        (["--task", "population", "--deviation", "-1"], "--deviation must be "),
        (
            ["--task", "regret", "--max-steps", "9"],
            "--max-steps must be left out for the task",
        ),
        (
            ["--task", "regret", "--step-cost", "9"],
            "--step-cost must be left out for the task",
        ),
        (["--agent", "bair", "--baseline-time", "9"], "--baseline-time must be left out, as every"),
        (["--step-cost", "-1"], "--step-cost must be a finite number of at least 0, got -1.0"),
        (["--setting", "text"], "--setting must be one of printed, released, got 'text'"),
        (["--seed", "-1"], "--seed must be an integer of at least 0, got -1"),
        (["--workers", "-1"], "--workers must be an integer of at least 0, got -1"),
        (["--max-steps", "0"], "--max-steps must be an integer of at least 1, got 0"),
        (["--n-instances", "0"], "--n-instances must be an integer of at least 1, got 0"),
        (["--agent", "uni"], "--baseline-time must be a number, or an agent of the line-up"),
        (["--seeds", "1"], "No such option"),
        (["--seed", "one"], "Invalid value for '--seed'"),
    ],
)
def test_bad_input_is_one_line_exit_code_2_and_no_file(
    refused: Callable[..., str], arguments: list[str], message: str
) -> None:
    assert refused("bench", *arguments).startswith(message)


def test_a_model_without_a_folder_is_bad_input_too(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str], output: Path
) -> None:
    pytest.importorskip("sb3_contrib", reason="models are loaded by Stable-Baselines3")
    assert run("bench", "--agent", "sb3:", "--output", str(output)) == 2
    assert capsys.readouterr().err.startswith("error: model must be a folder written by")
    assert not output.exists()


def test_an_output_that_cannot_be_written_is_refused_before_anything_runs(
    run: Callable[..., int],
    calls_of: Callable[[str], list[Any]],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("")
    calls = calls_of(RUN_CELLS)
    assert run("bench", "--output", str(tmp_path / "file" / "out")) == 2
    assert calls == []
    assert "--output must be a folder that can be written to" in capsys.readouterr().err


def test_an_interrupt_says_so_and_leaves_no_file(
    run: Callable[..., int],
    calls_of: Callable[[str], list[Any]],
    capsys: pytest.CaptureFixture[str],
    output: Path,
) -> None:
    calls = calls_of(RUN_CELLS)
    assert run("bench", "--output", str(output)) == 130
    assert len(calls) == 1
    assert capsys.readouterr().err == "error: interrupted; no file was written\n"
    assert list(output.iterdir()) == []
