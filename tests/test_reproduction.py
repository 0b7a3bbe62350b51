"""The committed report is what the code finds, says so, and the tutorial repeats it."""

import re
from pathlib import Path
from typing import Any

import pytest
from reported import FOLDER, REPORT, rows_of, verdict_rows

from explorative_user_env.display.progress import silent
from explorative_user_env.results.tables import PUBLISHED
from explorative_user_env.studies.paper import (
    EXPERIMENTS,
    SHORT_TITLES,
    published_figures,
    quick_form,
    run_ladder,
    with_entrants,
)
from explorative_user_env.studies.paper_report import (
    NAMES,
    REASONS,
    is_given,
    number,
    of_experiment,
    of_ladder,
    reproduce,
)
from explorative_user_env.users.population import DIFFERENCES

ROOT = Path(__file__).parents[1]
TUTORIAL = (ROOT / "docs" / "tutorials" / "reproduce_the_paper.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
TUNING = (ROOT / "docs" / "how_to" / "tune_n1.md").read_text(encoding="utf-8")
ROWS = verdict_rows()
JUDGED = [row for row in ROWS if row["verdict"]]


def test_the_report_has_every_published_figure_that_is_a_finding() -> None:
    shown = [(row["experiment"], row["δ"], row["K"], row["agent"], row["figure"]) for row in ROWS]
    expected = []
    for name, experiment in EXPERIMENTS.items():
        if experiment.drawn or experiment.data is None:
            continue
        for row in published_figures(experiment).to_dict("records"):
            for figure, beside in PUBLISHED.items():
                if row[beside] == row[beside] and not is_given(row["agent"], figure):
                    place = (f"{row['delta']:g}", str(row["n_arms"]), row["agent"], figure)
                    expected.append((name, *place))
    assert sorted(shown) == sorted(expected)
    assert "1000 users a cell, seed 0; settings: printed, released." in REPORT


def test_each_published_figure_is_judged_once_and_the_pages_say_how_many() -> None:
    assert len(JUDGED) == 738
    assert "738 published figures" in " ".join(README.split())
    assert "Of 738 figures of the same law two would differ by chance" in " ".join(TUTORIAL.split())


def test_every_verdict_follows_from_z_and_a_reason() -> None:
    for row in JUDGED:
        z = abs(float(row["z"]))
        assert (row["verdict"] == "agrees") == (z <= 3.0) or z == 3.0, row
        assert row["verdict"] in ("agrees", "differs", *(f"cannot: {key}" for key in REASONS))


def test_the_tutorials_grid_is_the_reports_and_counts_its_verdicts() -> None:
    shown = TUTORIAL.split("<!-- grid -->")[1].split("<!-- /grid -->")[0].strip()
    assert shown in REPORT, "copy the grid from examples/reproduction/report.md"
    n_counted, title = 0, ""
    for line in rows_of(shown):
        title = line["experiment"] or title
        for figure, heading in NAMES.items():
            own = [
                row["verdict"]
                for row in JUDGED
                if (SHORT_TITLES[row["experiment"]], row["agent"], row["figure"])
                == (title, line["agent"], figure)
            ]
            if not own:
                assert line[heading] == ""
                continue
            n_counted += len(own)
            counts = re.fullmatch(r"(\d+) of (\d+) \((\d+)-(\d+)\)", line[heading])
            assert counts is not None
            agreeing, cells, low, high = map(int, counts.groups())
            assert (agreeing, cells) == (own.count("agrees"), len(own))
            # Drawing users again adds an error, by which a count falls rather than rises.
            assert 0 <= low <= high <= cells
            assert low <= agreeing <= high + 2
    assert n_counted == len(JUDGED)


def test_the_report_says_what_made_it_and_two_of_its_pictures_are_beside_it() -> None:
    assert "## What made this\n\n- `explorative-user " in REPORT
    assert "data:" not in REPORT
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", REPORT)
    assert sorted(pictures) == sorted(path.name for path in FOLDER.glob("*.svg"))
    assert len(pictures) == 2
    assert {path.suffix for path in FOLDER.iterdir()} == {".md", ".svg"}


def test_verdicts_are_as_reliable_as_the_report_says() -> None:
    said = re.search(r"(\d+\.\d) of the (\d+) would differ .* simulation (\d+\.\d) did", REPORT)
    assert said is not None
    expected, judged, found = float(said[1]), int(said[2]), float(said[3])
    assert judged == len(JUDGED)
    assert expected == pytest.approx(0.0027 * judged, abs=0.06)
    assert found <= 2 * expected


@pytest.mark.parametrize(
    ("name", "agent", "figure", "least", "of"),
    [
        ("table2", "BAIR", "stopping_time", 14, 20),
        ("table2", "UNI", "success", 15, 20),
        ("table2", "EXP3", "success", 16, 20),
        ("table5", "BAIR", "stopping_time", 13, 20),
        ("table6", "BAIR", "stopping_time", 11, 15),
        ("table7", "N_1 full", "success", 2, 2),
    ],
)
def test_the_released_code_gives_the_published_figures(
    name: str, agent: str, figure: str, least: int, of: int
) -> None:
    place = (name, agent, figure)
    own = [row for row in JUDGED if (row["experiment"], row["agent"], row["figure"]) == place]
    assert len(own) == of
    assert sum(row["verdict"] == "agrees" for row in own) >= least


def test_consecutive_rejections_find_the_best_arm_of_users_with_click_noise() -> None:
    own = [row for row in ROWS if row["agent"] == "BAIR(m) consecutive"]
    said = re.search(
        r"at most (\S+)% above the\s+published ones \((\S+)% under `printed`\)", TUTORIAL
    )
    assert said is not None
    for setting, most in zip(("released", "printed"), said.groups(), strict=True):
        successes = [row[setting].split()[0] for row in own if row["figure"] == "success"]
        assert len(successes) == 8
        assert min(map(float, successes)) >= 0.99
        longer = [
            float(row[setting].split()[0]) / float(row["paper"]) - 1
            for row in own
            if row["figure"] == "stopping_time"
        ]
        assert 100 * max(longer) == pytest.approx(float(most), abs=0.3)  # both times are rounded


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "agents"),
    [
        ("table3", ["BAIR(m) printed", "BAIR(m) consecutive"]),
        ("table4", ["BAIR"]),
        ("table6", ["BAIR"]),
        ("table7", ["N_1 full", "N_1 = K"]),
    ],
)
def test_the_code_finds_the_reports_figures(name: str, agents: list[str]) -> None:
    # Table 2's are checked in test_paper.py, where they are at hand.
    experiment = quick_form(with_entrants(EXPERIMENTS[name], agents))
    options: dict[str, Any] = {"n_instances": 1000, "seed": 0, "workers": 2, "progress": silent}
    (found,) = reproduce([experiment], ["released"], **options)
    section = REPORT.split(f"## {experiment.title}\n")[1].split("\n## ")[0]
    n_checked = 0
    for title in ("Stopping time", "Rejection rate", "Probability of success"):
        page = of_experiment(found, {})
        if f"### {title}\n" not in page:
            continue
        whole = rows_of(section.split(f"### {title}\n")[1].split("\n### ")[0])
        for row in rows_of(page.split(f"### {title}\n")[1].split("\n### ")[0]):
            assert any(row.items() <= other.items() for other in whole), row
            n_checked += 1
    assert n_checked >= len(experiment.deltas) * len(experiment.n_arms) * len(agents)


@pytest.mark.slow
def test_the_code_finds_the_reports_ladder_for_bair() -> None:
    options: dict[str, Any] = {"n_instances": 1000, "seed": 0, "workers": 2, "progress": silent}
    page = of_ladder(run_ladder(agents=["bair"], **options), {}, agents=["BAIR"])
    shown = rows_of(REPORT.split("in the paper's text.")[1])
    found = rows_of(page.split("in the paper's text.")[1])
    assert [row["step"] for row in found][1:] == [one.point for one in DIFFERENCES]
    assert len(found) == len(shown)
    for row, other in zip(found, shown, strict=True):
        assert row.items() <= other.items()


def test_the_figures_of_the_report_are_written_as_its_maker_writes_them() -> None:
    (row,) = (
        row
        for row in published_figures(EXPERIMENTS["table2"]).to_dict("records")
        if (row["delta"], row["n_arms"], row["agent"]) == (0.1, 2, "BAIR")
    )
    for figure, beside in PUBLISHED.items():
        (shown,) = (
            one["paper"]
            for one in ROWS
            if (one["experiment"], one["δ"], one["K"], one["agent"], one["figure"])
            == ("table2", "0.1", "2", "BAIR", figure)
        )
        assert shown == number(figure, row[beside])


def test_the_how_to_says_of_tune_n1_what_its_page_measured() -> None:
    how_to = " ".join(TUNING.split())
    page = (ROOT / "examples" / "tune_n1.md").read_text(encoding="utf-8")
    found = re.search(
        r"it finds N_1 = (\d+) in place of (\d+), and BAIR stops after (\S+) of", how_to
    )
    assert found is not None
    n1, papers, ratio = found.groups()
    assert f"- Found N_1 = {n1}, success at least 0.995" in page
    measured = re.search(rf", (0\.\d+) of the \d+ ± \d+ of the paper's N_1 = {papers}\.", page)
    assert measured is not None
    assert float(measured[1]) == pytest.approx(float(ratio), abs=0.005)
