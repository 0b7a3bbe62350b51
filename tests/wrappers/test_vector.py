"""The wrappers of many users in step: each lane is the wrapped single environment, to the bit."""

import copy
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from alike import told
from gymnasium.vector import AutoresetMode
from in_step import MODES, played
from pairs import pairs
from wrapped import LANES, LIMIT, N_ARMS, vector_of

from explorative_user_env import (
    BAI_ENV_ID,
    COUNTS_ENV_ID,
    ENV_ID,
    POPULATION_ENV_ID,
    ExplorativeUserVectorEnv,
    InvalidArgumentError,
)
from explorative_user_env import wrappers as single
from explorative_user_env.envs.bai import ExplorativeUserBAIVectorEnv
from explorative_user_env.wrappers import vector as many

OURS = {
    "counts": ("CountsObservation",),
    "last-step": ("LastStepObservation",),
    "sorted-counts": ("CountsObservation", "SortedArms"),
    "population-counts": ("PopulationCountsObservation",),
    "sorted-population-counts": ("PopulationCountsObservation", "SortedArms"),
}
OF_ONE = [*OURS][:3]


def wrapped(room: Any, observation: str, env: Any, scale: int | None = None) -> Any:
    """Wrap by the wrappers of either module."""
    for name in OURS[observation]:
        env = getattr(room, name)(env, *(() if name == "SortedArms" else (scale,)))
    return env


@pairs(
    name=[ENV_ID, BAI_ENV_ID, POPULATION_ENV_ID],
    observation=OURS,
    mode=MODES,
    scale=[None, 4],
    compiled=[False, True],
)
def test_it_is_gymnasiums_own_vector_of_wrapped_single_environments(
    name: str, observation: str, mode: AutoresetMode, scale: int | None, compiled: bool
) -> None:
    if "population" in observation:
        name = POPULATION_ENV_ID
    limit = 11 if name == ENV_ID else None
    kwargs = {} if name == POPULATION_ENV_ID else {"n_arms": N_ARMS, "noise": 0.4}
    seen = played(
        name,
        mode,
        compiled,
        limit,
        lambda room, env: wrapped(room, observation, env, scale),
        **kwargs,
    )
    assert seen["terminated"] + seen["truncated"] > LANES
    assert name != BAI_ENV_ID or observation != "sorted-counts" or seen["legal"] > 3


@pytest.mark.parametrize("observation", OF_ONE)
def test_the_spaces_are_a_lanes_side_by_side(name: str, observation: str) -> None:
    vector = wrapped(many, observation, vector_of(name))
    lane = wrapped(single, observation, gym.make(name, n_arms=N_ARMS))
    assert vector.single_observation_space == lane.observation_space
    assert vector.single_action_space == lane.action_space
    assert vector.observation_space.shape == (LANES, *lane.observation_space.shape)
    assert vector.observation_space.dtype == np.float32
    assert lane.action_space == gym.spaces.Discrete(6 if name == BAI_ENV_ID else 3)


@pairs(observation=OF_ONE, name=[ENV_ID, BAI_ENV_ID], mode=MODES)
def test_observations_that_are_handed_out_are_nobody_elses_and_a_copy_goes_on_alike(
    name: str, observation: str, mode: AutoresetMode
) -> None:
    one = wrapped(many, observation, vector_of(name, mode))
    one.reset(seed=0)
    other, n_last = copy.deepcopy(one), 0
    for t in range(LIMIT if mode == AutoresetMode.DISABLED else 2 * LIMIT):
        outcome = one.step(np.full(LANES, t % N_ARMS))
        assert told(outcome) == told(other.step(np.full(LANES, t % N_ARMS)))
        outcome[0][:] = 77.0
        for last in outcome[4].get("final_obs", []):
            if last is not None:
                last[:] = 77.0
                n_last += 1
        if t % 5 == 1:
            mask = np.arange(LANES) > 4
            resets = [each.reset(options={"reset_mask": mask.copy()}) for each in (one, other)]
            assert told(resets[0]) == told(resets[1])
            resets[0][0][:] = 77.0
    assert (n_last > LANES) == (mode == AutoresetMode.SAME_STEP)


class Picky(ExplorativeUserBAIVectorEnv):
    """Masks that tell lanes and arms apart, which those of the task itself do not."""

    def action_masks(self) -> np.ndarray:
        return np.random.default_rng(0).random((LANES, 2 * N_ARMS)) < 0.5


def test_a_mask_stands_at_the_rank_of_its_arm() -> None:
    below = Picky(LANES, n_arms=N_ARMS, noise=0.4)
    vector = wrapped(many, "sorted-counts", below)
    vector.reset(seed=2)
    accepted, moved = np.zeros((LANES, N_ARMS), int), 0
    for ranks in np.random.default_rng(3).integers(N_ARMS, size=(20, LANES)):
        order = np.argsort(-accepted, axis=1, kind="stable")
        masks, found = below.action_masks(), vector.action_masks()
        for lane in range(LANES):
            arms = order[lane].tolist()
            expected = [masks[lane, arm + first] for first in (0, N_ARMS) for arm in arms]
            assert found[lane].tolist() == expected
            moved += expected != masks[lane].tolist()
        arms, before = order[range(LANES), ranks], accepted.sum(axis=1)
        accepted[range(LANES), arms] += vector.step(ranks)[4]["acceptances"] - before
    assert moved > 20


# The horizon


@pytest.mark.parametrize(
    ("make", "steps"),
    [
        (lambda: ExplorativeUserVectorEnv(2, 8), 8),
        (lambda: gym.make_vec(ENV_ID, num_envs=2), 1000),
        (lambda: gym.make_vec(BAI_ENV_ID, num_envs=2, horizon=40), 40),
        (lambda: gym.make_vec(ENV_ID, num_envs=2, max_episode_steps=2500), 2500),
        (lambda: ExplorativeUserBAIVectorEnv(2, horizon=40), 40),
        (lambda: ExplorativeUserBAIVectorEnv(2, 16, horizon=40), 16),
    ],
)
def test_the_horizon_is_the_environments_own_unless_given(
    make: Callable[[], Any], steps: int
) -> None:
    for observation in OF_ONE:
        for given in (None, 5):
            vector = wrapped(many, observation, make(), given)
            vector.reset(seed=0)
            assert vector.step([0, 0])[0][:, -1] == pytest.approx(1 / (given or steps))


def test_the_time_stays_at_one_beyond_the_horizon_where_an_episode_has_no_limit() -> None:
    vector: Any = gym.make_vec(COUNTS_ENV_ID, 2, max_episode_steps=-1, horizon=30)
    assert vector.unwrapped.max_episode_steps is None
    vector.reset(seed=0)
    steps = [vector.step(np.zeros(2, int)) for _ in range(40)]
    assert not any(step[3].any() for step in steps)
    assert steps[-1][0][:, -1].tolist() == [1.0, 1.0]


def test_a_horizon_that_is_none_or_missing_is_refused() -> None:
    for observation in OF_ONE:
        for made in (vector_of(ENV_ID, limit=None), gym.make_vec(ENV_ID, max_episode_steps=-1)):
            with pytest.raises(InvalidArgumentError, match=r"^horizon must be given, .* no time"):
                wrapped(many, observation, made)
        with pytest.raises(InvalidArgumentError, match=r"^horizon must be an integer of at least"):
            wrapped(many, observation, vector_of(ENV_ID), 0)


# Actions

BAD: list[Any] = [[0, 9, 0, 0, 0, 0, 0], [0, -1, 0, 0, 0, 0, 0], [0, 1], None, 5, "0120120"]
BAD += [np.zeros(LANES), [0.0] * LANES, [[0]] * LANES, [0, 2**70, *[0] * 5]]
BAD += [np.arange(LANES) < 3]


@pytest.mark.parametrize("observation", OF_ONE)
def test_bad_actions_are_refused_by_name_and_change_nothing(name: str, observation: str) -> None:
    vector, twin = (wrapped(many, observation, vector_of(name)) for _ in range(2))
    for each in (vector, twin):
        each.reset(seed=0)
        each.step([0, 1, 2, 0, 1, 2, 0])
    for actions in BAD:
        with pytest.raises(InvalidArgumentError, match=r"^actions must be 7 .* in 0\.\.[25], got "):
            vector.step(actions)
    for good in ([2, 1, 0, 2, 1, 0, 2], (0, 1, 2, 0, 1, 2, 0), np.ones(LANES, np.uint8)):
        assert told(vector.step(good)) == told(twin.step(good))
