import contextlib
import functools
import io
import pkgutil
import sys
from typing import Any, NamedTuple

import pytest
from tiny_commands import run_tiny
from typer import rich_utils

from explorative_user_env import commands as cli


class Call(NamedTuple):
    arguments: tuple[Any, ...]
    options: dict[str, Any]


class Ended(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def _plain_terminal(monkeypatch):
    """Whoever runs the tests may have another terminal, or colours asked for."""
    for name in ("COLUMNS", "FORCE_COLOR", "LINES", "NO_COLOR", "TERM", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    # Typer looks for them when it is imported.
    monkeypatch.setattr(rich_utils, "FORCE_TERMINAL", None)
    monkeypatch.setattr(rich_utils, "MAX_WIDTH", None)


@pytest.fixture
def run(monkeypatch, capsys):
    """What runs the command line in this process; only the first argument is split into words."""

    def of(*arguments):
        words = [*str(arguments[0]).split(), *map(str, arguments[1:])]
        monkeypatch.setattr(sys, "argv", ["explorative-user", *words])
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            cli.main()
        assert isinstance(stop.value.code, int)
        return Ended(stop.value.code, *capsys.readouterr())

    return of


@pytest.fixture
def calls_of(monkeypatch):
    """What puts in a function's place one that keeps its arguments and ends the command there.

    The command then says that it was interrupted, with exit code 130.
    """

    def replaced(name):
        calls = []

        @functools.wraps(pkgutil.resolve_name(name))  # of which the command makes its options
        def called(*arguments, **options):
            calls.append(Call(arguments, options))
            raise KeyboardInterrupt

        monkeypatch.setattr(name, called)
        return calls

    return replaced


@pytest.fixture
def output(tmp_path):
    return tmp_path / "out"


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """What gives the folder of a command of `tiny_commands`, and what it printed.

    Each is run once; nobody writes there.
    """

    @functools.cache
    def of(name):
        folder, printed = tmp_path_factory.mktemp("finished") / name, io.StringIO()
        with contextlib.redirect_stdout(printed):
            assert run_tiny(name, str(folder)) == 0
        return folder, printed.getvalue()

    return of
