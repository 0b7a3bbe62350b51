"""Which arm has the highest rate of acceptance, by exact comparison, and which was asked for least.

Functions of a state with N_a in `recommended`, S_a in `accepted`, and who led last in `leader` and
`n_tied`: comparing all arms at each step would take most of it, where there are many.
"""

from typing import Any

import numpy as np


def compare_rates(state: Any, one: int, other: int) -> int:
    """Return the sign of rate(one) - rate(other), exactly: S_1 N_2 - S_2 N_1 in integers."""
    ahead, behind = state.accepted[one], state.accepted[other]
    sign: int = ahead * state.recommended[other] - behind * state.recommended[one]
    return sign


def leader_of(state: Any) -> tuple[int, int]:
    """Return the first arm of the highest rate and how many arms share it."""
    leader = 0
    n_tied = 1
    for arm in range(1, len(state.rates)):
        sign = compare_rates(state, arm, leader)
        if sign > 0:
            leader = arm
            n_tied = 1
        elif sign == 0:
            n_tied += 1
    return leader, n_tied


def find_leader(state: Any, arm: int, accepted: bool, was_behind: bool) -> None:
    """Note who leads, as `leader_of` would find, from who led before a response to one arm."""
    leader = state.leader[0]
    if arm == leader:
        if not accepted:
            state.leader[0] = -1
        elif state.accepted[arm] < state.recommended[arm]:
            state.n_tied[0] = 1
        return
    sign = compare_rates(state, arm, leader)
    if sign > 0:
        state.leader[0], state.n_tied[0] = arm, 1
    elif sign == 0 and was_behind:
        state.leader[0] = min(leader, arm)
        state.n_tied[0] += 1
    elif sign < 0 and not was_behind:
        state.n_tied[0] -= 1


def neglected_of(state: Any) -> int:
    """Return the first arm of the least N_a."""
    neglected = 0
    for arm in range(1, len(state.recommended)):
        if state.recommended[arm] < state.recommended[neglected]:
            neglected = arm
    return neglected


def one_of_tied(
    least_recommended: bool, state: Any, leader: int, n_tied: int, rng: np.random.Generator
) -> int:
    """Return an arm tied with `leader`: a random one, or the least recommended of them."""
    skip = 0 if least_recommended else int(rng.random() * n_tied)
    chosen = leader
    for arm in range(leader, len(state.recommended)):
        if compare_rates(state, arm, leader) == 0:
            if least_recommended:
                if state.recommended[arm] < state.recommended[chosen]:
                    chosen = arm
            elif skip == 0:
                return arm
            skip -= 1
    return chosen
