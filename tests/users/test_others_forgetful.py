"""The forgetful user is one who has seen her last rewards only."""

import math

import numpy as np
import pytest
from other_users import random_arms, started

import explorative_user_env as eu
from explorative_user_env.users.behaviours import EXPLORATIVE, forgetful
from explorative_user_env.users.population import Setting


def remembered(window: list[tuple[int, float]], n_arms: int) -> tuple[list[int], list[float]]:
    """n_i and hat mu_i from the rewards that she remembers."""
    rewards = [[reward for arm, reward in window if arm == each] for each in range(n_arms)]
    return [len(own) for own in rewards], [math.fsum(own) / max(1, len(own)) for own in rewards]


def rejects(window: list[tuple[int, float]], arm: int, gamma: float, ties: bool) -> bool:
    """By the definition: is some other arm clearly better? Nothing is, than an arm not seen."""
    counts, estimates = remembered(window, 4)
    if counts[arm] == 0:
        return False
    bar = estimates[arm] + math.sqrt(gamma / counts[arm])
    lows = [estimates[j] - math.sqrt(gamma / counts[j]) for j in range(4) if j != arm and counts[j]]
    return any(low >= bar if ties else low > bar for low in lows)


@pytest.mark.parametrize("window", [1, 3, 12, 60])
@pytest.mark.parametrize("law", ["gaussian", "bounded"])
def test_a_forgetful_user_is_one_who_has_seen_her_last_rewards_only(
    setting: Setting, window: int, law: str
) -> None:
    # Her list of all rewards is kept here, and everything is computed from its end at each step.
    n_rejections = n_forgotten = 0
    for seed in range(5):
        env = eu.ExplorativeUserEnv(
            4,
            setting=setting,
            alpha=0.2,
            reward="realized",
            reward_law=law,
            behaviour=forgetful(window),
        )
        env.reset(seed=seed)
        whole = started(seed, setting=setting, reward_law=law)  # she remembers her private draws
        private = setting.private_draws * [*enumerate(whole.hidden_state().estimates)]
        rewards: list[tuple[int, float]] = [*private]
        for arm in random_arms(400, seed=seed):
            hidden = env.hidden_state()
            counts, estimates = remembered(rewards[-window:], 4)
            assert list(hidden.counts) == counts
            assert np.allclose(hidden.estimates, estimates, rtol=0.0, atol=1e-10)
            n_forgotten += 0 in counts and len(rewards) > 20
            expected = not rejects(rewards[-window:], arm, hidden.gamma, setting.rejects_ties)
            answer, reward, *_ = env.step(arm)
            assert (answer == 1) == expected
            if answer:
                rewards.append((arm, float(reward)))
            n_rejections += not answer
    assert n_rejections > 50 or window == 1
    assert n_forgotten > 100 or window > 12


def test_an_arm_that_is_forgotten_has_an_infinite_interval_again() -> None:
    env = started(0, means=[0.0, 0.1, 0.2, 0.3], behaviour=forgetful(3), alpha=1e6)  # accepts all
    for arm in (0, 1, 1, 1):
        assert env.step(arm)[0] == 1
    hidden = env.hidden_state()
    assert hidden.counts == (0, 3, 0, 0)
    assert hidden.estimates[0] == 0.0
    assert (hidden.lower_bounds[0], hidden.upper_bounds[0]) == (-math.inf, math.inf)
    assert hidden.acceptances == 4


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_a_window_that_is_never_full_forgets_nothing(setting: Setting, noise: float) -> None:
    plain, other = (
        started(3, setting=setting, noise=noise, behaviour=kind)
        for kind in (EXPLORATIVE, forgetful(500))
    )
    for arm in random_arms(400):
        assert plain.step(arm) == other.step(arm)
    assert plain.hidden_state() == other.hidden_state()


def test_the_usual_window_is_fifty_for_each_arm() -> None:
    for n_arms in (2, 7):
        usual, same = forgetful().memory_of(n_arms), forgetful(50 * n_arms).memory_of(n_arms)
        assert len(usual) == len(same)
