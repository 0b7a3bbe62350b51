"""Symbols that an encoding does not have are question marks, and all others stay."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorative_user_env.display.text import in_line, in_markdown, in_spreadsheet, plain, printable


@pytest.mark.parametrize(
    ("text", "encoding", "expected"),
    [
        ("412 ± 13, δ ≥ .1 ─ [.9–1]", "ascii", "412 ? 13, ? ? .1 - [.9?1]"),
        ("412 ± 13, δ ≥ .1 ─ [.9–1]", "latin-1", "412 ± 13, ? ? .1 - [.9?1]"),
        ("412 ± 13, δ ≥ .1 ─ [.9–1]", "cp1252", "412 ± 13, ? ? .1 - [.9–1]"),
        ("412 ± 13, δ ≥ .1 ─ [.9–1]", "utf-8", "412 ± 13, δ ≥ .1 ─ [.9–1]"),
        ("\udcff", "utf-8", "?"),  # of a file name that is no text
    ],
)
def test_what_an_encoding_lacks_is_a_question_mark(text: str, encoding: str, expected: str) -> None:
    assert plain(text, encoding) == expected


@pytest.mark.parametrize(
    ("name", "shown", "line", "cell"),
    [
        ("[/red] [bold]", "[/red] [bold]", "[/red] [bold]", "[/red] [bold]"),
        ("a|b\nc", "a|b\nc", "a|b c", "a\\|b c"),
        ("<script>", "<script>", "<script>", "&lt;script>"),
        ("\x1b[31mred\r\x07", "\\x1b[31mred\\r\\x07") + ("\\x1b[31mred\\r\\x07",) * 2,
        ("one\u2028two", "one\\u2028two", "one\\u2028two", "one\\u2028two"),
        ("雪 δ ± é", "雪 δ ± é", "雪 δ ± é", "雪 δ ± é"),
    ],
)
def test_names_are_data(name: str, shown: str, line: str, cell: str) -> None:
    assert (printable(name), in_line(name), in_markdown(name)) == (shown, line, cell)


@given(st.text())
def test_what_is_in_a_line_is_one_line_without_commands(text: str) -> None:
    for written in (in_line(text), in_markdown(text)):
        assert len(written.splitlines()) <= 1
        assert not any(unicodedata.category(symbol) == "Cc" for symbol in written)


@given(st.text(st.characters()), st.sampled_from(["ascii", "latin-1", "cp1252", "utf-8"]))
def test_every_text_can_be_written_and_ascii_stays(text: str, encoding: str) -> None:
    written = plain(text, encoding)
    written.encode(encoding)
    if text.isascii():
        assert written == text


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@sum(1)", "\t=1"])
def test_no_spreadsheet_calculates_what_somebody_called_herself(text: str) -> None:
    assert in_spreadsheet(text) == f"'{text}"
    assert in_spreadsheet(f"a{text}") == f"a{text}"
