"""Which plots a run has: those of each group of cells that differ in K and delta only."""

from pathlib import Path
from typing import Any

import pytest

import explorative_user_env as eu
from explorative_user_env.commands.results import drawings_of
from explorative_user_env.results.results import Results
from explorative_user_env.studies import suite as room
from explorative_user_env.validation import InvalidArgumentError

SMALL: dict[str, Any] = {"n_instances": 3, "baseline_time": 4, "progress": False}


def cell(n_arms: int = 3, delta: float = 0.1, **options: Any) -> Results:
    agents = options.pop("agents", ["UNI"])
    told = SMALL | {"n_arms": n_arms, "delta": delta} | options
    return eu.evaluate(agents, **told)


def names_of(*cells: Results) -> list[str]:
    request = {"command": "evaluate", "options": {}}
    found = drawings_of(request, Path(), cells)
    return [each.name for each in found if each.draw]


def test_cells_of_other_users_are_drawn_apart_and_called_by_what_they_differ_in() -> None:
    cells = [cell(n, setting=setting) for setting in ("printed", "released") for n in (2, 3)]
    assert names_of(*cells) == [
        f"{setting}-{figure}"
        for setting in ("printed", "released")
        for figure in ("stopping_time", "success", "rejection_rate")
    ]
    wide, narrow = cell(gap=2.0), cell(2)
    assert names_of(wide, narrow)[0] == "k-3-gap-2-success"


def test_another_line_up_with_the_same_users_is_drawn_apart_with_a_number() -> None:
    names = names_of(cell(), cell(agents=["EXP3"]))
    assert names[:1] + names[-1:] == ["1-success", "2-acceptances"]


def test_what_a_cell_cannot_have_is_named_with_the_reason() -> None:
    request = {"command": "evaluate", "options": {}}
    found = drawings_of(request, Path(), [cell()])
    reasons = {each.name: each.about for each in found if each.draw is None}
    assert list(reasons) == ["rounds", "phase1_rejections", "regret_by_user", "differences"]
    assert reasons["rounds"] == "of evaluations with check_theory=True"
    assert reasons["regret_by_user"] == "of the task population only"


def test_of_a_study_of_other_users_the_kinds_that_are_there_are_in_the_matrix() -> None:
    population = eu.Population(n_arms=3)
    users = room.varieties_named(["paper", "omniscient", "alpha=2"])
    there = [cell(behaviour="omniscient"), cell(agents=["UNI", "EXP3"])]
    matrix = room.kept_matrix(there, population, users)
    assert list(zip(matrix["user"], matrix["agent"], strict=True)) == [
        ("paper", "UNI"),
        ("paper", "EXP3"),
        ("omniscient", "UNI"),
    ]
    pytest.importorskip("matplotlib")
    axes = room.heat_map(matrix)
    assert len(axes.texts) == 3  # the field of who has not met her yet is empty
    with pytest.raises(InvalidArgumentError, match="kinds of which there are results"):
        room.kept_matrix(there, population, users[2:])
