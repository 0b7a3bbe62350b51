"""Behaviours by name and in words: what they mean, what they are called, what is refused."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from other_users import AGREEABLE, started

import explorative_user_env as eu
from explorative_user_env.agents import Uniform
from explorative_user_env.users import behaviours as others
from explorative_user_env.users.behaviours import (
    Behaviour,
    as_behaviour,
    drifting,
    forgetful,
    impatient,
    logistic,
    omniscient,
    register_behaviour,
)


@pytest.mark.parametrize(
    ("words", "behaviour", "others"),
    [
        ("drifting(sigma=0.01)", drifting(0.01), [" drifting ( sigma = 0.010 ) "]),
        ("drifting(sigma=1e-05)", drifting(1e-5), []),
        ("omniscient(tolerance=1)", omniscient(np.float64(1.0)), []),
        ("logistic(temperature=0.30000000000000004)", logistic(0.1 + 0.2), []),
        ("forgetful(window=9)", forgetful(window=9), []),
        (
            "impatient(patience=3)",
            impatient(patience=3),
            ["impatient(probability=0.02,patience=3)"],
        ),
        ("forgetful", forgetful(window=None), ["forgetful(window=None)"]),
        ("drifting", drifting(0.005), ["drifting(sigma=5e-3)", "drifting()"]),
    ],
)
def test_a_behaviour_is_called_by_the_words_that_ask_for_it(
    words: str, behaviour: Behaviour, others: list[str]
) -> None:
    assert behaviour.name == words
    for each in (words, *others):
        assert as_behaviour(each) == behaviour


def test_the_usual_numbers_of_every_kind_are_those_of_its_word() -> None:
    usual = {
        "omniscient": omniscient(0.0),
        "drifting": drifting(0.005),
        "logistic": logistic(0.1),
        "impatient": impatient(0.02, None),
        "varied": others.varied(2.0, 0.2, 1.5),
        "forgetful": forgetful(),
    }
    assert {name: as_behaviour(name) for name in others._FACTORIES} == usual
    assert all(behaviour.name == name for name, behaviour in usual.items())
    for n_arms in (2, 7):
        assert forgetful().memory_of(n_arms) == forgetful(50 * n_arms).memory_of(n_arms)


def test_what_asks_for_nobody_is_told_what_is_wrong() -> None:
    rows: list[tuple[Any, str]] = [
        ("drifting(sigma=-1)", "sigma of behaviour 'drifting' must be a finite .*, got -1$"),
        ("forgetful(window=2.5)", "window of behaviour 'forgetful' must be an integer .* 2"),
        ("forgetful(window=0)", "window of behaviour 'forgetful' must be"),
        ("omniscient(tolerance=-1)", "tolerance of behaviour 'omniscient' must be"),
        ("logistic(temperature=0)", "temperature of behaviour 'logistic' must be"),
        ("impatient(probability=1.5)", "probability of behaviour 'impatient' must be a number"),
        ("impatient(patience=0)", "patience of behaviour 'impatient' must be .*1"),
        ("varied(alpha_factor=0.5)", "alpha_factor of behaviour 'varied' must be a number of 1"),
        ("varied(noise=2)", "noise of behaviour 'varied' must be a number in"),
        ("varied(gap_factor=1e200)", "gap_factor of behaviour 'varied' must be a number of 1"),
        ("logistic(temperature=hot)", "behaviour must be "),
        ("drifting(speed=1)", r"behaviour must be .*drifting\(sigma=\.\.\.\)"),
        ("drifting(0.1)", "behaviour must be "),
        ("drifting(sigma=1, sigma=2)", "behaviour must be "),
        ("logistic(temperature=)", "behaviour must be "),
        ("drifting(sigma=1", r"behaviour must be .*\(in quotes in a shell"),
        ("explorative(sigma=1)", "behaviour must be "),
        ("amnesic", "behaviour must be a Behaviour or one of .*drifting, exp"),
        (None, "behaviour must be "),
        (3, "behaviour must be "),
    ]
    for behaviour, message in rows:
        with pytest.raises(eu.InvalidArgumentError, match=f"^{message}") as caught:
            as_behaviour(behaviour)
        assert "\n" not in str(caught.value)


def test_a_behaviour_of_one_s_own_runs_on_every_path_and_can_be_registered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(others, "_BEHAVIOURS", dict(others._BEHAVIOURS))
    register_behaviour("agreeable", AGREEABLE)
    register_behaviour("agreeable", AGREEABLE)
    with pytest.raises(eu.InvalidArgumentError, match="name must be a name no other behaviour"):
        register_behaviour("agreeable", replace(AGREEABLE, parameters=(8.0,)))
    assert as_behaviour("agreeable") is AGREEABLE
    env = started(behaviour="agreeable")
    for seed in (1, 2):
        env.reset(seed=seed)
        assert [env.step(0)[0] for _ in range(9)] == [1] * 7 + [0] * 2
    options: dict[str, Any] = {"behaviour": "agreeable", "n_instances": 5, "progress": False}
    fast = eu.evaluate([Uniform(horizon=30)], **options).runs
    assert fast["acceptances"].tolist() == [7] * 5
    assert fast.equals(eu.evaluate([Uniform(horizon=30)], compiled=False, **options).runs)
