import pytest

from explorative_user_env.studies.paper import EXPERIMENTS
from explorative_user_env.studies.paper_report import n1_if_most


@pytest.mark.parametrize(
    ("name", "agent", "setting", "n1"),
    [
        ("table2", "BAIR", "printed", 2 * 20 / 0.01),
        ("table2", "BAIR", "released", 2 * 19 / 0.01),
        ("table6", "BAIR", "released", (2 * 19 / 0.01) ** 1.25),
        ("table7", "N_1 of sqrt K", "released", (20**0.5 / 0.01) ** 1.25),
        ("table7", "N_1 = K", "released", 20.0),
        ("table3", "BAIR(m) printed", "released", 2 * 19 / 0.01),
        ("table2", "T&S", "released", 0.0),
        ("table4", "BAIR", "released", 0.0),  # whose Phase 1 is not counted
    ],
)
def test_n1_is_what_the_entrant_has_in_the_cell(
    name: str, agent: str, setting: str, n1: float
) -> None:
    row = {"delta": 0.01, "n_arms": 20, "agent": agent}
    entrants = {each.name: each for each in EXPERIMENTS[name].entrants}
    assert n1_if_most(EXPERIMENTS[name], setting, entrants, row, 1.0) == pytest.approx(n1)


@pytest.mark.parametrize(("published", "n1"), [(7600.0, 3800.0), (7601.0, 0.0)])
def test_it_counts_where_it_is_half_of_the_time_or_more(published: float, n1: float) -> None:
    table2, row = EXPERIMENTS["table2"], {"delta": 0.01, "n_arms": 20, "agent": "BAIR"}
    entrants = {"BAIR": table2.entrants[0]}
    assert n1_if_most(table2, "released", entrants, row, published) == n1
