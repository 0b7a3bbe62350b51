import math
import re
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from explorative_user_env.studies import paper_report as gallery
from explorative_user_env.studies.paper import TABLE2
from explorative_user_env.studies.paper_report import (
    REASONS,
    Reproduction,
    of_experiment,
    of_ladder,
    shown,
)


def rows_of(page: str) -> list[list[str]]:
    """The cells of a page's tables, with their heads but without the rulers below them."""
    lines = [line for line in page.splitlines() if line.startswith("|")]
    shown = [line for line in lines if not re.fullmatch(r"[|: -]+", line)]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in shown]


def summary(setting: str, **changes: Any) -> pd.DataFrame:
    """One cell of Track-and-Stop, made up."""
    row = {"setting": setting, "delta": 0.1, "n_arms": 2, "agent": "T&S", "horizon": 9}
    row |= {"stopping_time": 300.0, "stopping_time_low": 290.0, "stopping_time_high": 310.0}
    row |= {"rejection_rate": 0.25, "rejection_rate_low": 0.24, "rejection_rate_high": 0.26}
    row |= {"success": 0.9, "success_low": 0.88, "success_high": 0.92}
    row |= {"wrong": 0.02, "censored": 0.08}
    row |= {"published_stopping_time": 313.0, "published_success": 0.97}
    return pd.DataFrame([row | {"published_rejection_rate": 0.24} | changes])


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> Reproduction:
    monkeypatch.setattr(gallery, "can_plot", lambda: False)
    place = {"experiment": "table2", "delta": 0.1, "n_arms": 2, "agent": "T&S"}
    found = [
        place | {"figure": "stopping_time", "published": 313.0, "n1": 200.0, "verdict": "cannot"}
        | {"reason": "digits", "printed": 500.0, "printed_high": 520.0}
        | {"released": 300.0, "released_high": 310.0, "released_z": -1.26, "released_near": False},
        place | {"figure": "success", "published": 0.97, "n1": 0.0, "verdict": "differs"}
        | {"reason": "", "printed": 1.0, "printed_low": 0.99, "printed_high": 1.0}
        | {"released": 0.9, "released_low": 0.88, "released_high": 0.92}
        | {"released_z": -6.31, "released_near": True},
    ]  # fmt: skip
    evidence = place | {"figure": "stopping_time", "published": 313.0, "found": 311.4}
    evidence |= {"at": "Table 2's figure", "explained": True}
    other = evidence | {"figure": "success", "published": 0.97, "found": 0.955}
    share = other | {"agent": "BAIR", "found": 199.2, "explained": False}
    share["at"] = "rejections at most, of at least 200"
    return Reproduction(
        replace(TABLE2, note="Mind this."),
        results={},
        summaries={"printed": summary("printed", wrong=0.0), "released": summary("released")},
        found=pd.DataFrame(found),
        evidence={"digits": pd.DataFrame([evidence, other]), "arithmetic": pd.DataFrame([share])},
    )


def page_of(reproduction: Reproduction) -> str:
    return of_experiment(reproduction, {})


def test_a_table_has_its_title_its_note_and_every_figure_with_its_verdict(
    made_up: Reproduction,
) -> None:
    page = page_of(made_up)
    assert page.startswith(f"## {TABLE2.title}\n\nMind this.\n")
    times = rows_of(page.split("### Stopping time\n")[1].split("###")[0])
    successes = rows_of(page.split("### Probability of success\n")[1].split("###")[0])
    head = ["δ", "K", "agent", "paper", "printed", "released", "z", "near", "verdict"]
    assert times[0] == successes[0] == head
    place = ["0.1", "2", "T&S"]
    assert times[1:] == [[*place, "313", "500 ± 20", "300 ± 10", "-1.3", "no", "cannot: digits"]]
    assert successes[1:] == [
        [*place, ".970", "1.00 [.990, 1.00]", ".900 [.880, .920]", "-6.3", "yes", "differs"]
    ]


def test_a_time_that_is_mostly_n1_stands_without_it_as_well(made_up: Reproduction) -> None:
    title = "### Stopping time less N_1, where N_1 is at least half of it"
    head, row = rows_of(page_of(made_up).split(title)[1].split("###")[0])
    assert head == ["δ", "K", "agent", "N_1", "paper", "released", "z", "near"]
    assert row == ["0.1", "2", "T&S", "200", "113", "100 ± 10", "-1.3", "no"]
    without = made_up.found.assign(n1=0.0)
    assert title not in page_of(replace(made_up, found=without))


def test_wrong_answers_of_track_and_stop_stand_apart_from_runs_cut_off(
    made_up: Reproduction,
) -> None:
    section = page_of(made_up).split("### How Track-and-Stop fails")[1].split("###")[0]
    head, row = rows_of(section)
    assert head[3:] == [
        "printed: wrong",
        "printed: cut off",
        "released: wrong",
        "released: cut off",
    ]
    assert row == ["0.1", "2", ".030", ".000", ".080", ".020", ".080"]
    others = {name: one.assign(agent="UNI") for name, one in made_up.summaries.items()}
    assert "fails" not in page_of(replace(made_up, summaries=others))


def test_the_evidence_says_what_gave_which_figure(made_up: Reproduction) -> None:
    page = page_of(made_up)
    for key, (title, _) in REASONS.items():
        assert f"### Reason tested, {key}: {title}" in page
    _, time, success = rows_of(page.split("### Reason tested, digits")[1].split("###")[0])
    place = ["0.1", "2", "T&S"]
    assert time == [*place, "stopping time", "313", "311", "Table 2's figure", "yes"]
    assert success[3:] == ["probability of success", ".970", ".955", "Table 2's figure", "yes"]
    _, share = rows_of(page.split("### Reason tested, arithmetic")[1])
    assert share[3:] == [
        "probability of success",
        ".970",
        "199",
        "rejections at most, of at least 200",
        "no",
    ]


def test_what_is_drawn_and_not_published_is_a_table_without_verdicts(
    made_up: Reproduction,
) -> None:
    drawn = replace(TABLE2, title="Figure 1b", drawn=True, data=None)
    nothing = summary("released", rejection_rate=math.nan)
    page = page_of(Reproduction(drawn, {}, {"printed": summary("printed"), "released": nothing}))
    head, row = rows_of(page)
    assert head[3:] == [
        f"{figure}: {setting}"
        for figure in ("T", "rej. %", "success")
        for setting in ("printed", "released")
    ]
    assert row[3:5] == ["300 ± 10"] * 2
    assert row[5:7] == ["25.0 ± 1.0", "-"]
    assert row[7:] == [".900 [.880, .920]"] * 2
    judged = replace(made_up, experiment=drawn)  # a figure is not judged once more
    assert [rows_of(page_of(judged))[0], len(rows_of(page_of(judged)))] == [head, 2]
    table = replace(drawn, drawn=False)  # nothing is published of it
    assert rows_of(page_of(replace(judged, experiment=table, found=pd.DataFrame()))) == [
        *rows_of(page_of(judged))
    ]
    published = replace(drawn, data="table2_alpha1.csv")  # its figures are a table's
    assert "|" not in page_of(Reproduction(published, {}, {"printed": summary("printed")}))


def test_a_step_of_the_ladder_says_what_it_does_and_what_it_does_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gallery, "can_plot", lambda: False)
    alone = {"alone_stopping_time": 280.0, "alone_rejection_rate": 0.31, "alone_success": 0.7}
    steps = [
        summary("printed", step=0, point="the text", **alone),
        summary("printed", step=1, point="arm means", stopping_time=305.0, **alone),
    ]
    page = of_ladder(pd.concat(steps), {}, agents=("T&S",))
    rows = rows_of(page.split("in the paper's text.")[1])
    assert rows[0] == ["step", "T&S: T", "T&S: rej. %", "T&S: success"]
    assert rows[1] == [
        *("the text", "300 ± 10 (280)", "25.0 ± 1.0 (31.0)", ".900 [.880, .920] (.700)"),
    ]
    assert [row[0] for row in rows[1:]] == ["the text", "arm means"]


def test_a_picture_that_cannot_be_drawn_is_told_in_its_place() -> None:
    pytest.importorskip("matplotlib")
    pictures: dict[str, bytes] = {}

    def broken() -> Any:
        return 1 / 0

    assert shown(pictures, "Verdicts", "a.png", broken) == [
        "Verdicts: not drawn, ZeroDivisionError: division by zero"
    ]
    assert pictures == {}
