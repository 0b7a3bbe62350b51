"""`ExplorativeUserBAI-v0`, many users in step: the single environments in step, to the last bit."""

import copy
import pickle
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from explorative_user_env import BAI_ENV_ID, ExplorativeUserBAIVectorEnv, InvalidArgumentError

MODES = list(AutoresetMode)
HORIZON = 13
LANES = 7  # more than the compiled lanes look ahead
STEPS = 56


@pytest.fixture(params=[False, True], ids=["plain", "compiled"])
def compiled(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture(params=MODES, ids=lambda mode: mode.value)
def mode(request: pytest.FixtureRequest) -> AutoresetMode:
    assert isinstance(request.param, AutoresetMode)
    return request.param


def told(value: Any) -> Any:
    """Whatever an environment hands out, so that == sees types, shapes and every bit."""
    if isinstance(value, dict):
        return {key: told(each) for key, each in sorted(value.items())}
    if type(value) is tuple:
        return [told(each) for each in value]
    if isinstance(value, np.ndarray):
        return (value.dtype, value.shape, repr(value.tolist()))
    return repr(value)


def pair_of(
    mode: AutoresetMode, compiled: bool, limit: int | None = None, **kwargs: Any
) -> tuple[ExplorativeUserBAIVectorEnv, SyncVectorEnv]:
    kwargs = {"n_arms": 3, "horizon": HORIZON, "step_cost": 0.01} | kwargs
    vector = ExplorativeUserBAIVectorEnv(LANES, limit, mode, compiled, **kwargs)
    make = partial(gym.make, BAI_ENV_ID, limit, disable_env_checker=True, **kwargs)
    return vector, SyncVectorEnv([make] * LANES, autoreset_mode=mode)


def actions_of(n_arms: int, steps: int = STEPS, seed: int = 0) -> Any:
    """Mostly recommendations, so that lanes end at all times, also by the horizon."""
    rng = np.random.default_rng(seed)
    actions = rng.integers(n_arms, size=(steps, LANES))
    return actions + n_arms * (rng.random((steps, LANES)) < 0.08)


def assert_alike(vector: ExplorativeUserBAIVectorEnv, sync: SyncVectorEnv) -> dict[str, int]:
    """Play the same in both, over autoresets and resets of all kinds; count the ends."""
    n_arms = vector.user.n_arms
    even = np.arange(LANES) % 2 == 0
    seeds = [1, None, 3, 4, None, 6, 7]
    ends = {"answered": 0, "out of time": 0, "truncated": 0, "some": 0, "legal": 0}

    def reset(seed: Any = None, **options: Any) -> None:
        # Gymnasium takes the mask out of the options that it is given: each gets its own.
        one = vector.reset(seed=seed, options=dict(options))
        assert told(one) == told(sync.reset(seed=seed, options=dict(options)))

    def assert_same_moment(finished: Any) -> None:
        singles: list[Any] = [env.unwrapped for env in sync.envs]
        assert vector.hidden_states() == tuple(env.hidden_state() for env in singles)
        masks = np.stack([env.action_masks() for env in singles])
        if vector.autoreset_mode != AutoresetMode.SAME_STEP:
            # Nobody acts in a finished lane: there is no action there to be legal.
            masks = masks[~finished]
            assert vector.action_masks().shape == (LANES, 2 * n_arms)
            assert told(vector.action_masks()[~finished]) == told(masks)
        else:
            assert told(vector.action_masks()) == told(masks)
        ends["legal"] += int(masks[:, n_arms:].any())
        if vector.render_mode is not None:
            assert vector.render() == sync.render()

    reset(seed=3)
    for t, actions in enumerate(actions_of(n_arms)):
        outcome = vector.step(actions)
        assert told(outcome) == told(sync.step(actions))
        terminated, truncated, infos = outcome[2:]
        done = terminated | truncated
        assert_same_moment(done)
        last = infos.get("final_info", infos)
        if terminated.any():
            ends["answered"] += int((terminated & (last["answer"] >= 0)).sum())
            ends["out of time"] += int((terminated & (last["answer"] < 0)).sum())
        ends["truncated"] += int(truncated.sum())
        ends["some"] += int(0 < done.sum() < LANES)
        if done.any() and (vector.autoreset_mode == AutoresetMode.DISABLED or t > 47):
            reset(reset_mask=done)
            assert_same_moment(np.zeros(LANES, bool))
        if t == 30:
            reset(seed=seeds, reset_mask=~even)
        elif t == 38:
            reset()
        elif t == 43:
            reset(means=np.arange(n_arms, dtype=float).tolist(), reset_mask=even)
    assert vector.np_random_seed == sync.np_random_seed
    return ends


@pytest.mark.parametrize("limit", [None, 6, HORIZON])
def test_it_is_gymnasiums_own_vector_of_single_environments(
    mode: AutoresetMode, compiled: bool, limit: int | None
) -> None:
    ends = assert_alike(*pair_of(mode, compiled, limit, noise=0.6))
    assert ends["answered"] > 10
    assert ends["some"] > 10
    assert ends["legal"] > 5
    assert (ends["out of time"] > 0) == (limit != 6)
    assert (ends["truncated"] > 0) == (limit in (6, HORIZON))


VARIANTS: list[dict[str, Any]] = [
    {"info_level": "full", "setting": "released"},
    {"info_level": "full", "noise": 0.3, "n_arms": 2},
    {"render_mode": "ansi", "render_intervals": True, "noise": 0.1},
    {"mask": "none", "step_cost": 0.0, "horizon": 1},
    {"setting": "released", "rho": 1.5, "alpha": 0.5, "gap": 2.0, "horizon": 2},
]


@pytest.mark.parametrize("kwargs", VARIANTS, ids=lambda kwargs: ",".join(kwargs))
def test_it_is_so_whatever_is_asked_for(
    mode: AutoresetMode, compiled: bool, kwargs: dict[str, Any]
) -> None:
    assert_alike(*pair_of(mode, compiled, **kwargs))


def test_many_are_those_of_gymnasiums_own_way() -> None:
    kwargs: dict[str, Any] = {"num_envs": 64, "n_arms": 3, "horizon": 7}
    vector = gym.make_vec(BAI_ENV_ID, **kwargs)
    sync = gym.make_vec(BAI_ENV_ID, vectorization_mode="sync", **kwargs)
    assert isinstance(vector, ExplorativeUserBAIVectorEnv)
    assert isinstance(sync, SyncVectorEnv)
    assert vector.compiled
    assert (vector.max_episode_steps, vector.horizon) == (None, 7)
    assert told(vector.reset(seed=1)) == told(sync.reset(seed=1))
    for actions in np.random.default_rng(0).integers(4, size=(20, 64)):
        assert told(vector.step(actions)) == told(sync.step(actions))


def test_a_finished_lane_starts_anew_and_its_action_is_not_taken(compiled: bool) -> None:
    vector, _ = pair_of(AutoresetMode.NEXT_STEP, compiled)
    vector.reset(seed=0)
    assert vector.step([0] * 6 + [5])[2].tolist() == [False] * 6 + [True]
    for _ in range(2):  # an answer in place of the reset is none
        _, rewards, terminated, _, infos = vector.step([0] * 6 + [5])
        assert (rewards[6], terminated[6], infos["interactions"][6]) in [(0, False, 0)]
        assert vector.step([1] * 6 + [4])[2].tolist() == [False] * 6 + [True]


# What is refused, and copies


def begun(compiled: bool, **kwargs: Any) -> ExplorativeUserBAIVectorEnv:
    """Three users with four arms each, who have had two recommendations."""
    given: dict[str, Any] = {"n_arms": 4, "noise": 0.1, "render_mode": "ansi"} | kwargs
    vector = ExplorativeUserBAIVectorEnv(3, compiled=compiled, **given)
    vector.reset(seed=5)
    vector.step([0, 1, 2])
    vector.step([1, 1, 3])
    return vector


def everything(vector: ExplorativeUserBAIVectorEnv) -> Any:
    states = [rng.bit_generator.state for rng in vector.np_random]
    masks = vector.action_masks().tolist()
    return vector.hidden_states(), vector.render(), vector.np_random_seed, states, masks


BAD = [[0, 8, 0], [0, -1, 0], [7, 0, 2**40], [0, 1], [0, 1, 2, 3], 0, None, [0.0, 1.0, 2.0], "012"]
BAD += [np.zeros(3), np.ones(3, bool), [0, 2**70, 1], np.array([0, 2**64 - 1, 0], np.uint64)]


@pytest.mark.parametrize("actions", BAD, ids=str)
def test_what_are_not_actions_is_refused_and_nothing_has_happened(
    compiled: bool, actions: Any
) -> None:
    vector = begun(compiled)
    before, twin = everything(vector), begun(compiled)
    with pytest.raises(InvalidArgumentError, match=r"^actions must be 3 .* in 0\.\.7, got "):
        vector.step(actions)
    assert everything(vector) == before
    for good in ([3, 2, 1], [4, 0, 7], [0, 0, 0]):
        assert told(vector.step(good)) == told(twin.step(good))
    assert everything(vector) == everything(twin)


@pytest.mark.parametrize("actions", [[8, 0, 0], [0, 8, 0], [0, 0, 8], [-1, 0, 0]], ids=str)
def test_actions_are_looked_at_in_every_lane_also_one_about_to_be_reset(
    compiled: bool, actions: list[int]
) -> None:
    vector = begun(compiled)
    twin = begun(compiled)
    for each in (vector, twin):
        assert each.step([4, 0, 0])[2].tolist() == [True, False, False]
    before = everything(vector)
    with pytest.raises(InvalidArgumentError, match=r"^actions must be "):
        vector.step(actions)
    assert everything(vector) == before
    assert told(vector.step([0, 1, 2])) == told(twin.step([0, 1, 2]))
    assert everything(vector) == everything(twin)


def test_nothing_works_before_the_first_reset_of_every_lane(compiled: bool) -> None:
    vector = ExplorativeUserBAIVectorEnv(3, compiled=compiled)
    for mask in ([True, False, False], [False, True, False]):
        with pytest.raises(ResetNeeded, match="call reset before step"):
            vector.step([5, 0, 0])
        vector.reset(options={"reset_mask": np.array(mask)})
    vector.reset(options={"reset_mask": np.array([False, False, True])})
    assert vector.step([5, 0, 0])[2].tolist() == [True, False, False]


def test_a_finished_lane_that_does_not_reset_itself_has_to_be_reset(compiled: bool) -> None:
    vector = begun(compiled, autoreset_mode="Disabled")
    vector.step([4, 0, 5])
    before = everything(vector)
    with pytest.raises(ResetNeeded, match=r"^reset the finished lanes \[0, 2\] before step$"):
        vector.step([0, 0, 0])
    assert everything(vector) == before


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_alike_and_apart(compiled: bool, copied: Any) -> None:
    vector = begun(compiled, noise=0.5)
    twin = copied(vector)
    for actions in ([3, 2, 1], [2, 0, 7], [0, 0, 0], [1, 1, 1]):
        assert told(twin.step(actions)) == told(vector.step(actions))
        assert everything(twin) == everything(vector)
    before = everything(vector)
    twin.step([0, 1, 2])
    assert everything(vector) == before


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"num_envs": 0}, "^num_envs must be an integer of at least 1, got 0"),
        ({"max_episode_steps": 0}, "^max_episode_steps must be an integer of at least 1, got 0"),
        ({"autoreset_mode": "now"}, "^autoreset_mode must be one of Disabled, NextStep, SameStep"),
        ({"step_cost": -1.0}, "^step_cost must be a finite number of at least 0"),
        ({"horizon": 0}, "^horizon must be an integer of at least 1, got 0"),
        ({"mask": "x"}, "^mask must be one of none, rejections, got 'x'"),
        ({"n_arms": 1}, "^n_arms must be an integer of at least 2, got 1"),
    ],
)
def test_a_bad_argument_is_named(kwargs: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        ExplorativeUserBAIVectorEnv(**kwargs)


def test_nothing_secret_is_told_before_the_end(mode: AutoresetMode, compiled: bool) -> None:
    counters = {"has_response", "interactions", "acceptances", "rejections"}
    vector, _ = pair_of(mode, compiled, horizon=4)
    _, infos = vector.reset(seed=0)
    for t in range(4):
        assert set(infos) == counters | {f"_{key}" for key in counters}
        observations, *_, infos = vector.step(np.full(LANES, t % 3))
        assert observations in vector.observation_space
    ending = {"is_success", "answer", "stopping_time", "rejection_rate"}
    at_the_end = infos["final_info"] if mode == AutoresetMode.SAME_STEP else infos
    assert set(at_the_end) == {f"{_}{key}" for key in counters | ending for _ in ("", "_")}
