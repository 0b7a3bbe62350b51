"""Progress is told to whoever is to be told: nobody, a bar on a terminal, or a function."""

import io
import sys

import pytest

from explorative_user_env.display.progress import (
    named,
    portion,
    progress_bar,
    shown,
    silent,
)

Told = list[tuple[str, int, int]]


class Screen(io.StringIO):
    """Standard error as a terminal, or as none."""

    def __init__(self, is_terminal: bool) -> None:
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal


def screen(monkeypatch: pytest.MonkeyPatch, is_terminal: bool) -> Screen:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    made = Screen(is_terminal)
    monkeypatch.setattr(sys, "stderr", made)
    return made


def test_one_of_several_pieces_is_counted_after_those_before_it() -> None:
    told: Told = []

    def report(what: str, done: int, total: int) -> None:
        told.append((what, done, total))

    third = portion(report, index=2, n_portions=4)
    third("runs", 0, 10)
    third("runs", 5, 10)
    third("runs", 10, 10)
    assert told == [("runs", 20, 40), ("runs", 25, 40), ("runs", 30, 40)]
    named(third, "K = 2")("runs", 1, 10)
    assert told[-1] == ("K = 2 runs", 21, 40)


def test_a_terminal_shows_what_is_going_on_and_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stderr = screen(monkeypatch, is_terminal=True)
    with progress_bar("bench ") as report:
        report("BAIR", 1, 4)
    assert "bench BAIR" in stderr.getvalue()
    assert "25%" in stderr.getvalue()


def test_nothing_is_shown_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = screen(monkeypatch, is_terminal=False)
    with progress_bar("bench ") as report:
        report("BAIR", 1, 4)
    assert stderr.getvalue() == ""


def test_it_is_told_to_a_bar_to_nobody_or_to_who_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = screen(monkeypatch, is_terminal=True)
    with shown(False) as report:
        assert report is silent
        report("BAIR", 1, 4)
    told: Told = []
    with shown(lambda *what: told.append(what)) as report:
        report("BAIR", 2, 4)
    assert told == [("BAIR", 2, 4)]
    assert stderr.getvalue() == ""
    with shown(True) as report:
        report("BAIR", 3, 4)
    assert "75%" in stderr.getvalue()
