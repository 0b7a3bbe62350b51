"""Who stands against a recommended arm."""

import math

import drawn
import numpy as np
import pytest

from explorative_user_env import ExplorativeUserEnv
from explorative_user_env.users.hidden_state import witness_of


@pytest.mark.parametrize("n_arms", [2, 5, 30])
@pytest.mark.parametrize("setting", ["printed", "released"])
def test_she_rejects_if_and_only_if_there_is_a_witness(n_arms: int, setting: str) -> None:
    env = ExplorativeUserEnv(n_arms=n_arms, setting=setting, gap=2.0)
    env.reset(seed=1)
    rejected = 0
    for arm in np.random.default_rng(2).integers(n_arms, size=60 * n_arms).tolist():
        decided = env.hidden_state()
        response, *_ = env.step(arm)
        witness = witness_of(decided, arm)
        assert (response == 0) == (witness is not None)
        if witness is not None:
            rejected += 1
            assert witness != arm
            assert decided.lower_bounds[witness] == max(decided.lower_bounds)
            assert decided.lower_bounds[witness] >= decided.upper_bounds[arm]
    assert rejected > 5


@pytest.mark.parametrize("setting", ["printed", "released"])
def test_where_bounds_tie_it_is_the_settings_rule_that_decides(setting: str) -> None:
    """Rewards of 0 and 1 and intervals of no width: empirical means tie all the time."""
    env = ExplorativeUserEnv(
        n_arms=4, gap=0.1, setting=setting, reward_law="bernoulli", alpha=1e-40
    )
    ties = 0
    for seed in range(20):
        env.reset(seed=seed)
        for arm in [0, 1, 2, 3] * 5:
            decided = env.hidden_state()
            accepted = env.step(arm)[0]
            assert bool(accepted) == (witness_of(decided, arm) is None)
            others = [low for each, low in enumerate(decided.lower_bounds) if each != arm]
            ties += max(others) == decided.upper_bounds[arm]
    assert ties > 5


def test_a_tie_is_enough_and_an_unseen_arm_has_no_witness() -> None:
    truth = drawn.truth_of([0.0] * 3, [2.0, 0.0, 2.0], [1, 1, 1], [1.0, 1.0, 1.0])
    assert [witness_of(truth, arm) for arm in range(3)] == [None, 0, None]
    strict = truth._replace(rejects_ties=False)
    assert [witness_of(strict, arm) for arm in range(3)] == [None, None, None]
    unseen = drawn.truth_of([0.0] * 3, [2.0, 0.0, 2.0], [1, 0, 1], [1.0, math.inf, 1.0])
    assert [witness_of(unseen, arm) for arm in range(3)] == [None, None, None]
