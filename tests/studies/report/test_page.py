import re
from base64 import b64decode
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from explorative_user_env.display.progress import silent
from explorative_user_env.display.tables import markdown
from explorative_user_env.display.text import share
from explorative_user_env.studies import paper as ladder_module
from explorative_user_env.studies import paper_report as gallery
from explorative_user_env.studies.paper import run_ladder, z_of
from explorative_user_env.studies.paper_report import (
    HOW_TO_READ,
    Calibration,
    Pictures,
    Reproduction,
    as_html,
    calibration_of,
    glance,
    report,
    verdicts,
)
from explorative_user_env.users.population import DIFFERENCES

pytestmark = pytest.mark.slow

NAMES = ("Stopping time", "Rejection rate", "Probability of success")


@pytest.fixture(scope="module")
def ladder() -> pd.DataFrame:
    """The first of the differences: each of them would be compiled."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ladder_module, "DIFFERENCES", DIFFERENCES[:4])
        options: dict[str, Any] = {"n_instances": 10, "n_arms": 2, "progress": silent}
        return run_ladder(agents=["bair", "tas"], **options)


@pytest.fixture(scope="module")
def calibration(table2: Reproduction) -> Calibration:
    found = calibration_of([table2], 0, progress=silent)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def whole(
    table2: Reproduction, ladder: pd.DataFrame, calibration: Calibration
) -> tuple[str, Pictures]:
    return report([table2], ladder, "300 users a cell", calibration)


@pytest.fixture(scope="module")
def page(whole: tuple[str, Pictures]) -> str:
    return whole[0]


def test_the_glance_counts_what_agrees(found: pd.DataFrame) -> None:
    lines = markdown(glance(found)).splitlines()
    assert lines[0] == (
        "| experiment | agent | stopping time | rejection rate | probability of success |"
    )
    assert lines[2] == "| Table 2 | BAIR | 1 of 2 |  | 1 of 1 |"
    assert lines[3] == "| Table 6 | T&S |  |  | 0 of 1 |"
    more = pd.concat([found, found.assign(agent="UNI")]).sort_values("experiment", kind="stable")
    named = [line.split("|")[1].strip() for line in markdown(glance(more)).splitlines()[2:]]
    assert named == ["Table 2", "", "Table 6", ""]


def test_the_spread_of_each_count_stands_in_brackets(
    table2: Reproduction, calibration: Calibration
) -> None:
    lines = markdown(glance(table2.found, calibration)).splitlines()
    spread = calibration.spread(["experiment", "agent", "figure"])
    low, high = spread[("table2", "BAIR", "stopping_time")]
    assert f"| Table 2 | BAIR | 2 of 2 ({low}-{high}) |" in lines[2]


def test_the_report_says_how_many_users_it_rests_on_and_how_to_read_it(page: str) -> None:
    assert page.startswith("# The paper's experiments, run again\n\n300 users a cell\n")
    assert HOW_TO_READ.format(setting="released") in page
    assert "*agrees* if z is within 3 of 0" in page
    assert "stopping time within 4%, less N_1 where N_1 is half of it" in page
    assert "rejection rate within 5% or 0.2 points; success within .020" in page


def test_the_text_alone_is_judged_as_the_text_and_says_so(table2: Reproduction) -> None:
    summaries = {"printed": table2.summaries["printed"]}
    found = verdicts(table2.experiment, summaries)
    one = replace(table2, summaries=summaries, found=found, evidence={})
    alone = report([one], None, "how")[0]
    assert "judged once, under `printed`" in alone
    assert HOW_TO_READ.format(setting="printed") in alone
    assert "| paper | printed | z | near | verdict |" in alone
    assert "released" not in alone.split("## Table 2")[1]
    assert "How far to trust" not in alone


def test_every_published_figure_has_a_row_with_its_verdict(page: str, table2: Reproduction) -> None:
    section = page.split("## Table 2")[1]
    times, _, successes = (section.split(f"### {name}")[1].split("###")[0] for name in NAMES)
    (row,) = re.findall(r"^\| 0\.005 \| 2 \| BAIR \|.*$", times, flags=re.MULTILINE)
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    own = table2.summaries["released"].set_index(["delta", "agent"]).loc[(0.005, "BAIR")]
    half = own["stopping_time_high"] - own["stopping_time"]
    z = z_of("stopping_time", own, 512.0, 300)
    assert cells[3] == "512"
    assert cells[5:7] == [f"{own['stopping_time']:.0f} ± {half:.0f}", f"{z:.1f}"]
    assert cells[8] == "agrees"
    assert "| 0.005 | 2 | BAIR | 1.00 |" in successes  # as published


def test_the_report_counts_what_differs(page: str, table2: Reproduction) -> None:
    differing = int(table2.found["verdict"].eq("differs").sum())
    assert f"- **none** ({differing} figures): they *differ*." in page


def test_the_differences_stand_with_what_each_does(page: str) -> None:
    assert "| arm means | N(0, 1) | Uniform(0, 1) |" in page
    assert re.search(r"^\| user at the start \| \d+ ± \d+ \(\d+\) \|", page, flags=re.MULTILINE)


def test_the_pictures_are_files_beside_the_page_and_inside_the_html(
    whole: tuple[str, Pictures],
) -> None:
    pytest.importorskip("matplotlib")
    page, pictures = whole
    shown = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page)
    assert shown == ["verdicts.svg", "ladder.svg"] == list(pictures)
    assert all(b"<svg" in picture for picture in pictures.values())
    assert "data:" not in page
    html = as_html(page + "## At the end\n", pictures)
    sources = re.findall(r'<img src="data:image/svg\+xml;base64,([^"]+)"', html)
    assert [b64decode(source) for source in sources] == list(pictures.values())
    assert "http" not in re.sub(r"base64,[^\"]*", "", html)
    assert "<h2>At the end</h2>" in html


def test_the_html_has_the_same_tables_with_verdicts_in_colour(whole: tuple[str, Pictures]) -> None:
    page, html = whole[0], as_html(*whole)
    # The tables of Markdown have a header and a ruler beside their rows.
    n_rows = sum(line.startswith("|") and "---" not in line for line in page.splitlines())
    assert html.count("<tr>") == n_rows
    assert re.search(r'<td[^>]* class="agrees">agrees</td>', html)
    assert re.search(r'<td[^>]* class="differs">differs</td>', html)
    assert "<title>The paper's experiments, run again</title>" in html
    for verdict in ("agrees", "cannot", "differs"):
        assert f"td.{verdict} {{ background" in html


def test_without_matplotlib_the_tables_are_all_there(
    table2: Reproduction, ladder: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gallery, "can_plot", lambda: False)
    drawn = replace(table2.experiment, title="Figure 1a", drawn=True)
    figure = replace(table2, experiment=drawn, found=pd.DataFrame())
    plain, pictures = report([table2, figure], ladder, "300 users a cell")
    assert pictures == {}
    assert "![" not in plain
    assert "| 0.005 | 2 | BAIR | 512 |" in plain
    assert "## Figure 1a" in plain
    assert "| arm means | " in plain


def test_the_verdicts_say_how_far_they_can_be_trusted(page: str, calibration: Calibration) -> None:
    section = page.split("## How far to trust the verdicts")[1].split("## Reasons")[0]
    alarms = calibration.false_alarms.sum(axis=0)
    assert f"{calibration.expected:.1f} of the 10 would differ by chance" in section
    assert f"in the simulation {alarms.mean():.1f} did" in section
    judged = calibration.figures
    place = (judged["agent"].eq("BAIR") & judged["figure"].eq("stopping_time")).to_numpy()
    shares = [share(float(one[place].mean())) for one in calibration.found]
    assert f"| stopping time | BAIR | {' | '.join(shares)} |" in section
