import math
from dataclasses import replace

import pytest

from explorative_user_env.studies.paper import (
    EXPERIMENTS,
    TABLE2,
    TABLE3,
    TABLE7,
    Experiment,
    published_figures,
    quick_form,
    with_entrants,
)

PRINTED_ROWS = {
    "table2": 20,
    "table3": 8,
    "table4": 8,
    "table5": 20,
    "table6": 15,
    "table7": 4,
}
"""Rows of the tables in the paper."""


@pytest.mark.parametrize("name", PRINTED_ROWS)
def test_every_cell_that_the_paper_prints_is_run_for_every_entrant(name: str) -> None:
    experiment = EXPERIMENTS[name]
    figures = published_figures(experiment)
    assert len(experiment.deltas) * len(experiment.n_arms) == PRINTED_ROWS[name]
    assert len(figures) == PRINTED_ROWS[name] * len(experiment.entrants)
    assert not figures[["published_stopping_time", "published_success"]].isna().any(axis=None)


def test_the_names_of_entrants_are_those_of_their_agents() -> None:
    for experiment in EXPERIMENTS.values():
        for entrant in experiment.entrants:
            assert entrant.make(0.1, 5, experiment.alpha).name == entrant.name


@pytest.mark.parametrize(
    ("name", "n1"),
    [
        ("N_1 of sqrt K", (math.sqrt(20) / 0.01) ** 1.25),
        ("N_1 of log K", (math.log(20) / 0.01) ** 1.25),
        ("N_1 = K", 20.0),
    ],
)
def test_the_choices_of_n1_are_table_7s(name: str, n1: float) -> None:
    (entrant,) = (entrant for entrant in TABLE7.entrants if entrant.name == name)
    params = entrant.make(0.01, 20, 0.8).params(20, None)
    assert params.n1 == pytest.approx(n1)


def test_the_forms_of_bair_m_differ_as_they_should() -> None:
    forms = {entrant.name: entrant.make(0.1, 20, 1.0) for entrant in TABLE3.entrants[:3]}
    options = {
        name: (form.options["m"], form.options["rejections"]) for name, form in forms.items()
    }
    assert options == {
        "BAIR(m) printed": ("paper", None),
        "BAIR(m) released": ("released", None),
        "BAIR(m) consecutive": ("paper", "consecutive"),
    }


def test_figure_1_has_the_cells_of_table_2() -> None:
    for name, gap in (("figure1a", 0.5), ("figure1b", 0.2)):
        figure = EXPERIMENTS[name]
        assert (figure.deltas, figure.n_arms, figure.gap) == (TABLE2.deltas, TABLE2.n_arms, gap)
        assert figure.drawn


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=list(EXPERIMENTS))
def test_the_quick_form_leaves_out_many_arms_and_nothing_else(experiment: Experiment) -> None:
    few = quick_form(experiment)
    assert few.n_arms
    assert max(few.n_arms) <= 20
    assert replace(few, n_arms=experiment.n_arms) == experiment


def test_entrants_are_chosen_by_name_and_stay_in_their_order() -> None:
    chosen = with_entrants(TABLE2, ["t&s", "BAIR"])
    assert [entrant.name for entrant in chosen.entrants] == ["BAIR", "T&S"]
    chosen = with_entrants(TABLE2, ["t&s"])
    assert [entrant.name for entrant in chosen.entrants] == ["T&S"]


def test_bair_is_there_for_those_who_are_to_have_its_time() -> None:
    chosen = with_entrants(TABLE2, ["exp3"])
    assert [entrant.name for entrant in chosen.entrants] == ["BAIR", "EXP3"]


def test_an_entrant_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="agent must be one of bair, exp3, t&s, uni, got 'sarsa'"):
        with_entrants(TABLE2, ["sarsa"])


def test_bair_is_always_there_to_share_its_phase_1() -> None:
    chosen = with_entrants(EXPERIMENTS["table4"], ["uni"])
    assert [entrant.name for entrant in chosen.entrants] == ["BAIR", "UNI"]
