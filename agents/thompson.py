"""Thompson sampling with a Beta posterior for each arm's acceptance probability.

Thompson 1933, "On the likelihood that one unknown probability exceeds another in view of the
evidence of two samples"; Chapelle and Li 2011, "An empirical evaluation of Thompson sampling",
Algorithm 2. The algorithm assumes i.i.d. responses to an arm, which an explorative user does
not give.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.protocol import STOP, Against, Algorithm
from explorative_user_env.validation import InvalidArgumentError, finite_vector

from .adapter import AlgorithmAgent, agent_maker, given_horizon, largest

#: Least parameter of a Beta prior. Below it, a draw may divide two numbers that underflow to 0, and
#: compiled code and NumPy differ.
LEAST_PRIOR = 0.1


class Params(NamedTuple):
    """The parameters of a run."""

    n_arms: int  # K
    horizon: int  # T
    prior_accepted: float  # a
    prior_rejected: float  # b


class State(NamedTuple):
    """The state of Thompson sampling."""

    accepted: list[int]  # acceptances of each arm
    rejected: list[int]  # rejections of each arm
    draws: list[Any]  # one posterior draw (a float) for each arm; `act` takes the largest
    steps: list[int]  # [t]


def prepare(options: Mapping[str, Any], n_arms: int, horizon: int | None) -> Params:
    """Validate the options and return the parameters of a run."""
    steps = given_horizon(options["horizon"], horizon)
    prior = finite_vector("prior", options["prior"], 2)
    if min(prior) < LEAST_PRIOR:
        allowed = f"2 finite numbers of at least {LEAST_PRIOR}"
        raise InvalidArgumentError("prior", options["prior"], allowed)
    return Params(n_arms, steps, prior[0], prior[1])


def blank(params: Params) -> State:
    """Return a blank state, which `start` fills."""
    n_arms = params.n_arms
    return State([0] * n_arms, [0] * n_arms, [0.0] * n_arms, [0])


def start(params: Params, state: State, rng: np.random.Generator) -> None:
    """Reset all counts."""
    for arm in range(params.n_arms):
        state.accepted[arm] = 0
        state.rejected[arm] = 0
        state.draws[arm] = 0.0
    state.steps[0] = 0


def act(params: Params, state: State, rng: np.random.Generator) -> int:
    """Draw from Beta(a + accepted, b + rejected) for each arm and return the argmax."""
    if state.steps[0] >= params.horizon:
        return STOP
    for arm in range(params.n_arms):
        a, b = _posterior(params, state, arm)
        state.draws[arm] = rng.beta(a, b)
    return largest(state.draws, rng)


def observe(params: Params, state: State, arm: int, accepted: bool) -> None:
    """Count the response."""
    state.steps[0] += 1
    if accepted:
        state.accepted[arm] += 1
    else:
        state.rejected[arm] += 1


def _posterior(params: Params, state: State, arm: int) -> tuple[float, float]:
    a, b = state.accepted[arm], state.rejected[arm]
    return params.prior_accepted + a, params.prior_rejected + b


def verdict(params: Params, state: State, rng: np.random.Generator) -> int:
    """Return the most accepted arm."""
    return largest(state.accepted, rng)


def explain(params: Params, state: State) -> Mapping[str, Any]:
    """Return the step t, the horizon T, and each arm's posterior mean, draw and acceptances."""
    posteriors = [_posterior(params, state, arm) for arm in range(params.n_arms)]
    return {
        "t of T": Against(state.steps[0], params.horizon),
        "posterior mean": [a / (a + b) for a, b in posteriors],
        "latest draw": list(state.draws),
        "accepted": list(state.accepted),
    }


ALGORITHM = Algorithm(
    "Thompson",
    *(prepare, blank, start, act, observe, verdict),
    defaults={"horizon": None, "prior": (1.0, 1.0)},
    stops_itself=False,
    explain=explain,
)


@agent_maker(ALGORITHM)
def Thompson() -> AlgorithmAgent:  # type: ignore[empty-body]  # noqa: N802
    """Return Thompson sampling on responses. Its answer is the most accepted arm (ties at random).

    The agent draws from Beta(a + acceptances, b + rejections) for each arm and recommends the arm
    with the largest draw (Thompson 1933; Chapelle and Li 2011, Algorithm 2).

    Args:
        horizon: T >= 1, the number of recommendations; by default the horizon of the evaluation or
            run.
        prior: (a, b) of every arm's Beta prior, each at least 0.1; default (1, 1), uniform.
    """
