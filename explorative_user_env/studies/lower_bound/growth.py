"""How the chance of an ambiguous history falls as N_0 grows: like a power, not exponentially."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from explorative_user_env.agents import Uniform
from explorative_user_env.display.progress import OnProgress, silent
from explorative_user_env.old_names import renamed
from explorative_user_env.results.intervals import mean_interval, proportion_interval
from explorative_user_env.seeding import number_of_users, user_seeds
from explorative_user_env.studies.lower_bound.shared_history import (
    MOST_PATHS,
    histories,
    overlap_probability,
    rejected_below,
    uniform_steps,
)
from explorative_user_env.tasks import LONGEST_HORIZON
from explorative_user_env.theory.hard_instances import HardPair, exponent_loss, hard_pair
from explorative_user_env.theory.proof_conditions import proof_conditions
from explorative_user_env.users.confidence import Schedule, as_schedule
from explorative_user_env.users.state import number_of_arms
from explorative_user_env.validation import (
    InvalidArgumentError,
    count,
    positive,
    sequence,
)

DEFAULT_N0S = (3, 10, 30, 100, 300)
N_PATHS = 2000
"""Paths of arm 2's rewards; each gives a probability, not a yes or no, so few will do."""


@renamed(on_progress="progress")
def overlap(
    n0s: Sequence[int] = DEFAULT_N0S,
    *,
    alpha: float = 1.0,
    rho: Schedule | str | float = 1.0,
    n_arms: int = 2,
    c: float | None = None,
    gap: float | None = None,
    n_instances: int = 1000,
    n_paths: int = N_PATHS,
    seed: int = 0,
    progress: OnProgress = silent,
) -> pd.DataFrame:
    """Return how often UNI has the history that nu and nu' share, for growing N_0.

    UNI tries every arm again after every acceptance of arm 2, so no agent sees through the pair
    sooner. For each N_0 the pair is that of the delta whose N_0 it is in the theorem.

    Args:
        n0s: the N_0, each at least K.
        alpha: the user's willingness to explore, above 0.
        rho: schedule of rho_t, as in `gym.make`.
        n_arms: K, at least 2.
        c: the theorem's c, as in `hard_pair`.
        gap: Delta_1 of nu'; None is the proof's epsilon, which shrinks as N_0 grows.
        n_instances: users that UNI meets under each of the two, at least 1.
        n_paths: paths of arm 2's rewards for `overlap`, at least 2.
        seed: what everything follows from, at least 0.
        progress: told how far it is.

    Returns:
        One row for each N_0: `n0`, `delta`, `twice_delta`, `d`, `epsilon`; `event_b_prime` and
        `overlap_bound` of the proof, and `conditions`, whether the proof's conditions hold;
        `overlap`, the least probability of the history under nu' for any agent that accepts arm 2
        before it comes back to another, with a 95% interval (`_low`, `_high`) from the paths;
        `nu`, `nu_prime` and `same`, how often UNI had the history under each and the same
        responses under both, with exact intervals.
    """
    schedule = as_schedule(rho)
    c = exponent_loss(c, positive("alpha", alpha))
    n_instances = number_of_users(n_instances)
    n_paths = count("n_paths", n_paths, 2, MOST_PATHS)
    n_arms = number_of_arms(n_arms)
    longest = LONGEST_HORIZON // n_arms
    n0s = sorted({count("n0s", n0, n_arms, longest) for n0 in sequence("n0s", n0s)})
    if not n0s:
        raise InvalidArgumentError("n0s", n0s, "at least one number")
    pairs = [
        hard_pair(
            _delta_of(n0, alpha, schedule.rho_0, c),
            alpha,
            schedule.rho_0,
            schedule.rho_1,
            n_arms,
            n0,
            c=c,
            gap=gap,
        )
        for n0 in n0s
    ]
    seeds = user_seeds(seed, n_instances)
    rejected = rejected_below(n0s, alpha, schedule.rho_1, n_arms, n_paths, seed)
    rows = []
    for index, (pair, bounds) in enumerate(zip(pairs, rejected, strict=True)):
        progress(f"N_0 = {pair.n0}", index, len(pairs))
        rows.append(_row(pair, overlap_probability(bounds, pair.nu_prime), seeds, schedule))
    progress("", len(pairs), len(pairs))
    return pd.DataFrame(rows)


def _delta_of(n0: int, alpha: float, rho_0: float, c: float) -> float:
    """Return the delta with N_0 = delta^(-1/alpha + c)/rho_0."""
    if rho_0 * n0 <= 1.0:
        raise InvalidArgumentError("n0s", n0, f"above 1/rho_0, with rho_0 = {rho_0:g}")
    return math.exp(-math.log(rho_0 * n0) / (1.0 / alpha - c))


def _row(
    pair: HardPair, probabilities: np.ndarray, seeds: Sequence[int], schedule: Schedule
) -> dict[str, Any]:
    low, high = mean_interval(probabilities)
    row: dict[str, Any] = {
        "n0": pair.n0,
        "delta": pair.delta,
        "twice_delta": 2.0 * pair.delta,
        "d": pair.d,
        "epsilon": pair.epsilon,
        "event_b_prime": pair.event_b_prime,
        "overlap_bound": pair.overlap_bound,
        "conditions": all(condition.holds for condition in proof_conditions(pair)),
        "overlap": float(probabilities.mean()),
        "overlap_low": low,
        "overlap_high": high,
    }
    steps = uniform_steps(pair.n_arms, pair.n0)
    met = histories(pair, Uniform(horizon=steps), steps, seeds, schedule)
    shares = {"nu": met.only_arm_2, "nu_prime": met.only_arm_2_prime, "same": met.same}
    for name, values in shares.items():
        low, high = proportion_interval(int(values.sum()), len(values))
        row |= {name: float(values.mean()), f"{name}_low": low, f"{name}_high": high}
    return row
