"""`ExplorativeUserCounts-v0`: what wrapping by hand gives, to the bit, by an id alone."""

import copy
import doctest
import pickle
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from alike import told
from checkers import check_for_sb3
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from explorative_user_env import (
    COUNTS_ENV_ID,
    ENV_ID,
    ExplorativeUserEnv,
    ExplorativeUserVectorEnv,
    InvalidArgumentError,
)
from explorative_user_env.kernels.compiler import can_compile
from explorative_user_env.wrappers import CountsObservation, SortedArms, counts_env
from explorative_user_env.wrappers import vector as vector_wrappers
from explorative_user_env.wrappers.vector import counts_vector_env

VARIANTS: list[dict[str, Any]] = [
    {},
    {"setting": "released", "n_arms": 2, "reward_law": "bernoulli"},
    {"render_mode": "ansi", "noise": 0.2, "behaviour": "forgetful"},
    {"info_level": "full", "reward": "realized", "horizon": 20},
]


def by_hand(limit: int, horizon: int = 500, **kwargs: Any) -> Any:
    env = gym.make(ENV_ID, max_episode_steps=limit, **kwargs)
    return SortedArms(CountsObservation(env, horizon))


def played(env: Any, n_arms: int, seed: int = 3, steps: int = 40) -> list[Any]:
    outcomes = [told(env.reset(seed=seed))]
    for rank in np.random.default_rng(0).integers(n_arms, size=steps).tolist():
        outcomes.append(told(env.step(rank)))
        if outcomes[-1][3] == "True":
            outcomes.append(told(env.reset()))
    return outcomes


@pytest.mark.parametrize("kwargs", VARIANTS, ids=lambda kwargs: ",".join(kwargs))
def test_it_is_the_same_as_wrapping_by_hand(kwargs: dict[str, Any]) -> None:
    n_arms = kwargs.get("n_arms", 5)
    env = gym.make(COUNTS_ENV_ID, max_episode_steps=15, **kwargs)
    outcomes = played(env, n_arms)
    assert outcomes == played(by_hand(15, **kwargs), n_arms)
    assert "True" in [outcome[3] for outcome in outcomes if len(outcome) == 5]
    assert type(env.unwrapped) is ExplorativeUserEnv


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("n_envs", [7, 64])
def test_many_in_step_are_as_many_single_ones(mode: AutoresetMode, n_envs: int) -> None:
    kwargs: dict[str, Any] = {"n_arms": 3, "noise": 0.2, "max_episode_steps": 9}
    many: Any = gym.make_vec(COUNTS_ENV_ID, n_envs, autoreset_mode=mode, **kwargs)
    made = [lambda: gym.make(COUNTS_ENV_ID, **kwargs)] * n_envs
    single = SyncVectorEnv(made, autoreset_mode=mode)
    assert type(many.unwrapped) is ExplorativeUserVectorEnv
    assert told(many.reset(seed=2)) == told(single.reset(seed=2))
    assert many.unwrapped.compiled == (n_envs == 64 and can_compile())
    for ranks in np.random.default_rng(1).integers(3, size=(30, n_envs)):
        one, other = many.step(ranks), single.step(ranks)
        assert told(one) == told(other)
        if mode == AutoresetMode.DISABLED and one[3].any():
            options = [{"reset_mask": one[3].copy()} for _ in range(2)]
            assert told(many.reset(options=options[0])) == told(single.reset(options=options[1]))


def test_many_are_the_wrappers_of_many_by_hand() -> None:
    many = gym.make_vec(COUNTS_ENV_ID, 3, n_arms=4)
    below = ExplorativeUserVectorEnv(3, 500, n_arms=4)
    hand = vector_wrappers.SortedArms(vector_wrappers.CountsObservation(below, 500))
    assert told(many.reset(seed=5)) == told(hand.reset(seed=5))
    for _ in range(30):
        ranks = np.array([0, 1, 3])
        assert told(many.step(ranks)) == told(hand.step(ranks))


@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version")  # by design
@pytest.mark.parametrize("kwargs", VARIANTS, ids=lambda kwargs: ",".join(kwargs))
def test_the_checkers_have_nothing_to_say(kwargs: dict[str, Any]) -> None:
    env = gym.make(COUNTS_ENV_ID, **kwargs)
    check_env(env, skip_render_check=True)
    check_env(counts_env(**kwargs), skip_render_check=True)
    check_for_sb3(gym.make(COUNTS_ENV_ID, **kwargs))


def test_an_episode_ends_as_the_task_regret_does_unless_another_length_is_given() -> None:
    spec = gym.spec(COUNTS_ENV_ID)
    assert spec.max_episode_steps == 500
    many: Any = gym.make_vec(COUNTS_ENV_ID, 2, max_episode_steps=-1)
    assert many.unwrapped.max_episode_steps is None
    many.reset(seed=0)
    ends = [many.step(np.zeros(2, int))[3].any() for _ in range(600)]
    assert not any(ends)
    assert many.step(np.zeros(2, int))[0][:, -1].tolist() == [1.0, 1.0]


def test_a_specification_makes_the_same_again_also_many_and_from_json() -> None:
    env = gym.make(COUNTS_ENV_ID, n_arms=3, max_episode_steps=11, horizon=30)
    assert env.spec is not None
    spec = EnvSpec.from_json(env.spec.to_json())
    again: Any = gym.make(spec)
    assert again.spec == env.spec
    assert str(again).count("CountsObservation") == str(again).count("_MadeById") == 1
    assert played(again, 3) == played(env, 3)
    many = gym.make_vec(env.spec, num_envs=2)
    assert many.reset(seed=3)[0][0].tolist() == env.reset(seed=3)[0].tolist()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_alike(copied: Any) -> None:
    env = gym.make(COUNTS_ENV_ID, n_arms=3)
    env.reset(seed=0)
    env.step(1)
    twin = copied(env)
    for rank in (2, 0, 1, 2):
        assert told(twin.step(rank)) == told(env.step(rank))


@pytest.mark.parametrize("make", [counts_env, counts_vector_env])
@pytest.mark.parametrize("wrong", [{"n_arms": 1}, {"horizon": 0}, {"gap": -1.0}])
def test_a_wrong_argument_is_named(make: Any, wrong: dict[str, Any]) -> None:
    (name,) = wrong
    with pytest.raises(InvalidArgumentError, match=f"{name} must be"):
        make(**wrong)


@pytest.mark.filterwarnings("ignore:.*not in the possible render_modes")  # Gymnasium says so, too
def test_another_rendering_is_refused() -> None:
    for make in (partial(gym.make, COUNTS_ENV_ID), counts_env, counts_vector_env):
        with pytest.raises(
            InvalidArgumentError, match=r"render_mode must be one of .*, got 'film'"
        ):
            make(render_mode="film")


def test_the_docstrings_example_is_true() -> None:
    runner = doctest.DocTestRunner()
    for test in doctest.DocTestFinder().find(counts_env, globs={}):
        runner.run(test)
    assert runner.summarize(verbose=False) == (0, 6)
