"""Which figures a reason may explain; what its test finds is in test_reason_tests.py."""

from typing import Any

import pytest

from explorative_user_env.studies.paper import EXPERIMENTS
from explorative_user_env.studies.paper.reasons import REASONS

BY_KEY = {reason.key: reason for reason in REASONS}

CONCERNS = {
    "a": [
        (f"table{n}", "T&S", figure)
        for n in (2, 3, 5, 6)
        for figure in ("stopping_time", "rejection_rate", "success")
    ],
    "b": [
        (f"table{n}", agent, figure)
        for n in (2, 3, 5, 6)
        for agent in ("UNI", "EXP3")
        for figure in ("rejection_rate", "success")
    ],
    "c": [
        ("table3", f"BAIR(m) {form}", figure)
        for form in ("printed", "released")
        for figure in ("stopping_time", "rejection_rate", "success")
    ],
    "d": [
        ("table4", "BAIR", "stopping_time"),
        ("table4", "BAIR", "rejection_rate"),
        ("table4", "T&S", "stopping_time"),
    ],
    "e": [("table7", "N_1 = K", figure) for figure in ("stopping_time", "success")],
    "f": [("table5", "BAIR", f) for f in ("stopping_time", "rejection_rate", "success")],
}
"""What each reason says that it is about, of all figures there are."""


def test_the_keys_are_different() -> None:
    assert len(BY_KEY) == len(REASONS)
    assert list(BY_KEY) == list(CONCERNS)


@pytest.mark.parametrize("key", CONCERNS)
def test_a_reason_concerns_what_it_says_and_nothing_else(key: str) -> None:
    concerned = [
        (name, entrant.name, figure)
        for name, experiment in EXPERIMENTS.items()
        for entrant in experiment.entrants
        for figure in ("stopping_time", "rejection_rate", "success")
        if BY_KEY[key].concerns(
            {"experiment": name, "agent": entrant.name, "figure": figure, "n_arms": 2}
        )
    ]
    # That a time is given, or not printed, is no reason's business.
    assert set(CONCERNS[key]) <= set(concerned)
    assert {place[:2] for place in concerned} == {place[:2] for place in CONCERNS[key]}


@pytest.mark.parametrize("reason", REASONS, ids=lambda reason: reason.key)
def test_a_reason_is_for_its_own_experiments_only(reason: Any) -> None:
    row = {"experiment": "table9", "agent": "BAIR", "figure": "success"}
    assert not reason.concerns(row)


def test_no_other_cap_is_tried_where_steps_are_slow_and_the_cap_is_the_largest() -> None:
    row = {"delta": 0.1, "n_arms": 100, "agent": "T&S", "figure": "success"}
    assert not BY_KEY["a"].concerns({"experiment": "table3", **row})
    assert BY_KEY["a"].concerns({"experiment": "table2", **row})
    assert BY_KEY["a"].concerns({"experiment": "table3", **row, "n_arms": 20})
