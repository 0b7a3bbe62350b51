from typing import Any

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
