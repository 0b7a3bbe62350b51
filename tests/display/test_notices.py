"""A line for who waits is said once, where somebody is there to read it and wants to."""

import io
import logging
import sys
from collections.abc import Iterator

import pytest

from explorative_user_env.display import progress as notices
from explorative_user_env.display.progress import notice


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def screen_of(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """Standard error as a terminal, from now on: pytest has its own before the test begins."""
    made = Screen()
    monkeypatch.setattr(sys, "stderr", made)
    return made


@pytest.fixture(autouse=True)
def _nothing_said_yet() -> Iterator[None]:
    notice.cache_clear()
    logger = logging.getLogger("explorative_user_env")
    before = logger.level
    yield
    notice.cache_clear()
    logger.setLevel(before)


def test_a_terminal_shows_a_line_once(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = screen_of(monkeypatch)
    for _ in range(3):
        notice("compiling")
    notice("drawing")
    assert screen.getvalue() == "explorative_user_env: compiling\nexplorative_user_env: drawing\n"


def test_a_notebook_shows_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    monkeypatch.setattr(notices, "is_notebook", lambda: True)
    notice("compiling")
    assert file.getvalue() == "explorative_user_env: compiling\n"


def test_a_pipe_or_nothing_hears_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    notice("compiling")
    assert file.getvalue() == ""
    monkeypatch.setattr(sys, "stderr", None)
    notice("drawing")


def test_it_is_turned_off_as_any_logger_is(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = screen_of(monkeypatch)
    notice("first")
    logging.getLogger("explorative_user_env").setLevel("WARNING")
    notice("second")
    assert screen.getvalue() == "explorative_user_env: first\n"


def test_the_log_of_a_program_does_not_say_it_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen, log = screen_of(monkeypatch), io.StringIO()
    handler = logging.StreamHandler(log)
    logging.getLogger().addHandler(handler)
    notice("compiling")
    logging.getLogger().removeHandler(handler)
    assert log.getvalue() == ""
    assert screen.getvalue().count("compiling") == 1
