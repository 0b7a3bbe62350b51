"""The command line as a whole: what each command explains, and how all of them end."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from processes import python

COMMANDS = ["bench", "lower-bound", "reproduce", "robustness", "train", "tune-n1"]


def test_these_are_all_commands(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--help") == 0
    printed = capsys.readouterr().out
    named = re.findall(r"^\W*([a-z][\w-]+)  ", printed.split("Commands")[1], flags=re.MULTILINE)
    assert sorted(named) == COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_help_explains_each_option_with_its_default(
    run: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    command: str,
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert run(command, "--help") == 0
    printed = capsys.readouterr().out
    options = re.findall(r"^\W*(--.*)$", printed, flags=re.MULTILINE)
    explained = [option for option in options if not option.startswith("--help")]
    assert len(explained) >= 5
    assert [option for option in explained if "default" not in option] == []


def test_an_unknown_command_is_refused_in_one_line(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("sleep") == 2
    assert capsys.readouterr().err == "error: No such command 'sleep'.\n"


@pytest.mark.slow
def test_the_module_runs_as_the_command_does(tmp_path: Path) -> None:
    finished = python("-m", "explorative_user_env", "bench", "--n-arms", "1", folder=tmp_path)
    assert finished.returncode == 2
    assert finished.stderr == "error: n_arms must be an integer of at least 2, got 1\n"
    assert finished.stdout == ""
