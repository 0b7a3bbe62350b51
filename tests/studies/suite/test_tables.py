"""What is shown of scores: tables, a page, a record and a picture."""

import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from explorative_user_env.studies.suite import Replicates, SuiteResults, rankings_of


def around(value: float, spread: float = 0.1) -> Replicates:
    return Replicates(value, value + spread * np.linspace(-1.0, 1.0, 101))


LOSSES = {
    "bai-k5": {"a": around(1.0), "b": around(2.0), "c": around(3.0), "told": around(0.0)},
    "other": {"a": around(2.5), "b": around(2.0), "c": around(1.0), "told": around(9.0)},
    "unsure": {"a": around(1.0, 5.0), "b": Replicates(0.9, np.full(101, 0.9))},
}


def test_what_another_task_ranks_otherwise_is_told_with_certainty_only() -> None:
    found = rankings_of(LOSSES, references={"told"}).set_index("task")
    assert found.loc["bai-k5", ["order", "tau", "reversed"]].tolist() == [["a", "b", "c"], 1.0, []]
    assert found.loc["other", "order"] == ["c", "b", "a"]
    assert found.loc["other", "tau"] == -1.0
    assert found.loc["other", "reversed"] == ["b > a", "c > a", "c > b"]
    assert found.loc["unsure", ["tau", "reversed"]].tolist() == [-1.0, []]
    assert len(rankings_of({"other": LOSSES["other"]})) == 0


def test_the_table_has_each_score_with_its_interval_and_a_dash_for_none(
    found: SuiteResults,
) -> None:
    missing = replace(found, cells=dict(found.cells))
    cell = missing.cells["regret-k5"]
    kept = cell.runs[cell.runs["agent"] != "BAIR"].reset_index(drop=True)
    missing.cells["regret-k5"] = replace(cell, runs=kept)  # type: ignore[index]
    text = str(missing)
    assert text.splitlines()[0].strip() == found.run.title
    (row,) = (line.split() for line in text.splitlines() if line.strip().startswith("regret-k5"))
    header = next(line.split() for line in text.splitlines() if line.strip().startswith("task"))
    shown = dict(zip(header, re.sub(" ± ", "±", " ".join(row)).split(), strict=True))
    assert (shown["BAIR"], shown["UNI"], shown["SE"]) == ("-", "0", "1")
    scores = found.scores().set_index(["task", "agent"])
    score, low, high = scores.loc[("regret-k5", "UCB1"), ["score", "low", "high"]]
    assert shown["UCB1"] == f"{score:.2f}±{max(high - score, score - low):.2f}"


def test_what_the_tau_is_is_said_only_where_the_table_has_it(found: SuiteResults) -> None:
    assert any(note.startswith("τ:") for note in found.notes())
    run = replace(found.run, tasks=("regret-k5",))
    without = replace(found, run=run, cells={"regret-k5": found.cells["regret-k5"]})
    assert "τ" not in str(without)


def test_the_page_says_what_the_tasks_are_and_what_a_score_is(found: SuiteResults) -> None:
    page = found.page()
    for task in found.tasks:
        assert f"| {task.task}: " in page
        assert task.about in page
        assert task.why in page
    assert all(note in page.replace("\\", "") for note in found.notes())
    assert "## Pairs" in page


def test_the_record_is_json_with_every_row_and_what_the_tasks_are(found: SuiteResults) -> None:
    record = json.loads(json.dumps(found.record(), allow_nan=False))
    assert record["title"] == found.run.title
    assert [task["seed"] for task in record["tasks"]] == [task.seed for task in found.tasks]
    pd.testing.assert_frame_equal(pd.DataFrame(record["scores"]), found.scores())
    assert len(record["totals"]) == len(found.agents)
    assert record["streams"]


def test_a_notebook_shows_the_tables(found: SuiteResults) -> None:
    assert found._repr_html_().count("<table") == 2
    assert repr(found) == f"SuiteResults({found.run.title!r}, agents=['BAIR', 'UCB1', 'UNI', 'SE'])"


def test_the_heat_map_has_every_score_and_the_mean_written_in(found: SuiteResults) -> None:
    pytest.importorskip("matplotlib")
    axes = found.plot()
    totals, scores = found.totals(), found.scores()
    assert [label.get_text() for label in axes.get_yticklabels()] == totals["agent"].tolist()
    assert [label.get_text() for label in axes.get_xticklabels()] == ["bai-k5", "regret-k5", "mean"]
    written = [text.get_text() for text in axes.texts]
    expected = []
    for row in totals.to_dict("records"):
        own = scores[scores["agent"] == row["agent"]].set_index("task")["score"]
        expected += [f"{value:.2f}" for value in (*own[["bai-k5", "regret-k5"]], row["mean"])]
    assert written == expected
