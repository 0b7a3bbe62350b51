"""Users who leave, in the environments: what it ends, and what it costs who made them."""

import gymnasium as gym
import numpy as np
import pytest
from in_step import LANES
from pairs import pairs
from single_env import LEAVING

import explorative_user_env as eu
from explorative_user_env import COUNTS_ENV_ID, ENV_ID
from explorative_user_env.envs.bai import ExplorativeUserBAIEnv
from explorative_user_env.envs.user import REWARDS
from explorative_user_env.protocol import BAI, REGRET
from explorative_user_env.wrappers.vector import make_task


def asked_in_turn(env, seed=None, **options):
    """What each step returns, of which the last ends the episode."""
    env.reset(seed=seed, options=options or None)
    steps = []
    while not steps or not (steps[-1][2] or steps[-1][3]):
        steps.append(env.step(len(steps) % 3))
    return steps


@pytest.mark.parametrize(
    ("name", "steps", "options"),
    [
        (ENV_ID, 1000, {}),
        (ENV_ID, 60, {"max_episode_steps": 60}),
        (ENV_ID, 2000, {"max_episode_steps": 60, "horizon": 2000}),
        (ENV_ID, 60, {"max_episode_steps": -1, "horizon": 60}),
        (COUNTS_ENV_ID, 70, {"max_episode_steps": 70, "horizon": 70}),
    ],
)
def test_leaving_pays_for_all_steps_up_to_the_horizon(name, steps, options):
    env, n_left = gym.make(name, **LEAVING, **options), 0
    for seed in range(12):
        outcomes = asked_in_turn(env, seed)
        rewards, left = [float(reward) for _, reward, *_ in outcomes], outcomes[-1][2]
        means = env.unwrapped.instance().means
        spread = max(means) - min(means)
        assert all(-spread <= reward <= 0.0 for reward in rewards[: len(rewards) - left])
        if left:
            n_left += 1
            own = rewards[-1] + (steps - len(rewards)) * spread
            assert any(own == pytest.approx(mean - max(means), abs=1e-6) for mean in means)
    assert n_left > 5


def test_no_shift_of_her_means_makes_leaving_cheaper():
    env, costs = eu.ExplorativeUserEnv(horizon=100, **LEAVING), []
    for shift in (-40.0, 0.0, 30.0):
        steps = asked_in_turn(env, 1, means=[shift, shift + 1.0, shift + 3.0])
        costs.append((steps[-1][1], len(steps)))
    assert costs[0] == pytest.approx(costs[1])
    assert costs[2] == pytest.approx(costs[1])


@pytest.mark.parametrize("reward", sorted({*REWARDS} - {"regret"}))
def test_no_other_reward_pays_for_steps_that_she_missed(reward):
    _, paid, left, _, _ = asked_in_turn(gym.make(ENV_ID, reward=reward, **LEAVING), 1)[-1]
    assert left
    assert paid == 0.0  # she rejects, and leaves


def test_nobody_is_there_to_be_asked_after_she_has_left():
    env = eu.ExplorativeUserEnv(render_mode="svg", **LEAVING)
    env.reset(seed=1)
    assert "she has left" not in str(env.render())
    asked_in_turn(env, 1)
    assert "she has left" in str(env.render())
    truth = env.hidden_state()  # which can still be asked for
    with pytest.raises(gym.error.ResetNeeded):
        env.step(0)
    assert env.hidden_state() == truth
    env.reset()
    assert "she has left" not in str(env.render())
    env.step(0)


def test_to_be_left_is_no_success_and_pays_as_a_wrong_answer():
    env = ExplorativeUserBAIEnv(step_cost=0.25, render_mode="svg", **LEAVING)
    *before, (_, reward, terminated, truncated, info) = asked_in_turn(env, 1)
    assert {(step[1], step[4]["left"]) for step in before} == {(-0.25, False)}
    assert (reward, terminated, truncated) == (-1.25, True, False)
    assert (info["left"], info["is_success"], info["answer"]) == (True, False, -1)
    assert "she has left, without an answer" in str(env.render())
    with pytest.raises(gym.error.ResetNeeded):
        env.step(3)
    assert env.reset()[1]["left"] is False


@pairs(task=[REGRET, BAI], observation=["response", "sorted-counts"])
def test_users_of_a_task_in_step_are_priced_by_its_horizon(task, observation):
    envs = make_task(task, LANES, observation, 40, autoreset_mode="SameStep", **LEAVING)
    envs.reset(seed=0)
    users = envs.unwrapped
    spreads = [max(each.means) - min(each.means) for each in users.instances()]
    left, step = np.zeros(LANES, bool), 0
    while not left.any():
        _, rewards, left, _, infos = envs.step(np.full(LANES, step % 3))
        step += 1
    lane = int(np.flatnonzero(left)[0])
    assert infos["final_info"]["interactions"][lane] == step
    if task == BAI:
        assert rewards[lane] == -1.0005
    else:
        assert -(41 - step) * spreads[lane] <= rewards[lane] <= -(40 - step) * spreads[lane]
