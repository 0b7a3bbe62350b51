"""Behaviours as words with parameters: what they mean, what they are called, what is refused."""

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from one_user import users_of

import explorative_user_env as eu
from explorative_user_env.agents import Uniform
from explorative_user_env.users import behaviours as others
from explorative_user_env.users.behaviours import (
    Behaviour,
    as_behaviour,
    drifting,
    forgetful,
    logistic,
    omniscient,
)

WORDS = [
    ("drifting(sigma=0.01)", drifting(0.01)),
    ("drifting(sigma=1e-05)", drifting(1e-5)),
    ("omniscient(tolerance=1)", omniscient(np.float64(1.0))),
    ("logistic(temperature=0.30000000000000004)", logistic(0.1 + 0.2)),
    ("forgetful(window=9)", forgetful(window=9)),
    ("forgetful", forgetful(window=None)),
    ("drifting", drifting(0.005)),
    ("drifting", drifting()),
]


@pytest.mark.parametrize(("words", "behaviour"), WORDS)
def test_a_behaviour_is_called_by_the_words_that_ask_for_it(
    words: str, behaviour: Behaviour
) -> None:
    assert behaviour.name == words
    assert as_behaviour(words) == behaviour


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (" drifting ( sigma = 0.010 ) ", "drifting(sigma=0.01)"),
        ("drifting(sigma=5e-3)", "drifting"),
        ("forgetful(window=None)", "forgetful"),
        ("logistic()", "logistic"),
    ],
)
def test_words_may_be_written_otherwise_and_are_told_in_one_way(text: str, words: str) -> None:
    assert as_behaviour(text).name == words


def test_every_factory_has_parameters_that_words_can_say_and_usual_ones() -> None:
    for name, factory in others._FACTORIES.items():
        assert factory.__name__ == name
        assert factory() == as_behaviour(name) == as_behaviour(f"{name}()")
        assert as_behaviour(name).name == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("drifting(sigma=-1)", r"^sigma of behaviour 'drifting' must be a finite .*, got -1$"),
        ("forgetful(window=2.5)", r"^window of behaviour 'forgetful' must be an integer .* 2\.5$"),
        ("logistic(temperature=hot)", r"^behaviour must be .*temperature=\.\.\."),
        ("drifting(speed=1)", r"^behaviour must be .*drifting\(sigma=\.\.\.\)"),
        ("drifting(0.1)", r"^behaviour must be .*drifting\(sigma=\.\.\.\)"),
        ("drifting(sigma=1, sigma=2)", r"^behaviour must be "),
        ("logistic(temperature=)", r"^behaviour must be a Behaviour or one of "),
        ("drifting(sigma=1", r"^behaviour must be a Behaviour or one of .*\(in quotes in a shell"),
        ("'drifting(sigma=1)'", r"^behaviour must be a Behaviour or one of .*drifting\(sigma=\.\."),
        ("explorative(sigma=1)", r"^behaviour must be a Behaviour or one of .* got 'explorative\("),
    ],
)
def test_words_that_ask_for_nobody_are_told_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(eu.InvalidArgumentError, match=message) as caught:
        as_behaviour(text)
    assert "\n" not in str(caught.value)


def test_a_specification_with_words_is_json_and_makes_the_same_users_again() -> None:
    env = gym.make(eu.ENV_ID, behaviour="drifting(sigma=0.5)", n_arms=3)
    assert env.spec is not None
    spec = gym.envs.registration.EnvSpec.from_json(env.spec.to_json())
    again: Any = gym.make(spec)
    direct = eu.ExplorativeUserEnv(3, behaviour=drifting(0.5))
    for each in (env, again, direct):
        each.reset(seed=3)
        for arm in (0, 1, 2, 0):
            each.step(arm)
    truth = direct.hidden_state()
    assert again.unwrapped.hidden_state() == truth
    assert env.unwrapped.hidden_state() == truth  # type: ignore[attr-defined]


def test_results_say_the_words_and_who_asks_in_others_goes_on_with_them(tmp_path: Path) -> None:
    options: dict[str, Any] = {"n_instances": 2, "progress": False, "compiled": False}
    agents, store = [Uniform(horizon=20)], tmp_path / "runs.sqlite"
    results = eu.evaluate(agents, behaviour="drifting( sigma=0.30 )", store=store, **options)
    cell = json.loads(json.dumps(results.cell))
    assert cell["behaviour"] == "drifting(sigma=0.3)"
    assert users_of(behaviour=cell["behaviour"]) == users_of(behaviour=drifting(0.3))
    read = eu.load(store)
    assert isinstance(read, eu.Results)
    assert read.population.behaviour == drifting(0.3)
    again = eu.evaluate(agents, behaviour=drifting(0.3), store=store, **options)
    assert again.runs.equals(read.runs)
    with pytest.raises(eu.InvalidArgumentError, match=r"drifting\(sigma=0\.3\) there and dri"):
        eu.evaluate(agents, behaviour="drifting", store=store, **options)
