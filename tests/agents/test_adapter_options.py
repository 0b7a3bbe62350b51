import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from explorative_user_env import InvalidArgumentError
from explorative_user_env.agents import (
    AGENTS,
    ALGORITHMS,
    BAIR,
    CARRIERS,
    EXP3,
    REFERENCES,
    UCB1,
    AlgorithmAgent,
    FullInformation,
    SuccessiveElimination,
    Thompson,
    TrackAndStop,
    Uniform,
)

NAN = float("nan")

INFINITE = float("inf")

REFUSED = [
    *((BAIR, "delta", value, "(0, 1)") for value in (0, 1, 1.5, -0.1, NAN, "x", True, [0.1])),
    *((BAIR, "alpha", value, "above 0") for value in (0, -1.0, NAN, INFINITE, "x", True)),
    *((BAIR, "rho_0", value, "above 0") for value in (0, -1.0, NAN, INFINITE, "x", True)),
    *((BAIR, "noise", value, "[0, 1]") for value in (-0.1, 1.1, NAN, "x", True)),
    *((BAIR, "n1", value, "at least 0") for value in (-1, -0.5, NAN, INFINITE, "x", True, [1], 1j)),
    *((BAIR, "m", value, "at least 1") for value in (0, -1, 2.5, NAN, True)),
    (BAIR, "rejections", "some", "all, consecutive"),
    (BAIR, "phase1_counts", "rejections", "acceptances, steps"),
    (BAIR, "first_sweep", "half", "full, skipping"),
    (BAIR, "phase2", "random", "fewest acceptances, round robin"),
    *((TrackAndStop, "delta", value, "(0, 1)") for value in (0, 1, 1.5, NAN, "x", True)),
    (TrackAndStop, "threshold", "log t", "log(t/delta)"),
    (TrackAndStop, "threshold", 0, "log(t/delta)"),
    *((TrackAndStop, "primed", value, "True or False") for value in ("no", 2, NAN)),
    (TrackAndStop, "tied", "most recommended", "least recommended, random"),
    (TrackAndStop, "ties", "last", "first, random"),
    *((Uniform, "horizon", value, "at least 1") for value in (0, -5, 2.5, NAN, "x", True)),
    (Uniform, "order", "backwards", "random, round robin"),
    *((Uniform, "whole_passes", value, "True or False") for value in ("no", 2, NAN)),
    (Uniform, "ties", "last", "first, random"),
    *((EXP3, "horizon", value, "at least 1") for value in (0, -5, 2.5, NAN, "x", True)),
    *((EXP3, "learning_rate", value, "above 0") for value in (0, -1.0, NAN, INFINITE, "x", True)),
    (EXP3, "counts", "rejected", "accepted, recommended"),
    (EXP3, "ties", "last", "first, random"),
    *(
        (make, "horizon", value, "at least 1")
        for make in (UCB1, Thompson, FullInformation)
        for value in (0, -5, 2.5, NAN, "x", True)
    ),
    *((UCB1, "exploration", value, "above 0") for value in (0, -1.0, NAN, INFINITE, "x", True)),
    *((Thompson, "prior", value, "2 finite numbers") for value in (1.0, "ab", [1, NAN], {1, 2})),
    *((Thompson, "prior", value, "at least 0.1") for value in ((0.0, 1.0), (1, -1), [1, 0.09])),
    *((FullInformation, "prior_mean", value, "a finite number") for value in (NAN, INFINITE, "x")),
    *(
        (FullInformation, "prior_variance", value, "above 0")
        for value in (0, -1.0, NAN, INFINITE, "x", True)
    ),
    *((SuccessiveElimination, "delta", value, "(0, 1)") for value in (0, 1, NAN, "x", True)),
    *((SuccessiveElimination, "m", value, "at least 1") for value in (0, -1, 2.5, NAN, True)),
    (SuccessiveElimination, "rejections", "some", "all, consecutive"),
    *(
        (make, "max_steps", value, "at least 1")
        for make in (*AGENTS.values(), *REFERENCES.values(), *CARRIERS.values())
        for value in (0, -1, 2.5, "x", True)
    ),
]


@pytest.mark.parametrize(("factory", "option", "value", "allowed"), REFUSED)
def test_a_wrong_option_is_named_where_it_is_written(
    factory: Callable[..., AlgorithmAgent], option: str, value: Any, allowed: str
) -> None:
    with pytest.raises(InvalidArgumentError) as refusal:
        factory(**{option: value})
    message = str(refusal.value)
    assert re.match(rf"{option} must be .*{re.escape(allowed)}.*, got ", message)
    assert message.endswith(f"got {value!r}")
    assert "\n" not in message


@pytest.mark.parametrize("value", ["some", "Paper", ""])
def test_a_wrong_word_for_m_is_told_of_the_words_and_of_numbers(value: str) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^m must be .*paper.*released") as refusal:
        BAIR(m=value)
    assert "integer" in str(refusal.value)


@pytest.mark.parametrize("name", ["", 3, True])
def test_a_name_is_a_word(make: Callable[..., AlgorithmAgent], name: Any) -> None:
    # The name makes the agent's random stream, so that no name would be nobody's.
    with pytest.raises(InvalidArgumentError, match=r"^name must be"):
        make(name=name)


@pytest.mark.parametrize(
    ("option", "value"), [("alpha", 1e-3), ("alpha", 1e-320), ("rho_0", 1e-308)]
)
def test_an_n1_too_large_for_a_float_is_refused(option: str, value: float) -> None:
    with pytest.raises(InvalidArgumentError, match=f"^{option} must be .*got {value!r}"):
        BAIR(**{option: value})


def test_an_unknown_option_is_refused_and_the_known_are_listed() -> None:
    with pytest.raises(InvalidArgumentError, match=r"'delta'.*'tied'.*got \['delat'\]"):
        AlgorithmAgent(ALGORITHMS["T&S"], {"delat": 0.1})


def test_numpy_numbers_are_as_good_as_python_s() -> None:
    numbers: dict[str, Any] = {"m": np.int64(2), "n1": np.float32(4.0), "max_steps": np.int32(9)}
    agent = BAIR(delta=np.float64(0.2), **numbers)
    assert agent.params(2, None) == BAIR(delta=0.2, m=2, n1=4.0).params(2, None)
    assert agent.max_steps == 9
    assert type(agent.max_steps) is int


def test_an_open_option_has_the_algorithm_s_default() -> None:
    assert BAIR().params(5, None) == BAIR(delta=0.1, alpha=1.0, n1="paper").params(5, None)


def test_what_is_known_fills_open_options_and_only_those() -> None:
    agent = BAIR(delta=0.2).informed(
        {"delta": 0.01, "alpha": 2.0, "n1": None, "max_steps": 50, "other": 1}
    )
    assert agent.options["delta"] == 0.2
    assert agent.options["alpha"] == 2.0
    assert "other" not in agent.options
    assert agent.max_steps == 50
    # (2 * 5 / 0.2)^(1/2), N_1 by its default.
    assert agent.params(5, None).n1 == pytest.approx(50**0.5)


def test_a_step_cap_of_its_own_goes_before_what_is_known() -> None:
    assert TrackAndStop(max_steps=7).informed({"max_steps": 50}).max_steps == 7
    assert TrackAndStop().informed({}).max_steps is None


def test_a_cap_for_everyone_holds_unless_the_agents_own_is_smaller() -> None:
    assert TrackAndStop(max_steps=7).informed({"max_steps": 50}, max_steps=6).max_steps == 6
    assert TrackAndStop(max_steps=7).informed({"max_steps": 50}, max_steps=8).max_steps == 7
    assert TrackAndStop().informed({"max_steps": 50}, max_steps=80).max_steps == 80


def test_a_step_cap_is_the_agents_and_no_option_of_its_algorithm() -> None:
    with pytest.raises(InvalidArgumentError, match=r"options .* got \['max_steps'\]"):
        AlgorithmAgent(ALGORITHMS["UNI"], {"horizon": 9, "max_steps": 5})


def test_informing_an_agent_leaves_it_as_it_was() -> None:
    agent = BAIR(name="mine")
    informed = agent.informed({"delta": 0.01})
    assert informed.name == "mine"
    assert agent.options["delta"] is None
    assert agent.params(5, None) == BAIR().params(5, None)


def test_a_dictionary_of_options_is_not_kept() -> None:
    options = {"delta": 0.2}
    agent = AlgorithmAgent(ALGORITHMS["T&S"], options)
    options["delta"] = 0.9
    assert agent.params(5, None).delta == 0.2


def test_what_is_known_is_checked_as_well() -> None:
    with pytest.raises(InvalidArgumentError, match=r"^delta must be .* got 2"):
        BAIR().informed({"delta": 2})


def test_every_option_of_a_record_is_an_argument(make: Callable[..., AlgorithmAgent]) -> None:
    agent = make()
    arguments = set(inspect.signature(make).parameters) - {"name", "max_steps"}
    assert set(agent.options) == set(agent.known_options) == arguments
    assert set(agent.algorithm.defaults) - {"max_steps"} == arguments


def test_a_representation_shows_what_was_given() -> None:
    assert repr(BAIR()) == "BAIR()"
    assert repr(BAIR(delta=0.2, m=3, max_steps=10)) == "BAIR(delta=0.2, m=3, max_steps=10)"
    assert repr(Uniform(order="random", name="mine")) == "mine(order='random')"
