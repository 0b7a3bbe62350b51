"""Symbols that an encoding does not have are spelled out, and all others stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorative_user_env.display.plain_text import plain


@pytest.mark.parametrize(
    ("text", "encoding", "expected"),
    [
        ("412 ± 13, δ ≥ .1 ─ [.9–1]", "ascii", "412 +- 13, delta >= .1 - [.9-1]"),
        ("412 ± 13, δ ≥ .1 ─ [.9–1]", "latin-1", "412 ± 13, delta >= .1 - [.9-1]"),
        ("412 ± 13, δ ≥ .1 ─ [.9–1]", "cp1252", "412 ± 13, delta >= .1 - [.9–1]"),
        ("412 ± 13, δ ≥ .1 ─ [.9–1]", "utf-8", "412 ± 13, δ ≥ .1 ─ [.9–1]"),
        ("αν Δλς", "ascii", "alphanu Deltalambdasigma"),
        ("é²┼│", "ascii", "e2+|"),
        ("雪", "ascii", "\\u96ea"),
        ("\udcff", "utf-8", "\\udcff"),  # of a file name that is no text
    ],
)
def test_what_an_encoding_lacks_is_spelled_out(text: str, encoding: str, expected: str) -> None:
    assert plain(text, encoding) == expected


@given(st.text(st.characters()), st.sampled_from(["ascii", "latin-1", "cp1252", "utf-8"]))
def test_every_text_can_be_written_and_ascii_stays(text: str, encoding: str) -> None:
    written = plain(text, encoding)
    written.encode(encoding)
    if text.isascii():
        assert written == text
