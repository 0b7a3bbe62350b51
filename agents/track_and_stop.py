"""Track-and-Stop with D-tracking on Bernoulli responses (Garivier and Kaufmann 2016).

The algorithm assumes i.i.d. responses to an arm, but an explorative user's responses are not i.i.d.
The paper runs the algorithm to show the cost of this assumption. The table names the function for
each part of the algorithm. N_a and S_a count the recommendations and acceptances of arm a. The
leader is the arm with the highest rate S_a/N_a.

    Garivier and Kaufmann 2016                      function
    recommend every arm once at the start           `act`; with the option `primed`, `start`
    N_a, S_a and S_a/N_a of each arm                `observe`
    the leader, or several tied arms                `leader_of`, `observe`; for tied arms, `act`
    Z(t), the least evidence for the leader         `_cost`, `_beats_all`
    beta(t, delta), the threshold                   `_threshold`
    stop when Z(t) > beta(t, delta)                 `_beats_all`, `act`
    D-tracking: argmin N_a if N_a is too small      `act` (`neglected`)
      w*, Lemma 3 and Theorem 5                     `optimal_weights.characteristic_weights`
      else argmax of t w*_a - N_a                   `act` (`behind`)
    the answer                                      `verdict`
"""

import copy
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.protocol import STOP, Against, Algorithm
from explorative_user_env.validation import choice, flag, risk

from .adapter import AlgorithmAgent, agent_maker, is_second, largest
from .optimal_weights import Solver, blank_solver, characteristic_weights, start_solver
from .optimal_weights import transport_cost as cost_of

THRESHOLDS = ("log((1+log t)/delta)", "log(2t(K-1)/delta)", "log(t/delta)")

TARGETED = "N_a of t w*_a"  # the name by which `explain` shows counts and target counts

#: Values of t w*_a - N_a that differ by less are tied, and the first arm is recommended. It exceeds
#: the rounding errors of the weights, so that rounding never decides.
TIE = 1e-9


class Params(NamedTuple):
    """The parameters of a run."""

    n_arms: int  # K
    delta: float
    threshold: int  # index in THRESHOLDS
    primed: bool  # start as if each arm had been recommended and accepted once
    least_recommended: bool  # of tied arms, recommend the least recommended, not a random one
    first: bool  # among tied arms the first arm is the answer


class State(NamedTuple):
    """The state of Track-and-Stop."""

    recommended: list[int]  # N_a
    accepted: list[int]  # S_a
    rates: list[float]  # S_a / N_a
    steps: list[int]  # [t]
    scores: list[int]  # compared by `verdict`
    leader: list[int]  # [first arm with the highest acceptance rate; -1: find it anew]
    n_tied: list[int]  # [number of arms with the highest acceptance rate]
    neglected: list[int]  # [first of the least recommended arms; -1: find it anew]
    rival: list[int]  # [arm for which the evidence was too small to stop last time]
    moved: list[int]  # [1 if an S_a / N_a changed since `solver` last computed weights]
    solver: Solver  # has the last characteristic weights w*


def prepare(options: Mapping[str, Any], n_arms: int, horizon: int | None) -> Params:
    """Validate the options and return the parameters of a run."""
    return Params(
        n_arms=n_arms,
        delta=risk("delta", options["delta"]),
        threshold=THRESHOLDS.index(choice("threshold", options["threshold"], THRESHOLDS)),
        primed=flag("primed", options["primed"]),
        least_recommended=is_second(options, "tied", "random", "least recommended"),
        first=is_second(options, "ties", "random", "first"),
    )


def blank(params: Params) -> State:
    """Return a blank state, which `start` fills."""
    n_arms = params.n_arms
    recommended, accepted, scores = ([0] * n_arms for _ in range(3))
    counts = (recommended, accepted, [0.0] * n_arms, [0], scores)
    return State(*counts, [-1], [0], [-1], [0], [1], blank_solver(n_arms))


def start(params: Params, state: State, rng: np.random.Generator) -> None:
    """Reset all counts; if `primed`, start with one acceptance of every arm."""
    seen = 1 if params.primed else 0
    for arm in range(params.n_arms):
        state.recommended[arm] = seen
        state.accepted[arm] = seen
        state.rates[arm] = float(seen)
    state.steps[0] = seen * params.n_arms
    state.leader[0] = -1
    state.n_tied[0] = 0
    state.neglected[0] = -1
    state.rival[0] = 0
    state.moved[0] = 1
    start_solver(state.solver)


def compare_rates(state: State, one: int, other: int) -> int:
    """Return an integer with the sign of S_a/N_a of arm `one` minus S_a/N_a of arm `other`."""
    ahead, behind = state.accepted[one], state.accepted[other]
    return ahead * state.recommended[other] - behind * state.recommended[one]


def leader_of(state: State) -> tuple[int, int]:
    """Return the first arm with the highest acceptance rate, and how many arms have this rate."""
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


def act(params: Params, state: State, rng: np.random.Generator) -> int:
    """Return the arm that D-tracking recommends, or `STOP` if there is enough evidence."""
    recommended, t = state.recommended, state.steps[0]
    if t < params.n_arms:
        return t
    if state.leader[0] < 0:
        state.leader[0], state.n_tied[0] = leader_of(state)
    leader, n_tied = state.leader[0], state.n_tied[0]
    if n_tied > 1:  # several arms share the highest rate: T&S does not stop
        skip = 0 if params.least_recommended else int(rng.random() * n_tied)
        chosen = leader
        for arm in range(leader, params.n_arms):
            if compare_rates(state, arm, leader) == 0:
                if params.least_recommended:
                    if recommended[arm] < recommended[chosen]:
                        chosen = arm
                elif skip == 0:
                    return arm
                skip -= 1
        return chosen
    if _beats_all(params, state, leader):
        return STOP
    if state.neglected[0] < 0:
        state.neglected[0] = 0
        for arm in range(1, params.n_arms):
            if recommended[arm] < recommended[state.neglected[0]]:
                state.neglected[0] = arm
    neglected = state.neglected[0]
    if recommended[neglected] <= math.sqrt(t) - 0.5 * params.n_arms:
        return neglected
    _find_weights(state, leader)
    behind = -1
    furthest = -math.inf
    for arm in range(params.n_arms):
        distance = t * state.solver.weights[arm] - recommended[arm]
        if distance > furthest + TIE:
            furthest = distance
            behind = arm
    return behind


def _find_weights(state: State, leader: int) -> None:
    """Write the characteristic weights w* for the current rates to `solver.weights`."""
    if state.moved[0] == 1:
        characteristic_weights(state.rates, leader, state.solver)
        state.moved[0] = 0


def observe(params: Params, state: State, arm: int, accepted: bool) -> None:
    """Count the response, and update the arm with the highest rate and the number of tied arms."""
    leader = state.leader[0]
    was_behind = leader >= 0 and compare_rates(state, arm, leader) < 0
    state.steps[0] += 1
    state.recommended[arm] += 1
    if accepted:
        state.accepted[arm] += 1
    rate = state.accepted[arm] / state.recommended[arm]
    if rate != state.rates[arm]:
        state.rates[arm] = rate
        state.moved[0] = 1
    if arm == state.neglected[0]:
        state.neglected[0] = -1
    if arm == leader:
        if not accepted:
            state.leader[0] = -1
        elif state.accepted[arm] < state.recommended[arm]:
            state.n_tied[0] = 1
    elif leader >= 0:
        sign = compare_rates(state, arm, leader)
        if sign > 0:
            state.leader[0], state.n_tied[0] = arm, 1
        elif sign == 0 and was_behind:
            state.leader[0] = min(leader, arm)
            state.n_tied[0] += 1
        elif sign < 0 and not was_behind:
            state.n_tied[0] -= 1


def verdict(params: Params, state: State, rng: np.random.Generator) -> int:
    """Return the arm with the highest acceptance rate; the number of acceptances breaks ties."""
    leader, _ = leader_of(state)
    for arm in range(params.n_arms):
        behind = compare_rates(state, arm, leader) < 0
        state.scores[arm] = -1 if behind else state.accepted[arm]
    return largest(state.scores, rng, params.first)


def _beats_all(params: Params, state: State, leader: int) -> bool:
    """Return whether the evidence that `leader` is better exceeds the threshold for all other arms.

    One arm below the threshold is enough for False. The function tests first `state.rival`, the arm
    that was below it at the last call, because this arm is mostly below it again.
    """
    threshold = _threshold(params, state.steps[0])
    rival = state.rival[0]
    if rival != leader and _cost(state, leader, rival) <= threshold:
        return False
    for arm in range(params.n_arms):
        if arm != leader and _cost(state, leader, arm) <= threshold:
            state.rival[0] = arm
            return False
    return True


def _cost(state: State, leader: int, arm: int) -> float:
    """Return the evidence that the acceptance rate of arm `leader` exceeds that of `arm`."""
    n, rates = state.recommended, state.rates
    return cost_of(n[leader], rates[leader], n[arm], rates[arm])


def _threshold(params: Params, t: int) -> float:
    if params.threshold == 0:
        return math.log((1.0 + math.log(t)) / params.delta)
    if params.threshold == 1:
        return math.log(2.0 * t * (params.n_arms - 1) / params.delta)
    return math.log(t / params.delta)


def explain(params: Params, state: State) -> Mapping[str, Any]:
    """Return rates and counts; if one arm has the highest rate, also evidence and target counts."""
    now, t = copy.deepcopy(state), state.steps[0]
    leader, n_tied = leader_of(now)
    seen = {"rate": now.rates, TARGETED: now.recommended}
    if t < params.n_arms:
        return {"leader": "every arm once at the start", **seen}
    if n_tied > 1:
        return {"leader": f"{n_tied} arms tie: no test", **seen}
    rivals = [arm for arm in range(params.n_arms) if arm != leader]
    costs = [_cost(now, leader, arm) for arm in rivals]
    _find_weights(now, leader)
    targets = [t * weight for weight in now.solver.weights]
    return {
        "leader": f"arm {leader}",
        "Z of beta": Against(min(costs), _threshold(params, t)),
        "least evidence against": f"arm {rivals[costs.index(min(costs))]}",
        "rate": now.rates,
        TARGETED: Against(now.recommended, targets),
    }


ALGORITHM = Algorithm(
    "T&S",
    *(prepare, blank, start, act, observe, verdict),
    defaults={
        "delta": 0.1,
        "threshold": THRESHOLDS[0],
        "primed": False,
        "tied": "random",
        "ties": "random",
    },
    explain=explain,
)


@agent_maker(ALGORITHM)
def TrackAndStop() -> AlgorithmAgent:  # type: ignore[empty-body]  # noqa: N802
    """Return Track-and-Stop: D-tracking, Bernoulli divergence, exact characteristic weights.

    If an option is None, `evaluate` and `rollout` use the value of the setting `printed` or
    `released`. In other uses the defaults below hold.

    Args:
        delta: allowed probability of a wrong answer, in (0, 1); default 0.1.
        threshold: T&S stops if the evidence exceeds this: "log((1+log t)/delta)" (default),
            "log(2t(K-1)/delta)" or "log(t/delta)".
        primed: True counts one recommendation and one acceptance of each arm at the start; False
            recommends each arm once; default False.
        tied: while several arms share the highest acceptance rate, T&S recommends a "random" arm or
            the "least recommended" arm of the tied arms, and does not stop; default "random".
        ties: whether a "random" or the "first" of tied arms is the answer; default "random".
    """
