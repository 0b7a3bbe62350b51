"""Experiments under every setting: who runs, how often, and what follows."""

from dataclasses import replace
from typing import Any

from explorative_user_env.studies.paper import EXPERIMENTS, TABLE2, with_entrants
from explorative_user_env.studies.paper_report import reproduce

SMALL = with_entrants(replace(TABLE2, deltas=(0.1,), n_arms=(2,)), ["bair"])
DRAWN = replace(SMALL, name="figure1a", title="Figure 1a", drawn=True)
OTHER = replace(SMALL, name="figure1b", title="Figure 1b", drawn=True, gap=0.2, data=None)
OPTIONS: dict[str, Any] = {"n_instances": 20, "seed": 0, "workers": 1}


def test_experiments_that_run_the_same_share_their_runs() -> None:
    told: list[tuple[str, int, int]] = []
    table, figure, other = reproduce(
        [SMALL, DRAWN, OTHER],
        ["printed", "released"],
        progress=lambda *what: told.append(what),
        **OPTIONS,
    )
    assert figure.results is table.results
    assert other.results is not table.results
    assert [one.experiment for one in (table, figure, other)] == [SMALL, DRAWN, OTHER]
    (printed,), (released,) = (table.results[name] for name in ("printed", "released"))
    assert (printed.cell["setting"], released.cell["setting"]) == ("printed", "released")
    assert {what.split()[0] for what, _, _ in told} == {"table2", "figure1b"}
    shares = [done / total for _, done, total in told]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)


def test_what_is_drawn_has_no_verdicts_of_its_own_and_no_figures_mean_none() -> None:
    table, figure, other = reproduce(
        [SMALL, DRAWN, OTHER], ["released"], progress=lambda *what: None, **OPTIONS
    )
    assert len(table.found) == 3
    assert figure.found.empty
    assert other.found.empty
    assert "published_success" in figure.summaries["released"]
    assert "published_success" not in other.summaries["released"]


def test_runs_go_with_the_users_of_the_experiment_not_with_its_name() -> None:
    willing = replace(EXPERIMENTS["table5"], deltas=(0.1,), n_arms=(2,), entrants=SMALL.entrants)
    first, second = reproduce(
        [willing, SMALL], ["released"], progress=lambda *what: None, **OPTIONS
    )
    assert first.results["released"][0].cell["alpha"] == 2.0
    assert second.results["released"][0].cell["alpha"] == 1.0
