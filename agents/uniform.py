"""UNI, uniform exploration to a given horizon (experiments of the paper)."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.protocol import STOP, Against, Algorithm
from explorative_user_env.validation import flag

from .adapter import AlgorithmAgent, agent_maker, given_horizon, is_second, largest


class Params(NamedTuple):
    """The parameters of a run."""

    n_arms: int  # K
    horizon: int  # T
    random: bool  # draw arms at random instead of in turn
    first: bool  # among tied arms the first arm is the answer


class State(NamedTuple):
    """The state of UNI."""

    accepted: list[int]  # acceptances of each arm
    steps: list[int]  # [t]
    following: list[int]  # [the next arm of round robin]


def prepare(options: Mapping[str, Any], n_arms: int, horizon: int | None) -> Params:
    """Validate the options and return the parameters of a run."""
    random = is_second(options, "order", "round robin", "random")
    steps = given_horizon(options["horizon"], horizon)
    if flag("whole_passes", options["whole_passes"]) and not random:
        full, cap = -(-steps // n_arms) * n_arms, options["max_steps"]
        # The cap may shorten the last pass, but never to fewer than T steps in all.
        steps = full if cap is None else max(steps, min(full, cap))
    return Params(n_arms, steps, random, is_second(options, "ties", "random", "first"))


def blank(params: Params) -> State:
    """Return a blank state, which `start` fills."""
    return State([0] * params.n_arms, [0], [0])


def start(params: Params, state: State, rng: np.random.Generator) -> None:
    """Reset all counts."""
    for arm in range(params.n_arms):
        state.accepted[arm] = 0
    state.steps[0] = 0
    state.following[0] = 0


def act(params: Params, state: State, rng: np.random.Generator) -> int:
    """Return the next arm of round robin, or a random arm if `random`; `STOP` at the horizon."""
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
    """Return the step t, the horizon T, the next arm of round robin, and the acceptances."""
    items: dict[str, Any] = {"t of T": Against(state.steps[0], params.horizon)}
    if not params.random:
        items["turn"] = f"arm {state.following[0]}"
    return items | {"accepted": list(state.accepted)}


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
    """Return UNI, which recommends all arms equally often. Its answer is the most accepted arm.

    If an option is None, `evaluate` and `rollout` use the value of the setting `printed` or
    `released`. In other uses the defaults below hold.

    Args:
        horizon: T >= 1, the number of recommendations; in an evaluation the default is BAIR's mean
            stopping time.
        order: recommend arms in turn ("round robin") or at "random"; default "round robin".
        whole_passes: if T falls inside a pass of round robin, True completes this pass, up to the
            step cap; default False.
        ties: whether a "random" or the "first" of tied arms is the answer; default "random".
    """
