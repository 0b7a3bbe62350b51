"""Elimination that carries over what it learns, where users come one after another.

Three things make it work, where users share what is popular and each of them deviates from it:

1. A rejection says how much worse an arm is. The user rejects arm i after n_i acceptances because
   her interval lies below that of another arm with n_j: their distance is then about
   b_i = sqrt(Gamma) (1/sqrt(n_i) + 1/sqrt(n_j)), Gamma = 2 alpha log(rho_t n(t)) (paper, Eq. 1),
   all of which an agent can count. An arm that is never rejected is at b_i = 0.
2. The mean of b_i over the users who were asked about an arm says how far behind it is for anybody;
   the variance of b_i between them, s^2 (pooled over arms), says how little that means for the next
   user, who is asked about the arms with mean b_i <= least mean b + s^2 (1 + 1/users asked). It
   grows faster than s as it is to: the more users differ, the more arms may be anybody's best.
   Before users can be compared s^2 is large, so the second one is asked about nearly all arms.
3. The arm that was ahead is recommended twice as often as the others. It is mostly the best, and
   to reject the others takes the fewer acceptances of them, the more it has.

Within a user it is SE's rule: the fewest acceptances next, a rejected arm is dropped.
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.protocol import STOP, Algorithm
from explorative_user_env.validation import not_negative, positive

from .adapter import AlgorithmAgent, agent_maker, is_second, largest


class Params(NamedTuple):
    """The numbers of a run."""

    n_arms: int  # K
    alpha: float  # the user's
    drops: bool  # whether arms that are far behind are left out from the start
    caution: float  # s^2 before users can be compared


class State(NamedTuple):
    """What it remembers: of this user, and of all before her."""

    accepted: list[int]  # n_i
    candidate: list[int]  # 1 for an arm that is left
    n_candidates: list[int]
    asked: list[int]  # 1 for an arm that was a candidate at first
    behind: list[float]  # b_i
    responses: list[int]  # [n(t), t]
    scores: list[int]  # what a verdict compares
    users: list[int]  # of each arm, how many were asked about it
    means: list[float]  # of b_i
    squares: list[float]  # [sum of squared deviations from these means, their number]
    leader: list[int]  # [the arm with the least mean, -1 before the first user's end]


def prepare(options: Mapping[str, Any], n_arms: int, horizon: int | None) -> Params:
    """Check the options and return the numbers of a run."""
    drops = not is_second(options, "carries", "arms", "order")
    caution = not_negative("caution", options["caution"])
    return Params(n_arms, positive("alpha", options["alpha"]), drops, caution)


def blank(params: Params) -> State:
    """Return a state to be filled by `start`."""
    accepted, candidate, asked, scores, users = ([0] * params.n_arms for _ in range(5))
    hers = (accepted, candidate, [0], asked, [0.0] * params.n_arms, [0, 0], scores)
    return State(*hers, users, [0.0] * params.n_arms, [0.0, 0.0], [-1])


def start(params: Params, state: State, rng: np.random.Generator) -> None:
    """Know nothing of any user."""
    for arm in range(params.n_arms):
        state.users[arm] = 0
        state.means[arm] = 0.0
    state.squares[0] = params.caution
    state.squares[1] = 1.0
    state.leader[0] = -1
    _begin(params, state)


def next_user(params: Params, state: State, rng: np.random.Generator) -> None:
    """Take in what this user said, and choose what the next one is asked about."""
    n_asked = 0
    for arm in range(params.n_arms):
        n_asked += state.asked[arm]
    for arm in range(params.n_arms):
        if n_asked > 1 and state.asked[arm] == 1:  # one alone is not compared with any
            state.users[arm] += 1
            error = state.behind[arm] - state.means[arm]
            state.means[arm] += error / state.users[arm]
            if state.users[arm] > 1:
                state.squares[0] += error * (state.behind[arm] - state.means[arm])
                state.squares[1] += 1.0
    leader = 0
    for arm in range(1, params.n_arms):
        if state.means[arm] < state.means[leader]:
            leader = arm
    state.leader[0] = leader
    _begin(params, state)


def _begin(params: Params, state: State) -> None:
    """Begin with a user of whom nothing is known but what is popular."""
    leader, variance = state.leader[0], state.squares[0] / state.squares[1]
    state.n_candidates[0] = 0
    for arm in range(params.n_arms):
        left = 1
        if params.drops and leader >= 0:
            room = variance * (1.0 + 1.0 / max(state.users[arm], 1))
            if state.means[arm] - state.means[leader] > room:
                left = 0
        state.accepted[arm] = 0
        state.behind[arm] = 0.0
        state.candidate[arm] = left
        state.asked[arm] = left
        state.n_candidates[0] += left
    state.responses[0] = 0
    state.responses[1] = 0


def act(params: Params, state: State, rng: np.random.Generator) -> int:
    """Return the candidate with the fewest acceptances, of several the most popular one."""
    if state.n_candidates[0] == 1:
        return STOP
    chosen = -1
    fewest = 0
    for arm in range(params.n_arms):
        if state.candidate[arm] == 1:
            # The arm that was ahead is recommended twice as often.
            twice = params.drops and arm == state.leader[0]
            count = (1 if twice else 2) * state.accepted[arm]
            ahead = chosen >= 0 and state.means[arm] < state.means[chosen]
            if chosen < 0 or count < fewest or (count == fewest and ahead):
                chosen = arm
                fewest = count
    return chosen


def observe(params: Params, state: State, arm: int, accepted: bool) -> None:
    """Count the response, and drop the arm if it is rejected and not the last."""
    state.responses[1] += 1
    if accepted:
        state.responses[0] += 1
        state.accepted[arm] += 1
    elif state.n_candidates[0] > 1 and state.candidate[arm] == 1:
        state.candidate[arm] = 0
        state.n_candidates[0] -= 1
        most = 1
        for other in range(params.n_arms):
            most = max(most, state.accepted[other])
        n, t = max(state.responses[0], 1), state.responses[1]
        gamma = 2.0 * params.alpha * math.log(n * (1.0 + n / t))
        roots = 1.0 / math.sqrt(max(state.accepted[arm], 1)) + 1.0 / math.sqrt(most)
        state.behind[arm] = math.sqrt(max(gamma, 0.0)) * roots


def verdict(params: Params, state: State, rng: np.random.Generator) -> int:
    """Return the candidate left; before that, the most accepted one."""
    for arm in range(params.n_arms):
        state.scores[arm] = state.accepted[arm] if state.candidate[arm] == 1 else -1
    return largest(state.scores, rng)


def explain(params: Params, state: State) -> Mapping[str, Any]:
    """Return which arms are left, n_i, and what is known of all users."""
    left = [bool(each) for each in state.candidate]
    told: dict[str, Any] = {"F": left, "n_i": list(state.accepted)}
    if state.leader[0] >= 0:
        told["behind on average"] = list(state.means)
        told["s^2"] = state.squares[0] / state.squares[1]
    return told


ALGORITHM = Algorithm(
    "SE-transfer",
    *(prepare, blank, start, act, observe, verdict),
    next_user=next_user,
    defaults={"alpha": 1.0, "carries": "arms", "caution": 3.0},
    explain=explain,
)


@agent_maker(ALGORITHM)
def TransferElimination() -> AlgorithmAgent:  # type: ignore[empty-body]  # noqa: N802
    """Return elimination that keeps, from user to user, which arms may be the best.

    With one user it is SE. The next one is asked only about arms that are not far behind for users
    in general, and first about those that are ahead; the module says why that works.

    Args:
        alpha: the users' alpha, above 0; 1.
        carries: what the next user gets of it: the "arms" that she is asked about, or only the
            "order" in which she is asked about all; "arms".
        caution: the variance of what users say of an arm, until they can be compared, at least 0;
            3.
    """


@agent_maker(ALGORITHM, name="SE-ordered", options=("alpha",), carries="order")
def OrderedElimination() -> AlgorithmAgent:  # type: ignore[empty-body]  # noqa: N802
    """Return elimination in the order of popularity learnt so far.

    It is `TransferElimination(carries="order")` by another name: every user is asked about all
    arms, first about those that are ahead.

    Args:
        alpha: the users' alpha, above 0; 1.
    """
