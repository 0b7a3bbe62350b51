import re
from xml.etree import ElementTree

import pandas as pd
from made_results import CELL, PLAY_CELL, bai_runs, play_runs
from markdown_it import MarkdownIt
from toy_agents import scripted

from explorative_user_env.display.tables import as_text
from explorative_user_env.results.results import Results
from explorative_user_env.results.tables import legend_of, summary_page, table_of


def test_each_figure_of_regret_stands_under_its_name():
    runs = pd.concat([play_runs("bad", [9.0, 7.0]), play_runs("good", [2.0, 2.0])])
    table = table_of(Results(runs, PLAY_CELL).summary())
    bad, good = as_text(table).splitlines()[-2:]
    assert bad.split()[:6] == ["5", "10", "bad", "8", "±", "13"]
    assert good.split()[:6] == ["5", "10", "good", "2", "1", "50.0"]
    assert "1.00 [.158, 1.00]" in good


def test_each_figure_of_answers_stands_under_its_name():
    runs = bai_runs("one", [100] * 8, [True] * 5 + [False] * 3)
    runs = runs.assign(censored=[False] * 7 + [True], rejections=[8] * 8)
    table = table_of(Results(runs, CELL).summary())
    row = {str(column.header): str(next(iter(column.cells))) for column in table.columns}
    assert row.pop("success [95%]").startswith(".625 [")
    names = ["δ", "K", "agent", "stopping time", "rej. %", "wrong", "cens.", "(1-p)/δ", "cost"]
    values = ["0.1", "5", "one", "100", "8.0", ".250", ".125", "3.75", ".475"]  # .001 a step
    assert row == dict(zip(names, values, strict=True)) | {"rank": "1"}


def test_a_mean_that_one_run_makes_is_marked_and_its_median_is_told():
    times = [*range(100, 220), 50_000]
    heavy, light = bai_runs("heavy", times, True), bai_runs("light", [*times[:-1], 160], True)
    summary = Results(pd.concat([heavy, light]), CELL).summary()
    shown = as_text(table_of(summary)).splitlines()
    assert [line.count("*") for line in shown if "*" in line or "heavy" in line] == [1]
    (told,) = [note for note in legend_of(summary) if note.startswith("*")]
    assert re.search(r"one run of heavy .* median 160 \[1\d\d, 1\d\d\]", told)


def test_the_widest_table_fits_100_columns_with_nothing_cut_off():
    for runs, cell in (
        (play_runs("Full-information", [999_000.0, 990_000.0]), PLAY_CELL | {"horizon": 100_000}),
        (bai_runs("Full-information", [21_000, 19_950], [True, False]), CELL | {"delta": 0.005}),
    ):
        text = as_text(table_of(Results(runs, cell | {"n_arms": 100}).summary()))
        assert max(map(len, text.splitlines())) <= 100
        assert "…" not in text
        assert sum("Full-information" in line for line in text.splitlines()) == 1


def test_who_sees_rewards_is_marked_explained_and_not_ranked():
    agent, times = scripted([]), {"first": 20, "mine": 1, "third": 30}
    agent.name, agent.sees_rewards = "mine", True
    frames = [bai_runs(name, [9, time], True) for name, time in times.items()]
    results = Results(pd.concat(frames), CELL, line_up={"mine": agent})
    summary = results.summary()
    assert summary["rank"].fillna(0).tolist() == [1, 0, 2]
    words = [word for word in str(results).split() if word.startswith(tuple(times))]
    assert words == ["first", "mine†", "third"]
    assert sum(note.startswith("†") for note in legend_of(summary)) == 1


def test_tables_show_names_as_they_are_and_obey_none():
    given = ["[/red]", "[bold]x", "a|b", "two\nlines", "\x1b[31mred", "<b>bold"]
    results = Results(pd.concat([bai_runs(name, [5, 6], True) for name in given]), CELL)
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
        assert names == [*given[:3], lines, r"\x1b[31mred", "<b>bold"]
