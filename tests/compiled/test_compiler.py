import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from explorative_user_env.agents import AlgorithmAgent, uniform
from explorative_user_env.evaluation import evaluate
from explorative_user_env.kernels import compiler
from explorative_user_env.kernels.loops import make_loop
from explorative_user_env.protocol import STOP, Algorithm
from explorative_user_env.users.behaviours import EXPLORATIVE
from explorative_user_env.users.model import ACCEPTANCE_RATE, Schedule

# A third party's algorithm: the arm of the highest upper bound on its acceptance rate, with
# helpers that call helpers.


class BoundParams(NamedTuple):
    n_arms: int
    horizon: int
    width: float


class BoundState(NamedTuple):
    accepted: list[int]
    recommended: list[int]
    bounds: list[float]
    steps: list[int]


def prepare(options: Mapping[str, Any], n_arms: int, horizon: int | None) -> BoundParams:
    assert horizon is not None
    return BoundParams(n_arms, horizon, float(options["width"]))


def blank(params: BoundParams) -> BoundState:
    n_arms = params.n_arms
    return BoundState([0] * n_arms, [0] * n_arms, [0.0] * n_arms, [0])


def start(params: BoundParams, state: BoundState, rng: np.random.Generator) -> None:
    for arm in range(params.n_arms):
        state.accepted[arm] = 0
        state.recommended[arm] = 0
        state.bounds[arm] = 2.0
    state.steps[0] = 0


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
    return highest(params, state.bounds, rng)


def observe(params: BoundParams, state: BoundState, arm: int, accepted: bool) -> None:
    state.steps[0] += 1
    state.recommended[arm] += 1
    if accepted:
        state.accepted[arm] += 1
    n = state.recommended[arm]
    state.bounds[arm] = state.accepted[arm] / n + margin(params.width, n, state.steps[0])


def verdict(params: BoundParams, state: BoundState, rng: np.random.Generator) -> int:
    return highest(params, state.bounds, rng)


BOUND = Algorithm(
    name="bound",
    prepare=prepare,
    blank=blank,
    start=start,
    act=act,
    observe=observe,
    verdict=verdict,
    defaults={"width": 0.5},
    stops_itself=False,
)


def wave(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
    return 1.0 + parameters[0] * half_sine(n + t + n_arms)


def half_sine(x: int) -> float:
    return 0.5 + 0.5 * math.sin(x)


def test_a_third_party_s_record_and_rho_rule_compile_with_their_helpers() -> None:
    # A warning would be an error here: none says that the code does not compile.
    rho = Schedule(wave, 1.0, 2.0, (0.9,))
    options: dict[str, Any] = {"n_instances": 5, "baseline_time": 120, "rho": rho}
    agent = AlgorithmAgent(BOUND, {"width": 0.7})
    fast = evaluate([agent], compiled=True, **options).runs
    slow = evaluate([agent], compiled=False, **options).runs
    pd.testing.assert_frame_equal(fast, slow, check_exact=True)
    assert fast["acceptances"].nunique() > 1
    assert not fast.equals(evaluate([agent], compiled=False, **options | {"rho": None}).runs)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("height", [1.5, -0.5, math.nan])
def test_a_rho_out_of_its_range_is_an_error_by_either_path(compiled: bool, height: float) -> None:
    rho = Schedule(wave, 1.0, 2.0, (height,))
    with pytest.raises(ValueError, match=r"rho_t must be in \[1, 2\], .* wave, got"):
        evaluate([AlgorithmAgent(BOUND, {})], rho=rho, baseline_time=50, compiled=compiled)


@pytest.mark.compiler
@pytest.mark.parametrize("checked", [True, False])
def test_what_looks_at_bounds_for_one_loop_does_not_for_others(
    monkeypatch: pytest.MonkeyPatch, checked: bool
) -> None:
    from explorative_user_env.kernels import words

    registered: list[tuple[Any, bool]] = []
    monkeypatch.setattr(compiler, "_register", lambda *told: registered.append(told))
    loop = make_loop(words, uniform.ALGORITHM, ACCEPTANCE_RATE.rule, EXPLORATIVE)
    kernel = compiler.compile_loop(loop, checked=checked)
    assert (uniform.act, False) in registered
    assert any(told[1] for told in registered) is checked
    assert kernel.targetoptions.get("boundscheck") is (True if checked else None)


LIMIT = np.array([20])


def acts_up_to_the_limit(params: BoundParams, state: BoundState, rng: np.random.Generator) -> int:
    return state.steps[0] % params.n_arms if state.steps[0] < LIMIT[0] else STOP


LIMITED = replace(BOUND, name="limited", act=acts_up_to_the_limit)


@pytest.mark.slow
@pytest.mark.parametrize("compiled", [True, False])
def test_a_global_that_changes_between_two_evaluations_counts(compiled: bool) -> None:
    options: dict[str, Any] = {"n_instances": 2, "compiled": compiled, "baseline_time": 50}
    times = []
    for limit in (20, 30):
        LIMIT[0] = limit
        runs = evaluate([AlgorithmAgent(LIMITED, {})], progress=False, **options).runs
        times.append(set(runs["interactions"]))
    assert times == [{20}, {30}]
