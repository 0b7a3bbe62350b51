"""Rules of one's own run compiled as in Python, and fail with the same error."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from own_rules import BOUND, FAULTS, LATE, BoundParams, BoundState, own_behaviour, own_schedule

from explorative_user_env.agents import AlgorithmAgent, uniform
from explorative_user_env.evaluation import evaluate
from explorative_user_env.protocol import STOP
from explorative_user_env.validation import CallableError

FACTS: dict[str, Any] = {"n_instances": 3, "seed": 4, "progress": False}


def bound(fault: str = "none", **parts: Any) -> AlgorithmAgent:
    return AlgorithmAgent(replace(BOUND, **parts), {"fault": fault})


def short_blank(params: uniform.Params) -> uniform.State:
    """Return a state of two arms, for the package's own rules."""
    state = uniform.blank(params)
    return state._replace(accepted=state.accepted[:2])


def told(agent: AlgorithmAgent, task: str, height: float, memory: int) -> list[str]:
    """The errors by either path."""
    facts = FACTS | {"rho": own_schedule(height), "behaviour": own_behaviour(memory)}
    if "horizon" not in agent.options:
        facts |= {"horizon" if task == "regret" else "baseline_time": 2 * LATE}
    errors = []
    for compiled in (True, False):
        with pytest.raises(CallableError) as error:
            evaluate([agent], task=task, compiled=compiled, **facts)
        errors.append(str(error.value))
    return errors


@pytest.mark.slow
def test_runs_by_own_rules_are_those_in_python() -> None:
    # A warning would be an error here: none says that the code does not compile.
    rules: dict[str, Any] = {"rho": own_schedule(0.9), "behaviour": own_behaviour(999)}
    options: dict[str, Any] = FACTS | {"n_instances": 5, "baseline_time": 2 * LATE}
    agent = AlgorithmAgent(BOUND, {"width": 0.7})
    fast = evaluate([agent], compiled=True, **options, **rules).runs
    slow = evaluate([agent], compiled=False, **options, **rules).runs
    pd.testing.assert_frame_equal(fast, slow, check_exact=True)
    assert fast["acceptances"].nunique() > 1
    assert not fast.equals(evaluate([agent], compiled=False, **options).runs)


@pytest.mark.slow
def test_an_error_is_the_same_by_either_path(subtests: Any) -> None:
    """Compiled code that indexes with what is not there would read and write foreign memory."""
    index, memory = "raised IndexError: list", 999
    short = AlgorithmAgent(
        replace(uniform.ALGORITHM, name="own", blank=short_blank), {"horizon": 9}
    )
    true = bound(verdict=lambda params, state, rng: True)
    rows: list[tuple[AlgorithmAgent, str, float, int, str]] = [
        *((bound(fault), "bai", 0.9, memory, f"of bound {index}") for fault in FAULTS[1:6]),
        (short, "bai", 0.9, memory, f"of own {index}"),
        (bound(), "bai", 0.9, LATE, "IndexError"),
        *((bound(), "bai", height, memory, "rho_t must be in") for height in (1.5, -0.5, math.nan)),
        (true, "bai", 0.9, memory, "answer of bound must be an arm in 0..4"),
    ]
    for what in ("arm", "answer"):
        words = f"{what} of bound must be an arm in 0..4"
        rows += [(bound(f"{what} above"), "bai", 0.9, memory, words)]
        rows += [(bound(f"{what} below"), "regret", 0.9, memory, words)]
    for place, (agent, task, height, room, words) in enumerate(rows):
        with subtests.test(words, place=place):
            one, other = told(agent, task, height, room)
            assert one == other
            assert words in one


LIMIT = np.array([20])


def acts_up_to_the_limit(params: BoundParams, state: BoundState, rng: np.random.Generator) -> int:
    return state.steps[0] % params.n_arms if state.steps[0] < LIMIT[0] else STOP


@pytest.mark.slow
@pytest.mark.parametrize("compiled", [True, False])
def test_a_global_that_changes_between_two_evaluations_counts(compiled: bool) -> None:
    agent, times = AlgorithmAgent(replace(BOUND, act=acts_up_to_the_limit), {}), []
    for limit in (20, 30):
        LIMIT[0] = limit
        runs = evaluate([agent], compiled=compiled, baseline_time=50, **FACTS).runs
        times.append(set(runs["interactions"]))
    assert times == [{20}, {30}]
