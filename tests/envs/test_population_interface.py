"""`ExplorativePopulation-v0`, one episode: Gymnasium's interface, and how it looks."""

import copy
import doctest
import pickle
from typing import Any

import gymnasium as gym
import pytest
from checkers import check_for_sb3
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from population_env import SMALL, arms_of

from explorative_user_env import POPULATION_ENV_ID, InvalidArgumentError, rollout
from explorative_user_env.agents import BAIR
from explorative_user_env.envs.population import (
    ExplorativePopulationEnv,
    ExplorativePopulationVectorEnv,
)
from explorative_user_env.evaluation.monitors import check_run

VARIANTS: list[dict[str, Any]] = [
    {},
    {"n_users": 2, "horizon": 3, "setting": "released", "n_arms": 2},
    {"n_users": 2, "horizon": 1, "info_level": "full", "render_mode": "ansi"},
]


@pytest.mark.parametrize("kwargs", VARIANTS)
def test_no_checker_has_anything_to_say(kwargs: dict[str, Any]) -> None:
    env = gym.make(POPULATION_ENV_ID, **kwargs)
    check_env(env.unwrapped)
    check_for_sb3(env.unwrapped)
    check_for_sb3(env)


def test_gymnasium_makes_it_by_the_id_with_its_defaults_in_the_specification() -> None:
    usual = {"n_users": 20, "deviation": 0.3, "horizon": 300}
    assert gym.spec(POPULATION_ENV_ID).kwargs == usual
    env: Any = gym.make(POPULATION_ENV_ID, n_arms=4)
    assert type(env.unwrapped) is ExplorativePopulationEnv
    assert {name: getattr(env.unwrapped, name) for name in usual} == usual
    many: Any = gym.make_vec(POPULATION_ENV_ID, num_envs=3, n_arms=4)
    assert type(many) is ExplorativePopulationVectorEnv
    assert {name: getattr(many, name) for name in usual} == usual
    text = str(ExplorativePopulationEnv.__doc__)
    assert all(f"- `{name}` ({value}):" in text for name, value in usual.items())


def test_a_spec_survives_json() -> None:
    env = gym.make(POPULATION_ENV_ID, **SMALL)
    assert env.spec is not None
    outcomes = []
    for each in (env, gym.make(EnvSpec.from_json(env.spec.to_json()))):
        each.reset(seed=1)
        outcomes.append([each.step(arm) for arm in arms_of(21)])
    # The specification says the length, so Gymnasium's time limit ends with the last user.
    assert env.spec.max_episode_steps == 21
    assert outcomes[0][:-1] == outcomes[1][:-1]
    (*first, truncated, info), (*again, at_limit, info_again) = outcomes[0][-1], outcomes[1][-1]
    assert (first, info, truncated, at_limit) == (again, info_again, False, True)
    assert first[2]


def test_a_time_limit_cuts_it_off_over_all_users() -> None:
    env = gym.make(POPULATION_ENV_ID, max_episode_steps=9, **SMALL)
    env.reset(seed=1)
    ends = [env.step(arm)[2:4] for arm in arms_of(9)]
    assert ends == [(False, False)] * 8 + [(False, True)]


def test_the_docstrings_example_is_true() -> None:
    runner = doctest.DocTestRunner()
    for test in doctest.DocTestFinder().find(ExplorativePopulationEnv, globs={}):
        runner.run(test)
    assert runner.summarize(verbose=False) == (0, 6)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_alike(copied: Any) -> None:
    env = ExplorativePopulationEnv(**SMALL, info_level="full")
    env.reset(seed=2)
    for arm in arms_of(5):
        env.step(arm)
    twin = copied(env)
    for arm in arms_of(16):
        assert twin.step(arm) == env.step(arm)
    assert twin.reset() == env.reset()


def test_everything_is_told_of_the_present_user_if_asked_for() -> None:
    env = ExplorativePopulationEnv(**SMALL, info_level="full")
    _, info = env.reset(seed=2)
    keys = set(info)
    for arm in arms_of(21):
        *_, info = env.step(arm)
        assert info["hidden_state"] == env.hidden_state()
        assert info["hidden_state"].interactions == info["interactions"]
        assert set(info) == keys


@pytest.mark.parametrize("mode", ["ansi", "svg"])
def test_a_picture_is_of_the_present_user_and_says_who_she_is(mode: str) -> None:
    env = ExplorativePopulationEnv(**SMALL, render_mode=mode, render_intervals=True)
    env.reset(seed=2)
    first = env.render()
    assert "user 1 of 3" in first
    for arm in arms_of(7):
        env.step(arm)
        assert ("user 2 of 3" in env.render()) == (env.hidden_state().interactions == 0)
    nothing = "no recommendation yet"
    assert env.render().count(nothing) == first.count(nothing) > 0


def test_what_knows_of_one_user_only_refuses_it() -> None:
    env = gym.make(POPULATION_ENV_ID, **SMALL)
    for meets in (lambda: rollout(env, "BAIR", seed=1), lambda: check_run(env, BAIR(), seed=1)):
        with pytest.raises(InvalidArgumentError, match="env must be one of one user"):
            meets()
