"""`ExplorativeUser-v0`, one user: Gymnasium's interface, arms, and what is refused."""

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from checkers import check_for_sb3
from gymnasium.utils.env_checker import check_env
from single_env import VARIANTS, arms, play, started

from explorative_user_env import (
    BAI_ENV_ID,
    ENV_ID,
    POPULATION_ENV_ID,
    ExplorativeUserEnv,
    InvalidArgumentError,
)


@pytest.mark.parametrize("name", [ENV_ID, f"explorative_user_env:{ENV_ID}"])
def test_the_environment_is_made_by_its_id(name: str) -> None:
    env = gym.make(name, n_arms=4)
    assert isinstance(env.unwrapped, ExplorativeUserEnv)
    assert env.action_space == gym.spaces.Discrete(4)
    assert env.observation_space == gym.spaces.Discrete(2)


@pytest.mark.parametrize("kwargs", VARIANTS)
def test_gymnasiums_checker_has_nothing_to_say(kwargs: dict[str, Any]) -> None:
    check_env(gym.make(ENV_ID, **kwargs).unwrapped)


@pytest.mark.parametrize("kwargs", VARIANTS)
def test_stable_baselines_checker_has_nothing_to_say(kwargs: dict[str, Any]) -> None:
    env = gym.make(ENV_ID, **kwargs)
    check_for_sb3(env)
    check_for_sb3(env.unwrapped)


@pytest.mark.parametrize(("kwargs", "limit"), [({}, 1000), ({"max_episode_steps": 7}, 7)])
def test_the_time_limit_truncates_and_does_not_terminate(
    kwargs: dict[str, Any], limit: int
) -> None:
    env = gym.make(ENV_ID, n_arms=3, **kwargs)
    env.reset(seed=0)
    outcomes = play(env, arms(limit, 3))
    assert [truncated for *_, truncated, _ in outcomes] == [False] * (limit - 1) + [True]
    assert not any(terminated for _, _, terminated, *_ in outcomes)


def test_a_reset_observes_zero_and_says_that_there_is_no_response_yet() -> None:
    env = ExplorativeUserEnv()
    observation, info = env.reset(seed=0)
    assert (type(observation), observation) == (int, 0)
    assert info == {"has_response": False, "interactions": 0, "acceptances": 0, "rejections": 0}


def test_the_observation_is_the_response_and_the_counts_add_up(setting: Any) -> None:
    env = started(setting=setting)
    responses = []
    for observation, reward, terminated, truncated, info in play(env, arms(200, 3)):
        assert type(observation) is int
        assert type(reward) is float
        assert (terminated, truncated) == (False, False)
        responses.append(observation)
        t, n = len(responses), sum(responses)
        assert info == {
            "has_response": True,
            "interactions": t,
            "acceptances": n,
            "rejections": t - n,
        }
    assert set(responses) == {0, 1}


def test_the_info_of_a_step_is_not_changed_by_the_next() -> None:
    env = started()
    _, _, _, _, info = env.step(0)
    kept = dict(info)
    env.step(1)
    assert info == kept


@pytest.mark.parametrize("made", [True, False])
@pytest.mark.parametrize(
    "cast",
    [
        np.int64,
        np.int32,
        np.uint8,
        np.array,
        lambda arm: np.array([arm]),
        lambda arm: np.array([[arm]], dtype=np.int8),
    ],
)
def test_an_arm_may_be_any_integer_or_an_array_of_one(
    cast: Callable[[int], Any], made: bool
) -> None:
    kwargs: dict[str, Any] = {"n_arms": 3, "info_level": "full"}
    outcomes = []
    for convert in (int, cast):
        env = gym.make(ENV_ID, **kwargs) if made else ExplorativeUserEnv(**kwargs)
        env.reset(seed=2)
        outcomes.append(play(env, map(convert, arms(20, 3))))
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize(
    "action",
    [
        *(True, np.True_, np.array(True), 1.0, np.float64(1.0), np.array([1.0])),
        *(-1, 3, 99, np.array([3]), None, "1"),
        *(np.array([0, 1]), np.array([], dtype=int), np.zeros((2, 2), dtype=int)),
    ],
)
def test_what_is_not_an_arm_is_refused_by_name_and_changes_nothing(action: Any) -> None:
    env = started()
    env.step(1)
    before = env.hidden_state()
    with pytest.raises(
        InvalidArgumentError, match=r"action must be an integer in 0\.\.2, got"
    ) as caught:
        env.step(action)
    assert "\n" not in str(caught.value)
    assert env.hidden_state() == before


@pytest.mark.parametrize("made", [True, False])
def test_nothing_works_before_the_first_reset(made: bool) -> None:
    kwargs: dict[str, Any] = {"render_mode": "ansi"}
    env: Any = gym.make(ENV_ID, **kwargs) if made else ExplorativeUserEnv(**kwargs)
    for ask in (lambda: env.step(0), env.render, env.unwrapped.hidden_state):
        with pytest.raises(gym.error.ResetNeeded, match="reset"):
            ask()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_arms": 1}, "n_arms must be an integer of at least 2, got 1"),
        ({"gap": 0.0}, r"gap must be a finite number above 0, got 0\.0"),
        ({"alpha": 0.0}, r"alpha must be a finite number above 0, got 0\.0"),
        ({"noise": 2.0}, r"noise must be a number in \[0, 1\], got 2\.0"),
        ({"setting": "text"}, "setting must be one of printed, released, got 'text'"),
        ({"means": "cauchy"}, "means must be one of normal, uniform, uniform_with_room, got 'c"),
        ({"means": [1.0, 2.0]}, r"means must be 5 finite numbers.*, got \[1\.0, 2\.0\]"),
        ({"rho": "fast"}, r"rho must be .*, got 'fast'"),
        ({"reward": "money"}, r"reward must be one of accept, .*utility, got 'money'"),
        ({"info_level": "all"}, "info_level must be one of counts, full, got 'all'"),
        (
            {"render_mode": "film"},
            "render_mode must be one of ansi, human, rgb_array, svg, got 'film'",
        ),
        ({"render_intervals": "no"}, "render_intervals must be True or False, got 'no'"),
    ],
)
def test_a_bad_argument_is_named_with_its_value_and_what_is_allowed(
    arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        ExplorativeUserEnv(**arguments)


def test_gymnasiums_classes_are_direct_bases_as_libraries_look_for_them() -> None:
    for name in (ENV_ID, BAI_ENV_ID, POPULATION_ENV_ID):
        assert gym.Env in type(gym.make(name).unwrapped).__bases__
        assert gym.vector.VectorEnv in type(gym.make_vec(name, num_envs=2)).__bases__
