"""`ExplorativeUserBAI-v0`, one user: what it pays, when it ends, what it tells, what is legal."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from single_env import COUNTERS, arms, begun_bai

from explorative_user_env import BAI_ENV_ID, ExplorativeUserEnv
from explorative_user_env.agents import BAIR
from explorative_user_env.envs.bai import ExplorativeUserBAIEnv
from explorative_user_env.users.population import Setting

BEST = 1


def unfinished(info: dict[str, Any]) -> dict[str, Any]:
    """What is said of the end where there is no answer: nothing but the counts again."""
    steps = info["interactions"]
    told = {"is_success": False, "answer": -1, "stopping_time": steps, "left": False}
    return told | {"rejection_rate": info["rejections"] / max(steps, 1)}


# Rewards and ends


@pytest.mark.parametrize("arm", [0, BEST])
@pytest.mark.parametrize("steps", [0, 5])
def test_an_answer_ends_the_episode_and_pays_one_or_costs_one(arm: int, steps: int) -> None:
    env = begun_bai()
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
        "left": False,
    }
    assert {type(value) for value in info.values()} == {bool, int, float}


@pytest.mark.parametrize("horizon", [1, 2, 9])
def test_the_horizon_terminates_and_costs_as_much_as_a_wrong_answer(horizon: int) -> None:
    env = begun_bai(horizon=horizon)
    outcomes = [env.step(arm) for arm in arms(horizon)]
    assert [reward for _, reward, *_ in outcomes] == [-0.25] * (horizon - 1) + [-1.25]
    assert [terminated for _, _, terminated, *_ in outcomes] == [False] * (horizon - 1) + [True]
    assert not any(truncated for *_, truncated, _ in outcomes)
    info = outcomes[-1][-1]
    assert info["has_response"]
    assert info["rejections"] == [response for response, *_ in outcomes].count(0)
    assert info == info | unfinished(info)


def test_an_answer_is_taken_up_to_the_last_moment_and_is_a_step_of_its_own() -> None:
    env: Any = begun_bai(horizon=4)
    returns = [env.step(arm)[1] for arm in (1, 1, 1)]
    assert not env.action_masks()[3 + BEST]  # the mask is advice
    assert [*returns, env.step(3 + BEST)[1]] == [-0.25, -0.25, -0.25, 1.0]
    env = gym.wrappers.RecordEpisodeStatistics(gym.make(BAI_ENV_ID, n_arms=3, horizon=4))
    for last, more in ((4, 1), (0, 0)):
        env.reset(seed=0)
        for action in (0, 1, 2, last):
            *_, terminated, _, info = env.step(action)
        assert terminated
        assert info["episode"]["l"] == info["stopping_time"] + more == 4


# The user and what is told of her


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_the_user_is_the_one_of_the_other_task(setting: Setting, noise: float) -> None:
    kwargs: dict[str, Any] = {"n_arms": 4, "setting": setting, "noise": noise}
    env, other = ExplorativeUserBAIEnv(**kwargs), ExplorativeUserEnv(**kwargs)
    for seed in (3, None, None):
        other.reset(seed=seed)
        env.reset(seed=seed)
        for arm in arms(80, 4):
            one, two = env.step(arm), other.step(arm)
            assert one[0] == two[0]
            assert {name: one[4][name] for name in COUNTERS} == two[4]
        assert env.hidden_state() == other.hidden_state()
        env.step(4)


def test_nothing_but_responses_and_counts_is_told_before_the_end(setting: Setting) -> None:
    env = gym.make(BAI_ENV_ID, setting=setting, noise=0.1, horizon=50)
    observation, info = env.reset(seed=0)
    counts = {"has_response": False, "interactions": 0, "acceptances": 0, "rejections": 0}
    assert info == counts | unfinished(info)
    for last in (*[False] * 49, True):
        assert type(observation) is int
        observation, reward, terminated, _, info = env.step(2)
        assert terminated == last
        assert info == {name: info[name] for name in COUNTERS} | unfinished(info)
        assert reward == -0.0005 - last


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
    guesses = [begun_bai(seed, n_arms=n_arms, means=None).step(n_arms)[1] for seed in range(400)]
    guessing = 2 / n_arms - 1
    assert np.mean(guesses) == pytest.approx(guessing, abs=0.12)
    cheap, stopping_time = mean_return(n_arms, limit / 2)
    dear, same_time = mean_return(n_arms, limit * 2)
    assert stopping_time == same_time == pytest.approx(time, rel=0.2)
    assert limit == pytest.approx(2 * (1 - 1 / n_arms) / time, rel=0.02)
    assert dear < guessing < cheap
    # The same users and the same success: all that differs is what the steps cost.
    assert cheap - dear == pytest.approx((limit * 2 - limit / 2) * stopping_time)
