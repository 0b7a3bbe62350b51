"""Thompson sampling on realized rewards, for comparison with agents that see responses only.

The other agents must find the best arm from responses alone. This agent also sees the realized
reward of every accepted recommendation. The difference shows what it costs to see responses only.
Sources: Thompson 1933; Russo et al. 2018, "A tutorial on Thompson sampling" (normal rewards).
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.protocol import STOP, Against, Algorithm
from explorative_user_env.validation import positive, real

from .adapter import AlgorithmAgent, agent_maker, given_horizon, largest


class Params(NamedTuple):
    """The parameters of a run."""

    n_arms: int  # K
    horizon: int  # T
    prior_mean: float  # m_0
    prior_variance: float  # v_0
    prior_precision: float  # 1 / v_0


class State(NamedTuple):
    """The posterior of each arm, and the latest draws."""

    counts: list[int]  # n_i, number of rewards of each arm
    excesses: list[float]  # sum of (reward - m_0) of each arm
    means: list[Any]  # posterior means (floats); `verdict` takes the largest
    deviations: list[float]  # posterior standard deviations
    draws: list[Any]  # one posterior draw (a float) for each arm; `act` takes the largest
    steps: list[int]  # [t]


def prepare(options: Mapping[str, Any], n_arms: int, horizon: int | None) -> Params:
    """Validate the options and return the parameters of a run."""
    variance = positive("prior_variance", options["prior_variance"])
    mean = real("prior_mean", options["prior_mean"], "a finite number")
    steps = given_horizon(options["horizon"], horizon)
    return Params(n_arms, steps, mean, variance, 1.0 / variance)


def blank(params: Params) -> State:
    """Return a blank state, which `start` fills."""
    excesses, means, deviations, draws = ([0.0] * params.n_arms for _ in range(4))
    return State([0] * params.n_arms, excesses, means, deviations, draws, [0])


def start(params: Params, state: State, rng: np.random.Generator) -> None:
    """Reset the posterior of each arm to the prior."""
    for arm in range(params.n_arms):
        state.counts[arm] = 0
        state.excesses[arm] = 0.0
        state.means[arm] = params.prior_mean
        state.deviations[arm] = math.sqrt(params.prior_variance)
        state.draws[arm] = 0.0
    state.steps[0] = 0


def act(params: Params, state: State, rng: np.random.Generator) -> int:
    """Draw from the posterior of each arm and return the argmax."""
    if state.steps[0] >= params.horizon:
        return STOP
    for arm in range(params.n_arms):
        state.draws[arm] = state.means[arm] + state.deviations[arm] * rng.standard_normal()
    return largest(state.draws, rng)


def observe(params: Params, state: State, arm: int, accepted: bool) -> None:
    """Count the step; a response does not change the posterior."""
    state.steps[0] += 1


def learn(params: Params, state: State, arm: int, reward: float) -> None:
    """Update the posterior with a reward, the arm's mean plus noise of variance 1.

    With v = 1 / (1/v_0 + n_i) the posterior is N(m_0 + v sum(reward - m_0), v).
    """
    state.counts[arm] += 1
    state.excesses[arm] += reward - params.prior_mean
    variance = 1.0 / (params.prior_precision + state.counts[arm])
    state.means[arm] = params.prior_mean + variance * state.excesses[arm]
    state.deviations[arm] = math.sqrt(variance)


def verdict(params: Params, state: State, rng: np.random.Generator) -> int:
    """Return the arm with the largest posterior mean."""
    return largest(state.means, rng)


def explain(params: Params, state: State) -> Mapping[str, Any]:
    """Return the step t, the horizon T, each arm's posterior mean and deviation, and its draw."""
    return {
        "t of T": Against(state.steps[0], params.horizon),
        "posterior mean": list(state.means),
        "posterior deviation": list(state.deviations),
        "latest draw": list(state.draws),
    }


ALGORITHM = Algorithm(
    "Full-information",
    *(prepare, blank, start, act, observe, verdict),
    defaults={"horizon": None, "prior_mean": 0.0, "prior_variance": 1.0},
    stops_itself=False,
    learn=learn,
    explain=explain,
)


@agent_maker(ALGORITHM)
def FullInformation() -> AlgorithmAgent:  # type: ignore[empty-body]  # noqa: N802
    """Return Thompson sampling that sees rewards. It serves for comparison and does NOT compete.

    The agent sees the realized reward of every accepted recommendation: do not rank it among agents
    that see only responses. In its model each arm's mean has a normal prior, and a reward is the
    mean plus noise of variance 1. The agent recommends the argmax of one posterior draw per arm.
    Its answer is the arm with the largest posterior mean (ties at random). It ignores rejections.

    Args:
        horizon: T >= 1, the number of recommendations; by default the horizon of the evaluation or
            run.
        prior_mean: m_0, the mean of every arm's prior, finite; default 0.
        prior_variance: v_0 > 0, the variance of every arm's prior; default 1.
    """
