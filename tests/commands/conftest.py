import contextlib
import functools
import io
import pkgutil
from collections import namedtuple

import pytest
import tiny_commands
from typer import rich_utils

Call = namedtuple("Call", "arguments options")
Ended = namedtuple("Ended", "code out err")


@pytest.fixture(autouse=True)
def _plain_terminal(monkeypatch):
    """Whoever runs the tests may have another terminal, or colours asked for."""
    for name in ("COLUMNS", "FORCE_COLOR", "LINES", "NO_COLOR", "TERM", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    # Typer looks for them when it is imported.
    monkeypatch.setattr(rich_utils, "FORCE_TERMINAL", None)
    monkeypatch.setattr(rich_utils, "MAX_WIDTH", None)


@pytest.fixture
def run(capsys):
    """What runs the command line in this process; only the first argument is split into words."""

    def of(*arguments):
        words = [*str(arguments[0]).split(), *map(str, arguments[1:])]
        capsys.readouterr()
        return Ended(tiny_commands.run(*words), *capsys.readouterr())

    return of


@pytest.fixture
def calls_of(monkeypatch):
    """What puts in a function's place one that keeps its arguments and interrupts the command."""

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
    """What gives the folder of a tiny command, where nobody writes, and what it printed."""

    @functools.cache
    def of(name):
        folder, printed = tmp_path_factory.mktemp("finished") / name, io.StringIO()
        with contextlib.redirect_stdout(printed):
            assert tiny_commands.run_tiny(name, str(folder)) == 0
        return folder, printed.getvalue()

    return of
