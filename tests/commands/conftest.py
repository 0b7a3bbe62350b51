import functools
import pkgutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer import rich_utils

from explorative_user_env import commands as cli


class Call(NamedTuple):
    """With what a function was called."""

    arguments: tuple[Any, ...]
    options: dict[str, Any]


@pytest.fixture(autouse=True)
def _plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests may have another terminal, or colours asked for."""
    for name in ("COLUMNS", "FORCE_COLOR", "LINES", "NO_COLOR", "TERM", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    # Typer looks for them when it is imported.
    monkeypatch.setattr(rich_utils, "FORCE_TERMINAL", None)
    monkeypatch.setattr(rich_utils, "MAX_WIDTH", None)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """What runs the command line in this process and returns its exit code."""

    def of(*arguments: str) -> int:
        monkeypatch.setattr(
            sys, "argv", ["explorative-user", *arguments[0].split(), *arguments[1:]]
        )
        with pytest.raises(SystemExit) as stop:
            cli.main()
        assert isinstance(stop.value.code, int)
        return stop.value.code

    return of


@pytest.fixture
def calls_of(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[Call]]:
    """What puts in a function's place one that keeps its arguments and ends the command there.

    The command then says that it was interrupted, with exit code 130.
    """

    def replaced(name: str) -> list[Call]:
        calls: list[Call] = []

        @functools.wraps(pkgutil.resolve_name(name))  # of which the command makes its options
        def called(*arguments: Any, **options: Any) -> None:
            calls.append(Call(arguments, options))
            raise KeyboardInterrupt

        monkeypatch.setattr(name, called)
        return calls

    return replaced


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.fixture
def refused(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str], output: Path
) -> Callable[..., str]:
    """What runs a command that must be refused with exit code 2, in one line, without a file.

    It returns what the line says.
    """

    def of(command: str, *arguments: str) -> str:
        assert run(command, *arguments, "--output", str(output)) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert not output.exists() or not list(output.iterdir())
        (line,) = captured.err.splitlines()
        assert line.startswith("error: ")
        return line.removeprefix("error: ")

    return of
