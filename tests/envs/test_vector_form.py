from typing import Any

import numpy as np
import pytest

from explorative_user_env import ExplorativeUserVectorEnv, InvalidArgumentError
from explorative_user_env.envs.user_vector import lane_arms, lane_mask, lane_seeds


def test_seeds_are_counted_up_or_given() -> None:
    assert lane_seeds(None, 3) == [None, None, None]
    assert lane_seeds(7, 3) == [7, 8, 9]
    assert lane_seeds([4, None, 2**70], 3) == [4, None, 2**70]
    seeds: Any = np.array([1, 2])
    assert lane_seeds(seeds, 2) == [1, 2]


@pytest.mark.parametrize("seed", [-1, True, 1.0, "12", b"12", np.array(5), [1], [1, -1], [1, True]])
def test_other_seeds_are_named(seed: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^seed must be"):
        lane_seeds(seed, 2)


def test_a_mask_is_given_or_all() -> None:
    assert lane_mask(None, 2).tolist() == [True, True]
    assert lane_mask(np.array([False, True]), 2).tolist() == [False, True]


@pytest.mark.parametrize("mask", [[True, True], np.ones(2), np.ones(3, bool), np.zeros(2, bool)])
def test_other_masks_are_named(mask: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^reset_mask must be an array of 2 bools"):
        lane_mask(mask, 2)


@pytest.mark.parametrize("actions", [3, [0], [0.0, 1.0], [True, False], [[0], 1], [[0, 1]], "01"])
def test_what_is_not_an_integer_a_lane_is_named(actions: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^actions must be 2 integers in 0\.\.4"):
        lane_arms(actions, 2, 5)


def test_options_are_a_dict_and_left_alone() -> None:
    vector, options = ExplorativeUserVectorEnv(2, n_arms=2), {"means": [1.0, 2.0]}
    vector.reset(options=options)
    assert options == {"means": [1.0, 2.0]}
    wrong: Any = [1]
    with pytest.raises(InvalidArgumentError, match=r"^options must be a dict"):
        vector.reset(options=wrong)


def test_only_the_lanes_that_are_reset_first_get_their_seeds() -> None:
    mask = np.array([True, False, True])
    first, second = ExplorativeUserVectorEnv(3), ExplorativeUserVectorEnv(3)
    for vector in (first, second):
        vector.reset(seed=5, options={"reset_mask": mask})
    assert first.np_random_seed[0] == second.np_random_seed[0] == 5
    assert first.np_random_seed[2] == second.np_random_seed[2] == 7
    assert first.np_random_seed[1] != second.np_random_seed[1]
