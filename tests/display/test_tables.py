"""Tables as text and as Markdown: the same whatever terminal there is."""

import io
import sys
from types import SimpleNamespace

import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from explorative_user_env.display.tables import Column, as_text, markdown
from explorative_user_env.display.tables import table as table_of
from explorative_user_env.display.text import WIDTH


def new_table(headings, left=(), attached=(), **how):
    """A table without rows."""
    columns = [Column(each, left=each in left, attached=each in attached) for each in headings]
    return table_of([], columns, **how)


def on_screen(table, columns):
    """The lines of a table as text, where standard output is a terminal that is so wide."""
    screen = io.StringIO()
    screen.isatty = lambda: True
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(columns))
        patch.setattr(sys, "stdout", screen)
        return as_text(table).splitlines()


NUMBERS = ["1234567", "0.0001", "412 ± 13", "1.00 [.886, 1.00]", ""]


@settings(max_examples=25)
@given(st.lists(st.sampled_from(NUMBERS), max_size=12), st.integers(40, 130))
@example(["1.00 [.886, 1.00]"] * 12, 40)
@example(["1.00 [.886, 1.00]"] * 2, 57)  # as wide as the page
def test_a_table_too_wide_is_parted_and_every_part_says_what_a_row_is(cells, columns):
    names = [f"c{place}" for place in range(len(cells))]
    made = new_table(["K", "agent", *names], left=["agent"], leading=2)
    made.add_row("20", "Full-information", *cells)
    lines = on_screen(made, columns)
    assert max(map(len, lines)) <= columns
    rows = [line for line in lines if line.split()[:2] == ["20", "Full-information"]]
    heads = [line for line in lines if line.split()[:2] == ["K", "agent"]]
    assert len(rows) == len(heads) == sum("agent" in line for line in lines)
    assert " ".join(" ".join(row.split()[2:]) for row in rows).split() == " ".join(cells).split()
    assert [name for head in heads for name in head.split()[2:]] == names
    wide = [2, len("Full-information"), *(max(2, len(cell)) for cell in cells)]
    needed = sum(wide) + len(wide) + 1  # a blank before, behind and between them
    assert (len(rows) == 1) == (needed <= min(columns, WIDTH))


def test_an_attached_column_is_never_parted_from_its_neighbour():
    made = new_table(["K", "time", "paper", "share", "paper"], attached=["paper"])
    made.add_row("2", "1" * 20, "2" * 10, "3" * 20, "4" * 10)
    lines = [line.split() for line in on_screen(made, 40) if line]
    first, second = (line for line in lines if "K" in line)
    assert (first, second) == (["K", "time", "paper"], ["K", "share", "paper"])
    assert ["2", "3" * 20, "4" * 10] in lines
    (whole,) = (line.split() for line in on_screen(made, 75) if "K" in line)
    assert whole == [*first, *second[1:]]


def test_a_table_is_the_same_on_any_terminal_and_a_name_in_brackets_no_style(monkeypatch):
    made = new_table(["[bold]", "time"], left=["[bold]"], padding=1, title="[red]of mine")
    made.add_row("T&S", "9 000")
    made.add_row("[italic]", "412")
    for terminal in (
        {"COLUMNS": "20", "LINES": "5", "TERM": "dumb", "NO_COLOR": "1"},
        {"FORCE_COLOR": "1", "COLORTERM": "truecolor", "TTY_COMPATIBLE": "1"},
    ):
        for name, value in terminal.items():
            monkeypatch.setenv(name, value)
        lines = [line.strip() for line in as_text(made).splitlines() if line]
        head = ["[red]of mine", "[bold]      time", "──────────────────"]
        assert lines == [*head, "T&S        9 000", "[italic]     412"]
        monkeypatch.undo()


def test_columns_read_records_and_objects_and_show_what_is_repeated_once():
    columns = [Column("K", once=True), Column("agent", left=True)]
    columns += [Column("time", "T", "{:.1f}"), Column("twice", lambda row: 2 * row["T"])]
    frame = pd.DataFrame({"K": [2, 2, 5], "agent": ["A", "B", "B"], "T": [1.25, 2.0, 3.0]})
    text = ["| K | agent | time | twice |", "| ---: | :--- | ---: | ---: |"]
    text += ["| 2 | A | 1.2 | 2.5 |", "|  | B | 2.0 | 4.0 |", "| 5 | B | 3.0 | 6.0 |"]
    for rows in (frame, iter(frame.to_dict("records"))):
        assert markdown(table_of(rows, columns)).splitlines() == text
    parted = as_text(table_of(frame, columns, sections=True)).splitlines()
    assert [line.split()[:1] for line in parted[2:]] == [["2"], ["B"], [], ["5"]]
    shown = markdown(table_of([SimpleNamespace(T=None)], [Column("T", "T")]))
    assert shown.splitlines()[-1] == "| None |"


def test_cells_that_fit_no_page_are_folded_and_names_of_rows_last():
    name = "a_name_of_twenty_six_signs"
    made = new_table(["check", "verdict", "why"], left=["check", "verdict", "why"], leading=2)
    made.add_row(name, "failed", "it was seen to do what nobody should")
    for columns, whole in ((60, True), (45, True), (30, False)):
        lines = on_screen(made, columns)
        assert max(map(len, lines)) <= columns
        assert any(name in line for line in lines) == whole
        assert all(any(word in line for line in lines) for word in ("failed", "seen", "nobody"))
