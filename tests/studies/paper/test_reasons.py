"""Which figures a reason may explain; what its test finds is in test_reason_tests.py."""

from typing import Any

import pytest

from explorative_user_env.studies.paper import EXPERIMENTS
from explorative_user_env.studies.paper_verdicts import IN_VAIN, REASONS

BY_KEY = {reason.key: reason for reason in REASONS}

FIGURES = ("stopping_time", "rejection_rate", "success")
TRACKING = [(f"table{n}", "T&S", figure) for n in (2, 3, 5, 6) for figure in FIGURES]
TOLD = [
    (f"table{n}", agent, figure)
    for n in (2, 3, 5, 6)
    for agent in ("UNI", "EXP3")
    for figure in ("rejection_rate", "success")
]
NOISY = [
    ("table3", f"BAIR(m) {form}", figure) for form in ("printed", "released") for figure in FIGURES
]
COUNTED = ("stopping_time", "rejection_rate")

CONCERNS = {
    "a": [(f"table{n}", "BAIR", figure) for n in (2, 5, 6) for figure in COUNTED]
    + [(f"table{n}", "T&S", figure) for n in (2, 3, 4, 5, 6) for figure in COUNTED],
    "b": TRACKING,
    "c": TRACKING,
    "d": TOLD,
    "e": TOLD,
    "f": NOISY,
    "g": NOISY,
    "h": [
        ("table4", "BAIR", "stopping_time"),
        ("table4", "BAIR", "rejection_rate"),
        ("table4", "T&S", "stopping_time"),
    ],
    "i": [("table7", "N_1 full", figure) for figure in ("stopping_time", "success")],
    "j": [("table7", "N_1 = K", figure) for figure in ("stopping_time", "success")],
    "k": [("table5", "BAIR", f) for f in FIGURES],
    "l": [(f"table{n}", "BAIR", f) for n in (2, 6) for f in FIGURES]
    + [("table7", "N_1 full", figure) for figure in ("stopping_time", "success")],
}
"""What each reason says that it is about, of all figures there are."""


def test_the_keys_are_different_and_those_with_nothing_to_fit_come_first() -> None:
    assert len(BY_KEY) == len(REASONS)
    for named, fitted in ("bc", "de", "fg"):
        assert list(BY_KEY).index(named) < list(BY_KEY).index(fitted)
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
    assert not BY_KEY["b"].concerns({"experiment": "table3", **row})
    assert BY_KEY["b"].concerns({"experiment": "table2", **row})
    assert BY_KEY["b"].concerns({"experiment": "table3", **row, "n_arms": 20})


def test_what_was_tried_in_vain_is_about_experiments_there_are() -> None:
    assert set(IN_VAIN) <= set(EXPERIMENTS)
