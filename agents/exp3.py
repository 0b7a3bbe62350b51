"""EXP3, exponential weights for adversarial bandits, with an acceptance as a reward of 1.

Auer, Cesa-Bianchi, Freund and Schapire 2002, "The nonstochastic multiarmed bandit problem"; the
paper's experiments run it to BAIR's stopping time.
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.protocol import STOP, Against, Algorithm
from explorative_user_env.validation import positive

from .adapter import AlgorithmAgent, agent_maker, given_horizon, is_second, largest

#: A log-weight this far above the reference moves the reference, long before exp overflows.
RESCALE = 250.0


class Params(NamedTuple):
    """The numbers of a run."""

    n_arms: int  # K
    horizon: int  # T
    rate: float  # gamma, the learning rate
    mixing: float  # epsilon, the share of uniform exploration
    block: int  # arms whose weights are added up together, about sqrt(K)
    by_recommendations: bool  # answer the most recommended arm, not the most accepted
    first: bool  # the answer among tied arms is the first


class State(NamedTuple):
    """What EXP3 remembers; weights are exp(log_weights - reference), so none overflows."""

    log_weights: list[float]
    weights: list[float]
    reference: list[float]  # [the log-weight that counts as weight 1]
    sums: list[float]  # the sum of the weights of each block of arms
    total: list[float]  # [sum of weights]
    chance: list[float]  # [probability with which the last arm was drawn]
    counts: list[int]  # recommendations or acceptances of each arm, whichever answers
    steps: list[int]  # [t]


def prepare(options: Mapping[str, Any], n_arms: int, horizon: int | None) -> Params:
    """Check the options and return the numbers of a run."""
    steps = given_horizon(options["horizon"], horizon)
    factor = positive("learning_rate", options["learning_rate"])
    return Params(
        n_arms=n_arms,
        horizon=steps,
        rate=math.sqrt(factor * math.log(n_arms) / (n_arms * steps)),
        # A share above 1 (T < K log K) would make probabilities negative.
        mixing=min(1.0, math.sqrt(n_arms * math.log(n_arms) / steps)),
        block=math.isqrt(n_arms - 1) + 1,
        by_recommendations=is_second(options, "counts", "accepted", "recommended"),
        first=is_second(options, "ties", "random", "first"),
    )


def blank(params: Params) -> State:
    """Return a state to be filled by `start`."""
    n_arms = params.n_arms
    sums = [0.0] * -(-n_arms // params.block)
    log_weights, weights = [0.0] * n_arms, [1.0] * n_arms
    return State(log_weights, weights, [0.0], sums, [1.0], [1.0], [0] * n_arms, [0])


def start(params: Params, state: State, rng: np.random.Generator) -> None:
    """Give every arm the same weight."""
    for arm in range(params.n_arms):
        state.log_weights[arm] = 0.0
        state.counts[arm] = 0
    state.steps[0] = 0
    _rescale(params, state, 0.0)


def act(params: Params, state: State, rng: np.random.Generator) -> int:
    """Draw an arm from (1 - epsilon) weights + epsilon uniform, by its inverse distribution.

    The block of arms comes first, then the arm in it: 2 sqrt(K) looks for K.
    """
    if state.steps[0] >= params.horizon:
        return STOP
    # What an arm of weight 0 has of the mixture, and what a weight of 1 adds to it.
    floor, scale = params.mixing / params.n_arms, (1.0 - params.mixing) / state.total[0]
    level = rng.random()
    cumulated = 0.0
    arm = 0
    for block in range(len(state.sums) - 1):
        beyond = cumulated + scale * state.sums[block] + params.block * floor
        if level < beyond:
            break
        cumulated = beyond
        arm += params.block
    last = min(arm + params.block, params.n_arms) - 1
    chance = scale * state.weights[arm] + floor
    cumulated += chance
    while level >= cumulated and arm < last:
        arm += 1
        chance = scale * state.weights[arm] + floor
        cumulated += chance
    state.chance[0] = chance
    return arm


def observe(params: Params, state: State, arm: int, accepted: bool) -> None:
    """Raise the weight of an accepted arm by exp(gamma / its probability)."""
    state.steps[0] += 1
    if accepted or params.by_recommendations:
        state.counts[arm] += 1
    if accepted:
        state.log_weights[arm] += params.rate / state.chance[0]
        above = state.log_weights[arm] - state.reference[0]
        if above > RESCALE:
            _rescale(params, state, state.log_weights[arm])
        else:
            state.weights[arm] = math.exp(above)
            _add_up(params, state, arm // params.block)


def verdict(params: Params, state: State, rng: np.random.Generator) -> int:
    """Return the arm accepted (or recommended) most."""
    return largest(state.counts, rng, params.first)


def _rescale(params: Params, state: State, reference: float) -> None:
    state.reference[0] = reference
    for arm in range(params.n_arms):
        # Below -700 exp underflows to 0 without harm; above, nothing overflows: see RESCALE.
        state.weights[arm] = math.exp(max(-700.0, state.log_weights[arm] - reference))
    for block in range(len(state.sums)):
        _add_up(params, state, block)


def _add_up(params: Params, state: State, block: int) -> None:
    """Bring the sum of a block of weights, and the total, up to date."""
    first = block * params.block
    part = 0.0
    for arm in range(first, min(first + params.block, params.n_arms)):
        part += state.weights[arm]
    state.sums[block] = part
    total = 0.0
    for other in range(len(state.sums)):
        total += state.sums[other]
    state.total[0] = total


def explain(params: Params, state: State) -> Mapping[str, Any]:
    """Return the chances of the next arm, what the answer goes by, and t of T."""
    floor, scale = params.mixing / params.n_arms, (1.0 - params.mixing) / state.total[0]
    return {
        "t of T": Against(state.steps[0], params.horizon),
        "chance": [scale * weight + floor for weight in state.weights],
        "recommended" if params.by_recommendations else "accepted": list(state.counts),
    }


ALGORITHM = Algorithm(
    "EXP3",
    *(prepare, blank, start, act, observe, verdict),
    defaults={"horizon": None, "learning_rate": 1.0, "counts": "accepted", "ties": "random"},
    stops_itself=False,
    explain=explain,
)


@agent_maker(ALGORITHM)
def EXP3() -> AlgorithmAgent:  # type: ignore[empty-body]  # noqa: N802
    """Return EXP3 with the paper's rates for a horizon T.

    gamma = sqrt(c log K / (K T)) and epsilon = min(1, sqrt(K log K / T)). An option left at None
    is filled in by `evaluate` and `rollout`; the values below hold outside.

    Args:
        horizon: T >= 1, the number of recommendations; in an evaluation BAIR's mean stopping time.
        learning_rate: c > 0 in gamma; 1.
        counts: answer the arm "accepted" or "recommended" most; accepted.
        ties: the answer among tied arms, at "random" or the "first"; random.
    """
