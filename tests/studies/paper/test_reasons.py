"""The tests of reasons: each is tried where it holds and where it does not."""

from dataclasses import replace
from typing import Any

import pytest

from explorative_user_env.display.progress import silent
from explorative_user_env.studies.paper import EXPERIMENTS
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


def test_the_keys_are_different() -> None:
    assert len(BY_KEY) == len(REASONS)


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


def test_another_horizon_has_to_give_all_figures_of_the_cell_at_once() -> None:
    row = cell(0.005, 2, "UNI", "success", 0.992) | {"horizon": 510}
    assert explained_by("b", "table2", row) == [True]
    # The success alone could be had by a longer T in this cell too, its 33.7 % rejected not.
    other = cell(0.1, 5, "EXP3", "success", 0.549) | {"horizon": 50}
    assert explained_by("b", "table2", other) == [False]


def test_m_has_to_give_all_figures_of_the_cell_at_once() -> None:
    rows = [cell(0.1, 2, "BAIR(m) printed", "success", 0.994)]
    found = BY_KEY["c"].test(
        replace(EXPERIMENTS["table3"], n_arms=(2,), deltas=(0.1,)),
        [{"experiment": "table3", "index": 0, **row} for row in rows],
        OPTIONS,
    )
    assert found["at"].str.startswith("m = ").all()
    assert int(found["at"].iloc[0].removeprefix("m = ")) >= 10  # 6 are printed


@pytest.mark.parametrize("reason", REASONS, ids=lambda reason: reason.key)
def test_a_reason_is_for_its_own_experiments_only(reason: Any) -> None:
    row = {"experiment": "table9", "agent": "BAIR", "figure": "success"}
    assert not reason.concerns(row)


def test_no_other_cap_is_tried_where_steps_are_slow_and_the_cap_is_the_largest() -> None:
    row = cell(0.1, 100, "T&S", "success", 0.891)
    assert not BY_KEY["a"].concerns({"experiment": "table3", **row})
    assert BY_KEY["a"].concerns({"experiment": "table2", **row})
    assert BY_KEY["a"].concerns({"experiment": "table3", **row, "n_arms": 20})
