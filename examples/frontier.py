"""The frontier agent looks for the arm because of which the user rejects others, and prefers it.

A rejection says that some lower bound has passed the rejected arm's upper bound, but not whose. The
agent keeps a few reference arms with many acceptances, which are the first to be rejected. It
raises the acceptances of the other arms (the pool) one after another and tests a reference after
each raise. If a reference is rejected, the arms raised since its latest acceptance become
candidates for the best arm. A candidate is raised further, and all references are tested after each
of its raises: their rejections are its credit, and credit gives it a larger share. The full share
is that of the oracle-champion, n^(3/2) = the sum of n_i^(3/2). So a wrong candidate costs little.
The rule needs no gap, no law of the means, no alpha and no rho_t.

With K = 100 arms in the setting `released` (alpha 1, gap .5, delta .1) the agent needs .76 of the
stopping time of a tuned BAIR, BAIR(n1=300): .763 [.739, .787] and .759 [.732, .786] with 600 users
of two seeds, and all answers are right. It needs .97 with K = 20 and 1.03 with K = 5, and .95 with
K = 100 in the setting `printed`. So it pays only with many arms, and for some laws of the means.
Its constants were searched on other users of the setting `released`. Nothing is proved.

    explorative-user bench --agent frontier:Frontier --n-arms 100 --setting released
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env import validation
from explorative_user_env.agents.adapter import AlgorithmAgent, agent_maker, largest
from explorative_user_env.protocol import STOP, Algorithm

#: The status of an arm.
POOL, REFERENCE, CANDIDATE, REJECTED = range(4)

#: No arm.
NONE = -1

#: References at a time.
REFERENCES = 4

#: A reference has at most this share of (sum of n_i^(3/2))^(2/3); below 0.7 of it, it is raised.
REFERENCE_SHARE = 1 / 3

#: A raise multiplies the acceptances of an arm of the pool by this factor.
RAISE = 1.6

#: A raise multiplies the acceptances of a candidate by at most this factor.
CANDIDATE_RAISE = 1.5

#: A candidate is raised once its target is this factor above its acceptances.
SLACK = 1.1

#: At most so many arms become candidates after one rejection.
MOST_NAMED = 6

#: The share of a candidate without credit, and the share that each rejection adds, up to 1.
TRIAL_SHARE, CREDIT_SHARE = 1 / 3, 0.2


class Params(NamedTuple):
    """The parameters of a run."""

    n_arms: int  # K
    n1: float  # N_1


class State(NamedTuple):
    """The state of the frontier agent."""

    accepted: list[int]  # n_i
    status: list[int]  # POOL, REFERENCE, CANDIDATE or REJECTED
    latest: list[int]  # n(t) at the latest acceptance of each arm
    check: list[int]  # 1 for a reference that is tested before anything else
    credit: list[int]  # rejections of references after raises of each candidate
    n_left: list[int]  # [the number of arms that are not rejected]
    raised: list[int]  # [the arm that is being raised, or NONE]
    goal: list[int]  # [the acceptances at which its raise ends]
    credited: list[int]  # [the candidate raised last if only tests followed, or NONE]
    due: list[int]  # [1 if an arm of the pool was raised and no reference tested since]
    acceptances: list[int]  # [n(t)]
    steps: list[int]  # [t]
    scores: list[int]  # compared by `verdict`


def prepare(options: Mapping[str, Any], n_arms: int, horizon: int | None) -> Params:
    """Return the parameters of a run."""
    n1 = options["n1"]
    number = 3.0 * n_arms if n1 is None else validation.not_negative("n1", n1)
    return Params(n_arms, number)


def blank(params: Params) -> State:
    """Return a blank state, which `start` fills."""
    accepted, status, latest, check, credit, scores = ([0] * params.n_arms for _ in range(6))
    numbers = ([0], [NONE], [0], [NONE], [0], [0], [0])
    return State(accepted, status, latest, check, credit, *numbers, scores)


def start(params: Params, state: State, rng: np.random.Generator) -> None:
    """Start with all arms in the pool."""
    for arm in range(params.n_arms):
        state.accepted[arm] = state.latest[arm] = state.check[arm] = state.credit[arm] = 0
        state.status[arm] = POOL
    state.n_left[0] = params.n_arms
    state.raised[0] = state.credited[0] = NONE
    state.goal[0] = state.due[0] = state.acceptances[0] = state.steps[0] = 0


def act(params: Params, state: State, rng: np.random.Generator) -> int:
    """Return the arm of the raise in progress, a test, or the first arm of the next raise."""
    if state.n_left[0] == 1:
        return STOP
    if state.acceptances[0] < params.n1:
        return state.steps[0] % params.n_arms
    arm = state.raised[0]
    if arm != NONE:
        if state.status[arm] != REJECTED and state.accepted[arm] < state.goal[0]:
            return arm
        end_raise(params, state, arm)
    for arm in range(params.n_arms):
        if state.check[arm] == 1 and state.status[arm] == REFERENCE:
            return arm
    recruit(params, state, rng)
    whole = whole_share(params, state)
    best, lag = NONE, SLACK
    for arm in range(params.n_arms):
        if state.status[arm] == CANDIDATE:
            target = whole * min(1.0, TRIAL_SHARE + CREDIT_SHARE * state.credit[arm])
            if target > lag * state.accepted[arm]:
                best, lag = arm, target / state.accepted[arm]
    if best != NONE:
        n = state.accepted[best]
        state.raised[0] = state.credited[0] = best
        state.goal[0] = int(min(lag * n, CANDIDATE_RAISE * n)) + 1
        return best
    state.credited[0] = NONE
    reference = fewest(params, state, REFERENCE)
    if reference != NONE:
        n, most = state.accepted[reference], REFERENCE_SHARE * whole
        if n < 0.7 * most or (n < most and state.due[0] == 1):
            state.due[0] *= n < 0.7 * most
            return reference
    state.due[0] = 0
    arm = fewest(params, state, POOL)
    if arm != NONE:
        state.raised[0] = arm
        state.goal[0] = max(state.accepted[arm] + 1, math.ceil(RAISE * state.accepted[arm]))
        return arm
    return fewest(params, state, CANDIDATE)


def end_raise(params: Params, state: State, arm: int) -> None:
    """End a raise: test all references after a candidate, one after an arm of the pool."""
    state.raised[0] = NONE
    if state.status[arm] == CANDIDATE:
        for each in range(params.n_arms):
            if state.status[each] == REFERENCE:
                state.check[each] = 1
    elif state.status[arm] == POOL:
        state.due[0] = 1


def recruit(params: Params, state: State, rng: np.random.Generator) -> None:
    """Fill the references with random arms of the pool; without a pool, they are the pool."""
    n_pool = n_references = 0
    for arm in range(params.n_arms):
        n_pool += state.status[arm] == POOL
        n_references += state.status[arm] == REFERENCE
    both = n_pool + n_references
    while n_references < REFERENCES and n_pool > 0 and both > REFERENCES + 1:
        skip = int(rng.random() * n_pool)
        for arm in range(params.n_arms):
            if state.status[arm] == POOL:
                if skip == 0:
                    state.status[arm] = REFERENCE
                    break
                skip -= 1
        n_pool -= 1
        n_references += 1
    if n_pool == 0:
        for arm in range(params.n_arms):
            if state.status[arm] == REFERENCE:
                state.status[arm] = POOL


def fewest(params: Params, state: State, status: int) -> int:
    """Return the arm of this status with the fewest acceptances, or NONE."""
    least = NONE
    for arm in range(params.n_arms):
        fewer = least == NONE or state.accepted[arm] < state.accepted[least]
        if state.status[arm] == status and fewer:
            least = arm
    return least


def whole_share(params: Params, state: State) -> float:
    """Return (sum of n_i^(3/2))^(2/3) over all arms but the candidates.

    No n_i counts more than the fewest acceptances in the pool.
    """
    least = fewest(params, state, POOL)
    level = 0 if least == NONE else state.accepted[least]
    total = 0.0
    for arm in range(params.n_arms):
        if state.status[arm] != CANDIDATE:
            n = float(min(state.accepted[arm], level))
            total += n * math.sqrt(n)
    return float(total ** (2.0 / 3.0))


def observe(params: Params, state: State, arm: int, accepted: bool) -> None:
    """Count an acceptance. Drop a rejected arm, give credit, or name candidates."""
    trusted = state.acceptances[0] >= params.n1
    state.steps[0] += 1
    state.check[arm] = 0
    if accepted:
        state.acceptances[0] += 1
        state.accepted[arm] += 1
        state.latest[arm] = state.acceptances[0]
    elif trusted:
        was_candidate = state.status[arm] == CANDIDATE
        state.status[arm] = REJECTED
        state.n_left[0] -= 1
        if not was_candidate:
            if state.credited[0] != NONE:
                state.credit[state.credited[0]] += 1
            name_candidates(params, state, state.latest[arm])


def name_candidates(params: Params, state: State, since: int) -> None:
    """Name the arms of the pool accepted since n(t) = `since`, if few, and no candidate was."""
    n_named = 0
    for arm in range(params.n_arms):
        if state.latest[arm] > since:
            if state.status[arm] == CANDIDATE:
                return
            n_named += state.status[arm] == POOL
    if n_named <= MOST_NAMED:
        for arm in range(params.n_arms):
            if state.latest[arm] > since and state.status[arm] == POOL:
                state.status[arm] = CANDIDATE


def verdict(params: Params, state: State, rng: np.random.Generator) -> int:
    """Return the most accepted arm that is not rejected; ties at random."""
    for arm in range(params.n_arms):
        state.scores[arm] = -1 if state.status[arm] == REJECTED else state.accepted[arm]
    return largest(state.scores, rng)


def explain(params: Any, state: Any) -> Mapping[str, Any]:
    """Return the remaining arms, the references, the candidates and n_i."""
    return {
        "F": [status != REJECTED for status in state.status],
        "references": [status == REFERENCE for status in state.status],
        "candidates": [status == CANDIDATE for status in state.status],
        "n_i": list(state.accepted),
    }


ALGORITHM = Algorithm(
    "frontier",
    *(prepare, blank, start, act, observe, verdict),
    defaults={"n1": None},
    explain=explain,
)


@agent_maker(ALGORITHM)
def Frontier() -> AlgorithmAgent:  # type: ignore[empty-body]  # noqa: N802
    """Return the frontier agent, which finds the best arm by whose raises lead to rejections.

    Args:
        n1: N_1, at least 0. Until N_1 acceptances the agent recommends all arms in turn and ignores
            rejections, because a user with few rewards may reject any arm. Default 3K, as in a
            tuned BAIR.
    """
