"""EXP3, exponential weights for adversarial bandits; an acceptance counts as a reward of 1.

Auer, Cesa-Bianchi, Freund and Schapire 2002, "The nonstochastic multiarmed bandit problem". In
the paper's experiments the horizon of EXP3 is BAIR's mean stopping time.
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.protocol import STOP, Against, Algorithm
from explorative_user_env.validation import positive

from .adapter import AlgorithmAgent, agent_maker, given_horizon, is_second, largest

#: Largest difference of a log-weight and the reference; a larger one moves the reference.
RESCALE = 250.0


class Params(NamedTuple):
    """The parameters of a run."""

    n_arms: int  # K
    horizon: int  # T
    rate: float  # gamma, the learning rate
    mixing: float  # epsilon, the share of uniform exploration
    block: int  # arms per block of weights, about sqrt(K)
    by_recommendations: bool  # answer the most recommended arm, not the most accepted
    first: bool  # among tied arms the first arm is the answer


class State(NamedTuple):
    """The state of EXP3. Each weight is exp(log_weight - reference), which cannot overflow."""

    log_weights: list[float]
    weights: list[float]
    reference: list[float]  # [the log-weight of an arm with weight 1]
    sums: list[float]  # sum of the weights of each block of arms
    total: list[float]  # [sum of all weights]
    chance: list[float]  # [probability with which the last arm was drawn]
    counts: list[int]  # acceptances (or recommendations) of each arm, by which EXP3 answers
    steps: list[int]  # [t]


def prepare(options: Mapping[str, Any], n_arms: int, horizon: int | None) -> Params:
    """Validate the options and return the parameters of a run."""
    steps = given_horizon(options["horizon"], horizon)
    factor = positive("learning_rate", options["learning_rate"])
    return Params(
        n_arms=n_arms,
        horizon=steps,
        rate=math.sqrt(factor * math.log(n_arms) / (n_arms * steps)),
        # An epsilon above 1 (T < K log K) would make probabilities negative.
        mixing=min(1.0, math.sqrt(n_arms * math.log(n_arms) / steps)),
        block=math.isqrt(n_arms - 1) + 1,
        by_recommendations=is_second(options, "counts", "accepted", "recommended"),
        first=is_second(options, "ties", "random", "first"),
    )


def blank(params: Params) -> State:
    """Return a blank state, which `start` fills."""
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
    """Draw an arm with probability (1 - epsilon) weight / total + epsilon / K.

    One random number selects a block of about sqrt(K) arms, and then an arm of this block. That
    takes about 2 sqrt(K) comparisons instead of K.
    """
    if state.steps[0] >= params.horizon:
        return STOP
    # The probability of an arm is floor + scale * weight.
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
    """Multiply the weight of an accepted arm by exp(gamma / probability of its draw)."""
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
    """Return the most accepted arm. If `by_recommendations`, return the most recommended arm."""
    return largest(state.counts, rng, params.first)


def _rescale(params: Params, state: State, reference: float) -> None:
    state.reference[0] = reference
    for arm in range(params.n_arms):
        # A weight is at least exp(-700), to avoid an underflow.
        state.weights[arm] = math.exp(max(-700.0, state.log_weights[arm] - reference))
    for block in range(len(state.sums)):
        _add_up(params, state, block)


def _add_up(params: Params, state: State, block: int) -> None:
    """Update the sum of the weights of a block, and the total."""
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
    """Return the step t, the horizon T, the probability of each arm, and the counts."""
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

    gamma = sqrt(c log K / (K T)) and epsilon = min(1, sqrt(K log K / T)). If an option is None,
    `evaluate` and `rollout` use the setting's value. In other uses the defaults below hold.

    Args:
        horizon: T >= 1, the number of recommendations; in an evaluation the default is BAIR's mean
            stopping time.
        learning_rate: c > 0 in gamma; default 1.
        counts: the answer is the arm most often "accepted" or "recommended"; default "accepted".
        ties: whether a "random" or the "first" of tied arms is the answer; default "random".
    """
