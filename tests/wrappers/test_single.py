"""The wrappers of single environments, against a slow look at what was heard."""

import copy
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from checkers import check_for_sb3
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import TimeLimit
from wrapped import HORIZON, N_ARMS, Heard, counts_of, last_step_of, made, ranks_of

from explorative_user_env import (
    BAI_ENV_ID,
    ENV_ID,
    ExplorativeUserEnv,
    InvalidArgumentError,
)
from explorative_user_env.envs.bai import ExplorativeUserBAIEnv
from explorative_user_env.wrappers import CountsObservation, LastStepObservation, SortedArms


def sorted_counts(env: gym.Env[Any, Any], horizon: int | None = None) -> SortedArms:
    return SortedArms(CountsObservation(env, horizon))


WRAPPERS: list[Callable[..., Any]] = [CountsObservation, LastStepObservation, sorted_counts]


@pytest.fixture(params=WRAPPERS, ids=lambda wrapper: wrapper.__name__)
def wrapper(request: pytest.FixtureRequest) -> Any:
    return request.param


def shown_by_hand(wrapper: Any, heard: Heard, horizon: int) -> list[float]:
    if wrapper is LastStepObservation:
        return last_step_of(heard, horizon)
    arms = ranks_of(heard, horizon) if wrapper is sorted_counts else range(N_ARMS)
    return counts_of(heard, arms, horizon)


# The observation


@pytest.mark.parametrize("horizon", [None, 6])
def test_it_shows_what_was_heard_of_this_user_also_beyond_its_scale(
    name: str, wrapper: Any, horizon: int | None
) -> None:
    """Ranks or arms: what is recommended is checked by the bare environment beside it."""
    env, bare = wrapper(made(name), horizon), made(name)
    rng, scale, responses = np.random.default_rng(0), horizon or HORIZON, set()
    for seed in (3, None, None):
        observation, info = env.reset(seed=seed)
        assert info == bare.reset(seed=seed)[1]
        heard: Heard = []
        while True:
            assert observation.dtype == np.float32
            assert observation in env.observation_space
            expected = shown_by_hand(wrapper, heard, scale)
            np.testing.assert_allclose(observation, expected, rtol=2e-7)
            action = int(rng.integers(N_ARMS))
            if name == BAI_ENV_ID and rng.random() < 0.02:
                action += N_ARMS
            below = action
            if wrapper is sorted_counts:
                arm = ranks_of(heard, scale)[action % N_ARMS]
                below = arm + N_ARMS * (action >= N_ARMS)
            observation, *rest = env.step(action)
            response, *same = bare.step(below)
            responses.add(response)
            assert rest == same
            if below < N_ARMS:
                heard.append((below, response))
            if rest[1] or rest[2]:
                np.testing.assert_allclose(
                    observation, shown_by_hand(wrapper, heard, scale), rtol=2e-7
                )
                break
    assert responses == {0, 1}


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_alike_and_apart(name: str, wrapper: Any, copied: Any) -> None:
    env = wrapper(made(name))
    env.reset(seed=1)
    env.step(1)
    twin = copied(env)
    for arm in (0, 2, 1, 1, 0):
        assert repr(twin.step(arm)) == repr(env.step(arm))


def test_the_spaces_are_those_of_the_numbers(name: str) -> None:
    counts = CountsObservation(made(name)).observation_space
    low = [0.0] * 6 + [-1.0] * 3 + [0.0] * 4
    assert counts == gym.spaces.Box(np.array(low, np.float32), np.ones(13, np.float32))
    assert sorted_counts(made(name)).observation_space == counts
    last = LastStepObservation(made(name)).observation_space
    low = [0.0, 0.0, 0.0, -1.0, 0.0]
    assert last == gym.spaces.Box(np.array(low, np.float32), np.ones(5, np.float32))
    n_actions = 6 if name == BAI_ENV_ID else 3
    assert sorted_counts(made(name)).action_space == gym.spaces.Discrete(n_actions)


# The checkers and the spec


def test_gymnasiums_checker_has_nothing_to_say(name: str, wrapper: Any) -> None:
    env = wrapper(made(name))
    with warnings.catch_warnings():
        # Gymnasium would rather check environments without wrappers.
        warnings.filterwarnings("ignore", ".*is different from the unwrapped version.*")
        check_env(env)


def test_stable_baselines_checker_has_nothing_to_say(name: str, wrapper: Any) -> None:
    check_for_sb3(wrapper(made(name)))


@pytest.mark.parametrize("horizon", [None, 6])
def test_a_spec_survives_json_with_its_wrappers(
    name: str, wrapper: Any, horizon: int | None
) -> None:
    env = wrapper(made(name), horizon)
    text = env.spec.to_json()
    for again in (gym.make(env.spec), gym.make(EnvSpec.from_json(text))):
        assert str(again) == str(env)
        assert again.spec is not None
        assert again.spec.to_json() == text
        for each in (env, again):
            each.reset(seed=2)
        for arm in (0, 2, 2, 1):
            assert repr(again.step(arm)) == repr(env.step(arm))


# The horizon


def time_after_a_step(env: gym.Env[Any, Any]) -> float:
    env.reset(seed=0)
    return float(env.step(0)[0][-1])


@pytest.mark.parametrize(
    ("make", "steps"),
    [
        (lambda: gym.make(ENV_ID), 1000),
        (lambda: gym.make(ENV_ID, max_episode_steps=8), 8),
        (lambda: gym.make(BAI_ENV_ID, horizon=40), 40),
        (lambda: ExplorativeUserBAIEnv(horizon=40), 40),
        (lambda: gym.make(BAI_ENV_ID, horizon=40, max_episode_steps=16), 16),
        (lambda: gym.make(BAI_ENV_ID, horizon=40, max_episode_steps=-1), 40),
    ],
)
def test_the_horizon_is_the_environments_own_unless_given(
    wrapper: Any, make: Callable[[], gym.Env[Any, Any]], steps: int
) -> None:
    assert time_after_a_step(wrapper(make())) == pytest.approx(1 / steps)
    assert time_after_a_step(wrapper(make(), horizon=5)) == pytest.approx(1 / 5)


@pytest.mark.parametrize("make", [ExplorativeUserEnv, lambda: ExplorativeUserBAIEnv(horizon=40)])
def test_the_horizon_is_that_of_a_time_limit_put_on_by_hand(make: Any) -> None:
    assert time_after_a_step(CountsObservation(TimeLimit(make(), 8))) == pytest.approx(1 / 8)


@pytest.mark.parametrize("make", [ExplorativeUserEnv, lambda: gym.make(ENV_ID, -1)])
def test_without_a_time_limit_the_horizon_must_be_given(wrapper: Any, make: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^horizon must be given, .* no time limit"):
        wrapper(make())
    assert time_after_a_step(wrapper(make(), 4)) == 0.25


@pytest.mark.parametrize("horizon", [0, -3, 1.5, True, "9"])
def test_a_bad_horizon_is_named(wrapper: Any, horizon: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^horizon must be an integer of at least 1"):
        wrapper(made(ENV_ID), horizon)
