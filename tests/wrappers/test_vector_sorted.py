"""Sorted arms of many users in step: a rank is the arm of so many acceptances."""

from typing import Any

import numpy as np
import pytest
from alike import told
from wrapped import LANES, N_ARMS, vector_of

from explorative_user_env import BAI_ENV_ID, InvalidArgumentError
from explorative_user_env.envs.bai import ExplorativeUserBAIVectorEnv
from explorative_user_env.wrappers import vector as many

WITHOUT_COUNTS = [
    vector_of,
    lambda name: many.LastStepObservation(vector_of(name)),
    lambda name: many.LastStepObservation(vector_of(name, n_arms=8)),
    lambda name: many.LastStepObservation(vector_of(name, n_arms=7)),
]


@pytest.mark.parametrize("without", WITHOUT_COUNTS)
def test_arms_are_sorted_only_where_counts_are_observed(name: str, without: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^env must be wrapped in CountsObservation"):
        many.SortedArms(without(name))


class Picky(ExplorativeUserBAIVectorEnv):
    """Masks that tell lanes and arms apart, which those of the task itself do not."""

    def action_masks(self) -> np.ndarray:
        return np.random.default_rng(0).random((LANES, 2 * N_ARMS)) < 0.5


def test_a_mask_stands_at_the_rank_of_its_arm() -> None:
    below = Picky(LANES, n_arms=N_ARMS, noise=0.4)
    vector = many.SortedArms(many.CountsObservation(below))
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


def test_a_rank_is_the_arm_of_so_many_acceptances(name: str) -> None:
    """By a bare vector environment beside it and a count of what was accepted there."""
    own: dict[str, Any] = {"horizon": 40} if name == BAI_ENV_ID else {}
    vector = many.SortedArms(many.CountsObservation(vector_of(name, limit=40, **own)))
    bare = vector_of(name, limit=40, **own)
    vector.reset(seed=2)
    bare.reset(seed=2)
    accepted = np.zeros((LANES, N_ARMS), int)
    lanes = range(LANES)
    for ranks in np.random.default_rng(3).integers(N_ARMS, size=(39, LANES)).tolist():
        order = [sorted(range(N_ARMS), key=lambda arm: (-accepted[b, arm], arm)) for b in lanes]
        arms = [order[b][ranks[b]] for b in lanes]
        _, rewards, *_, infos = vector.step(np.array(ranks))
        responses, same, *_, bare_infos = bare.step(arms)
        assert told((rewards, infos)) == told((same, bare_infos))
        for b in lanes:
            accepted[b, arms[b]] += responses[b]
    assert len(np.unique(accepted)) > 5
