"""Arguments of a reset are looked at before anything is done; what fails then leaves no user."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from pairs import pairs

import explorative_user_env as eu
from explorative_user_env import BAI_ENV_ID, COUNTS_ENV_ID, ENV_ID
from explorative_user_env.envs.bai import ExplorativeUserBAIEnv, ExplorativeUserBAIVectorEnv

SINGLE = [ENV_ID, BAI_ENV_ID, COUNTS_ENV_ID]


class Fails:
    """A law of means that fails when it is told to."""

    __qualname__ = "Fails"

    def __init__(self) -> None:
        self.failing = False
        self.left = 0

    def __call__(self, n_arms: int, rng: np.random.Generator) -> list[float]:
        if self.failing:
            self.left -= 1
            if self.left < 0:
                raise ArithmeticError("no more means")
        means: list[float] = rng.standard_normal(n_arms).tolist()
        return means


@pytest.mark.parametrize("name", SINGLE)
@pytest.mark.parametrize("kind", [int, np.int64, np.uint64, np.int32])
def test_a_seed_is_any_integer_as_results_have_them(name: str, kind: Any) -> None:
    env, other = gym.make(name, n_arms=3), gym.make(name, n_arms=3)
    env.reset(seed=7)
    other.reset(seed=kind(7))
    instances = [each.unwrapped.instance() for each in (env, other)]  # type: ignore[attr-defined]
    assert instances[0] == instances[1]
    envs: Any = gym.make_vec(name, num_envs=2, n_arms=3)
    envs.reset(seed=kind(7))
    assert envs.unwrapped.instances()[0] == instances[0]


def test_the_seed_of_a_run_meets_its_user_again() -> None:
    runs = eu.evaluate(["UNI"], baseline_time=3, n_instances=3, progress=False).runs
    env = eu.ExplorativeUserEnv()
    for seed, best_arm in zip(runs["user_seed"], runs["best_arm"], strict=True):
        env.reset(seed=seed)
        assert env.instance().best_arm == best_arm


@pytest.mark.parametrize("name", SINGLE)
@pytest.mark.parametrize("seed", [-1, True, 2.0, "3", np.array(3), np.float64(3)])
def test_what_is_no_seed_is_refused_and_the_user_stays(name: str, seed: Any) -> None:
    for env in (gym.make(name, n_arms=3), gym.make_vec(name, num_envs=2, n_arms=3)):
        env.reset(seed=1)
        with pytest.raises(eu.InvalidArgumentError, match=r"^seed must be an integer of at least"):
            env.reset(seed=seed)
        env.step(env.action_space.sample() * 0)


@pytest.mark.parametrize("env_type", [eu.ExplorativeUserEnv, ExplorativeUserBAIEnv])
def test_a_user_whose_law_failed_needs_a_reset(env_type: Any) -> None:
    law = Fails()
    env = env_type(n_arms=3, means=law)
    env.reset(seed=1)
    law.failing = True
    with pytest.raises(eu.InvalidArgumentError, match="no more means"):
        env.reset(seed=2)
    for ask in (lambda: env.step(0), env.hidden_state, env.instance):
        with pytest.raises(gym.error.ResetNeeded):
            ask()
    law.failing = False
    env.reset(seed=2)
    assert env.step(0)[4]["interactions"] == 1


@pairs(
    compiled=[False, True],
    mode=["NextStep", "SameStep", "Disabled"],
    env_type=[eu.ExplorativeUserVectorEnv, ExplorativeUserBAIVectorEnv],
)
def test_users_in_step_whose_law_failed_need_a_reset(
    env_type: Any, mode: str, compiled: bool
) -> None:
    law = Fails()
    envs = env_type(4, 2, mode, compiled, n_arms=3, means=law)
    envs.reset(seed=1)
    before = envs.instances()
    law.failing, law.left = True, 2  # some lanes have their means when it fails
    with pytest.raises(eu.InvalidArgumentError, match="no more means"):
        envs.reset(seed=9)
    for ask in (lambda: envs.step(np.zeros(4, int)), envs.instances, envs.hidden_states):
        with pytest.raises(gym.error.ResetNeeded):
            ask()
    law.failing = False
    envs.reset(seed=1)
    assert envs.instances() == before
    law.failing, law.left = True, 2
    if mode != "Disabled":  # the same where it fails within a step
        envs.step(np.zeros(4, int))
        if mode == "NextStep":
            envs.step(np.zeros(4, int))
        with pytest.raises(eu.InvalidArgumentError, match="no more means"):
            envs.step(np.zeros(4, int))
        with pytest.raises(gym.error.ResetNeeded):
            envs.step(np.zeros(4, int))
