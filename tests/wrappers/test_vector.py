"""The wrappers of many users in step: each lane is the wrapped single environment, to the bit."""

import copy
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from alike import Beside, told
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from wrapped import LANES, LIMIT, N_ARMS, own_horizon, vector_of

from explorative_user_env import (
    BAI_ENV_ID,
    ENV_ID,
    ExplorativeUserVectorEnv,
    InvalidArgumentError,
)
from explorative_user_env import wrappers as single
from explorative_user_env.envs.bai import ExplorativeUserBAIVectorEnv
from explorative_user_env.wrappers import vector as many


def sorted_counts(wrappers: Any, env: Any, horizon: int | None = None) -> Any:
    return wrappers.SortedArms(wrappers.CountsObservation(env, horizon))


def counts(wrappers: Any, env: Any, horizon: int | None = None) -> Any:
    return wrappers.CountsObservation(env, horizon)


def last_step(wrappers: Any, env: Any, horizon: int | None = None) -> Any:
    return wrappers.LastStepObservation(env, horizon)


@pytest.fixture(params=[counts, last_step, sorted_counts], ids=lambda wrap: wrap.__name__)
def wrap(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """How to wrap, by the wrappers of either module."""
    wrapped: Callable[..., Any] = request.param
    return wrapped


@pytest.fixture(params=list(AutoresetMode), ids=lambda mode: mode.value)
def mode(request: pytest.FixtureRequest) -> AutoresetMode:
    assert isinstance(request.param, AutoresetMode)
    return request.param


def pair_of(
    wrap: Any, name: str, mode: AutoresetMode, limit: int | None, scale: int | None, **kwargs: Any
) -> tuple[Any, SyncVectorEnv]:
    own = own_horizon(name)
    make = partial(gym.make, name, limit, disable_env_checker=True, n_arms=N_ARMS, noise=0.4, **own)
    sync = SyncVectorEnv([lambda: wrap(single, make(), scale)] * LANES, autoreset_mode=mode)
    return wrap(many, vector_of(name, mode, limit, **kwargs), scale), sync


def assert_alike(vector: Any, sync: SyncVectorEnv, masked: bool, steps: int = 50) -> int:
    """Play the same in both, over autoresets and resets of all kinds; count the lanes' ends."""
    even, both = np.arange(LANES) % 2 == 0, Beside(vector, sync)
    rng, n_ends = np.random.default_rng(0), 0
    both.reset(seed=3)
    for t in range(steps):
        actions = rng.integers(N_ARMS, size=LANES)
        if vector.single_action_space.n > N_ARMS:
            actions += N_ARMS * (rng.random(LANES) < 0.08)
        observations, _, terminated, truncated, _ = both.step(actions)
        assert observations in vector.observation_space
        done = terminated | truncated
        n_ends += int(done.sum())
        if masked:
            acting, masks = both.acting(done), np.stack(sync.call("action_masks"))
            assert told(vector.action_masks()[acting]) == told(masks[acting])
        if both.has_to_reset(done) or (done.any() and t > 42):
            both.reset(reset_mask=done)
        if t == 6:
            both.reset(reset_mask=even)  # from here on the lanes end at different times
        elif t == 25:
            both.reset(seed=[1, None, 3, 4, None, 6, 7], reset_mask=~even)
        elif t == 38:
            both.reset(means=[0.0, 1.0, 2.0])
    return n_ends


@pytest.mark.parametrize(("limit", "scale", "compiled"), [(LIMIT, None, False), (None, 4, True)])
def test_it_is_gymnasiums_own_vector_of_wrapped_single_environments(
    wrap: Any, name: str, mode: AutoresetMode, limit: Any, scale: Any, compiled: bool
) -> None:
    if limit is None and name == ENV_ID:
        limit = 8  # somewhere it has to end
    vector, sync = pair_of(wrap, name, mode, limit, scale, compiled=compiled)
    masked = wrap is sorted_counts and name == BAI_ENV_ID
    assert assert_alike(vector, sync, masked) > LANES


def test_the_last_observation_of_a_finished_lane_is_that_of_its_end(wrap: Any, name: str) -> None:
    """In the mode that resets at once; a twin that does not reset says what is to be seen."""
    vector = wrap(many, vector_of(name, AutoresetMode.SAME_STEP))
    twin = wrap(many, vector_of(name, AutoresetMode.DISABLED))
    first, _ = vector.reset(seed=1)
    twin.reset(seed=1)
    for t in range(LIMIT):
        actions = np.full(LANES, t % N_ARMS)
        observations, *_, infos = vector.step(actions)
        still, *_ = twin.step(actions)
    assert np.array_equal(np.stack(infos["final_obs"]), still)
    assert np.array_equal(observations, first)
    assert set(observations[:, -1].tolist()) == {0.0}
    assert set(still[:, -1].tolist()) == {1.0}


def test_the_spaces_are_a_lanes_side_by_side(wrap: Any, name: str) -> None:
    vector = wrap(many, vector_of(name))
    lane = wrap(single, gym.make(name, n_arms=N_ARMS))
    assert vector.single_observation_space == lane.observation_space
    assert vector.single_action_space == lane.action_space
    assert vector.observation_space.shape == (LANES, *lane.observation_space.shape)
    assert vector.observation_space.dtype == np.float32


def test_observations_that_are_handed_out_are_nobody_elses(
    wrap: Any, name: str, mode: AutoresetMode
) -> None:
    one, other = (wrap(many, vector_of(name, mode)) for _ in range(2))
    n_last = 0
    for each in (one, other):
        each.reset(seed=0)
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
    wrap: Any, make: Callable[[], Any], steps: int
) -> None:
    for given in (None, 5):
        vector = wrap(many, make(), given)
        vector.reset(seed=0)
        time = vector.step([0, 0])[0][:, -1]
        assert time == pytest.approx(1 / (given or steps))


def test_without_a_time_limit_the_horizon_must_be_given(wrap: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^horizon must be given, .* no time limit"):
        wrap(many, vector_of(ENV_ID, limit=None))
    with pytest.raises(InvalidArgumentError, match=r"^horizon must be given, .* no time limit"):
        wrap(many, gym.make_vec(ENV_ID, max_episode_steps=-1))


@pytest.mark.parametrize("horizon", [0, -3, 1.5, True, "9"])
def test_a_bad_horizon_is_named(wrap: Any, horizon: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^horizon must be an integer of at least 1"):
        wrap(many, vector_of(ENV_ID), horizon)


# What is refused, and copies


BAD: list[Any] = [[0, 9, 0, 0, 0, 0, 0], [0, -1, 0, 0, 0, 0, 0], [0, 1], None, 5, "0120120"]
BAD += [np.zeros(LANES), [0.0] * LANES, [[0]] * LANES, [0, 2**70, *[0] * 5]]
BAD += [np.arange(LANES) < 3]


@pytest.mark.parametrize("actions", BAD, ids=str)
def test_bad_actions_are_refused_by_name_and_change_nothing(
    wrap: Any, name: str, actions: Any
) -> None:
    vector, twin = (wrap(many, vector_of(name)) for _ in range(2))
    for each in (vector, twin):
        each.reset(seed=0)
        each.step([0, 1, 2, 0, 1, 2, 0])
    with pytest.raises(InvalidArgumentError, match=r"^actions must be 7 .* in 0\.\.[25], got "):
        vector.step(actions)
    for good in ([2, 1, 0, 2, 1, 0, 2], (0, 1, 2, 0, 1, 2, 0), np.ones(LANES, np.uint8)):
        assert told(vector.step(good)) == told(twin.step(good))


def test_a_copy_goes_on_alike(wrap: Any, name: str) -> None:
    vector = wrap(many, vector_of(name))
    vector.reset(seed=0)
    twin = copy.deepcopy(vector)
    for t in range(6):
        actions = np.full(LANES, t % N_ARMS)
        assert told(twin.step(actions)) == told(vector.step(actions))
