"""How often nobody can tell nu from nu': the history in which only arm 2 is accepted twice.

In that history every response is known beforehand: an arm is accepted when it is recommended for
the first time, arm 2 always, nothing else. An agent that has it answers the same under nu and nu',
so under one of the two it is wrong with at least half the smaller of the two probabilities (all of
it, if its answer is no coin flip).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.evaluation.backends import LONGEST_PLAY
from explorative_user_env.evaluation.paths import quickest_play
from explorative_user_env.evaluation.plays import Play
from explorative_user_env.population import Population
from explorative_user_env.protocol import Array
from explorative_user_env.tasks import kept_steps
from explorative_user_env.theory.hard_instances import HardPair
from explorative_user_env.users.confidence import Schedule, as_schedule
from explorative_user_env.users.instances import Instance
from explorative_user_env.validation import InvalidArgumentError

ARM_2 = 1
"""The index of the proof's arm 2."""

REWARDS_AT_ONCE = 2**20
"""Rewards drawn at a time."""

MOST_PATHS = 1_000_000
"""Of arm 2's rewards; some numbers of each are in memory for every N_0."""


class Histories(NamedTuple):
    """An agent with the same users under nu and under nu', one entry a user.

    Attributes:
        same: whether all recommendations and responses are the same under both.
        only_arm_2: whether the responses are those of the history above under nu, shape (n,).
        only_arm_2_prime: the same under nu'.
    """

    same: Array
    only_arm_2: Array
    only_arm_2_prime: Array


def histories(
    pair: HardPair,
    agent: AlgorithmAgent,
    steps: int,
    seeds: Sequence[int],
    rho: Schedule | str | float | None = None,
) -> Histories:
    """Let `agent` meet the users of these `seeds` twice, with the means of nu and of nu'.

    Both times the user's noise and the agent's own randomness are the same: as long as the
    histories agree, an accepted arm's reward differs by the difference of its means only.

    Args:
        pair: the two instances.
        agent: an agent of this package, with its options given; one that stops goes on with its
            answer.
        steps: recommendations to each user, at least 1.
        seeds: the users' seeds.
        rho: schedule of rho_t as in `gym.make`; None is the constant rho_1 of the pair.
    """
    steps = kept_steps("steps", steps)
    size = max(1, LONGEST_PLAY // steps)
    parts, play = [], quickest_play()
    for first in range(0, len(seeds), size):
        part = seeds[first : first + size]
        nu, prime = (
            play(_population(pair, instance, rho), agent, part, steps, steps)
            for instance in (pair.nu, pair.nu_prime)
        )
        same = (nu.arms == prime.arms) & (nu.accepted == prime.accepted)
        parts.append((same.all(axis=1), as_foreseen(nu), as_foreseen(prime)))
    return Histories(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def as_foreseen(play: Play) -> Array:
    """Return which users accepted arm 2 always and every other arm the first time only."""
    foreseen = play.arms == ARM_2
    for arm in range(int(play.arms.max()) + 1):
        mine = play.arms == arm
        foreseen |= mine & (mine.cumsum(axis=1) == 1)
    return np.asarray((play.accepted == foreseen).all(axis=1))


def _population(
    pair: HardPair, instance: Instance, rho: Schedule | str | float | None
) -> Population:
    schedule = as_schedule(pair.rho_1 if rho is None else rho)
    if schedule.rho_0 < pair.rho_0 or schedule.rho_1 > pair.rho_1:
        allowed = f"a schedule within the pair's [{pair.rho_0:g}, {pair.rho_1:g}]"
        raise InvalidArgumentError("rho", rho, allowed)
    return Population(n_arms=pair.n_arms, alpha=pair.alpha, means=instance.means, rho=schedule)


def uniform_steps(n_arms: int, n0: int) -> int:
    """Return how many steps of UNI have N_0 acceptances in the history above."""
    return max(n_arms, n_arms * (n0 - n_arms) + 2)


def rejected_below(
    n0s: Sequence[int], alpha: float, rho_1: float, n_arms: int, n_paths: int, seed: int
) -> Array:
    """Return first rewards so bad that an arm is not accepted again before N_0 acceptances.

    Draws the rewards of arm 2, with mean 1, and keeps the least of
    lcb_2 - sqrt(Gamma) = hat mu_2 - sqrt(Gamma) (1 + 1/sqrt(n_2)) over all n(t) < N_0. Gamma is the
    largest that there can be: for rho_t = rho_1 and with every other arm accepted once. So a first
    reward below it keeps an arm out whatever rho_t is and whenever the arm is recommended; that is
    also necessary if rho_t = rho_1, K = 2 and the arm is tried at every n(t).

    Returns:
        One row for each N_0 of `n0s`, one column for each path of arm 2's rewards; inf for
        N_0 = 2, before which no arm is recommended again.
    """
    rng = np.random.default_rng(seed)
    longest = max(n0s) - 2
    sums, least = np.zeros((n_paths, 1)), np.full((n_paths, 1), np.inf)
    found = np.full((len(n0s), n_paths), np.inf)
    size = max(1, REWARDS_AT_ONCE // n_paths)
    for first in range(1, longest + 1, size):
        m = np.arange(first, min(first + size, longest + 1))
        noise = rng.standard_normal((n_paths, len(m)))
        path = sums + noise.cumsum(axis=1)
        sums = path[:, -1:]
        gamma = 2.0 * alpha * np.log(rho_1 * (m + n_arms - 1))
        spread = np.sqrt(np.maximum(0.0, gamma))
        bounds = 1.0 + path / m - spread * (1.0 + 1.0 / np.sqrt(m))
        bounds = np.minimum(np.minimum.accumulate(bounds, axis=1), least)
        least = bounds[:, -1:]
        for row, n0 in enumerate(n0s):
            if m[0] <= n0 - 2 <= m[-1]:
                found[row] = bounds[:, n0 - 2 - first]
    return found


def overlap_probability(rejected: Array, instance: Instance) -> Array:
    """Return, for each path of arm 2, how likely the first rewards of all other arms are so bad."""
    means = [mean for arm, mean in enumerate(instance.means) if arm != ARM_2]
    return np.asarray(np.prod([ndtr(rejected - mean) for mean in means], axis=0))
