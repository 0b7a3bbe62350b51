from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest

from explorative_user_env import InvalidArgumentError
from explorative_user_env.agents import AlgorithmAgent, agent_named
from explorative_user_env.users.population import (
    ALIKE,
    DIFFERENCES,
    PRINTED,
    RELEASED,
    SETTINGS,
    Difference,
    Setting,
    as_setting,
    differences_of,
    name_in,
    title_of,
)


def test_every_field_is_a_difference_or_alike() -> None:
    named = [name for difference in DIFFERENCES for name in difference.fields]
    every = {field.name for field in fields(Setting)} - {"name"}
    assert len(named) == len(set(named))
    assert {*named, *ALIKE} == every
    assert not {*named} & {*ALIKE}


@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda each: each.point)
def test_each_difference_is_one_and_is_switched_alone(difference: Difference) -> None:
    assert difference.printed != difference.released
    for name, (text, code) in difference.fields.items():
        assert text != code
        assert (getattr(PRINTED, name), getattr(RELEASED, name)) == (text, code)
    switched = difference.switched(PRINTED)
    assert switched.changes_of(PRINTED).keys() == difference.fields.keys()
    assert difference.switched(switched) == switched


def test_switched_one_after_the_other_they_lead_from_the_text_to_the_code() -> None:
    setting = PRINTED
    for difference in DIFFERENCES:
        setting = difference.switched(setting)
    assert replace(setting, name="released") == RELEASED


def test_a_title_tells_what_was_changed() -> None:
    assert title_of(PRINTED) == "printed"
    changed = replace(RELEASED, private_draws=2, drops_censored=False)
    assert title_of(changed) == "released (private_draws=2, drops_censored=False)"
    assert title_of(changed, {"means": "given"}).endswith("drops_censored=False, means=given)")
    assert title_of(replace(changed, name="own")) == "own"
    assert name_in(title_of(changed)) == name_in("released") == "released"


@pytest.mark.parametrize(("n_arms", "cap"), [(2, 10_000), (5, 10_000), (100, 100_000)])
def test_the_released_step_cap_grows_with_k_from_ten_thousand(n_arms: int, cap: int) -> None:
    assert RELEASED.agent_options("T&S", n_arms)["max_steps"] == cap


def test_the_printed_step_cap_is_a_million_whatever_k() -> None:
    caps = {PRINTED.agent_options("T&S", n_arms)["max_steps"] for n_arms in (2, 5, 100, 1000)}
    assert caps == {1_000_000}


OPTIONS: dict[str, list[dict[str, Any]]] = {
    "BAIR": [
        {
            "n1": "paper",
            "phase1_counts": "acceptances",
            "first_sweep": "full",
            "phase2": "fewest acceptances",
            "m": "paper",
        },
        {
            "n1": "proof",
            "phase1_counts": "acceptances",
            "first_sweep": "skipping",
            "phase2": "round robin",
            "m": "released",
        },
    ],
    "UNI": [
        {"ties": "random", "order": "round robin", "whole_passes": False},
        {"ties": "first", "order": "round robin", "whole_passes": True},
    ],
    "EXP3": [
        {"ties": "random", "learning_rate": 1.0, "counts": "accepted"},
        {"ties": "first", "learning_rate": 2.0, "counts": "recommended"},
    ],
    "T&S": [
        {"ties": "random", "primed": False, "max_steps": 1_000_000},
        {"ties": "first", "primed": True, "max_steps": 10_000},
    ],
    "an agent of one's own": [{}, {}],
}
"""By algorithm, as the text has it and as the code does."""


@pytest.mark.parametrize("algorithm", OPTIONS)
def test_an_algorithm_gets_its_options_of_the_setting(algorithm: str) -> None:
    found = [setting.agent_options(algorithm, 2) for setting in (PRINTED, RELEASED)]
    assert found == OPTIONS[algorithm]


@pytest.mark.parametrize("algorithm", ["BAIR", "UNI", "EXP3", "T&S"])
def test_an_agent_knows_every_option_that_a_setting_has_for_it(
    setting: Setting, algorithm: str
) -> None:
    agent = agent_named(algorithm)
    assert isinstance(agent, AlgorithmAgent)
    options = setting.agent_options(algorithm, 3)
    informed = agent.informed(options | {"delta": 0.1, "horizon": 9})
    assert informed.max_steps == options.pop("max_steps", None)
    assert options
    assert {name: informed.options[name] for name in options} == options


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


def test_the_differences_of_a_setting_are_from_the_paper_s_text() -> None:
    assert differences_of(PRINTED) == differences_of(replace(PRINTED, name="own")) == {}
    assert differences_of(RELEASED) == {each.point: each.released for each in DIFFERENCES}


@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda each: each.point)
def test_a_point_switched_alone_is_the_one_difference(difference: Difference) -> None:
    assert differences_of(difference.switched(PRINTED)) == {difference.point: difference.released}


def test_a_difference_that_neither_text_nor_code_has_is_told_by_its_fields() -> None:
    own = replace(PRINTED, private_draws=3, rho_at_start=2.0, uniform_order="random")
    assert differences_of(own) == {
        "user at the start": "private_draws=3",
        "Gamma and rho_t before the first acceptance": "rho_at_start=2.0",
        "uniform_order": "random",
    }
