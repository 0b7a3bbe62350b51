"""The oracle-champion, a reference that knows the best arm and runs until all others are rejected.

The agent shows how far the choice of arms can shorten a run. Suppose the means are known, x is the
number of acceptances of the best arm, and n_i that of another arm. The user rejects arm i once
n_i = Gamma/(Delta_i - sqrt(Gamma/x))^2. The sum of x and all n_i is smallest where x^(3/2) is the
sum of all n_i^(3/2). So the agent recommends the best arm while its n^(3/2) is below this sum, and
otherwise the other arm with the fewest acceptances. This rule needs no gap.
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env import validation
from explorative_user_env.protocol import STOP, Algorithm

from .adapter import AlgorithmAgent, agent_maker, largest

#: The champion before `tell` gives the best arm.
UNKNOWN = -1


class Params(NamedTuple):
    """The parameters of a run."""

    n_arms: int  # K
    n1: float  # N_1


class State(NamedTuple):
    """The state of the oracle-champion."""

    champion: list[int]  # [the best arm, or UNKNOWN]
    accepted: list[int]  # n_i
    candidate: list[int]  # 1 for the best arm and the arms that are not rejected
    n_candidates: list[int]  # [the number of candidates]
    powers: list[float]  # [the sum of n_i^(3/2) over all arms but the best]
    refused: list[int]  # [1 if `champion` was rejected after the latest acceptance of any arm]
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
    accepted, candidate, scores = ([0] * params.n_arms for _ in range(3))
    return State([UNKNOWN], accepted, candidate, [0], [0.0], [0], [0], [0], scores)


def start(params: Params, state: State, rng: np.random.Generator) -> None:
    """Start with all arms as candidates."""
    for arm in range(params.n_arms):
        state.accepted[arm] = 0
        state.candidate[arm] = 1
    state.champion[0] = UNKNOWN
    state.n_candidates[0] = params.n_arms
    state.powers[0] = 0.0
    state.refused[0] = state.acceptances[0] = state.steps[0] = 0


def tell(params: Params, state: State, best_arm: int) -> None:
    """Learn the best arm."""
    state.champion[0] = best_arm


def act(params: Params, state: State, rng: np.random.Generator) -> int:
    """Return the best arm, or the least accepted other candidate; `STOP` if none is left."""
    if state.n_candidates[0] == 1:
        return STOP
    if state.acceptances[0] < params.n1:
        return state.steps[0] % params.n_arms
    champion = state.champion[0]
    if champion != UNKNOWN and state.refused[0] == 0:
        n = state.accepted[champion]
        if n == 0 or n * math.sqrt(n) < state.powers[0]:
            return champion
    fewest = -1
    for arm in range(params.n_arms):
        fewer = fewest < 0 or state.accepted[arm] < state.accepted[fewest]
        if arm != champion and state.candidate[arm] == 1 and fewer:
            fewest = arm
    return fewest


def observe(params: Params, state: State, arm: int, accepted: bool) -> None:
    """Count an acceptance. Drop a rejected arm, unless it is the best arm (the champion)."""
    champion = arm == state.champion[0]
    trusted = state.acceptances[0] >= params.n1
    state.steps[0] += 1
    if accepted:
        state.acceptances[0] += 1
        n = state.accepted[arm]
        if not champion:
            state.powers[0] += (n + 1) * math.sqrt(n + 1) - n * math.sqrt(n)
        state.accepted[arm] = n + 1
        state.refused[0] = 0
    elif champion:
        state.refused[0] = 1
    elif trusted:
        state.candidate[arm] = 0
        state.n_candidates[0] -= 1


def learn(params: Params, state: State, arm: int, reward: float) -> None:
    """Ignore the reward; the agent needs only the best arm."""


def verdict(params: Params, state: State, rng: np.random.Generator) -> int:
    """Return the best arm, or the most accepted candidate if the best arm is unknown."""
    if state.champion[0] != UNKNOWN:
        return state.champion[0]
    for arm in range(params.n_arms):
        state.scores[arm] = state.accepted[arm] if state.candidate[arm] == 1 else -1
    return largest(state.scores, rng)


def explain(params: Any, state: Any) -> Mapping[str, Any]:
    """Return the candidates and n_i."""
    return {"F": [each == 1 for each in state.candidate], "n_i": list(state.accepted)}


ALGORITHM = Algorithm(
    "oracle-champion",
    *(prepare, blank, start, act, observe, verdict),
    defaults={"n1": None},
    learn=learn,
    tell=tell,
    explain=explain,
)


@agent_maker(ALGORITHM)
def OracleChampion() -> AlgorithmAgent:  # type: ignore[empty-body]  # noqa: N802
    """Return the oracle-champion, a reference agent that knows the best arm.

    It stops when the user has rejected every other arm. Its stopping time shows how much the best
    allocation of recommendations could save. `evaluate` and `rollout` tell it the best arm. In
    other uses it is successive elimination.

    Args:
        n1: N_1, at least 0. Until N_1 acceptances the agent recommends all arms in turn and ignores
            rejections, because a user with few rewards may reject any arm. Default 3K, as in a
            tuned BAIR.
    """
