"""The drifting user: her means do a random walk, and everything is held against them."""

import math
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from one_user import users_of
from other_users import random_arms, started
from scipy import stats

import explorative_user_env as eu
from explorative_user_env.agents import Uniform
from explorative_user_env.envs.bai import ExplorativeUserBAIEnv
from explorative_user_env.protocol import STOP, ManyUserAgent
from explorative_user_env.users.behaviours import drifting
from explorative_user_env.users.population import Setting


def test_means_do_a_random_walk_of_the_variance_that_is_said(setting: Setting) -> None:
    sigma, steps, given = 0.02, 50, [0.0, 0.5, -1.0, 2.0]
    moved = []
    for seed in range(300):
        env = started(seed, setting=setting, means=given, behaviour=drifting(sigma))
        for arm in random_arms(steps, seed=seed):
            env.step(arm)
        hidden = env.hidden_state()
        moved += [now - then for now, then in zip(hidden.instance.means, given, strict=True)]
        assert hidden.instance.best_arm == int(np.argmax(hidden.instance.means))
    # Sums of squares over sigma^2 T are chi-square: inside its central 99.9%, and centred alike.
    n = len(moved)
    total = sum(move**2 for move in moved) / (sigma**2 * steps)
    assert stats.chi2.ppf(0.0005, n) < total < stats.chi2.ppf(0.9995, n)
    assert abs(np.mean(moved)) < 4 * sigma * math.sqrt(steps / n)


def test_a_step_of_the_walk_by_hand_and_its_reflection_at_0_and_1() -> None:
    class Told:
        def __init__(self, *normals: float) -> None:
            self.normals = list(normals)

        def standard_normal(self) -> float:
            return self.normals.pop(0)

        def random(self) -> float:
            return 0.75

    for law, expected in (
        ("bounded", [1.25, -0.5, 4.0]),
        ("bernoulli", [0.75, 0.5, 0.0]),
    ):
        users = users_of(n_arms=3, reward_law=law)
        user, rule = users.user, users.schedule.rule
        behaviour = drifting(0.5)
        state: Any = behaviour.blank(user)
        state.means[:] = [0.75, 0.5, 1.0]
        behaviour.start(user, state, Told())
        behaviour.respond(user, state, rule, 0, Told(1.0, -2.0, 6.0))
        assert state.means == expected
        # Her reward is drawn around the mean as it is now: 0.75 of the way up, or 1 if u < mu.
        up = math.sqrt(3) / 2
        assert state.reward[0] == pytest.approx(expected[0] + up if law == "bounded" else 0.0)


def test_her_estimates_are_means_of_what_she_received_and_do_not_move_by_themselves() -> None:
    env = started(3, reward="realized", behaviour=drifting(0.2))
    received: dict[int, list[float]] = {}
    for arm in random_arms(200):
        answer, value, *_ = env.step(arm)
        if answer:
            received.setdefault(arm, []).append(float(value))
    hidden = env.hidden_state()
    assert len(received) > 1
    for arm, rewards in received.items():
        assert hidden.counts[arm] == len(rewards)
        assert hidden.estimates[arm] == pytest.approx(float(np.mean(rewards)), rel=1e-12)


@pytest.mark.parametrize("reward", ["regret", "utility"])
def test_rewards_of_a_drifting_user_are_by_the_means_of_the_moment(reward: str) -> None:
    env = started(2, reward=reward, behaviour=drifting(0.2))
    firsts = env.hidden_state().instance
    best_arms = {firsts.best_arm}
    for arm in random_arms(100):
        answer, value, *_ = env.step(arm)
        instance = env.hidden_state().instance
        mean, best = instance.means[arm], max(instance.means)
        assert value == (mean - best if reward == "regret" else mean * answer)
        best_arms.add(instance.best_arm)
    assert len(best_arms) > 1
    env.reset(seed=2)
    assert env.hidden_state().instance == firsts


def test_the_best_arm_of_an_episode_is_that_of_the_answer() -> None:
    single = gym.make("ExplorativeUserBAI-v0", n_arms=3, behaviour=drifting(1.0)).unwrapped
    lanes: Any = gym.make_vec("ExplorativeUserBAI-v0", 2, n_arms=3, behaviour=drifting(1.0))
    for seed in range(20):
        single.reset(seed=seed)
        lanes.reset(seed=[seed, seed])
        single.step(0)
        lanes.step([0, 0])
        assert isinstance(single, ExplorativeUserBAIEnv)
        best = int(np.argmax(single.hidden_state().instance.means))
        *_, info = single.step(3 + best)
        assert info["is_success"]
        *_, infos = lanes.step([3 + best, 3 + (best + 1) % 3])
        assert infos["is_success"].tolist() == [True, False]


def test_regret_over_a_horizon_has_no_meaning_yet_if_means_move() -> None:
    with pytest.raises(eu.InvalidArgumentError, match="behaviour must be one whose means stay"):
        eu.evaluate(["UNI"], task="regret", behaviour="drifting")


# Answers of agents


@pytest.mark.parametrize("compiled", [True, False])
def test_an_answer_is_held_against_the_best_arm_of_that_moment(compiled: bool) -> None:
    options: dict[str, Any] = {"behaviour": drifting(0.1), "n_arms": 4}
    agent = Uniform(horizon=60, order="random")
    runs = eu.evaluate([agent], n_instances=20, compiled=compiled, progress=False, **options).runs
    moved = 0
    env = eu.ExplorativeUserEnv(reward="none", **options)
    for row in runs.itertuples():
        env.reset(seed=row.user_seed)
        first = env.hidden_state().instance.best_arm
        eu.rollout(env, agent, seed=row.user_seed)
        best_arm = int(np.argmax(env.hidden_state().instance.means))
        assert row.best_arm == best_arm
        assert row.correct == (row.answer == best_arm)
        moved += first != best_arm
    assert moved > 3


class Sleepwalker:
    """Recommends and stops at random, with many users at once or with one."""

    name = "sleepwalker"

    def reset_all(self, n_arms: int, rngs: Any, horizon: int | None = None) -> None:
        self.rngs, self.n_arms = rngs, n_arms

    def act_all(self, users: Any) -> Any:
        draws = [(self.rngs[user].random(), self.rngs[user].integers(3)) for user in users]
        return np.array([STOP if chance < 0.05 else int(arm) for chance, arm in draws])

    def observe_all(self, users: Any, arms: Any, accepted: Any) -> None:
        pass

    def answer_all(self, users: Any) -> Any:
        return np.array([int(self.rngs[user].integers(3)) for user in users])

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        self.reset_all(n_arms, [rng])

    def act(self) -> int | None:
        arm = int(self.act_all([0])[0])
        return None if arm == STOP else arm

    def observe(self, arm: int, accepted: bool) -> None:
        pass

    def answer(self) -> int:
        return int(self.answer_all([0])[0])


def test_an_agent_that_meets_many_drifting_users_is_held_against_the_same_best_arms() -> None:
    options: dict[str, Any] = {"n_arms": 3, "n_instances": 40, "max_steps": 20, "progress": False}
    options |= {"behaviour": drifting(0.3)}
    assert isinstance(Sleepwalker(), ManyUserAgent)
    in_step = eu.evaluate([Sleepwalker()], **options).runs
    assert in_step.equals(eu.evaluate([Sleepwalker()], compiled=False, **options).runs)
    assert in_step["censored"].nunique() == 2
