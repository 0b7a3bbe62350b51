import re
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from explorative_user_env.display.progress import silent
from explorative_user_env.display.tables import markdown
from explorative_user_env.settings import DIFFERENCES
from explorative_user_env.studies.paper import ladder as ladder_module
from explorative_user_env.studies.paper import run_ladder
from explorative_user_env.studies.paper.reproduction import Reproduction
from explorative_user_env.studies.paper.verdicts import verdicts
from explorative_user_env.studies.report import as_html, glance, report, sections
from explorative_user_env.studies.report import page as page_module
from explorative_user_env.studies.report.page import how_to_read

pytestmark = pytest.mark.slow

TITLES = {"table2": "Table 2", "table6": "Table 6"}


@pytest.fixture(scope="module")
def ladder() -> pd.DataFrame:
    """The first of the differences: each of them would be compiled."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ladder_module, "DIFFERENCES", DIFFERENCES[:4])
        options: dict[str, Any] = {"n_instances": 10, "n_arms": 2, "progress": silent}
        return run_ladder(agents=["bair", "tas"], **options)


@pytest.fixture(scope="module")
def page(table2: Reproduction, ladder: pd.DataFrame) -> str:
    return report([table2], ladder, "300 users a cell")


def test_the_glance_counts_what_agrees(found: pd.DataFrame) -> None:
    lines = markdown(glance(found, TITLES)).splitlines()
    assert lines[0] == (
        "| experiment | agent | stopping time | rejection rate | probability of success |"
    )
    assert lines[2] == "| Table 2 | BAIR | 1 of 2 |  | 1 of 1 |"
    assert lines[3] == "| Table 6 | T&S |  |  | 0 of 1 |"
    more = pd.concat([found, found.assign(agent="UNI")]).sort_values("experiment", kind="stable")
    named = [line.split("|")[1].strip() for line in markdown(glance(more, TITLES)).splitlines()[2:]]
    assert named == ["Table 2", "", "Table 6", ""]


def test_the_report_says_how_many_users_it_rests_on_and_how_to_read_it(page: str) -> None:
    assert page.startswith("# The paper's experiments, run again\n\n300 users a cell\n")
    assert how_to_read() in page
    assert "stopping time within 4%" in page
    assert ".005, .020 for T&S, .050 for UNI, .060 for EXP3" in page


def test_the_text_alone_is_judged_as_the_text_and_says_so(table2: Reproduction) -> None:
    summaries = {"printed": table2.summaries["printed"]}
    found = verdicts(table2.experiment, summaries)
    alone = report([replace(table2, summaries=summaries, found=found, evidence={})], None, "how")
    assert "judged under `printed`" in alone
    assert how_to_read("printed") in alone
    assert "printed | verdict" in alone
    assert "released" not in alone.split("## Table 2")[1]


def test_every_published_cell_has_a_row_with_all_figures_and_verdicts(
    page: str, table2: Reproduction
) -> None:
    (row,) = re.findall(r"^\| 0\.005 \| 2 \| BAIR \| 512 \|.*$", page, flags=re.MULTILINE)
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert len(cells) == 3 + 3 * 4
    own = table2.summaries["released"].set_index(["delta", "agent"]).loc[(0.005, "BAIR")]
    half = own["stopping_time_high"] - own["stopping_time"]
    assert cells[5] == f"{own['stopping_time']:.0f} ± {half:.0f}"
    assert cells[6] == "agrees"
    assert cells[11] == "1.00"  # success, as published


def test_what_cannot_be_had_names_its_reason_and_the_evidence_is_there(page: str) -> None:
    assert "| cannot: b |" in page
    assert "### Test of reason b: UNI and EXP3 look run to another T" in page
    assert "- **unexplained** (0 figures)" in page


def test_the_differences_stand_with_what_each_does(page: str) -> None:
    assert "| arm means | N(0, 1) | Uniform(0, 1) |" in page
    assert re.search(r"^\| user at the start \| \d+ ± \d+ \(\d+\) \|", page, flags=re.MULTILINE)


def test_the_pictures_are_inside(page: str) -> None:
    pytest.importorskip("matplotlib")
    pictures = re.findall(r"!\[[^\]]+\]\((data:image/png;base64,[A-Za-z0-9+/=]+)\)", page)
    assert len(pictures) == 2
    html = as_html(page)
    assert all(picture in html for picture in pictures)
    assert "http" not in re.sub(r"data:image/png;base64,[^\"]*", "", html)


def test_the_html_has_the_same_tables_with_verdicts_in_colour(page: str) -> None:
    html = as_html(page)
    # The tables of Markdown have a header and a ruler beside their rows.
    n_rows = sum(line.startswith("|") and "---" not in line for line in page.splitlines())
    assert html.count("<tr>") == n_rows
    assert re.search(r'<td[^>]* class="agrees">agrees</td>', html)
    assert re.search(r'<td[^>]* class="cannot">cannot: b</td>', html)
    assert "<title>The paper's experiments, run again</title>" in html
    for verdict in ("agrees", "cannot", "differs"):
        assert f"td.{verdict} {{ background" in html


def test_without_matplotlib_the_tables_are_all_there(
    table2: Reproduction, ladder: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (page_module, sections):
        monkeypatch.setattr(module, "can_plot", lambda: False)
    drawn = replace(table2.experiment, title="Figure 1a", drawn=True)
    figure = replace(table2, experiment=drawn, found=pd.DataFrame())
    plain = report([table2, figure], ladder, "300 users a cell")
    assert "data:image" not in plain
    assert "| 0.005 | 2 | BAIR | 512 |" in plain
    assert "## Figure 1a" in plain
    assert "| arm means | " in plain
