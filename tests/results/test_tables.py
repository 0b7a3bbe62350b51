"""Tables of results: each figure below its name, whatever agents are called, in 100 columns."""

import re
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pytest
from made_results import CELL, PLAY_CELL, bai_runs, play_runs, wide_summary
from markdown_it import MarkdownIt
from toy_agents import scripted

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
    assert [line.count("*") for line in shown if "*" in line or "heavy" in line] == [1]
    (told,) = [note for note in legend_of(summary) if note.startswith("*")]
    assert re.search(r"one run of heavy \(δ=0.1, K=5\) .* median 160 \[1\d\d, 1\d\d\]\.$", told)
    assert not any("*" in note for note in legend_of(summary[1:]))
    assert max(map(len, str(Results(heavy, CELL)).splitlines())) <= WIDTH


@pytest.mark.parametrize("over_horizon", [True, False])
def test_the_widest_table_fits_100_columns_with_nothing_cut_off(over_horizon: bool) -> None:
    summary = wide_summary(over_horizon)
    text = as_text(table_of(summary))
    assert max(map(len, text.splitlines())) <= WIDTH == 100
    assert "…" not in text
    for name in summary["agent"]:
        assert sum(name in line for line in text.splitlines()) == 1


def test_who_sees_rewards_is_marked_explained_and_not_ranked() -> None:
    def seeing(name: str, sees: bool) -> Any:
        agent = scripted([])
        agent.name, agent.sees_rewards = name, sees
        return agent

    names, worse = ("first", "mine", "third"), (20, 1, 30)
    pairs = zip(names, worse, strict=True)
    runs = pd.concat([bai_runs(name, [9, more], [True] * 2) for name, more in pairs])
    line_up = {name: seeing(name, name == "mine") for name in names}
    results = Results(runs, CELL, line_up=line_up)
    summary = results.summary()
    assert summary["sees_rewards"].tolist() == [False, True, False]
    assert summary["rank"].isna().tolist() == [False, True, False]
    assert summary["rank"].dropna().tolist() == [1, 2]
    assert summary["agent"].tolist() == [*names]
    words = [word for word in str(results).split() if word.startswith(names)]
    assert words == ["first", "mine†", "third"]
    assert sum(note.startswith("†") for note in legend_of(summary)) == 1
    honest = Results(runs, CELL).summary()
    assert honest["rank"].dropna().tolist() == [2, 1, 3]
    assert not any("†" in note for note in legend_of(honest))


NAMES = ("[/red]", "[bold]x", "a|b", "two\nlines", "\x1b[31mred", "<b>bold")


def test_tables_show_names_as_they_are_and_obey_none() -> None:
    results = Results(pd.concat([bai_runs(name, [5, 6], [True] * 2) for name in NAMES]), CELL)
    shown = as_text(table_of(results.summary()))
    assert "\x1b" not in shown + str(results)
    assert all(name in shown for name in ("[/red]", "[bold]x", "a|b", "two", r"\x1b[31mred"))
    page = summary_page("Title", {"part": results.summary()}, ["a note of two\nlines"])
    assert page.endswith("- a note of two lines\n")
    pages = {"two lines": MarkdownIt("commonmark").enable("table").render(page)}
    pages["two\\nlines"] = results._repr_html_()
    for lines, html in pages.items():
        table = re.sub("<br ?/?>", " ", html[html.index("<table") : html.index("</table>") + 8])
        rows = list(ElementTree.fromstring(table).iter("tr"))
        assert len({len(row) for row in rows}) == 1
        names = ["".join(row[2].itertext()).strip() for row in rows[1:]]
        assert names == [*NAMES[:3], lines, r"\x1b[31mred", "<b>bold"]
