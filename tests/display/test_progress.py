"""Progress and lines for who waits: told to nobody, a terminal, a notebook, or a function."""

import errno
import io
import logging
import sys
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from explorative_user_env.display import progress
from explorative_user_env.display.progress import named, notice, portion, progress_bar, shown


def screen(monkeypatch, is_terminal):
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    made = io.StringIO()
    monkeypatch.setattr(made, "isatty", lambda: is_terminal)
    monkeypatch.setattr(sys, "stderr", made)
    return made


def test_one_of_several_pieces_is_counted_after_those_before_it():
    told = []
    third = portion(lambda *what: told.append(what), index=2, n_portions=4)
    named(third, "K = 2")("runs", 0, 10)
    third("runs", 10, 10)
    assert told == [("K = 2 runs", 20, 40), ("runs", 30, 40)]


@pytest.fixture
def clock(monkeypatch):
    """A clock that is set by hand."""
    time = [0.0]
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: time[0]))
    return time


def test_where_there_is_no_terminal_work_of_minutes_is_told_in_lines(monkeypatch, clock):
    stderr = screen(monkeypatch, is_terminal=False)
    with progress_bar() as report:
        for second in (0, 29, 30, 31, 59, 61, 400, 420, 439, 440):
            clock[0] = second
            report("BAIR", second, 1000)
    # The longer the work, the rarer the lines.
    lines = ["BAIR 3%, 30 s", "BAIR 6%, 61 s", "BAIR 40%, 400 s", "BAIR 44%, 440 s"]
    assert stderr.getvalue().splitlines() == lines


def test_a_terminal_that_has_gone_ends_nothing(monkeypatch):
    gone = screen(monkeypatch, is_terminal=True)
    gone.write = Mock(side_effect=OSError(errno.EIO, "Input/output error"))
    for stderr, terminal in ((gone, "xterm"), (gone, "dumb"), (None, "xterm")):
        monkeypatch.setattr(sys, "stderr", stderr)
        monkeypatch.setenv("TERM", terminal)
        with progress_bar() as report:
            report("BAIR", 1, 4)


def test_a_notebook_shows_a_bar_which_goes_when_the_work_is_done(monkeypatch, clock):
    stderr, seen = screen(monkeypatch, is_terminal=False), []

    def display(data, **how):
        assert how == {"raw": True, "display_id": True}
        seen.append(data)
        return SimpleNamespace(update=lambda data, raw: seen.append(data))

    ipython = SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=object()))
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    with progress_bar() as report:
        report("T&S", 1, 4)
        report("T&S", 2, 4)  # at once: not a sight more
        clock[0] = 1
        report("T&S", 3, 4)
        report("UNI", 0, 4)
    first, *shown, last = seen
    assert first["text/plain"] == last["text/plain"] == last["text/html"] == ""
    assert [data["text/plain"] for data in shown] == ["T&S 25%", "T&S 75%", "UNI 0%"]
    assert shown[0]["text/html"] == '<progress value="1" max="4"></progress> T&amp;S 25%'
    assert stderr.getvalue() == ""


def test_it_is_told_to_a_bar_to_nobody_or_to_who_is_given(monkeypatch):
    stderr = screen(monkeypatch, is_terminal=True)
    told = []
    for nowhere in (False, lambda *what: told.append(what)):
        with shown(nowhere) as report:
            report("BAIR", 2, 4)
        assert stderr.getvalue() == ""
    assert told == [("BAIR", 2, 4)]
    with shown(True) as report:
        assert "%" not in stderr.getvalue()
        report("BAIR", 3, 4)
    assert "75%" in stderr.getvalue()


def test_a_line_for_who_waits_is_said_once_where_somebody_reads_and_wants_it(monkeypatch, caplog):
    notice.cache_clear()
    terminal = screen(monkeypatch, is_terminal=True)
    notice("compiling")
    notice("compiling")
    caplog.set_level("WARNING", logger="explorative_user_env")
    notice("second")
    assert terminal.getvalue() == "explorative_user_env: compiling\n"
    assert not logging.getLogger("explorative_user_env").propagate  # to a program's own log
    caplog.set_level("INFO", logger="explorative_user_env")
    pipe = screen(monkeypatch, is_terminal=False)
    notice("drawing")
    monkeypatch.setattr(progress, "is_notebook", lambda: True)
    notice("playing")
    assert pipe.getvalue() == "explorative_user_env: playing\n"
    notice.cache_clear()
