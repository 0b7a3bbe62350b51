"""Three rules of somebody's own, in one loop that is compiled once for all tests of such rules."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.protocol import STOP, Algorithm
from explorative_user_env.users import model as rules
from explorative_user_env.users.behaviours import Behaviour
from explorative_user_env.users.model import RememberingState, Rule, Schedule, User

LATE = 50
"""The first step that reaches too far, by a rule that does."""

FAULTS = ["none", "blank", "start", "act", "observe", "verdict"]
FAULTS += ["arm above", "arm below", "answer above", "answer below"]
NONE, BLANK, START, ACT, OBSERVE, VERDICT, ARM_ABOVE, ARM_BELOW, ABOVE, BELOW = range(10)


# An algorithm: the arm of the highest upper bound on its acceptance rate, with helpers that call
# helpers. Its parts do what they must not, if asked to.


class BoundParams(NamedTuple):
    n_arms: int
    horizon: int
    width: float
    fault: int


class BoundState(NamedTuple):
    accepted: list[int]
    recommended: list[int]
    bounds: list[float]
    steps: list[int]


def prepare(options: Mapping[str, Any], n_arms: int, horizon: int | None) -> BoundParams:
    assert horizon is not None
    fault = FAULTS.index(options["fault"])
    return BoundParams(n_arms, horizon, float(options["width"]), fault)


def blank(params: BoundParams) -> BoundState:
    n_arms = params.n_arms
    short = 2 if params.fault == BLANK else n_arms
    return BoundState([0] * short, [0] * n_arms, [0.0] * n_arms, [0])


def start(params: BoundParams, state: BoundState, rng: np.random.Generator) -> None:
    for arm in range(params.n_arms):
        state.accepted[arm] = 0
        state.recommended[arm] = 0
        state.bounds[arm] = 2.0
    state.steps[0] = 0
    if params.fault == START:
        state.accepted[-1 - params.n_arms] = 0


def margin(width: float, n: int, t: int) -> float:
    return width * math.sqrt(log_of(t) / n)


def log_of(t: int) -> float:
    return math.log(1.0 + t)


def highest(params: BoundParams, values: list[float], rng: np.random.Generator) -> int:
    arm = 0
    value = -1.0
    for other in range(params.n_arms):
        jittered = values[other] + 1e-3 * rng.random()
        if jittered > value:
            arm, value = other, jittered
    return arm


def act(params: BoundParams, state: BoundState, rng: np.random.Generator) -> int:
    if state.steps[0] >= params.horizon:
        return STOP
    if params.fault == ACT and state.steps[0] > LATE:
        return 0 * state.accepted[state.steps[0]]
    if params.fault == ARM_ABOVE:
        return params.n_arms
    if params.fault == ARM_BELOW:
        return -3
    return highest(params, state.bounds, rng)


def observe(params: BoundParams, state: BoundState, arm: int, accepted: bool) -> None:
    state.steps[0] += 1
    state.recommended[arm] += 1
    if accepted:
        state.accepted[arm] += 1
    if params.fault == OBSERVE and state.steps[0] > LATE:
        state.accepted[params.n_arms + state.steps[0]] = 1
    n = state.recommended[arm]
    state.bounds[arm] = state.accepted[arm] / n + margin(params.width, n, state.steps[0])


def verdict(params: BoundParams, state: BoundState, rng: np.random.Generator) -> int:
    if params.fault == VERDICT:
        return 0 * state.accepted[params.n_arms]
    if params.fault == ABOVE:
        return params.n_arms
    if params.fault == BELOW:
        return -3
    return highest(params, state.bounds, rng)


BOUND = Algorithm(
    name="bound",
    prepare=prepare,
    blank=blank,
    start=start,
    act=act,
    observe=observe,
    verdict=verdict,
    defaults={"width": 0.5, "fault": "none"},
    stops_itself=False,
)


# A behaviour that remembers every step, so that it needs a long memory


def writes_down(
    user: User, state: RememberingState, rule: Rule, arm: int, rng: np.random.Generator
) -> bool:
    state.memory[state.interactions[0]] = 1.0
    return rules.respond(user, state, rule, arm, rng)


def own_behaviour(memory: int) -> Behaviour:
    return Behaviour("writes down", respond=writes_down, memory=memory)


# A schedule


def wave(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
    return 1.0 + parameters[0] * half_sine(n + t + n_arms)


def half_sine(x: int) -> float:
    return 0.5 + 0.5 * math.sin(x)


def own_schedule(height: float) -> Schedule:
    return Schedule(wave, 1.0, 2.0, (height,))
