"""What the report says of its verdicts and of the reasons for them."""

import pandas as pd

from explorative_user_env.studies.paper_report import of_reasons
from explorative_user_env.studies.paper_verdicts import IN_VAIN, REASONS

TITLES = {"table2": "Table 2", "table6": "Table 6"}


def test_reasons_that_were_tested_are_listed_with_how_many_figures_each_explains(
    found: pd.DataFrame,
) -> None:
    tested = pd.DataFrame({"explained": [True, False, False]})
    lines = of_reasons(found, [{"a": tested}, {"a": tested, "b": tested}], TITLES).splitlines()
    titles = {reason.key: reason.title for reason in REASONS}
    assert lines[0].startswith(f"- **a. {titles['a']}** (1 of 6 figures tested).")
    assert lines[1].startswith(f"- **b. {titles['b']}** (0 of 3 figures tested).")
    assert lines[2].startswith("- **unexplained** (1 figures)")


def test_what_was_tried_in_vain_stands_where_something_is_unexplained(found: pd.DataFrame) -> None:
    # Of the two tables one figure of the first differs.
    lines = of_reasons(found, [], TITLES).splitlines()
    assert lines[-1] == f"- Table 2, {IN_VAIN['table2']}."
    assert sum(line.startswith("- Table") for line in lines) == 1
    agreeing = of_reasons(found.assign(verdict="agrees"), [], TITLES)
    assert "in vain" not in agreeing


def test_a_reason_that_was_not_tested_is_not_listed(found: pd.DataFrame) -> None:
    assert not any(f"**{reason.key}." in of_reasons(found, [], TITLES) for reason in REASONS)
