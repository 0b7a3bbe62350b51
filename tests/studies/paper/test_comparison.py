from typing import Any

import pytest

import explorative_user_env as eu
from explorative_user_env.results.results import all_runs
from explorative_user_env.results.tables import summary_page
from explorative_user_env.studies.paper import TABLE2, compared, published_figures


@pytest.fixture(scope="module")
def results() -> list[eu.Results]:
    options: dict[str, Any] = {
        "setting": "released",
        "n_arms": 2,
        "n_instances": 20,
        "progress": False,
    }
    return [eu.evaluate(["bair", "uni"], delta=delta, **options) for delta in (0.1, 0.3)]


def test_differences_are_ours_against_the_papers(results: list[eu.Results]) -> None:
    row = compared(results, published_figures(TABLE2)).iloc[0]
    assert row["published_stopping_time"] == 405
    assert row["stopping_time_difference"] == pytest.approx(row["stopping_time"] / 405 - 1)
    assert row["success_difference"] == pytest.approx(row["success"] - 0.999)
    assert row["rejection_rate_difference"] == pytest.approx(row["rejection_rate"] - 0.008)


def test_a_cell_the_paper_does_not_have_stays_empty(results: list[eu.Results]) -> None:
    summary = compared(results, published_figures(TABLE2))
    assert summary["published_success"].isna().tolist() == [False, False, True, True]
    assert "published_success" not in compared(results[1:], published_figures(TABLE2))


def test_runs_carry_their_cell(results: list[eu.Results]) -> None:
    runs = all_runs(results)
    assert len(runs) == 80
    assert set(runs["delta"]) == {0.1, 0.3}


def test_markdown_has_a_row_for_each_agent(results: list[eu.Results]) -> None:
    page = summary_page("Title", {"part": compared(results, None)}, ["a note"])
    assert page.startswith("# Title\n\n## part\n\n| δ | K | agent |")
    assert page.count("| BAIR |") == 2
    assert page.endswith("- a note\n")
