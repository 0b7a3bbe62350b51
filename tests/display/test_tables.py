"""Tables as text and as Markdown: the same whatever terminal there is."""

import pytest
from rich.table import Table

from explorative_user_env.display.tables import (
    WIDTH,
    as_text,
    markdown,
    markdown_table,
    new_table,
)


@pytest.fixture
def table() -> Table:
    """Words on the left and numbers on the right."""
    made = new_table(["agent", "time"], left=["agent"], padding=1)
    made.add_row("BAIR", "412")
    made.add_row("T&S", "9 000")
    return made


TERMINALS = [
    {},
    {"COLUMNS": "20", "LINES": "5"},
    {"TERM": "dumb"},
    {"FORCE_COLOR": "1", "COLORTERM": "truecolor"},
    {"NO_COLOR": "1"},
    {"TTY_COMPATIBLE": "1", "TERM": "xterm-256color"},
]


@pytest.mark.parametrize("terminal", TERMINALS, ids=str)
def test_the_text_of_a_table_does_not_depend_on_the_terminal(
    table: Table, terminal: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in terminal.items():
        monkeypatch.setenv(name, value)
    assert as_text(table).splitlines() == [
        "  agent    time",
        " ───────────────",
        "  BAIR      412",
        "  T&S     9 000",
    ]
    wide = new_table(["x" * 30, "y" * 30, "z" * 30])
    wide.add_row("1", "2", "3")
    assert {len(line) for line in as_text(wide).splitlines()} <= set(range(90, WIDTH + 1))


def test_a_title_stands_above_the_table() -> None:
    made = new_table(["wider than its title"], title="What it is")
    made.add_row("1")
    assert as_text(made).splitlines()[0].strip() == "What it is"


def test_a_table_is_a_markdown_table_with_numbers_on_the_right(table: Table) -> None:
    assert markdown(table).splitlines() == [
        "| agent | time |",
        "| :--- | ---: |",
        "| BAIR | 412 |",
        "| T&S | 9 000 |",
    ]


def test_whatever_is_in_a_cell_is_written() -> None:
    text = markdown_table(["n", "x"], [[1, 0.5], [2, None]], right=[True, False])
    assert text == "| n | x |\n| ---: | :--- |\n| 1 | 0.5 |\n| 2 | None |"
    assert markdown_table(["n"], [], right=[True]) == "| n |\n| ---: |"
