"""The list of reasons in the report."""

import pandas as pd

from explorative_user_env.studies.paper_report import REASONS, of_reasons


def test_reasons_that_were_tested_are_listed_with_how_many_figures_each_explains(
    found: pd.DataFrame,
) -> None:
    tested = pd.DataFrame({"explained": [True, False, False]})
    evidence = [{"arithmetic": tested}, {"arithmetic": tested, "digits": tested}]
    lines = of_reasons(found, evidence).splitlines()
    titles = {key: title for key, (title, _) in REASONS.items()}
    assert lines[0].startswith(f"- **arithmetic: {titles['arithmetic']}** (1 of 6 figures tested).")
    assert lines[1].startswith(f"- **digits: {titles['digits']}** (0 of 3 figures tested).")
    assert lines[2] == "- **none** (1 figures): they *differ*."


def test_a_reason_that_was_not_tested_is_not_listed(found: pd.DataFrame) -> None:
    assert not any(f"**{key}" in of_reasons(found, []) for key in REASONS)
