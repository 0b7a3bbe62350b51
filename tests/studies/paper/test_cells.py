from dataclasses import replace
from typing import Any

import pytest

from explorative_user_env.display.progress import silent
from explorative_user_env.studies.paper import (
    EXPERIMENTS,
    TABLE2,
    published_figures,
    run_experiment,
    with_entrants,
)


def test_released_baselines_run_to_the_published_time_and_printed_ones_to_bairs() -> None:
    small = replace(TABLE2, deltas=(0.1,), n_arms=(2,))
    options: dict[str, Any] = {"n_instances": 5, "progress": silent}
    (released,) = run_experiment(small, "released", **options)
    exp3 = released.runs[released.runs["agent"] == "EXP3"]
    assert set(exp3["stopping_time"]) == {405}
    (printed,) = run_experiment(small, "printed", **options)
    mean = printed.runs.groupby("agent")["stopping_time"].mean()
    assert mean["EXP3"] == round(mean["BAIR"])


def test_where_no_bair_is_called_so_the_first_of_the_line_up_gives_the_time() -> None:
    small = replace(EXPERIMENTS["table3"], deltas=(0.1,), n_arms=(2,))
    (cell,) = run_experiment(small, "printed", n_instances=4, compiled=False, progress=silent)
    mean = cell.runs.groupby("agent")["stopping_time"].mean()
    assert "BAIR" not in mean
    assert mean["EXP3"] == round(mean["BAIR(m) printed"])


def test_after_a_shared_phase_1_baselines_run_to_the_published_time_where_there_is_one() -> None:
    table4 = replace(EXPERIMENTS["table4"], deltas=(0.02,), n_arms=(2,))
    (cell,) = run_experiment(table4, "released", n_instances=4, compiled=False, progress=silent)
    published = published_figures(table4).set_index(["delta", "n_arms", "agent"])
    time = published.loc[(0.02, 2, "BAIR"), "published_stopping_time"]
    assert set(cell.runs.query("agent == 'EXP3'")["stopping_time"]) == {time}


def runs_of_exp3(setting: str) -> Any:
    alone = with_entrants(replace(TABLE2, deltas=(0.1,), n_arms=(2,)), ["exp3"])
    (cell,) = run_experiment(alone, setting, n_instances=3, progress=silent)
    return cell.runs[cell.runs["agent"] == "EXP3"], cell.runs[cell.runs["agent"] == "BAIR"]


def test_exp3_without_the_others_still_runs_to_the_published_time_of_bair() -> None:
    runs, _ = runs_of_exp3("released")
    assert set(runs["stopping_time"]) == {405}


def test_exp3_without_the_others_still_runs_to_bairs_mean_time_where_none_is_published() -> None:
    runs, bairs = runs_of_exp3("printed")
    assert set(runs["stopping_time"]) == {round(bairs["stopping_time"].mean())}


def test_bairs_phase_2_can_be_had_without_the_others() -> None:
    alone = with_entrants(replace(EXPERIMENTS["table4"], deltas=(0.02,), n_arms=(2,)), ["bair"])
    (cell,) = run_experiment(alone, "released", n_instances=3, progress=silent)
    assert set(cell.runs["agent"]) == {"BAIR"}
    assert cell.runs["stopping_time"].max() < 1000


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("table3", {"alpha": 1.0, "gap": 0.5, "noise": 0.1}),
        ("table6", {"alpha": 0.8, "gap": 0.5, "noise": 0.0}),
        ("figure1b", {"alpha": 1.0, "gap": 0.2, "noise": 0.0}),
    ],
)
def test_an_experiment_meets_its_own_users_with_its_own_delta(
    name: str, told: dict[str, float]
) -> None:
    experiment = EXPERIMENTS[name]
    alone = with_entrants(
        replace(experiment, deltas=(0.05,), n_arms=(2,)), [experiment.entrants[0].name]
    )
    (cell,) = run_experiment(
        alone, "released", n_instances=2, seed=7, compiled=False, progress=silent
    )
    words = {"setting": "released", "n_arms": 2, "delta": 0.05, "seed": 7, **told}
    assert {word: cell.cell[word] for word in words} == words
    assert len(cell.runs) == 2
