from typing import Any

import pytest

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, TrackAndStop

SMALL: dict[str, Any] = {"n_arms": 3, "n_instances": 25, "seed": 11, "progress": False}


def test_the_released_setting_counts_private_draws_as_its_tables_do() -> None:
    results = eu.evaluate([BAIR(), TrackAndStop()], setting="released", **SMALL)
    runs = results.runs
    assert (runs["stopping_time"] == runs["interactions"] + 3).all()
    hidden = runs["rejections"] - (runs["interactions"] - runs["acceptances"])
    assert set(hidden[runs["agent"] == "BAIR"]) == {3}
    assert set(hidden[runs["agent"] == "T&S"]) == {0}


@pytest.mark.parametrize(("setting", "counted"), [("released", 3), ("printed", 0)])
def test_rejections_of_agents_that_the_paper_does_not_have_are_comparable(
    setting: str, counted: int
) -> None:
    mine = eu.PolicyAgent(lambda seen: 3 if seen[-1] > 0.4 else 0, task="bai", horizon=10)
    line_up: list[Any] = ["SE", "UCB1", mine, "UNI"]
    runs = eu.evaluate(line_up, setting=setting, baseline_time=20, **SMALL).runs
    hidden = runs["rejections"] - (runs["interactions"] - runs["acceptances"])
    assert set(hidden) == {counted}
