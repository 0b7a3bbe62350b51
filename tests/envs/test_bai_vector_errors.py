"""Many users whose best arms are to be named: what is refused, and copies."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from alike import told
from gymnasium.error import ResetNeeded
from vector_env import begun_bai, everything

from explorative_user_env import InvalidArgumentError
from explorative_user_env.envs.bai import ExplorativeUserBAIVectorEnv

BAD = [[0, 8, 0], [0, -1, 0], [7, 0, 2**40], [0, 1], [0, 1, 2, 3], 0, None, [0.0, 1.0, 2.0], "012"]
BAD += [np.zeros(3), np.ones(3, bool), [0, 2**70, 1], np.array([0, 2**64 - 1, 0], np.uint64)]


@pytest.mark.parametrize("actions", BAD, ids=str)
def test_what_are_not_actions_is_refused_and_nothing_has_happened(
    compiled: bool, actions: Any
) -> None:
    vector = begun_bai(compiled)
    before, twin = everything(vector), begun_bai(compiled)
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
    vector = begun_bai(compiled)
    twin = begun_bai(compiled)
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
    vector = begun_bai(compiled, autoreset_mode="Disabled")
    vector.step([4, 0, 5])
    before = everything(vector)
    with pytest.raises(ResetNeeded, match=r"^reset the finished lanes \[0, 2\] before step$"):
        vector.step([0, 0, 0])
    assert everything(vector) == before


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_alike_and_apart(compiled: bool, copied: Any) -> None:
    vector = begun_bai(compiled, noise=0.5)
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
