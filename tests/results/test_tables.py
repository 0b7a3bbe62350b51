"""Tables of results: each figure below its name, whatever agents are called, in 100 columns."""

import re
from html.parser import HTMLParser
from typing import Any

import pandas as pd
import pytest
from made_results import CELL, PLAY_CELL, bai_runs, play_runs, wide_summary
from markdown_it import MarkdownIt
from toy_agents import scripted

import explorative_user_env as eu
from explorative_user_env.agents import BAIR
from explorative_user_env.display.tables import as_text
from explorative_user_env.display.text import WIDTH
from explorative_user_env.results.results import Results
from explorative_user_env.results.tables import legend_of, summary_page, table_of


def headers(summary: pd.DataFrame) -> list[str]:
    return [str(column.header) for column in table_of(summary).columns]


def test_the_table_of_regret_has_its_columns_and_figures() -> None:
    runs = pd.concat([play_runs("bad", [9.0, 7.0]), play_runs("good", [2.0, 2.0])])
    summary = Results(runs, PLAY_CELL).summary()
    columns = ["K", "T", "agent", "regret", "utility", "acc. %", "last best", "most acc. best"]
    assert headers(summary) == columns
    bad, good = as_text(table_of(summary)).splitlines()[-2:]
    assert bad.split()[:6] == ["5", "10", "bad", "8", "±", "13"]
    assert good.split()[:6] == ["5", "10", "good", "2", "1", "50.0"]
    assert "1.00 [.158, 1.00]" in good
    assert ".000 [.000, .842]" in good


def test_each_figure_of_answers_stands_under_its_name() -> None:
    runs = bai_runs("one", [100] * 8, [True, True, True, True, True, False, False, False])
    runs = runs.assign(censored=[False] * 7 + [True], rejections=[8] * 8)
    table = table_of(Results(runs, CELL).summary())
    row = {str(column.header): str(next(iter(column.cells))) for column in table.columns}
    assert row.pop("success [95%]").startswith(".625 [")
    assert row == {
        "δ": "0.1",
        "K": "5",
        "agent": "one",
        "stopping time": "100",
        "rej. %": "8.0",
        "wrong": ".250",
        "cens.": ".125",
        "(1-p)/δ": "3.75",
        "cost": ".475",  # .001 of each step and the error
        "rank": "1",
    }


def test_a_mean_that_one_run_makes_is_marked_and_its_median_is_told() -> None:
    times = [*range(100, 220), 50_000]
    heavy = bai_runs("heavy", times, [True] * 121)
    light = bai_runs("light", [*times[:-1], 160], [True] * 121)
    summary = Results(pd.concat([heavy, light]), CELL).summary()
    shown = as_text(table_of(summary)).splitlines()
    assert [line.count("*") for line in shown if "heavy" in line] == [1]
    assert sum(line.count("*") for line in shown) == 1
    (told,) = [note for note in legend_of(summary) if note.startswith("*")]
    assert re.search(r"one run of heavy \(δ=0.1, K=5\) .* median 160 \[1\d\d, 1\d\d\]\.$", told)
    assert not any("*" in note for note in legend_of(summary[1:]))
    printed = str(Results(heavy, CELL)).splitlines()
    assert [line[:18] for line in printed].count("* one run of heavy") == 1
    assert max(map(len, printed)) <= WIDTH


def test_a_cell_is_named_in_its_first_row_and_parted_from_the_next() -> None:
    runs = pd.concat([bai_runs(name, [100, 300], [True, False]) for name in ("one", "two")])
    cells = [Results(runs, CELL | changes).summary() for changes in ({}, {"n_arms": 20})]
    table = table_of(pd.concat(cells))
    leads = [[*column.cells][:4] for column in table.columns[:3]]
    assert leads == [["0.1", "", "0.1", ""], ["5", "", "20", ""], ["one", "two"] * 2]
    assert [row.end_section for row in table.rows] == [False, True, False, False]


def test_beside_published_figures_cost_and_rank_give_way() -> None:
    summary = Results(bai_runs("one", [100, 300], [True, False]), CELL).summary()
    published = {"published_stopping_time": 99.0, "published_rejection_rate": 0.1}
    summary = summary.assign(**published, published_success=0.999)
    assert not {"cost", "rank"} & set(headers(summary))
    assert headers(summary).count("paper") == 3


@pytest.mark.parametrize("over_horizon", [True, False])
def test_the_widest_table_fits_100_columns_with_nothing_cut_off(over_horizon: bool) -> None:
    summary = wide_summary(over_horizon)
    text = as_text(table_of(summary))
    assert max(map(len, text.splitlines())) <= WIDTH == 100
    assert "…" not in text
    for name in summary["agent"]:
        assert sum(name in line for line in text.splitlines()) == 1


def test_the_legend_says_whose_private_draws_are_counted_where_they_are() -> None:
    summary = wide_summary(over_horizon=False).assign(setting="released")
    assert not any("private draws" in note for note in legend_of(summary))
    tracking = summary.assign(agent="T&S")
    assert any(note.startswith("rej. %: of T&S without") for note in legend_of(tracking))
    changed = tracking.assign(setting="released with other arm means")
    assert any("private draws" in note for note in legend_of(changed))
    printed = tracking.assign(setting="printed")
    assert not any("private draws" in note for note in legend_of(printed))


@pytest.mark.parametrize("over_horizon", [False, True])
def test_who_sees_rewards_is_marked_explained_and_not_ranked(over_horizon: bool) -> None:
    def seeing(name: str, sees: bool) -> Any:
        agent = scripted([])
        agent.name, agent.sees_rewards = name, sees
        return agent

    names, worse = ("first", "mine", "third"), (20, 1, 30)
    frames = [
        play_runs(name, [9.0, more]) if over_horizon else bai_runs(name, [9, more], [True] * 2)
        for name, more in zip(names, worse, strict=True)
    ]
    cell, runs = PLAY_CELL if over_horizon else CELL, pd.concat(frames)
    line_up = {name: seeing(name, name == "mine") for name in names}
    results = Results(runs, cell, line_up=line_up)
    summary = results.summary()
    assert summary["sees_rewards"].tolist() == [False, True, False]
    assert summary["rank"].isna().tolist() == [False, True, False]
    assert summary["rank"].dropna().tolist() == [1, 2]
    assert summary["agent"].tolist() == [*names]
    shown = str(results)
    assert [word for word in shown.split() if word.startswith(names)] == ["first", "mine†", "third"]
    assert "† a reference, told the rewards" in shown
    assert sum(note.startswith("†") for note in legend_of(summary)) == 1
    if not over_horizon:
        ranks = [line.split()[-1] for line in as_text(table_of(summary)).splitlines()[-3:]]
        assert ranks == ["1", "-", "2"]
    honest = Results(runs, cell).summary()
    assert honest["rank"].dropna().tolist() == [2, 1, 3]
    assert not any("†" in note for note in legend_of(honest))


NAMES = ("[/red]", "[bold]x", "w[red]", "w[blue]", "a|b", "two\nlines", "\x1b[31mred", "<b>bold")


@pytest.fixture(scope="module")
def named() -> eu.Results:
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


def test_the_table_on_a_terminal_has_every_name_and_commands_nothing(named: eu.Results) -> None:
    shown = as_text(table_of(named.summary()))
    for name in ("[/red]", "[bold]x", "w[red]", "w[blue]", "a|b", "two", "lines", r"\x1b[31mred"):
        assert name in shown
    assert "\x1b" not in shown
    assert str(named)  # as printed


def test_the_table_in_markdown_has_a_row_for_every_name(named: eu.Results) -> None:
    page = summary_page("Title", {"part": named.summary()}, [f"a note of {NAMES[5]}"])
    rows = rows_of(MarkdownIt("commonmark").enable("table").render(page))
    shown = [row[2].strip() for row in rows]
    assert shown == [
        *("[/red]", "[bold]x", "w[red]", "w[blue]", "a|b", "two lines", r"\x1b[31mred", "<b>bold"),
    ]
    assert len({len(row) for row in rows}) == 1
    assert page.endswith("- a note of two lines\n")


def test_a_notebook_shows_names_as_they_are(named: eu.Results) -> None:
    shown = [row[2].split() for row in rows_of(named._repr_html_())]
    written = [name.replace("\x1b", r"\x1b").replace("\n", r"\n") for name in NAMES]
    assert shown == [name.split() for name in written]
