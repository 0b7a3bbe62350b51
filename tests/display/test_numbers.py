"""Numbers are written with as many digits as is said, and nothing where there is no number."""

import math

import pytest

from explorative_user_env.display import text as numbers

NOTHING = math.nan


@pytest.mark.parametrize(("value", "text"), [(412.4, "412"), (0.6, "1"), (0.0, "0"), (NOTHING, "")])
def test_a_number_of_steps_is_whole(value: float, text: str) -> None:
    assert numbers.whole(value) == text


@pytest.mark.parametrize(
    ("mean", "high", "text"),
    [
        (400.2, 412.9, "400 ± 13"),
        (400.2, 400.2, "400"),  # an interval of one run has no width
        (400.2, NOTHING, "400"),
        (NOTHING, NOTHING, ""),
    ],
)
def test_a_mean_has_the_half_width_of_its_interval(mean: float, high: float, text: str) -> None:
    assert numbers.with_error(mean, high) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.1234, "12.3"), (1.0, "100.0"), (0.0, "0.0"), (NOTHING, "")]
)
def test_a_rate_is_a_percentage(value: float, text: str) -> None:
    assert numbers.percent(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.9876, ".988"),
        (0.05, ".050"),
        (0.0, ".000"),
        (0.9994, ".999"),
        (0.9996, "1.00"),  # never 1.000
        (1.0, "1.00"),
        (NOTHING, ""),
    ],
)
def test_a_probability_has_three_digits_as_the_paper_prints_it(value: float, text: str) -> None:
    assert numbers.share(value) == text


def test_a_probability_near_one_may_have_four_digits() -> None:
    assert [numbers.fine_share(value) for value in (0.99954, 1.0, 0.5)] == [
        *("0.9995", "1.0000", "0.5000")
    ]


@pytest.mark.parametrize(("value", "text"), [(0.1234, ".123"), (12.5, "12.500"), (0.0, ".000")])
def test_a_cost_has_three_digits(value: float, text: str) -> None:
    assert numbers.cost(value) == text


def test_an_interval_is_beside_its_number() -> None:
    row = {"success": 0.95, "success_low": 0.9, "success_high": 1.0, "other": 0.1}
    assert numbers.share_with_interval(row, "success") == ".950 [.900, 1.00]"
    assert numbers.fine_share_with_interval(0.95, 0.9, 1.0) == "0.9500 [0.9000, 1.0000]"
