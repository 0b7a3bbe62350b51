"""Users who leave, in the environments: what it ends, and what it costs who made them."""

import warnings
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from alike import Beside
from checkers import check_for_sb3
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import explorative_user_env as eu
from explorative_user_env import BAI_ENV_ID, COUNTS_ENV_ID, ENV_ID
from explorative_user_env.envs.bai import ExplorativeUserBAIEnv, ExplorativeUserBAIVectorEnv
from explorative_user_env.envs.user import REWARDS
from explorative_user_env.protocol import BAI, REGRET
from explorative_user_env.wrappers.vector import make_task

LEAVING: dict[str, Any] = {"n_arms": 3, "alpha": 0.02, "behaviour": "impatient(probability=0.3)"}
"""Users most of whom leave within twenty steps."""

LANES, LIMIT = 7, 11


def asked_until_she_leaves(env: gym.Env[Any, Any]) -> list[Any]:
    """What each step returns, of which the last is that at which she leaves."""
    steps: list[Any] = []
    while not steps or not steps[-1][2]:
        steps.append(env.step(len(steps) % 3))
    return steps


def rewards_of(env: gym.Env[Any, Any], seed: int) -> tuple[list[float], bool]:
    """The rewards of an episode in which arms are recommended in turn, and whether she left."""
    env.reset(seed=seed)
    rewards: list[float] = []
    while True:
        _, reward, left, truncated, _ = env.step(len(rewards) % 3)
        rewards.append(float(reward))
        if left or truncated:
            return rewards, left


@pytest.mark.parametrize(
    ("name", "steps", "options"),
    [
        (ENV_ID, 1000, {}),
        (ENV_ID, 40, {"max_episode_steps": 40, "horizon": 40}),
        (ENV_ID, 2000, {"max_episode_steps": 60, "horizon": 2000}),
        (ENV_ID, 60, {"max_episode_steps": -1, "horizon": 60}),
        (COUNTS_ENV_ID, 500, {}),
        (COUNTS_ENV_ID, 70, {"max_episode_steps": 70, "horizon": 70}),
    ],
)
def test_leaving_pays_for_all_steps_up_to_the_horizon(
    name: str, steps: int, options: dict[str, Any]
) -> None:
    env, limit = gym.make(name, **LEAVING, **options), 0
    for seed in range(30):
        rewards, left = rewards_of(env, seed)
        means = env.unwrapped.instance().means  # type: ignore[attr-defined]
        spread = max(means) - min(means)
        assert all(-spread <= reward <= 0.0 for reward in rewards[: len(rewards) - left])
        if left:
            limit += 1
            own = rewards[-1] + (steps - len(rewards)) * spread
            assert any(own == pytest.approx(mean - max(means), abs=1e-6) for mean in means)
    assert limit > 15


def test_no_shift_of_her_means_makes_leaving_cheaper() -> None:
    env = eu.ExplorativeUserEnv(horizon=100, **LEAVING)
    costs = []
    for shift in (-40.0, 0.0, 30.0):
        env.reset(seed=1, options={"means": [shift, shift + 1.0, shift + 3.0]})
        steps = asked_until_she_leaves(env)
        costs.append((steps[-1][1], len(steps)))
    for shifted in costs[1:]:
        assert shifted == pytest.approx(costs[0])


@pytest.mark.parametrize("reward", sorted({*REWARDS} - {"regret"}))
def test_no_other_reward_pays_for_steps_that_she_missed(reward: str) -> None:
    env = gym.make(ENV_ID, reward=reward, **LEAVING)
    rewards, left = rewards_of(env, 1)
    assert left
    assert rewards[-1] == 0.0  # she rejects, and leaves


def test_nobody_is_there_to_be_asked_after_she_has_left() -> None:
    env = eu.ExplorativeUserEnv(render_mode="svg", **LEAVING)
    env.reset(seed=1)
    assert "she has left" not in str(env.render())
    asked_until_she_leaves(env)
    assert "she has left" in str(env.render())
    truth = env.hidden_state()  # which can still be asked for
    with pytest.raises(gym.error.ResetNeeded):
        env.step(0)
    assert env.hidden_state() == truth
    env.reset()
    assert "she has left" not in str(env.render())
    env.step(0)


def test_to_be_left_is_no_success_and_pays_as_a_wrong_answer() -> None:
    env = ExplorativeUserBAIEnv(step_cost=0.25, render_mode="svg", **LEAVING)
    env.reset(seed=1)
    *before, (_, reward, terminated, truncated, info) = asked_until_she_leaves(env)
    assert before
    assert {(step[1], step[4]["left"]) for step in before} == {(-0.25, False)}
    assert (reward, terminated, truncated) == (-1.25, True, False)
    assert (info["left"], info["is_success"], info["answer"]) == (True, False, -1)
    assert "she has left, without an answer" in str(env.render())
    with pytest.raises(gym.error.ResetNeeded):
        env.step(3)
    assert env.reset()[1]["left"] is False


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("reward", ["regret", "bai"])
def test_lanes_that_are_left_are_the_single_environments(mode: AutoresetMode, reward: str) -> None:
    bai = reward == "bai"
    kind: Any = ExplorativeUserBAIVectorEnv if bai else eu.ExplorativeUserVectorEnv
    options = LEAVING | {"render_mode": "svg" if mode == AutoresetMode.DISABLED else None}
    vector = kind(LANES, LIMIT, mode, **options)
    make = partial(gym.make, BAI_ENV_ID if bai else ENV_ID, LIMIT, **options)
    both = Beside(vector, SyncVectorEnv([make] * LANES, autoreset_mode=mode))
    both.reset(seed=3)
    n_left, told = 0, 0
    for t, arms in enumerate(np.random.default_rng(0).integers(3, size=(50, LANES))):
        _, _, left, truncated, infos = both.step(arms)
        done = left | truncated
        n_left += int(left.sum())
        ends = infos.get("final_info", infos) if mode == AutoresetMode.SAME_STEP else infos
        told += int(ends["left"].sum()) if bai and left.any() else 0
        if t % 20 == 0:
            both.assert_same_truth()
        if both.has_to_reset(done):
            both.reset(reset_mask=done)
    assert n_left > 20
    assert not bai or told >= n_left


@pytest.mark.parametrize("compiled", [None, False])
def test_who_never_loses_patience_is_in_every_lane_the_papers_user(compiled: bool | None) -> None:
    mild, usual = (
        eu.ExplorativeUserVectorEnv(3, 30, compiled=compiled, n_arms=3, noise=0.1, behaviour=each)
        for each in ("impatient(probability=0)", "explorative")
    )
    mild.reset(seed=1)
    usual.reset(seed=1)
    for arms in np.random.default_rng(0).integers(3, size=(70, 3)):
        one, other = mild.step(arms), usual.step(arms)
        assert [each.tolist() for each in one[:4]] == [each.tolist() for each in other[:4]]
    assert mild.hidden_states() == usual.hidden_states()


@pytest.mark.parametrize("name", [ENV_ID, BAI_ENV_ID])
def test_both_checkers_have_nothing_to_say_of_users_who_leave(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gym.make(name, **LEAVING).unwrapped, skip_render_check=True)
        check_for_sb3(gym.make(name, **LEAVING))


@pytest.mark.parametrize("task", [REGRET, BAI])
def test_users_of_a_task_in_step_are_priced_by_its_horizon(task: Any) -> None:
    envs = make_task(task, LANES, horizon=40, autoreset_mode="SameStep", **LEAVING)
    envs.reset(seed=0)
    users: Any = envs.unwrapped
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
