"""Whatever an agent is called, its results are shown and written whole."""

from html.parser import HTMLParser
from typing import Any

import pytest
from markdown_it import MarkdownIt

import explorative_user_env as eu
from explorative_user_env.agents import BAIR
from explorative_user_env.display.tables import as_text
from explorative_user_env.results.records import closing_section, details_of
from explorative_user_env.results.tables import summary_page, table_of

NAMES = ("[/red]", "[bold]x", "w[red]", "w[blue]", "a|b", "two\nlines", "\x1b[31mred", "<b>bold")


@pytest.fixture(scope="module")
def results() -> eu.Results:
    agents = [BAIR(name=name) for name in NAMES]
    return eu.evaluate(agents, n_arms=2, n_instances=2, progress=False)


class Cells(HTMLParser):
    """The cells of the rows of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.inside = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag == "br":
            self.handle_data(" ")
        elif tag == "tr":
            self.rows.append([])
        elif tag == "td":
            self.rows[-1].append("")
            self.inside = True

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag != "td"

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.rows[-1][-1] += data


def rows_of(page: str) -> list[list[str]]:
    return [row for row in Cells(page).rows if row]


def test_the_table_on_a_terminal_has_every_name_and_commands_nothing(results: eu.Results) -> None:
    shown = as_text(table_of(results.summary()))
    for name in ("[/red]", "[bold]x", "w[red]", "w[blue]", "a|b", "two", "lines", r"\x1b[31mred"):
        assert name in shown
    assert "\x1b" not in shown
    assert str(results)  # as printed


def test_the_table_in_markdown_has_a_row_for_every_name(results: eu.Results) -> None:
    page = summary_page("Title", {"part": results.summary()}, [f"a note of {NAMES[5]}"])
    rows = rows_of(MarkdownIt("commonmark").enable("table").render(page))
    shown = [row[2].strip() for row in rows]
    assert shown == [
        *("[/red]", "[bold]x", "w[red]", "w[blue]", "a|b", "two lines", r"\x1b[31mred", "<b>bold"),
    ]
    assert len({len(row) for row in rows}) == 1
    assert page.endswith("- a note of two lines\n")


def test_what_made_them_names_each_in_a_line_of_its_own(results: eu.Results) -> None:
    made_by = {"command": "bench", "options": {}, "versions": {}} | details_of([results.cell])
    lines = closing_section(made_by).splitlines()
    assert sum(line.startswith("- ") for line in lines) == 4 + len(NAMES)
    assert all(line == "" or line.startswith(("- ", "## ")) for line in lines)


def test_a_notebook_shows_names_as_they_are(results: eu.Results) -> None:
    shown = [row[2].split() for row in rows_of(results._repr_html_())]
    written = [name.replace("\x1b", r"\x1b").replace("\n", r"\n") for name in NAMES]
    assert shown == [name.split() for name in written]


class Named:
    """Recommends the first arm."""

    def __init__(self, name: str) -> None:
        self.name = name

    def reset(self, n_arms: int, rng: Any, horizon: int | None = None) -> None:
        """Forget."""

    def act(self) -> int:
        return 0

    def observe(self, arm: int, accepted: bool) -> None:
        """Learn nothing."""

    def answer(self) -> int:
        return 0


@pytest.mark.parametrize("name", ["a\0b", "\udc80", "ab\ud800"])
def test_a_name_that_no_file_can_hold_is_refused(name: str) -> None:
    with pytest.raises(eu.InvalidArgumentError, match=r"^name must be a word"):
        BAIR(name=name)
    with pytest.raises(eu.InvalidArgumentError, match=r"^agents must be named by words"):
        eu.evaluate([Named(name)], n_arms=2, n_instances=1, max_steps=3, progress=False)
