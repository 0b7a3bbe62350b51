import platform
from importlib import metadata
from typing import Any

import pytest

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, Uniform
from explorative_user_env.results import records as provenance
from explorative_user_env.users.population import DIFFERENCES
from explorative_user_env.validation import is_found

FEW: dict[str, Any] = {"n_instances": 2, "delta": 0.3, "progress": False, "setting": "released"}


def cells() -> list[Any]:
    line_up = [BAIR(n1=3), Uniform(horizon=5)]
    return [eu.evaluate(line_up, n_arms=arms, alpha=2.0, **FEW).cell for arms in (2, 4)]


def test_versions_are_those_of_what_the_numbers_depend_on() -> None:
    versions = provenance.versions_of()
    there = [name for name in ("gymnasium", "numba", "numpy") if is_found(name)]
    assert versions == {
        "explorative-user-env": eu.__version__,
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in there},
    }


def test_a_library_that_is_not_there_has_no_version() -> None:
    assert set(provenance.versions_of(["no-such-library"])) == {"explorative-user-env", "python"}


def test_details_say_each_setting_once_and_all_else_by_cell() -> None:
    made = cells()
    details = provenance.details_of(made)
    assert details["settings"] == {"released": {each.point: each.released for each in DIFFERENCES}}
    for said, cell in zip(details["cells"], made, strict=True):
        assert said | {name: cell[name] for name in ("versions", "differences")} == cell
        assert "versions" not in said


def test_the_closing_section_says_what_was_asked_and_what_the_runs_rest_on() -> None:
    asked = {"command": "bench", "options": {"n_arms": [2, 4], "seed": 7, "gap": None}}
    versions = {"versions": {"python": "3.12.0", "numpy": "2.0"}}
    page = provenance.closing_section(asked | versions | provenance.details_of(cells()))
    lines = page.splitlines()
    assert lines[:2] == ["## What made this", ""]
    assert lines[2] == "- `explorative-user bench`: n_arms=2 4, seed=7"
    assert lines[3] == "- python 3.12.0, numpy 2.0"
    assert lines[4].startswith("- released: differs from the paper's text in arm means; user at")
    assert lines[5].startswith("- users: setting=released, n_arms=2 / 4, alpha=2, gap=0.5, noise=0")
    assert "means=uniform, rho=smoothed_acceptance_rate" in lines[5]
    assert lines[6].startswith("- BAIR: delta=0.3, alpha=2")
    assert "n1=3" in lines[6]
    assert lines[6].endswith("max_steps=1000000")
    assert lines[7].startswith("- UNI: horizon=5, order=round robin, whole_passes=True")
    assert len(lines) == 8


def test_the_paper_s_text_differs_from_itself_in_nothing() -> None:
    made_by = {"command": "bench", "options": {}, "versions": {}, "settings": {"printed": {}}}
    text = "- printed: differs from the paper's text in nothing"
    assert text in provenance.closing_section(made_by).splitlines()


@pytest.mark.parametrize("task", ["bai", "regret"])
def test_a_cell_has_a_cap_where_runs_have_one(task: str) -> None:
    results = eu.evaluate([BAIR(n1=3)], task=task, n_instances=2, progress=False)
    assert ("max_steps" in results.cell) == (task == "bai")
