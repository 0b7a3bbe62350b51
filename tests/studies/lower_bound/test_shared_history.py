"""The history that nu and nu' share, against slow or exact versions of it.

A measured share may be four standard errors from the exact one.
"""

import itertools
import math

import numpy as np
import pytest
from lower_bound_users import SEEDS, four_errors, noticing_pair
from scipy.stats import norm

from explorative_user_env import ExplorativeUserEnv, Instance
from explorative_user_env.agents import BAIR, AlgorithmAgent, Uniform
from explorative_user_env.seeding import user_generator
from explorative_user_env.studies.lower_bound import (
    histories,
    overlap_probability,
    rejected_below,
)
from explorative_user_env.theory import hard_pair
from explorative_user_env.users.model import ACCEPTANCE_RATE
from explorative_user_env.validation import InvalidArgumentError


def test_both_users_have_the_same_noise() -> None:
    pair = hard_pair(0.1, n_arms=3, n0=9)
    envs = [
        ExplorativeUserEnv(n_arms=3, means=list(instance.means), rho=1.0, reward="realized")
        for instance in (pair.nu, pair.nu_prime)
    ]
    for env in envs:
        env.reset(seed=5)
    for arm, difference in ((1, 0.0), (0, pair.d), (2, 0.0), (1, 0.0)):
        (yes, low, *_), (also, high, *_) = (env.step(arm) for env in envs)
        assert yes == also == 1
        assert high - low == pytest.approx(difference, abs=1e-12)


def slow_history(instance: Instance, alpha: float, steps: int, seed: int) -> list[bool]:
    """UNI's responses from a user with rho_t = 1, by the definitions, one thing after another."""
    noise = user_generator(seed)
    rewards: list[list[float]] = [[] for _ in instance.means]
    responses = []
    for step in range(steps):
        arm = step % instance.n_arms
        n = sum(len(seen) for seen in rewards)
        gamma = max(0.0, 2 * alpha * math.log(n)) if n else 0.0
        accepted = True
        for other, seen in enumerate(rewards):
            if other == arm or not seen or not rewards[arm]:
                continue
            lcb = sum(seen) / len(seen) - math.sqrt(gamma / len(seen))
            mine = rewards[arm]
            if lcb >= sum(mine) / len(mine) + math.sqrt(gamma / len(mine)):
                accepted = False
        if accepted:
            rewards[arm].append(instance.means[arm] + noise.standard_normal())
        responses.append(accepted)
    return responses


@pytest.mark.parametrize("n_arms", [2, 3])
def test_histories_are_those_of_a_slow_double_simulation(n_arms: int) -> None:
    pair = hard_pair(0.1, alpha=0.25, n_arms=n_arms, n0=6, gap=0.5)
    steps = n_arms * (6 - n_arms) + 2
    seeds = SEEDS[:400]
    found = histories(pair, Uniform(horizon=steps), steps, seeds)
    foreseen = [step < n_arms or step % n_arms == 1 for step in range(steps)]
    assert sum(foreseen) == 6  # N_0 acceptances
    slow = [
        [slow_history(instance, 0.25, steps, seed) for instance in (pair.nu, pair.nu_prime)]
        for seed in seeds
    ]
    assert found.same.tolist() == [nu == prime for nu, prime in slow]
    assert found.only_arm_2.tolist() == [nu == foreseen for nu, _ in slow]
    assert found.only_arm_2_prime.tolist() == [prime == foreseen for _, prime in slow]
    assert 0 < found.same.sum() < 100


@pytest.mark.slow
def test_three_acceptances_have_the_probability_worked_out_by_hand() -> None:
    # Arm 1 is tried again once, at n = 2: it is rejected iff x_1 + s <= x_2 - s, s^2 = 2 log 2 / 4.
    pair = hard_pair(0.1, alpha=0.25, n0=3, gap=0.5)
    s = math.sqrt(0.5 * math.log(2))
    exact = norm.cdf((1.0 - 1.5 - 2 * s) / math.sqrt(2))
    found = histories(pair, Uniform(horizon=4), 4, SEEDS)
    assert abs(found.only_arm_2_prime.mean() - exact) < four_errors(exact, len(SEEDS))
    paths = overlap_probability(rejected_below([3], 0.25, 1.0, 2, 100_000, 0), pair.nu_prime)[0]
    assert abs(paths.mean() - exact) < 4 * paths.std() / math.sqrt(100_000)
    exact = norm.cdf((1.0 - pair.nu.means[0] - 2 * s) / math.sqrt(2))
    assert abs(found.only_arm_2.mean() - exact) < four_errors(exact, len(SEEDS))


@pytest.mark.slow
@pytest.mark.parametrize("n0", [10, 30])
def test_paths_and_users_agree_where_the_bound_is_exact(n0: int) -> None:
    pair = hard_pair(0.1, alpha=0.25, n0=n0, gap=0.5)
    steps = 2 * n0 - 2
    found = histories(pair, Uniform(horizon=steps), steps, SEEDS)
    rejected = rejected_below([n0], 0.25, 1.0, 2, 20_000, 0)
    for instance, seen in ((pair.nu, found.only_arm_2), (pair.nu_prime, found.only_arm_2_prime)):
        paths = overlap_probability(rejected, instance)
        exact, of_paths = paths.mean(), 4 * paths.std() / math.sqrt(paths.size)
        assert abs(seen.mean() - exact) < four_errors(exact, len(SEEDS)) + of_paths


@pytest.mark.slow
@pytest.mark.parametrize(
    ("agent", "n_arms", "rho"),
    [
        (BAIR(n1=10), 2, 1.0),
        (Uniform(horizon=99), 2, ACCEPTANCE_RATE),
        (Uniform(horizon=99), 4, ACCEPTANCE_RATE),
        (Uniform(horizon=99), 4, 1.0),
    ],
    ids=["BAIR", "UNI-rate", "UNI-4-rate", "UNI-4"],
)
def test_no_agent_has_the_history_less_often_than_the_bound(
    agent: AlgorithmAgent, n_arms: int, rho: object
) -> None:
    high = 1.0 if rho == 1.0 else 2.0
    pair = hard_pair(0.1, alpha=0.25, rho_1=high, n_arms=n_arms, n0=12, gap=0.5)
    # 12 steps have at most N_0 acceptances.
    found = histories(pair, agent, 12, SEEDS, rho)  # type: ignore[arg-type]
    rejected = rejected_below([12], 0.25, high, n_arms, 20_000, 0)
    bound = overlap_probability(rejected, pair.nu_prime).mean()
    assert bound > 0.005
    assert found.only_arm_2_prime.mean() > bound - four_errors(bound, len(SEEDS))


@pytest.mark.slow
def test_the_history_under_nu_prime_is_one_under_nu_and_a_longer_one_contains_a_shorter() -> None:
    pair = noticing_pair()
    seen = [histories(pair, Uniform(horizon=steps), steps, SEEDS) for steps in (6, 18, 38)]
    for found in seen:
        assert (found.only_arm_2 | ~found.only_arm_2_prime).all()
        assert (found.same | ~found.only_arm_2_prime).all()
        assert found.only_arm_2.mean() > found.only_arm_2_prime.mean() > 0
    for shorter, longer in itertools.pairwise(seen):
        assert (shorter.only_arm_2_prime | ~longer.only_arm_2_prime).all()
        assert (shorter.same | ~longer.same).all()
    rejected = rejected_below([2, 3, 10, 300], 1.0, 1.0, 2, 50, 3)
    assert np.isinf(rejected[0]).all()
    assert (np.diff(rejected[1:], axis=0) <= 0).all()


def test_an_agent_that_recommends_at_random_may_have_another_history() -> None:
    """The proof leaves it unsaid: before arm 2 is known arm 1 is accepted again and again."""
    pair = hard_pair(0.1, alpha=0.25, n0=1000, gap=0.5)
    random, in_turn = (
        histories(pair, Uniform(horizon=30, order=order), 30, SEEDS[:1000])
        for order in ("random", "round robin")
    )
    assert 0 < random.only_arm_2.mean() < in_turn.only_arm_2.mean() - 0.1


def test_paths_are_the_same_in_blocks_and_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    module = "explorative_user_env.studies.lower_bound.REWARDS_AT_ONCE"
    whole = rejected_below([3, 5, 40], 0.5, 1.5, 3, 1, 2)
    monkeypatch.setattr(module, 7)
    assert rejected_below([3, 5, 40], 0.5, 1.5, 3, 1, 2) == pytest.approx(whole)
    noise = np.random.default_rng(2).standard_normal(38)
    slow = [
        1 + noise[:m].mean() - math.sqrt(math.log(1.5 * (m + 2))) * (1 + 1 / math.sqrt(m))
        for m in range(1, 39)
    ]
    assert whole[:, 0] == pytest.approx([min(slow[:1]), min(slow[:3]), min(slow)])


def test_a_schedule_outside_of_the_pairs_range_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="rho must be"):
        histories(noticing_pair(), Uniform(horizon=3), 3, SEEDS[:2], "acceptance_rate")
