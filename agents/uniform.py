"""UNI, uniform exploration to a given horizon (paper, experiments)."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.protocol import STOP, Against, Algorithm
from explorative_user_env.validation import flag

from .adapter import AlgorithmAgent, agent_maker, given_horizon, is_second, largest


class Params(NamedTuple):
    """The numbers of a run."""

    n_arms: int  # K
    horizon: int  # T
    random: bool  # arms at random, not in turn
    first: bool  # the answer among tied arms is the first


class State(NamedTuple):
    """What UNI remembers."""

    accepted: list[int]  # acceptances of each arm
    steps: list[int]  # [t]
    following: list[int]  # [the next arm in turn]


def prepare(options: Mapping[str, Any], n_arms: int, horizon: int | None) -> Params:
    """Check the options and return the numbers of a run."""
    random = is_second(options, "order", "round robin", "random")
    steps = given_horizon(options["horizon"], horizon)
    if flag("whole_passes", options["whole_passes"]) and not random:
        whole, cap = -(-steps // n_arms) * n_arms, options["max_steps"]
        # A cap that leaves time for T is none on T: it only ends the pass before its end.
        steps = whole if cap is None else max(steps, min(whole, cap))
    return Params(n_arms, steps, random, is_second(options, "ties", "random", "first"))


def blank(params: Params) -> State:
    """Return a state to be filled by `start`."""
    return State([0] * params.n_arms, [0], [0])


def start(params: Params, state: State, rng: np.random.Generator) -> None:
    """Forget all counts."""
    for arm in range(params.n_arms):
        state.accepted[arm] = 0
    state.steps[0] = 0
    state.following[0] = 0


def act(params: Params, state: State, rng: np.random.Generator) -> int:
    """Return the next arm in turn, or a random one; `STOP` at the horizon."""
    if state.steps[0] >= params.horizon:
        return STOP
    if params.random:
        return int(rng.random() * params.n_arms)
    return state.following[0]


def observe(params: Params, state: State, arm: int, accepted: bool) -> None:
    """Count the response."""
    state.steps[0] += 1
    state.following[0] = arm + 1 if arm + 1 < params.n_arms else 0
    if accepted:
        state.accepted[arm] += 1


def verdict(params: Params, state: State, rng: np.random.Generator) -> int:
    """Return the most accepted arm."""
    return largest(state.accepted, rng, params.first)


def explain(params: Params, state: State) -> Mapping[str, Any]:
    """Return whose turn it is, what the answer goes by, and t of T."""
    told: dict[str, Any] = {"t of T": Against(state.steps[0], params.horizon)}
    if not params.random:
        told["turn"] = f"arm {state.following[0]}"
    return told | {"accepted": list(state.accepted)}


ALGORITHM = Algorithm(
    "UNI",
    *(prepare, blank, start, act, observe, verdict),
    defaults={
        "horizon": None,
        "order": "round robin",
        "whole_passes": False,
        "ties": "random",
        "max_steps": None,
    },
    stops_itself=False,
    explain=explain,
)


@agent_maker(ALGORITHM)
def Uniform() -> AlgorithmAgent:  # type: ignore[empty-body]  # noqa: N802
    """Return uniform exploration (UNI): recommend evenly, answer the most accepted arm.

    An option left at None is filled in by `evaluate` and `rollout`; the values below hold outside.

    Args:
        horizon: T >= 1, the number of recommendations; in an evaluation BAIR's mean stopping time.
        order: arms in turn ("round robin") or at "random"; round robin.
        whole_passes: whether round robin finishes the pass in which it reaches T, as far as the
            step cap lets it; False.
        ties: the answer among tied arms, at "random" or the "first"; random.
    """
