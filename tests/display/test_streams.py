"""What is printed goes where it can, and whatever stands in its way ends nothing."""

import io
import os
import sys
from typing import Any

import pytest

from explorative_user_env.display.text import WIDTH, Unfailing, page_width, unfailing_output


class Broken(io.StringIO):
    """A stream that fails."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def write(self, text: str) -> int:
        raise self.error

    def isatty(self) -> bool:
        return True


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_what_can_be_written_is_and_symbols_it_lacks_are_replaced() -> None:
    page = io.BytesIO()
    stream = Unfailing(io.TextIOWrapper(page, encoding="ascii"))
    assert stream.write("δ") == 1
    stream.flush()
    assert page.getvalue() == b"?"
    assert (stream.encoding, stream.lost, stream.isatty()) == ("ascii", None, False)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (BrokenPipeError(), None),
        (OSError("No space left on device"), "No space left on device"),
        (ValueError("I/O operation on closed file."), "I/O operation on closed file."),
    ],
)
def test_what_cannot_be_written_is_dropped_and_known(error: Exception, said: str | None) -> None:
    stream = Unfailing(Broken(error))
    assert stream.isatty()
    assert stream.write("one") == 3
    assert not stream.isatty()
    assert stream.write("two") == 3
    stream.flush()
    assert (None if stream.lost is None else str(stream.lost)) == said


def test_a_stream_that_is_not_there_takes_everything() -> None:
    stream = Unfailing(None)
    assert stream.write("one") == 3
    stream.flush()
    assert (stream.encoding, stream.isatty(), stream.lost) == ("utf-8", False, None)
    with pytest.raises(OSError, match="no stream"):
        stream.fileno()


def test_while_the_block_runs_nothing_can_fail_and_then_all_is_as_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broken: Any = Broken(BrokenPipeError())
    monkeypatch.setattr(sys, "stdout", broken)
    monkeypatch.setattr(sys, "stderr", None)
    with unfailing_output() as output:
        print("one")
        print("two", file=sys.stderr)
        assert sys.stdout is output
    assert (sys.stdout, sys.stderr) == (broken, None)


def test_what_waits_for_a_reader_who_has_gone_goes_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    end, other = os.pipe()
    os.close(end)
    with open(other, "w", encoding="utf-8") as pipe:
        monkeypatch.setattr(sys, "stdout", pipe)
        with unfailing_output() as output:
            print("one")
        assert output.lost is None
        pipe.flush()  # as Python does at its end: it would be a BrokenPipeError
        monkeypatch.undo()


def test_a_page_is_as_wide_as_the_terminal_or_as_readers_of_files_like_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "140")
    for stream in (io.StringIO(), None):
        monkeypatch.setattr(sys, "stdout", stream)
        assert page_width() == WIDTH == 100
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert (page_width(), page_width(120)) == (140, 120)
    monkeypatch.setenv("COLUMNS", "60")
    assert (page_width(), page_width(120)) == (60, 60)
    closed = Terminal()
    closed.close()
    monkeypatch.setattr(sys, "stdout", closed)
    assert page_width() == 60  # nobody reads it anyway
