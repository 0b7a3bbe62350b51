"""Each task, made as a policy needs it."""

import copy
import pickle
from itertools import product
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from explorative_user_env import ExplorativeUserVectorEnv, InvalidArgumentError
from explorative_user_env.envs.bai import ExplorativeUserBAIVectorEnv
from explorative_user_env.envs.population import ExplorativePopulationVectorEnv
from explorative_user_env.envs.user import reading_of
from explorative_user_env.protocol import BAI, REGRET, TASKS, as_task
from explorative_user_env.wrappers import vector as wrappers
from explorative_user_env.wrappers.observations import OBSERVATIONS, bounds_of
from explorative_user_env.wrappers.vector import ENVIRONMENTS, make_task

LAYERS: dict[str, list[type]] = {
    "response": [],
    "counts": [wrappers.CountsObservation],
    "sorted-counts": [wrappers.SortedArms, wrappers.CountsObservation],
    "last-step": [wrappers.LastStepObservation],
}


def length_of(name: str, n_arms: int) -> int | None:
    bounds = bounds_of(name, n_arms)
    return None if bounds is None else len(bounds[0])


@pytest.fixture(params=sorted(TASKS))
def task(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def layers(env: Any) -> list[type]:
    return [] if env is env.unwrapped else [type(env), *layers(env.env)]


@pytest.mark.parametrize("observation", OBSERVATIONS)
def test_a_task_is_made_with_each_observation(task: str, observation: str) -> None:
    envs: Any = make_task(task, 4, observation, horizon=20, n_arms=3)
    assert layers(envs) == LAYERS[observation]
    kinds = {"regret": ExplorativeUserVectorEnv, "bai": ExplorativeUserBAIVectorEnv}
    kinds |= {"population": ExplorativePopulationVectorEnv}
    assert type(envs.unwrapped) is kinds[task]
    assert (envs.num_envs, envs.unwrapped.user.n_arms) == (4, 3)
    assert envs.single_action_space.n == (6 if task == "bai" else 3)
    length = length_of(observation, 3)
    observations, _ = envs.reset(seed=0)
    assert observations.shape == ((4,) if length is None else (4, length))
    assert observations in envs.observation_space
    for _ in range(3):
        observations, *_ = envs.step(np.zeros(4, int))
        assert observations in envs.observation_space
    if length is not None:
        assert observations[:, -1] == pytest.approx(3 / 20)  # the fraction of the horizon


@pytest.mark.parametrize("observation", OBSERVATIONS)
def test_a_space_says_how_its_observations_are_read(task: str, observation: str) -> None:
    """Also in a copy and in a pickle, as a model keeps it."""
    owns: dict[str, dict[str, Any]] = {"bai": {"mask": "none"}, "population": {"n_users": 2}}
    own = owns.get(task, {})
    space = make_task(task, 2, observation, horizon=20, n_arms=3, **own).single_observation_space
    expected = {"task": task, "observation": observation, "n_arms": 3} | own
    if (task, observation) != ("regret", "response"):
        expected |= {"horizon": 20}
    for each in (space, copy.deepcopy(space), pickle.loads(pickle.dumps(space))):
        assert reading_of(each) == expected


def test_a_space_of_others_says_nothing() -> None:
    assert reading_of(gym.spaces.Discrete(2)) == {}


def test_the_arms_are_sorted_where_nothing_else_is_said(task: str) -> None:
    assert layers(make_task(task, 1)) == LAYERS["sorted-counts"]


@pytest.mark.parametrize(
    ("observation", "horizon"), [("response", None), *product(OBSERVATIONS, (1, 7))]
)
def test_an_episode_lasts_to_the_horizon(task: str, observation: str, horizon: int | None) -> None:
    one: dict[str, Any] = {"n_users": 1} if task == "population" else {}
    envs = make_task(task, 2, observation, horizon, **one)
    steps = as_task(task).horizon if horizon is None else horizon
    envs.reset(seed=0)
    for t in range(1, steps + 1):
        _, _, terminated, truncated, _ = envs.step(np.zeros(2, int))
        ends, other = (truncated, terminated) if task == "regret" else (terminated, truncated)
        assert ends.tolist() == [t == steps] * 2
        assert not other.any()


def test_a_task_has_its_own_environment_and_horizon() -> None:
    envs = ExplorativeUserBAIVectorEnv(1)
    assert envs.horizon == BAI.horizon, "the task's horizon is the environment's own"
    assert f"{REGRET.horizon} for regret and {BAI.horizon} for bai" in str(make_task.__doc__)


def test_a_task_may_be_the_record_or_a_copy_of_it(task: str) -> None:
    for record in (TASKS[task], pickle.loads(pickle.dumps(TASKS[task]))):
        assert type(make_task(record, 1).unwrapped) is ENVIRONMENTS[TASKS[task]]


def test_the_rest_goes_to_the_environment(task: str) -> None:
    kwargs: dict[str, Any] = {"noise": 0.25, "autoreset_mode": "SameStep", "compiled": True}
    envs: Any = make_task(task, 3, **kwargs).unwrapped
    assert (envs.user.noise, envs.autoreset_mode.value, envs.compiled) == (0.25, "SameStep", True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"task": "sleep"}, r"^task must be one of .*bai.*regret.*, got 'sleep'"),
        ({"task": None}, r"^task must be one of .*, got None"),
        ({"observation": "means"}, r"^observation must be one of .*, got 'means'"),
        ({"horizon": 0}, r"^horizon must be an integer of at least 1, got 0"),
        ({"horizon": 2.5}, r"^horizon must be an integer of at least 1, got 2\.5"),
        ({"num_envs": 0}, r"^num_envs must be an integer of at least 1, got 0"),
        ({"n_arms": 1}, r"^n_arms must be an integer of at least 2, got 1"),
    ],
)
def test_a_bad_argument_is_named(task: str, arguments: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"task": task, "num_envs": 2} | arguments
    with pytest.raises(InvalidArgumentError, match=message):
        make_task(**given)
