"""Numbers, names and lines: written where they can be, and what stands in the way ends nothing."""

import io
import os
import sys
from math import nan
from unittest.mock import Mock

from explorative_user_env.display import text as words


def test_names_are_data():
    for name, shown, cell in (
        ("[/red] [bold] 雪 δ ± é", "[/red] [bold] 雪 δ ± é", "[/red] [bold] 雪 δ ± é"),
        ("a|<b>\nc", "a|<b> c", "a\\|&lt;b> c"),
        ("\x1b[31mred\r\u2028", "\\x1b[31mred\\r\\u2028", "\\x1b[31mred\\r\\u2028"),
    ):
        assert (words.in_line(name), words.in_markdown(name)) == (shown, cell)
    assert words.printable("one\ntwo\r") == "one\ntwo\\r"


def test_no_spreadsheet_calculates_what_somebody_called_herself():
    for text in ("=1+1", "+1", "-1", "@sum(1)", "\t=1"):
        assert words.in_spreadsheet(text) == f"'{text}"
        assert words.in_spreadsheet(f"a{text}") == f"a{text}"


class Screen(io.StringIO):
    def isatty(self):
        return True


def test_what_can_be_written_is_and_what_cannot_is_dropped_and_known():
    page = io.BytesIO()
    stream = words.Unfailing(io.TextIOWrapper(page, encoding="ascii"))
    assert stream.write("δ") == 1
    stream.flush()
    assert page.getvalue() == b"?"
    assert (stream.encoding, stream.lost, stream.isatty()) == ("ascii", None, False)
    assert words.Unfailing(None).write("one") == 3
    for error, known in ((BrokenPipeError(), False), (OSError(), True), (ValueError(), True)):
        screen = Screen()
        screen.write = Mock(side_effect=error)
        stream = words.Unfailing(screen)
        assert stream.isatty()
        assert stream.write("one") == stream.write("two") == 3
        assert not stream.isatty()
        stream.flush()
        assert stream.lost is (error if known else None)


def test_what_waits_for_a_reader_who_has_gone_goes_nowhere(monkeypatch):
    end, other = os.pipe()
    os.close(end)
    with open(other, "w", encoding="utf-8") as pipe:
        monkeypatch.setattr(sys, "stdout", pipe)
        with words.unfailing_output() as output:
            print("one")
        assert output.lost is None
        pipe.flush()  # as Python does at its end: it would be a BrokenPipeError
        monkeypatch.undo()


def test_a_page_is_as_wide_as_the_terminal_or_as_readers_of_files_like_it(monkeypatch):
    monkeypatch.setenv("COLUMNS", "140")
    for stream in (io.StringIO(), None):
        monkeypatch.setattr(sys, "stdout", stream)
        assert words.page_width() == words.WIDTH == 100
    monkeypatch.setattr(sys, "stdout", Screen())
    assert (words.page_width(), words.page_width(120)) == (140, 120)
    monkeypatch.setenv("COLUMNS", "60")
    assert words.page_width(120) == 60


def test_numbers_have_the_digits_that_their_kind_has_and_nan_none():
    for written, shown in (
        (words.rounded, {(412.4,): "412", (0.6,): "1", (nan,): ""}),
        # An interval of one run has no width.
        (words.with_error, {(400.2, 412.9): "400 ± 13", (400.2, 400.2): "400"}),
        (words.with_error, {(400.2, nan): "400", (nan, nan): ""}),
        (words.percent, {(0.1234,): "12.3", (1.0,): "100.0", (nan,): ""}),
        (words.share, {(0.05,): ".050", (0.9994,): ".999", (0.9996,): "1.00", (nan,): ""}),
        (words.cost, {(0.1234,): ".123", (12.5,): "12.500"}),
    ):
        for values, text in shown.items():
            assert written(*values) == text
    row = {"success": 0.95, "success_low": 0.9, "success_high": 1.0, "other": 0.1}
    assert words.share_with_interval(row, "success") == ".950 [.900, 1.00]"
    assert words.fine_share_with_interval(0.95, 0.9, 1.0) == "0.9500 [0.9000, 1.0000]"


def test_what_an_encoding_lacks_is_a_question_mark():
    text = "412 ± 13, δ ≥ .1 ─ [.9–1]"
    assert words.plain(text, "ascii") == "412 ? 13, ? ? .1 - [.9?1]"
    assert words.plain(text, "cp1252") == "412 ± 13, ? ? .1 - [.9–1]"
    assert words.plain(text, "utf-8") == text
    assert words.plain("\udcff", "utf-8") == "?"  # of a file name that is no text
