"""The wrappers of single environments, against a slow look at what was heard."""

import copy
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from alike import told
from checkers import check_for_sb3
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import TimeLimit
from pairs import pairs
from wrapped import HORIZON, N_ARMS, Heard, counts_of, last_step_of, made, ranks_of

from explorative_user_env import (
    BAI_ENV_ID,
    COUNTS_ENV_ID,
    ENV_ID,
    ExplorativeUserEnv,
    InvalidArgumentError,
)
from explorative_user_env.envs.bai import ExplorativeUserBAIEnv
from explorative_user_env.wrappers import CountsObservation, LastStepObservation, SortedArms

NAMES = [ENV_ID, BAI_ENV_ID]


def sorted_counts(env: gym.Env[Any, Any], horizon: int | None = None) -> SortedArms:
    return SortedArms(CountsObservation(env, horizon))


WRAPPERS: list[Callable[..., Any]] = [CountsObservation, LastStepObservation, sorted_counts]


def shown_by_hand(wrapper: Any, heard: Heard, horizon: int) -> list[float]:
    if wrapper is LastStepObservation:
        return last_step_of(heard, horizon)
    arms = ranks_of(heard, horizon) if wrapper is sorted_counts else range(N_ARMS)
    return counts_of(heard, arms, horizon)


@pairs(wrapper=WRAPPERS, name=NAMES, horizon=[None, 6])
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
        over = False
        while True:
            assert observation.dtype == np.float32
            assert observation in env.observation_space
            expected = shown_by_hand(wrapper, heard, scale)
            np.testing.assert_allclose(observation, expected, rtol=2e-7)
            if over:
                break
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
            over = rest[1] or rest[2]
    assert responses == {0, 1}


@pairs(
    wrapper=WRAPPERS,
    name=NAMES,
    copied=[copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))],
)
def test_a_copy_goes_on_alike_and_apart(name: str, wrapper: Any, copied: Any) -> None:
    env = wrapper(made(name))
    env.reset(seed=1)
    env.step(1)
    twin = copied(env)
    for arm in (0, 2, 1, 1, 0):
        assert told(twin.step(arm)) == told(env.step(arm))


@pairs(wrapper=WRAPPERS, name=NAMES, horizon=[None, 6])
def test_no_checker_has_anything_to_say_and_a_spec_survives_json(
    name: str, wrapper: Any, horizon: int | None
) -> None:
    env = wrapper(made(name), horizon)
    with warnings.catch_warnings():
        # Gymnasium would rather check environments without wrappers.
        warnings.filterwarnings("ignore", ".*is different from the unwrapped version.*")
        check_env(env)
    check_for_sb3(env)
    text = env.spec.to_json()
    for again in (gym.make(env.spec), gym.make(EnvSpec.from_json(text))):
        assert str(again) == str(env)
        assert again.spec is not None
        assert again.spec.to_json() == text
        for each in (env, again):
            each.reset(seed=2)
        for arm in (0, 2, 2, 1):
            assert told(again.step(arm)) == told(env.step(arm))


# Sorted arms


class Picky(ExplorativeUserBAIEnv):
    """Masks that tell arms apart, which those of the task itself do not."""

    def action_masks(self) -> np.ndarray:
        return np.array([True, False, False, False, True, False])


def test_a_mask_stands_at_the_rank_of_its_arm() -> None:
    env = sorted_counts(Picky(N_ARMS, noise=0.4, horizon=HORIZON))
    env.reset(seed=5)
    heard: Heard = []
    orders = set()
    for rank in np.random.default_rng(1).integers(N_ARMS, size=20).tolist():
        ranks = ranks_of(heard)
        legal = [arm == 0 for arm in ranks] + [arm == 1 for arm in ranks]
        assert env.action_masks().tolist() == legal
        assert env.get_wrapper_attr("action_masks")().tolist() == legal
        *_, info = env.step(rank)
        heard.append((ranks[rank], int(info["acceptances"] > sum(yes for _, yes in heard))))
        orders.add(tuple(ranks))
    assert len(orders) > 1


BAD = [True, np.True_, 1.0, np.array([1.0]), -1, 6, np.array([6]), None, "1", [0, 1]]


@pytest.mark.parametrize("name", NAMES)
def test_a_bad_action_is_refused_by_name_and_changes_nothing(name: str) -> None:
    env, twin = sorted_counts(made(name)), sorted_counts(made(name))
    for each in (env, twin):
        each.reset(seed=1)
        each.step(2)
    for action in BAD:
        with pytest.raises(InvalidArgumentError, match=r"^action must be an integer in 0\.\.[25],"):
            env.step(action)
    assert told(env.step(0)) == told(twin.step(0))


# The horizon


def time_after_a_step(env: gym.Env[Any, Any]) -> float:
    env.reset(seed=0)
    return float(env.step(0)[0][-1])


@pytest.mark.parametrize(
    ("make", "steps"),
    [
        (lambda: gym.make(ENV_ID), 1000),
        (lambda: gym.make(ENV_ID, max_episode_steps=8), 8),
        (lambda: TimeLimit(ExplorativeUserEnv(), 8), 8),
        (lambda: gym.make(BAI_ENV_ID, horizon=40), 40),
        (lambda: ExplorativeUserBAIEnv(horizon=40), 40),
        (lambda: TimeLimit(ExplorativeUserBAIEnv(horizon=40), 8), 8),
        (lambda: gym.make(BAI_ENV_ID, horizon=40, max_episode_steps=16), 16),
        (lambda: gym.make(BAI_ENV_ID, horizon=40, max_episode_steps=-1), 40),
    ],
)
def test_the_horizon_is_the_environments_own_unless_given(make: Any, steps: int) -> None:
    for wrapper in WRAPPERS:
        assert time_after_a_step(wrapper(make())) == pytest.approx(1 / steps)
        assert time_after_a_step(wrapper(make(), horizon=5)) == pytest.approx(1 / 5)


def test_a_horizon_that_is_none_or_missing_is_refused() -> None:
    for wrapper in WRAPPERS:
        for make in (ExplorativeUserEnv, lambda: gym.make(ENV_ID, -1)):
            with pytest.raises(InvalidArgumentError, match=r"^horizon must be given, .* no time"):
                wrapper(make())
            assert time_after_a_step(wrapper(make(), 4)) == 0.25
        for horizon in (0, 1.5, True, "9"):
            with pytest.raises(InvalidArgumentError, match=r"^horizon must be an integer of at le"):
                wrapper(made(ENV_ID), horizon)


# The id


@pytest.mark.parametrize(
    "kwargs",
    [
        {},
        {"setting": "released", "n_arms": 2, "reward_law": "bernoulli"},
        {"render_mode": "ansi", "noise": 0.2, "behaviour": "forgetful"},
        {"info_level": "full", "reward": "realized", "horizon": 20},
    ],
)
def test_the_id_of_counts_is_the_same_as_wrapping_by_hand(kwargs: dict[str, Any]) -> None:
    below = {key: value for key, value in kwargs.items() if key != "horizon"}
    by_hand = gym.make(ENV_ID, max_episode_steps=15, **below)
    outcomes = []
    for env in (
        gym.make(COUNTS_ENV_ID, max_episode_steps=15, **kwargs),
        sorted_counts(by_hand, kwargs.get("horizon", 500)),
    ):
        life: list[Any] = [env.reset(seed=3)]
        for rank in np.random.default_rng(0).integers(kwargs.get("n_arms", 5), size=40).tolist():
            life.append(env.step(rank))
            life += [env.reset()] if life[-1][3] else []
        outcomes.append([told(each) for each in life])
    assert outcomes[0] == outcomes[1]
    assert len(outcomes[0]) == 43
