"""Other ways to run an agent are what their names say."""

import math
from typing import Any

import pytest

from explorative_user_env.studies.paper import EXPERIMENTS
from explorative_user_env.studies.paper_verdicts import (
    captions_n1,
    counts_steps,
    longer,
    multipliers,
    named_caps,
    one_pass,
    other_caps,
    real_steps,
    rejections,
)


def test_the_caps_are_those_of_the_released_code_or_sixty_up_to_the_largest() -> None:
    assert named_caps(EXPERIMENTS["table2"]) == [100_000, 1_000_000]
    assert named_caps(EXPERIMENTS["table3"]) == [100_000]  # click noise takes too long beyond
    for name, most in (("table2", 1_000_000), ("table3", 100_000)):
        caps = other_caps(EXPERIMENTS[name])
        assert len(caps) == 60
        assert (caps[0], caps[-1]) == (2000, most)
        assert list(caps) == sorted(caps)


def test_real_steps_are_k_more() -> None:
    (only,) = real_steps({"agent": "UNI", "horizon": 510, "n_arms": 2})
    assert (only.what, only.horizon, only.agent.name) == ("T = 512 real steps", 512, "UNI")


def test_other_horizons_are_multiples() -> None:
    found = longer({"agent": "EXP3", "horizon": 30})
    times = {other.what: other.horizon for other in found}
    assert list(times) == [f"T = {time}" for time in times.values()]
    assert (times["T = 21"], times["T = 180"]) == (21, 180)  # .7 and six times as long
    assert {other.agent.name for other in found} == {"EXP3"}


@pytest.mark.parametrize(
    ("n_arms", "delta", "factors"),
    [(2, 0.1, (7, 6)), (5, 0.05, (5,)), (20, 0.1, (4,)), (100, 0.05, (3,))],
)
def test_multipliers_are_of_the_released_codes_threshold(
    n_arms: int, delta: float, factors: tuple[int, ...]
) -> None:
    found = multipliers({"n_arms": n_arms, "delta": delta})
    threshold = 1.125 * math.log(2 * n_arms / delta)
    expected = [math.floor(factor * threshold) + 1 for factor in factors]
    assert [other.agent.options["m"] for other in found] == expected
    said = [f"{n} times the threshold: m = {m}" for n, m in zip(factors, expected, strict=True)]
    assert [other.what for other in found] == said
    assert {other.agent.options["rejections"] for other in found} == {"all"}


def test_other_numbers_of_rejections_are_counted_over_all() -> None:
    found = rejections({})
    assert [other.what for other in found][:2] == ["m = 5", "m = 10"]
    assert all(other.what == f"m = {other.agent.options['m']}" for other in found)
    assert {other.agent.options["rejections"] for other in found} == {"all"}


@pytest.mark.parametrize(
    ("forms", "option", "value"),
    [(captions_n1, "n1", "paper"), (counts_steps, "phase1_counts", "steps")],
)
def test_phase_1_is_as_the_text_has_it(forms: Any, option: str, value: str) -> None:
    (only,) = forms({})
    assert only.agent.options[option] == value
    left_open = {name for name in ("n1", "phase1_counts") if name != option}
    assert {only.agent.options[name] for name in left_open} == {None}


def test_one_pass_is_n1_equal_to_one_with_and_without_a_cap() -> None:
    found = one_pass({"n_arms": 20})
    assert [(other.agent.options["n1"], other.agent.max_steps) for other in found] == [
        (1, None),
        (1, 500 * 20),
    ]
