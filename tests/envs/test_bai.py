"""`ExplorativeUserBAI-v0`, one user: what it pays, when it ends, what it tells, what is legal."""

import copy
import doctest
import pickle
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from stable_baselines3.common.env_checker import check_env as check_for_sb3

from explorative_user_env import (
    BAI_ENV_ID,
    ExplorativeUserBAIEnv,
    ExplorativeUserBAIVectorEnv,
    ExplorativeUserEnv,
    InvalidArgumentError,
)
from explorative_user_env.agents import BAIR
from explorative_user_env.settings import Setting

COUNTERS = {"has_response", "interactions", "acceptances", "rejections"}
ENDING = {"is_success", "answer", "stopping_time", "rejection_rate"}
MEANS = [0.0, 3.0, -2.0]
BEST = 1

VARIANTS: list[dict[str, Any]] = [
    {},
    {"setting": "released", "n_arms": 2, "horizon": 5},
    {"render_mode": "ansi", "noise": 0.2, "alpha": 0.8, "mask": "none"},
    {"info_level": "full", "rho": 1.5, "step_cost": 0.0},
]


def begun(seed: int = 0, **kwargs: Any) -> ExplorativeUserBAIEnv:
    given: dict[str, Any] = {"n_arms": 3, "means": MEANS, "step_cost": 0.25} | kwargs
    env = ExplorativeUserBAIEnv(**given)
    env.reset(seed=seed)
    return env


def arms(steps: int, n_arms: int = 3, seed: int = 0) -> list[int]:
    drawn: list[int] = np.random.default_rng(seed).integers(n_arms, size=steps).tolist()
    return drawn


# The Gymnasium interface


@pytest.mark.parametrize("kwargs", VARIANTS)
def test_both_checkers_have_nothing_to_say(kwargs: dict[str, Any]) -> None:
    env = gym.make(BAI_ENV_ID, **kwargs)
    check_env(env.unwrapped)
    check_for_sb3(env.unwrapped)
    check_for_sb3(env)


@pytest.mark.parametrize("name", [BAI_ENV_ID, f"explorative_user_env:{BAI_ENV_ID}"])
def test_gymnasium_makes_it_by_the_id(name: str) -> None:
    env = gym.make(name, n_arms=4)
    assert type(env.unwrapped) is ExplorativeUserBAIEnv
    assert env.action_space == gym.spaces.Discrete(8)
    assert env.observation_space == gym.spaces.Discrete(2)
    vector = gym.make_vec(name, num_envs=3, n_arms=4)
    assert type(vector) is ExplorativeUserBAIVectorEnv
    assert vector.action_space == gym.spaces.MultiDiscrete([8, 8, 8])


def test_a_spec_survives_json() -> None:
    kwargs: dict[str, Any] = {"n_arms": 3, "step_cost": 0.125, "horizon": 9, "mask": "none"}
    env = gym.make(BAI_ENV_ID, **kwargs)
    assert env.spec is not None
    text = env.spec.to_json()
    outcomes = []
    for each in (env, gym.make(EnvSpec.from_json(text))):
        each.reset(seed=1)
        outcomes.append([each.step(arm) for arm in arms(9)])
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][-1][2]


def test_the_docstrings_example_is_true() -> None:
    tests = doctest.DocTestFinder().find(ExplorativeUserBAIEnv, globs={})
    runner = doctest.DocTestRunner()
    for test in tests:
        runner.run(test)
    assert runner.summarize(verbose=False) == (0, 6)


def test_the_defaults_are_those_of_the_docstring() -> None:
    env, text = ExplorativeUserBAIEnv(), str(ExplorativeUserBAIEnv.__doc__)
    defaults = {"n_arms": env.user.n_arms, "step_cost": env.step_cost, "horizon": env.horizon}
    for name, value in (defaults | {"mask": f'"{env.mask}"'}).items():
        assert f"- `{name}` ({value}):" in text


# Rewards and ends


@pytest.mark.parametrize("arm", [0, 1, 2])
@pytest.mark.parametrize("steps", [0, 5])
def test_an_answer_ends_the_episode_and_pays_one_or_costs_one(arm: int, steps: int) -> None:
    env = begun()
    responses = [env.step(each)[0] for each in arms(steps)]
    observation, reward, terminated, truncated, info = env.step(3 + arm)
    assert (observation, terminated, truncated) == (0, True, False)
    assert (reward, type(reward)) == (1.0 if arm == BEST else -1.0, float)
    assert info == {
        "has_response": False,
        "interactions": steps,
        "acceptances": sum(responses),
        "rejections": steps - sum(responses),
        "is_success": arm == BEST,
        "answer": arm,
        "stopping_time": steps,
        "rejection_rate": (steps - sum(responses)) / steps if steps else 0.0,
    }
    assert {type(value) for value in info.values()} == {bool, int, float}


@pytest.mark.parametrize("horizon", [1, 2, 9])
def test_the_horizon_terminates_and_costs_as_much_as_a_wrong_answer(horizon: int) -> None:
    env = begun(horizon=horizon)
    outcomes = [env.step(arm) for arm in arms(horizon)]
    assert [reward for _, reward, *_ in outcomes] == [-0.25] * (horizon - 1) + [-1.25]
    assert [terminated for _, _, terminated, *_ in outcomes] == [False] * (horizon - 1) + [True]
    assert not any(truncated for *_, truncated, _ in outcomes)
    rejections = [response for response, *_ in outcomes].count(0)
    ending = {"is_success": False, "answer": -1, "stopping_time": horizon}
    info = outcomes[-1][-1]
    assert info["has_response"]
    assert info == info | ending | {"rejection_rate": rejections / horizon}


def test_an_answer_is_taken_up_to_the_last_moment() -> None:
    env = begun(horizon=4)
    returns = [env.step(arm)[1] for arm in (1, 1, 1)]
    assert not env.action_masks()[3 + BEST]  # the mask is advice
    assert [*returns, env.step(3 + BEST)[1]] == [-0.25, -0.25, -0.25, 1.0]


@pytest.mark.parametrize("made", [True, False])
@pytest.mark.parametrize("last", [3, 0])
def test_nothing_works_before_a_reset_and_after_the_end(last: int, made: bool) -> None:
    kwargs: dict[str, Any] = {"n_arms": 3, "horizon": 2}
    env = gym.make(BAI_ENV_ID, **kwargs) if made else ExplorativeUserBAIEnv(**kwargs)
    for action in (0, 5):
        with pytest.raises(ResetNeeded, match="reset"):
            env.step(action)
    for _ in range(2):
        env.reset(seed=0)
        assert not env.step(0)[2]
        assert env.step(last)[2]
        for action in (0, 5):
            with pytest.raises(ResetNeeded, match="call reset before step"):
                env.step(action)


@pytest.mark.parametrize("action", [True, 1.0, -1, 6, np.array([6]), None, "1", np.array([0, 1])])
def test_what_is_not_an_action_is_refused_by_name_and_changes_nothing(action: Any) -> None:
    env = begun()
    env.step(np.array([1]))  # type: ignore[arg-type]
    before = env.hidden_state(), env.action_masks().tolist()
    with pytest.raises(InvalidArgumentError, match=r"^action must be an integer in 0\.\.5, got"):
        env.step(action)
    assert (env.hidden_state(), env.action_masks().tolist()) == before
    assert env.step(3 + BEST)[1:3] == (1.0, True)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"step_cost": -1}, InvalidArgumentError, "^step_cost must be a finite number of at least"),
        ({"horizon": 0}, InvalidArgumentError, "^horizon must be an integer of at least 1, got 0"),
        ({"mask": "x"}, InvalidArgumentError, "^mask must be one of none, rejections, got 'x'"),
        ({"n_arms": 1}, InvalidArgumentError, "^n_arms must be an integer of at least 2, got 1"),
        ({"reward": "regret"}, TypeError, "reward"),
    ],
)
def test_a_bad_argument_is_named(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        ExplorativeUserBAIEnv(**arguments)


# Which actions are legal


@pytest.mark.parametrize("n_arms", [2, 3, 5])
def test_answers_are_legal_once_all_arms_but_one_were_rejected_when_last_recommended(
    setting: Setting, n_arms: int
) -> None:
    kwargs: dict[str, Any] = {"n_arms": n_arms, "setting": setting, "noise": 0.6}
    env, twin = ExplorativeUserBAIEnv(**kwargs), ExplorativeUserBAIEnv(**kwargs, mask="none")
    seen = []
    for seed in range(3):
        latest: dict[int, int] = {}
        env.reset(seed=seed)
        twin.reset(seed=seed)
        for arm in [*arms(80, n_arms, seed), n_arms]:
            legal = sum(response == 0 for response in latest.values()) >= n_arms - 1
            masks = env.action_masks()
            assert masks.dtype == bool
            assert masks.tolist() == [True] * n_arms + [legal] * n_arms
            assert twin.action_masks().tolist() == [True] * 2 * n_arms
            seen.append(legal)
            latest[arm], *_ = env.step(arm)
            twin.step(arm)
    assert {*seen} == {True, False}


# When finding the arm pays


def mean_return(n_arms: int, step_cost: float, n_users: int = 24) -> tuple[float, float]:
    """The mean return and the mean stopping time of BAIR, in a loop as plain as can be."""
    env = ExplorativeUserBAIEnv(n_arms, step_cost=step_cost, horizon=100_000)
    agent, returns, times = BAIR(delta=0.1), 0.0, 0
    for seed in range(n_users):
        env.reset(seed=seed)
        agent.reset(n_arms, np.random.default_rng(seed))
        terminated = False
        while not terminated:
            arm = agent.act()
            action = n_arms + agent.answer() if arm is None else arm
            observation, reward, terminated, _, info = env.step(action)
            if arm is not None:
                agent.observe(arm, bool(observation))
            returns += reward
        times += info["stopping_time"]
    return returns / n_users, times / n_users


@pytest.mark.parametrize(("n_arms", "time", "limit"), [(2, 400, 0.0025), (5, 550, 0.0029)])
def test_finding_the_arm_pays_below_the_limit_of_the_docstring_and_guessing_above(
    n_arms: int, time: float, limit: float
) -> None:
    guesses = [begun(seed, n_arms=n_arms, means=None).step(n_arms)[1] for seed in range(400)]
    guessing = 2 / n_arms - 1
    assert np.mean(guesses) == pytest.approx(guessing, abs=0.12)
    cheap, stopping_time = mean_return(n_arms, limit / 2)
    dear, same_time = mean_return(n_arms, limit * 2)
    assert stopping_time == same_time == pytest.approx(time, rel=0.2)
    assert limit == pytest.approx(2 * (1 - 1 / n_arms) / time, rel=0.02)
    assert dear < guessing < cheap
    # The same users and the same success: all that differs is what the steps cost.
    assert cheap - dear == pytest.approx((limit * 2 - limit / 2) * stopping_time)


# The user and what is told of her


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_the_user_is_the_one_of_the_other_task(setting: Setting, noise: float) -> None:
    kwargs: dict[str, Any] = {"n_arms": 4, "setting": setting, "noise": noise}
    env, other = ExplorativeUserBAIEnv(**kwargs), ExplorativeUserEnv(**kwargs)
    for seed in (3, None, None):
        assert env.reset(seed=seed) == other.reset(seed=seed)
        assert env.hidden_state() == other.hidden_state()
        for arm in arms(80, 4):
            one, two = env.step(arm), other.step(arm)
            assert (one[0], one[4]) == (two[0], two[4])
        assert env.hidden_state() == other.hidden_state()
        env.step(4)


def test_nothing_but_responses_and_counts_is_told_before_the_end(setting: Setting) -> None:
    env = gym.make(BAI_ENV_ID, setting=setting, noise=0.1, horizon=50)
    observation, info = env.reset(seed=0)
    assert info == {"has_response": False, "interactions": 0, "acceptances": 0, "rejections": 0}
    for last in (*[False] * 49, True):
        assert type(observation) is int
        observation, reward, terminated, _, info = env.step(2)
        assert terminated == last
        assert set(info) == COUNTERS | (ENDING if last else set())
        assert {type(value) for value in info.values()} <= {bool, int, float}
        assert reward == -0.0005 - last


@pytest.mark.parametrize("last", [0, 4])
def test_everything_is_told_if_asked_for_also_at_the_end(last: int) -> None:
    env = begun(info_level="full", horizon=3)
    for action in (0, 1, last):
        *_, info = env.step(action)
        assert info["hidden_state"] == env.hidden_state()
    assert set(info) == COUNTERS | ENDING | {"hidden_state"}


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_alike(copied: Any) -> None:
    env = begun(noise=0.5)
    twin = copied(env)
    for arm in arms(20):
        assert twin.step(arm) == env.step(arm)
        assert twin.action_masks().tolist() == env.action_masks().tolist()
