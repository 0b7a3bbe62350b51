import math

import pytest

from explorative_user_env.studies.paper.agreement import agrees, is_given

NOWHERE = (math.nan, math.nan)


@pytest.mark.parametrize(
    ("figure", "agent", "ours", "published", "agreed"),
    [
        ("stopping_time", "BAIR", 1040.0, 1000.0, True),
        ("stopping_time", "BAIR", 1041.0, 1000.0, False),
        ("stopping_time", "T&S", 959.0, 1000.0, False),
        ("rejection_rate", "BAIR", 0.0099, 0.008, True),
        ("rejection_rate", "BAIR", 0.0101, 0.008, False),
        ("rejection_rate", "UNI", 0.314, 0.30, True),
        ("rejection_rate", "UNI", 0.316, 0.30, False),
        ("success", "BAIR", 0.995, 1.0, True),
        ("success", "BAIR", 0.994, 1.0, False),
        ("success", "T&S", 0.981, 1.0, True),
        ("success", "UNI", 0.549, 0.5, True),
        ("success", "UNI", 0.551, 0.5, False),
        ("success", "EXP3", 0.559, 0.5, True),
        ("success", "EXP3", 0.561, 0.5, False),
    ],
)
def test_a_figure_agrees_within_its_tolerance(
    figure: str, agent: str, ours: float, published: float, agreed: bool
) -> None:
    assert agrees(figure, agent, ours, NOWHERE, published) is agreed


def test_a_figure_agrees_if_its_interval_holds_the_published_one() -> None:
    assert agrees("stopping_time", "BAIR", 1100.0, (999.0, 1201.0), 1000.0)
    assert not agrees("stopping_time", "BAIR", 1100.0, (1001.0, 1199.0), 1000.0)


def test_only_the_times_of_uniform_and_exp3_are_given() -> None:
    assert is_given("UNI", "stopping_time")
    assert is_given("EXP3", "stopping_time")
    assert not is_given("UNI", "success")
    assert not is_given("BAIR", "stopping_time")
