"""The command line as a whole: what each command explains, and how all of them end."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from processes import python

from explorative_user_env import commands as cli
from explorative_user_env.version import __version__

COMMANDS = [
    "bench",
    "check",
    "course grade",
    "course notebooks",
    "paper lower-bound",
    "paper tables",
    "paper tune-n1",
    "play",
    "results export",
    "results plot",
    "results show",
    "results verify",
    "suite",
    "train",
    "watch",
]
FIRST = sorted({command.split()[0] for command in COMMANDS})


def test_these_are_all_commands(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--help") == 0
    printed = capsys.readouterr().out
    named = re.findall(
        r"^\W*([a-z][\w-]+)  ", printed.partition("─ Compare")[2], flags=re.MULTILINE
    )
    assert sorted(named) == FIRST
    group = typer.main.get_command(cli.app())
    assert sorted(words for words, _ in cli.commands_of(group)) == COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_help_explains_each_option_with_its_default(
    run: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    command: str,
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    assert run(command, "--help") == 0
    printed = capsys.readouterr().out
    options = re.findall(r"^\W*(--.*)$", printed, flags=re.MULTILINE)
    explained = [option for option in options if not option.startswith("--help")]
    assert len(explained) >= (0 if command.startswith(("course n", "results")) else 5)
    told = [option for option in explained if re.search(r"<.*>", option)]  # others are flags
    assert [option for option in told if "default" not in option] == []
    assert [option for option in explained if re.search(r" None |<bool>", option)] == []
    assert "Example: explorative-user" in printed


def test_an_unknown_command_is_refused_in_one_line(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("sleep") == 2
    assert capsys.readouterr().err == "error: No such command 'sleep'.\n"


@pytest.mark.slow
def test_the_module_runs_as_the_command_does(tmp_path: Path) -> None:
    finished = python("-m", "explorative_user_env", "bench", "--n-arms", "1", folder=tmp_path)
    assert finished.returncode == 2
    assert finished.stderr == "error: --n-arms must be an integer of at least 2, got 1\n"
    assert finished.stdout == ""


def test_the_version_is_printed(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--version") == 0
    assert capsys.readouterr().out == f"explorative-user {__version__}\n"


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_help_has_a_short_form_everywhere(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str], command: str | None
) -> None:
    words = command.split() if command else []
    printed = []
    for form in ("-h", "--help"):
        assert run(*words, form) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] != ""


def test_a_message_spells_an_option_as_the_command_does(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run("suite", "--user", "all", "--baseline-time", "0", "--output", str(tmp_path)) == 2
    assert capsys.readouterr().err.startswith("error: --baseline-time must be an integer of at ")
    assert run("paper tables", "table9") == 2
    assert capsys.readouterr().err.startswith("error: target must be one of all, ")
