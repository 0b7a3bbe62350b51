import pytest

from explorative_user_env.studies.paper_report import is_given, is_near


@pytest.mark.parametrize(
    ("figure", "ours", "published", "near"),
    [
        ("stopping_time", 1040.0, 1000.0, True),
        ("stopping_time", 1041.0, 1000.0, False),
        ("stopping_time", 959.0, 1000.0, False),
        ("rejection_rate", 0.0099, 0.008, True),
        ("rejection_rate", 0.0101, 0.008, False),
        ("rejection_rate", 0.314, 0.30, True),
        ("rejection_rate", 0.316, 0.30, False),
        ("success", 0.98, 1.0, True),
        ("success", 0.979, 1.0, False),
    ],
)
def test_a_figure_is_near_within_its_tolerance(
    figure: str, ours: float, published: float, near: bool
) -> None:
    assert is_near(figure, ours, published) == near


def test_a_time_that_is_mostly_n1_is_near_only_if_the_rest_is() -> None:
    # Table 7 with K = 100 and delta = .01: 1% off, of which nearly all is given.
    assert is_near("stopping_time", 235_665.0, 238_579.0)
    assert not is_near("stopping_time", 235_665.0, 238_579.0, n1=234_872.0)


def test_only_the_times_of_uniform_and_exp3_are_given() -> None:
    assert is_given("UNI", "stopping_time")
    assert is_given("EXP3", "stopping_time")
    assert not is_given("UNI", "success")
    assert not is_given("BAIR", "stopping_time")
