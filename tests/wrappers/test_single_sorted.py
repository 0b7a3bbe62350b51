"""Sorted arms of one user: actions and masks are those of the arms of the ranks."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from wrapped import HORIZON, N_ARMS, Heard, made, ranks_of

from explorative_user_env import BAI_ENV_ID, ENV_ID, InvalidArgumentError
from explorative_user_env.envs.bai import ExplorativeUserBAIEnv
from explorative_user_env.wrappers import CountsObservation, LastStepObservation, SortedArms


def sorted_counts(env: gym.Env[Any, Any]) -> SortedArms:
    return SortedArms(CountsObservation(env))


WITHOUT_COUNTS = [
    lambda name: made(name),
    lambda name: LastStepObservation(made(name)),
    lambda name: LastStepObservation(made(name, n_arms=8)),
    lambda name: LastStepObservation(made(name, n_arms=7)),
]


@pytest.mark.parametrize("without", WITHOUT_COUNTS)
def test_arms_are_sorted_only_where_counts_are_observed(name: str, without: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^env must be wrapped in CountsObservation"):
        SortedArms(without(name))


def test_masks_are_those_of_the_arms_of_the_ranks() -> None:
    env, bare = sorted_counts(made(BAI_ENV_ID, None)), ExplorativeUserBAIEnv(N_ARMS, noise=0.4)
    env.reset(seed=5)
    bare.reset(seed=5)
    heard: Heard = []
    legal = set()
    for rank in np.random.default_rng(1).integers(N_ARMS, size=60).tolist():
        ranks = ranks_of(heard)
        masks = bare.action_masks()
        expected = [masks[arm + first] for first in (0, N_ARMS) for arm in ranks]
        assert env.action_masks().tolist() == expected
        assert env.get_wrapper_attr("action_masks")().tolist() == expected
        legal.add(expected[-1])
        env.step(rank)
        heard.append((ranks[rank], bare.step(ranks[rank])[0]))
    assert legal == {True, False}


class Picky(ExplorativeUserBAIEnv):
    """Masks that tell arms apart, which those of the task itself do not."""

    def action_masks(self) -> np.ndarray:
        return np.array([True, False, False, False, True, False])


def test_a_mask_stands_at_the_rank_of_its_arm() -> None:
    env = sorted_counts(Picky(N_ARMS, noise=0.4, horizon=HORIZON))
    env.reset(seed=5)
    heard: Heard = []
    orders = set()
    for rank in np.random.default_rng(1).integers(N_ARMS, size=20).tolist():
        ranks = ranks_of(heard)
        legal = [arm == 0 for arm in ranks] + [arm == 1 for arm in ranks]
        assert env.action_masks().tolist() == legal
        *_, info = env.step(rank)
        heard.append((ranks[rank], int(info["acceptances"] > sum(yes for _, yes in heard))))
        orders.add(tuple(ranks))
    assert len(orders) > 1


BAD = [True, np.True_, 1.0, np.array([1.0]), -1, 6, np.array([6]), None, "1", [0, 1]]


@pytest.mark.parametrize("action", BAD, ids=str)
def test_a_bad_action_is_refused_by_name_and_changes_nothing(name: str, action: Any) -> None:
    env, twin = sorted_counts(made(name)), sorted_counts(made(name))
    for each in (env, twin):
        each.reset(seed=1)
        each.step(2)
    with pytest.raises(InvalidArgumentError, match=r"^action must be an integer in 0\.\.[25], got"):
        env.step(action)
    assert repr(env.step(0)) == repr(twin.step(0))


def in_an_array(action: int) -> Any:
    return np.array([action])


@pytest.mark.parametrize("cast", [np.int64, np.uint8, np.array, in_an_array])
def test_a_rank_may_be_any_integer_or_an_array_of_one(cast: Any) -> None:
    env, twin = sorted_counts(made(ENV_ID)), sorted_counts(made(ENV_ID))
    env.reset(seed=1)
    twin.reset(seed=1)
    for rank in (2, 1, 2, 0, 1, 2):
        assert repr(env.step(cast(rank))) == repr(twin.step(rank))
