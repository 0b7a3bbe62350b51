"""UCB1, optimism in the face of uncertainty; an acceptance counts as a reward of 1.

Auer, Cesa-Bianchi and Fischer 2002, "Finite-time analysis of the multiarmed bandit problem",
Figure 1. The theory assumes i.i.d. rewards, but the responses of an explorative user are not i.i.d.
UCB1 shows what a regret minimizer achieves with such responses.
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.protocol import STOP, Against, Algorithm
from explorative_user_env.validation import positive

from .adapter import AlgorithmAgent, agent_maker, given_horizon, largest


class Params(NamedTuple):
    """The parameters of a run."""

    n_arms: int  # K
    horizon: int  # T
    exploration: float  # c


class State(NamedTuple):
    """The state of UCB1."""

    accepted: list[int]  # acceptances of each arm
    recommended: list[int]  # n_i
    rates: list[float]  # accepted / n_i
    inverse_roots: list[float]  # 1/sqrt(n_i)
    bounds: list[Any]  # upper confidence bounds (floats); `act` takes the largest
    steps: list[int]  # [t]


def prepare(options: Mapping[str, Any], n_arms: int, horizon: int | None) -> Params:
    """Validate the options and return the parameters of a run."""
    steps = given_horizon(options["horizon"], horizon)
    return Params(n_arms, steps, positive("exploration", options["exploration"]))


def blank(params: Params) -> State:
    """Return a blank state, which `start` fills."""
    rates, inverse_roots, bounds = ([0.0] * params.n_arms for _ in range(3))
    return State([0] * params.n_arms, [0] * params.n_arms, rates, inverse_roots, bounds, [0])


def start(params: Params, state: State, rng: np.random.Generator) -> None:
    """Reset all counts."""
    for arm in range(params.n_arms):
        state.accepted[arm] = 0
        state.recommended[arm] = 0
        state.rates[arm] = 0.0
        state.inverse_roots[arm] = 1.0
        state.bounds[arm] = 0.0
    state.steps[0] = 0


def act(params: Params, state: State, rng: np.random.Generator) -> int:
    """Return the next arm of the first pass, then the argmax of rate_i + sqrt(c log t / n_i).

    Arms with equal counts have exactly equal bounds; a random draw breaks the tie.
    """
    t = state.steps[0]
    if t >= params.horizon:
        return STOP
    if t < params.n_arms:
        return t
    _find_bounds(params, state)
    return largest(state.bounds, rng)


def _find_bounds(params: Params, state: State) -> None:
    """Update the upper confidence bounds, after at least one step."""
    width = math.sqrt(params.exploration * math.log(state.steps[0]))
    for arm in range(params.n_arms):
        state.bounds[arm] = state.rates[arm] + width * state.inverse_roots[arm]


def observe(params: Params, state: State, arm: int, accepted: bool) -> None:
    """Count the recommendation and the response."""
    state.steps[0] += 1
    state.recommended[arm] += 1
    if accepted:
        state.accepted[arm] += 1
    n = state.recommended[arm]
    state.rates[arm] = state.accepted[arm] / n
    state.inverse_roots[arm] = 1.0 / math.sqrt(n)


def verdict(params: Params, state: State, rng: np.random.Generator) -> int:
    """Return the most accepted arm."""
    return largest(state.accepted, rng)


def explain(params: Params, state: State) -> Mapping[str, Any]:
    """Return the step t, the horizon T, the rates and n_i; after the first pass also the bounds."""
    items: dict[str, Any] = {"t of T": Against(state.steps[0], params.horizon)}
    if state.steps[0] >= params.n_arms:
        now = state._replace(bounds=list(state.bounds))  # `explain` must not change the state
        _find_bounds(params, now)
        items["upper bound"] = now.bounds
    return items | {"rate": list(state.rates), "n_i": list(state.recommended)}


ALGORITHM = Algorithm(
    "UCB1",
    *(prepare, blank, start, act, observe, verdict),
    defaults={"horizon": None, "exploration": 2.0},
    stops_itself=False,
    explain=explain,
)


@agent_maker(ALGORITHM)
def UCB1() -> AlgorithmAgent:  # type: ignore[empty-body]  # noqa: N802
    """Return UCB1 on responses. Its answer is the most accepted arm (ties at random).

    The agent recommends each arm once, and then the argmax of rate_i + sqrt(c log t / n_i). Here
    n_i counts the recommendations of arm i, rate_i is the accepted share of these recommendations,
    and t counts all recommendations (Auer, Cesa-Bianchi and Fischer 2002, Figure 1).

    Args:
        horizon: T >= 1, the number of recommendations; by default the horizon of the evaluation or
            run.
        exploration: c > 0; default 2, as published.
    """
