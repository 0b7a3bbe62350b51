from dataclasses import fields, replace

import pandas as pd
import pytest

import explorative_user_env as eu
from explorative_user_env.display.progress import silent
from explorative_user_env.studies.paper import PRINTED_STEP, run_ladder
from explorative_user_env.users.population import DIFFERENCES, PRINTED, RELEASED


def test_the_ladder_leads_from_the_text_to_the_code_and_every_step_counts() -> None:
    setting = PRINTED
    for difference in DIFFERENCES:
        following = difference.switched(setting)
        assert following != setting, difference.point
        setting = following
    assert replace(setting, name="released") == RELEASED


def test_every_field_that_differs_is_in_one_difference() -> None:
    named = [name for difference in DIFFERENCES for name in difference.fields]
    assert sorted(named) == sorted(
        field.name
        for field in fields(PRINTED)
        if field.name != "name" and getattr(PRINTED, field.name) != getattr(RELEASED, field.name)
    )


@pytest.fixture(scope="module")
def ladder() -> pd.DataFrame:
    return run_ladder(delta=0.2, n_arms=3, agents=["bair", "uni"], n_instances=40, progress=silent)


def test_the_ladder_begins_as_printed_and_ends_as_released(ladder: pd.DataFrame) -> None:
    for setting, step in (("printed", 0), ("released", len(DIFFERENCES))):
        summary = eu.evaluate(
            ["bair", "uni"], setting=setting, delta=0.2, n_arms=3, n_instances=40, progress=False
        ).summary()
        rung = ladder[ladder["step"] == step]
        for figure in ("stopping_time", "rejection_rate", "success", "stopping_time_low"):
            assert rung[figure].tolist() == summary[figure].tolist()
    assert ladder["point"].iloc[0] == PRINTED_STEP
    assert len(ladder) == 2 * (1 + len(DIFFERENCES))


def test_what_a_difference_does_alone_is_measured_in_the_text(ladder: pd.DataFrame) -> None:
    bair = ladder[ladder["agent"] == "BAIR"].set_index("point")
    alone = eu.evaluate(
        ["bair"],
        setting=replace(PRINTED, means="uniform"),
        delta=0.2,
        n_arms=3,
        n_instances=40,
        progress=False,
    ).summary()
    first = bair.loc["arm means"]
    assert first["stopping_time"] == first["alone_stopping_time"] == alone["stopping_time"][0]
    # The private draws counted: K steps more, from whichever setting.
    counted = bair.loc["reported time"]
    assert counted["alone_stopping_time"] == pytest.approx(bair.loc[PRINTED_STEP, "stopping_time"])
    before = bair["stopping_time"].shift()["reported time"]
    assert counted["stopping_time"] == pytest.approx(before + 3)
