import math
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest

from explorative_user_env import InvalidArgumentError
from explorative_user_env.population import Population
from explorative_user_env.settings import PRINTED, RELEASED, SETTINGS, Setting, as_setting
from explorative_user_env.users.confidence import (
    ACCEPTANCE_RATE,
    SMOOTHED_ACCEPTANCE_RATE,
    Schedule,
    constant_rule,
)

# Where the paper's text and the released code differ: field, the text's value, the code's value.
DIFFERENCES: tuple[tuple[str, Any, Any], ...] = (
    ("name", "printed", "released"),
    ("means", "normal", "uniform"),
    ("private_draws", 0, 1),
    ("least_n", 0, 1),
    ("rho", ACCEPTANCE_RATE, SMOOTHED_ACCEPTANCE_RATE),
    ("rho_refresh", "response", "acceptance"),
    ("rejects_ties", True, False),
    ("bair_n1", "paper", "proof"),
    ("bair_phase1_counts", "acceptances", "acceptances"),
    ("bair_first_sweep", "full", "skipping"),
    ("bair_phase2", "fewest acceptances", "round robin"),
    ("bair_m", "paper", "released"),
    ("uniform_order", "round robin", "round robin"),
    ("uniform_whole_passes", False, True),
    ("exp3_learning_rate", 1.0, 2.0),
    ("exp3_answer", "accepted", "recommended"),
    ("tas_primed", False, True),
    ("answer_ties", "random", "first"),
    ("counts_private_draws", False, True),
    ("private_draws_rejected", (), ("BAIR", "UNI", "EXP3")),
    ("rejection_rate", "mean of ratios", "ratio of means"),
    ("drops_censored", False, True),
)


@pytest.mark.parametrize(("field", "printed", "released"), DIFFERENCES)
def test_each_difference_between_text_and_code_is_one_field(
    field: str, printed: Any, released: Any
) -> None:
    assert getattr(PRINTED, field) == printed
    assert getattr(RELEASED, field) == released


def test_every_field_is_accounted_for() -> None:
    others = {"rho_at_start", "tas_max_steps", "tas_max_steps_per_arm"}
    assert {field.name for field in fields(Setting)} == {row[0] for row in DIFFERENCES} | others


def test_the_released_user_starts_at_rate_one() -> None:
    assert RELEASED.rho_at_start == 1.0 + 1.0


@pytest.mark.parametrize(("n_arms", "cap"), [(2, 10_000), (5, 10_000), (100, 100_000)])
def test_the_released_step_cap_grows_with_k_from_ten_thousand(n_arms: int, cap: int) -> None:
    assert RELEASED.agent_options("T&S", n_arms)["max_steps"] == cap


def test_the_printed_step_cap_is_a_million_whatever_k() -> None:
    caps = {PRINTED.agent_options("T&S", n_arms)["max_steps"] for n_arms in (2, 5, 100, 1000)}
    assert caps == {1_000_000}


@pytest.mark.parametrize(
    ("algorithm", "options"),
    [
        (
            "BAIR",
            {
                "n1": "proof",
                "phase1_counts": "acceptances",
                "first_sweep": "skipping",
                "phase2": "round robin",
                "m": "released",
            },
        ),
        ("UNI", {"ties": "first", "order": "round robin", "whole_passes": True}),
        ("EXP3", {"ties": "first", "learning_rate": 2.0, "counts": "recommended"}),
        ("T&S", {"ties": "first", "primed": True, "max_steps": 10_000}),
        ("an agent of one's own", {}),
    ],
)
def test_an_algorithm_gets_its_options_of_the_setting(
    algorithm: str, options: dict[str, Any]
) -> None:
    assert RELEASED.agent_options(algorithm, 2) == options


def test_a_setting_cannot_be_changed(setting: Setting) -> None:
    with pytest.raises(FrozenInstanceError):
        setting.least_n = 5  # type: ignore[misc]


def test_replace_changes_one_choice_and_leaves_the_named_setting_alone() -> None:
    changed = replace(PRINTED, private_draws=2)
    differing = {
        f.name for f in fields(Setting) if getattr(changed, f.name) != getattr(PRINTED, f.name)
    }
    assert differing == {"private_draws"}
    assert PRINTED.private_draws == 0


def test_a_setting_is_asked_for_by_record_or_name() -> None:
    own = replace(RELEASED, name="own", private_draws=0)
    assert as_setting(own) is own
    assert as_setting("printed") is PRINTED
    assert as_setting("released") is RELEASED
    assert set(SETTINGS) == {"printed", "released"}


@pytest.mark.parametrize("name", ["Printed", "", None, 3])
def test_an_unknown_setting_is_refused_with_the_names_there_are(name: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"setting must be .*printed, released.*, got"):
        as_setting(name)


def test_the_user_of_a_setting_has_its_choices() -> None:
    population = Population(setting=RELEASED, n_arms=4, alpha=0.8, noise=0.1)
    user, schedule = population.user, population.schedule
    assert schedule is SMOOTHED_ACCEPTANCE_RATE
    assert (user.n_arms, user.alpha, user.noise) == (4, 0.8, 0.1)
    assert (user.rejects_ties, user.private_draws, user.least_n) == (False, 1, 1)
    assert (user.refreshes_on_rejection, user.rho_at_start) == (False, 2.0)
    assert (user.rho_0, user.rho_1, user.rho_parameters) == (1.0, 2.0, (1.0, 2.0))
    assert Population(setting=PRINTED, n_arms=4).user.refreshes_on_rejection


def test_another_schedule_starts_within_its_own_range() -> None:
    low = Schedule(constant_rule, 0.25, 0.5, (0.5,))
    high = Schedule(constant_rule, 3.0, 4.0, (3.0,))
    for setting in (PRINTED, RELEASED):
        assert Population(setting=setting, n_arms=2, rho=low).user.rho_at_start == 0.5
        assert Population(setting=setting, n_arms=2, rho=high).user.rho_at_start == 3.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_arms": 1}, r"n_arms must be an integer of at least 2, got 1"),
        ({"alpha": 0.0}, r"alpha must be a finite number above 0, got 0\.0"),
        ({"alpha": -1}, r"alpha must be a finite number above 0, got -1"),
        ({"alpha": math.nan}, r"alpha must be a finite number above 0, got nan"),
        ({"alpha": math.inf}, r"alpha must be a finite number above 0, got inf"),
        ({"alpha": True}, r"alpha must be a finite number above 0, got True"),
        ({"alpha": "1"}, r"alpha must be a finite number above 0, got '1'"),
        ({"noise": -0.1}, r"noise must be a number in \[0, 1\], got -0\.1"),
        ({"noise": 1.5}, r"noise must be a number in \[0, 1\], got 1\.5"),
        ({"noise": math.nan}, r"noise must be a number in \[0, 1\], got nan"),
        ({"noise": None}, r"noise must be a number in \[0, 1\], got None"),
        ({"rho": "fast"}, r"rho must be .*, got 'fast'"),
    ],
)
def test_a_bad_argument_is_named_with_its_value_and_what_is_allowed(
    arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        Population(setting=PRINTED, **{"n_arms": 3} | arguments)


@pytest.mark.parametrize("noise", [0, 0.0, 1, 1.0])
def test_the_ends_of_the_noise_range_are_allowed(noise: float) -> None:
    assert Population(setting=PRINTED, n_arms=2, noise=noise).user.noise == noise
