"""The tests of reasons: each is tried where it holds and where it does not."""

import math
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from explorative_user_env.agents import TrackAndStop
from explorative_user_env.display.progress import silent
from explorative_user_env.evaluation import evaluate
from explorative_user_env.studies.paper import EXPERIMENTS
from explorative_user_env.studies.paper import reason_tests as module
from explorative_user_env.studies.paper.reason_tests import longer, one_pass, rejections
from explorative_user_env.studies.paper.reasons import REASONS

OPTIONS: dict[str, Any] = {
    "setting": "released",
    "n_instances": 300,
    "seed": 0,
    "workers": 1,
    "progress": silent,
}

BY_KEY = {reason.key: reason for reason in REASONS}


def explained_by(key: str, name: str, *rows: dict[str, Any]) -> list[bool]:
    """Return whether the reason explains each of `rows`."""
    experiment = EXPERIMENTS[name]
    full = [{"experiment": name, "index": place, **row} for place, row in enumerate(rows)]
    assert all(BY_KEY[key].concerns(row) for row in full)
    found = BY_KEY[key].test(experiment, full, OPTIONS)
    assert found["index"].tolist() == list(range(len(rows)))
    return list(found["explained"])


def cell(delta: float, n_arms: int, agent: str, figure: str, published: float) -> dict[str, Any]:
    place = {"delta": delta, "n_arms": n_arms, "agent": agent}
    return {**place, "figure": figure, "published": published}


def test_table_4s_time_of_bair_is_table_2s_less_an_arithmetic_phase_1() -> None:
    rows = [
        cell(0.02, 5, "BAIR", "stopping_time", 479.0),  # 879 - 400
        cell(0.02, 2, "BAIR", "stopping_time", 372.0),  # 422 - 100 would be 322
        cell(0.02, 5, "BAIR", "rejection_rate", 0.012),  # as in Table 2
        cell(0.01, 20, "T&S", "stopping_time", 3223.0),  # as in Table 2
        cell(0.01, 5, "T&S", "stopping_time", 413.0),
    ]
    assert explained_by("d", "table4", *rows) == [True, False, True, True, False]


def test_delta_cannot_act_where_n1_is_short() -> None:
    rows = [
        cell(0.005, 100, "BAIR", "stopping_time", 25537.0),  # N_1 is 199
        cell(0.005, 2, "BAIR", "stopping_time", 100.0),  # N_1 is 20: a fifth of this
    ]
    assert explained_by("f", "table5", *rows) == [True, False]


@pytest.mark.slow
def test_another_horizon_has_to_give_all_figures_of_the_cell_at_once() -> None:
    row = cell(0.005, 2, "UNI", "success", 0.992) | {"horizon": 510}
    assert explained_by("b", "table2", row) == [True]
    # The success alone could be had by a longer T in this cell too, its 33.7 % rejected not.
    other = cell(0.1, 5, "EXP3", "success", 0.549) | {"horizon": 50}
    assert explained_by("b", "table2", other) == [False]


@pytest.mark.slow
def test_m_has_to_give_all_figures_of_the_cell_at_once() -> None:
    rows = [
        cell(0.1, 2, "BAIR(m) printed", "success", 0.994),
        cell(0.05, 2, "BAIR(m) printed", "success", 1.0),
    ]
    found = BY_KEY["c"].test(
        replace(EXPERIMENTS["table3"], n_arms=(2,)),
        [{"experiment": "table3", "index": place, **row} for place, row in enumerate(rows)],
        OPTIONS,
    )
    assert found["at"].str.startswith("m = ").all()
    assert found["at"].str.removeprefix("m = ").astype(int).min() >= 10  # 6 and 7 are printed
    assert found["explained"].tolist()[1]


def test_one_pass_over_the_arms_gives_the_published_figures_of_n1_equal_to_k() -> None:
    row = cell(0.01, 20, "N_1 = K", "success", 0.987)
    assert explained_by("e", "table7", row) == [True]


def test_the_alternatives_are_what_their_names_say() -> None:
    times = {other.what: other.horizon for other in longer({"agent": "EXP3", "horizon": 30})}
    assert list(times) == [f"T = {time}" for time in times.values()]
    assert (times["T = 21"], times["T = 180"]) == (21, 180)  # .7 and six times as long
    assert {other.agent.name for other in longer({"agent": "EXP3", "horizon": 30})} == {"EXP3"}

    forms = rejections({})
    assert [other.what for other in forms][:2] == ["m = 5", "m = 10"]
    assert all(other.what == f"m = {other.agent.options['m']}" for other in forms)
    assert {other.agent.options["rejections"] for other in forms} == {"all"}

    passes = one_pass({"n_arms": 20})
    assert [(other.agent.options["n1"], other.agent.max_steps) for other in passes] == [
        (0, None),
        (0, 500 * 20),
    ]


def test_what_was_cut_off_in_every_run_is_never_the_nearest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place = {"delta": 0.1, "n_arms": 2, "agent": "BAIR"}
    figures = {"stopping_time": 600.0, "rejection_rate": 0.1, "success": 0.9}
    cut = {"stopping_time": math.nan, "rejection_rate": math.nan, "success": 0.0}
    tried = pd.DataFrame([place | cut | {"what": "cut"}, place | figures | {"what": "far"}])
    monkeypatch.setattr(module, "run_alternatives", lambda *_, **__: tried)
    row = place | {"figure": "stopping_time"}
    tried_so = module.by_alternatives(lambda row: [], EXPERIMENTS["table2"], [row], OPTIONS)
    (found,) = tried_so.to_dict("records")
    assert (found["at"], found["found"]) == ("far", 600.0)


@pytest.fixture
def few_caps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST_CAP", 4000)


@pytest.mark.usefixtures("few_caps")
@pytest.mark.parametrize(("more", "explained"), [(0.0, True), (0.1, False)])
def test_a_cap_has_to_give_all_figures_of_the_cell_at_once(
    monkeypatch: pytest.MonkeyPatch, more: float, explained: bool
) -> None:
    # The figures of a cap between the least and the largest stand in for the published ones.
    place = {"delta": 0.01, "n_arms": 5, "agent": "T&S"}
    options = OPTIONS | {"n_instances": 60}
    (own,) = evaluate(
        [TrackAndStop(max_steps=2500)], delta=0.01, n_arms=5, **options | {"progress": False}
    ).summary().to_dict("records")  # fmt: skip
    assert 0.0 < own["censored"] < 1.0
    published = {f"published_{name}": own[name] for name in ("stopping_time", "rejection_rate")}
    published["published_success"] = own["success"] - more
    monkeypatch.setattr(
        module, "published_figures", lambda experiment: pd.DataFrame([place | published])
    )
    row = place | {"figure": "stopping_time", "published": own["stopping_time"]}
    (found,) = BY_KEY["a"].test(EXPERIMENTS["table2"], [row], options).to_dict("records")
    assert found["explained"] is explained
    assert found["at"].startswith("a cap of ")
    assert found["found"] == pytest.approx(own["stopping_time"], rel=0.04)
