"""Elimination for a population, which transfers what it has learned to the next user.

The means of each user deviate from the means of the population. The algorithm uses three ideas:

1. A rejection shows how much worse an arm is. The user rejects arm i after n_i acceptances because
   her interval for arm i lies below her interval for an arm j with n_j acceptances. Then her
   estimates of the two arms differ by about b_i = sqrt(Gamma) (1/sqrt(n_i) + 1/sqrt(n_j)), where
   Gamma = 2 alpha log(rho_t n(t)) (paper, Eq. 1). The agent knows n_i, n_j and n(t), so it can
   compute b_i, the estimated gap of arm i. If she never rejects arm i, b_i is 0.
2. The mean of b_i over earlier users estimates how much worse arm i is in the population. The
   variance s^2 of b_i between users (pooled over arms) shows how much users differ. To the next
   user the algorithm recommends only arms whose mean b_i exceeds the least mean by at most
   s^2 (1 + 1/n), for n earlier users of arm i. The more users differ, the more arms this keeps.
   The initial s^2 is large, so the second user gets nearly all arms.
3. The arm with the least mean b_i is recommended twice as often as the other arms. This arm is
   mostly the best arm, and its many acceptances let the user reject the other arms earlier.

With each user the algorithm works as SE: it recommends the arm with the fewest acceptances and
eliminates an arm when she rejects it.
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.protocol import STOP, Algorithm
from explorative_user_env.validation import not_negative, positive

from .adapter import AlgorithmAgent, agent_maker, is_second, largest


class Params(NamedTuple):
    """The parameters of a run."""

    n_arms: int  # K
    alpha: float  # the users' alpha
    drops: bool  # leave out arms that were much worse for earlier users
    caution: float  # initial variance between users


class State(NamedTuple):
    """The state for the current user (fields to `scores`), and what earlier users taught."""

    accepted: list[int]  # n_i
    candidate: list[int]  # 1 for an arm that is not eliminated
    n_candidates: list[int]
    offered: list[int]  # 1 for an arm that was a candidate at this user's start
    behind: list[float]  # b_i, the estimated gap of each arm
    responses: list[int]  # [n(t), t]
    scores: list[int]  # compared by `verdict`
    users: list[int]  # for each arm: the number of earlier users to whom it was offered
    means: list[float]  # for each arm: its mean estimated gap for these earlier users
    squares: list[float]  # [sum of squared deviations of gaps from `means`, their number]
    leader: list[int]  # [the arm with the least mean gap; -1 with the first user]


def prepare(options: Mapping[str, Any], n_arms: int, horizon: int | None) -> Params:
    """Validate the options and return the parameters of a run."""
    drops = not is_second(options, "carries", "arms", "order")
    caution = not_negative("caution", options["caution"])
    return Params(n_arms, positive("alpha", options["alpha"]), drops, caution)


def blank(params: Params) -> State:
    """Return a blank state, which `start` fills."""
    accepted, candidate, offered, scores, users = ([0] * params.n_arms for _ in range(5))
    current = (accepted, candidate, [0], offered, [0.0] * params.n_arms, [0, 0], scores)
    return State(*current, users, [0.0] * params.n_arms, [0.0, 0.0], [-1])


def start(params: Params, state: State, rng: np.random.Generator) -> None:
    """Forget all users and start with the first."""
    for arm in range(params.n_arms):
        state.users[arm] = 0
        state.means[arm] = 0.0
    state.squares[0] = params.caution
    state.squares[1] = 1.0
    state.leader[0] = -1
    _begin(params, state)


def next_user(params: Params, state: State, rng: np.random.Generator) -> None:
    """Add the previous user's estimated gaps to their means, and start with the next user."""
    n_offered = 0
    for arm in range(params.n_arms):
        n_offered += state.offered[arm]
    for arm in range(params.n_arms):
        if n_offered > 1 and state.offered[arm] == 1:  # she does not compare a single candidate
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
    """Start with a user. Her candidates are the arms with a small mean gap to the best arm."""
    leader, variance = state.leader[0], state.squares[0] / state.squares[1]
    state.n_candidates[0] = 0
    for arm in range(params.n_arms):
        offered = 1
        if params.drops and leader >= 0:
            margin = variance * (1.0 + 1.0 / max(state.users[arm], 1))
            if state.means[arm] - state.means[leader] > margin:
                offered = 0
        state.accepted[arm] = 0
        state.behind[arm] = 0.0
        state.candidate[arm] = offered
        state.offered[arm] = offered
        state.n_candidates[0] += offered
    state.responses[0] = 0
    state.responses[1] = 0


def act(params: Params, state: State, rng: np.random.Generator) -> int:
    """Return the candidate with the fewest acceptances; of ties, the best for earlier users."""
    if state.n_candidates[0] == 1:
        return STOP
    chosen = -1
    fewest = 0
    for arm in range(params.n_arms):
        if state.candidate[arm] == 1:
            # Each acceptance of the best arm counts half, so it is recommended twice as often.
            twice = params.drops and arm == state.leader[0]
            count = (1 if twice else 2) * state.accepted[arm]
            ahead = chosen >= 0 and state.means[arm] < state.means[chosen]
            if chosen < 0 or count < fewest or (count == fewest and ahead):
                chosen = arm
                fewest = count
    return chosen


def observe(params: Params, state: State, arm: int, accepted: bool) -> None:
    """Count the response; eliminate a rejected arm, unless it is the last candidate."""
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
    """Return the most accepted candidate."""
    for arm in range(params.n_arms):
        state.scores[arm] = state.accepted[arm] if state.candidate[arm] == 1 else -1
    return largest(state.scores, rng)


def explain(params: Params, state: State) -> Mapping[str, Any]:
    """Return candidates and acceptances; after the first user, also mean gaps and variance."""
    candidates = [bool(each) for each in state.candidate]
    items: dict[str, Any] = {"F": candidates, "n_i": list(state.accepted)}
    if state.leader[0] >= 0:
        items["mean of b_i"] = list(state.means)
        items["s^2"] = state.squares[0] / state.squares[1]
    return items


ALGORITHM = Algorithm(
    "SE-transfer",
    *(prepare, blank, start, act, observe, verdict),
    next_user=next_user,
    defaults={"alpha": 1.0, "carries": "arms", "caution": 3.0},
    explain=explain,
)


@agent_maker(ALGORITHM)
def TransferElimination() -> AlgorithmAgent:  # type: ignore[empty-body]  # noqa: N802
    """Return SE-transfer, elimination that transfers what it has learned to the next user.

    With the first user the agent works as SE. To a later user it recommends only arms that were not
    much worse than the best arm for earlier users. It begins with the best of these arms. The
    docstring of the module gives the reasons.

    Args:
        alpha: the users' alpha, above 0; default 1.
        carries: "arms" leaves out arms that were much worse for earlier users; "order" recommends
            all arms, and begins with the best arm for earlier users; default "arms".
        caution: initial value of s^2, the variance between users, at least 0; a larger value keeps
            more arms; default 3.
    """


@agent_maker(ALGORITHM, name="SE-ordered", options=("alpha",), carries="order")
def OrderedElimination() -> AlgorithmAgent:  # type: ignore[empty-body]  # noqa: N802
    """Return SE-ordered, elimination that begins with the arm that was best for earlier users.

    SE-ordered is `TransferElimination(carries="order")`: it recommends all arms to every user.

    Args:
        alpha: the users' alpha, above 0; default 1.
    """
