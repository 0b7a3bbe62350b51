"""An algorithm of one's own that reaches for what is not there fails compiled as in Python."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from explorative_user_env.agents import UCB1, AlgorithmAgent, uniform
from explorative_user_env.evaluation import evaluate
from explorative_user_env.users import model as explorative
from explorative_user_env.users.behaviours import Behaviour
from explorative_user_env.users.model import RememberingState, Rule, User
from explorative_user_env.validation import CallableError

LATE = 50
"""The first step that reaches too far."""


def short_blank(params: uniform.Params) -> uniform.State:
    """Return a state of two arms, for the package's own rules."""
    state = uniform.blank(params)
    return state._replace(accepted=state.accepted[:2])


def far_start(params: uniform.Params, state: uniform.State, rng: np.random.Generator) -> None:
    uniform.start(params, state, rng)
    state.accepted[-1 - params.n_arms] = 0


def far_act(params: uniform.Params, state: uniform.State, rng: np.random.Generator) -> int:
    return uniform.act(params, state, rng) + 0 * entry(state.accepted, state.steps[0])


def far_observe(params: uniform.Params, state: uniform.State, arm: int, accepted: bool) -> None:
    uniform.observe(params, state, arm, accepted)
    if state.steps[0] > LATE:
        state.accepted[params.n_arms + state.steps[0]] = 1


def far_verdict(params: uniform.Params, state: uniform.State, rng: np.random.Generator) -> int:
    return uniform.verdict(params, state, rng) + 0 * state.accepted[params.n_arms]


def entry(values: list[int], n: int) -> int:
    return values[n] if n > LATE else values[0]


FAR: dict[str, Callable[..., Any]] = {
    "blank": short_blank,
    "start": far_start,
    "act": far_act,
    "observe": far_observe,
    "verdict": far_verdict,
}


def own(**parts: Any) -> AlgorithmAgent:
    record = dataclasses.replace(uniform.ALGORITHM, name="own", **parts)
    return AlgorithmAgent(record, {"horizon": 2 * LATE})


def error_of(agent: AlgorithmAgent, compiled: bool, **options: Any) -> str:
    with pytest.raises(CallableError) as told:
        evaluate([agent], n_instances=3, compiled=compiled, seed=4, **options)
    return str(told.value)


@pytest.mark.slow
@pytest.mark.parametrize("part", FAR)
def test_an_entry_that_is_not_there_is_the_same_error_by_either_path(part: str) -> None:
    agent = own(**{part: FAR[part]})
    told = error_of(agent, compiled=True)
    assert told == error_of(agent, compiled=False)
    assert "of own raised IndexError: list" in told


def far_respond(
    user: User, state: RememberingState, rule: Rule, arm: int, rng: np.random.Generator
) -> bool:
    state.memory[state.interactions[0]] = 1.0
    return explorative.respond(user, state, rule, arm, rng)


@pytest.mark.slow
def test_a_behaviour_that_reaches_beyond_its_memory_is_the_same_error_by_either_path() -> None:
    behaviour, agent = Behaviour("far", respond=far_respond, memory=150), UCB1(horizon=200)
    told = [error_of(agent, compiled, behaviour=behaviour) for compiled in (True, False)]
    assert told[0] == told[1]
    assert "IndexError" in told[0]


@pytest.mark.slow
def test_looking_at_bounds_changes_no_number() -> None:
    def own_blank(params: uniform.Params) -> uniform.State:
        return uniform.blank(params)

    options: dict[str, Any] = {"n_instances": 20, "seed": 4}
    checked, unchecked = (
        evaluate([agent], **options).runs for agent in (own(blank=own_blank), own())
    )
    pd.testing.assert_frame_equal(checked, unchecked, check_exact=True)


ANSWERS: dict[str, Callable[..., Any]] = {
    "beyond": lambda params, state, rng: params.n_arms,
    "below": lambda params, state, rng: -3,
    "truth": lambda params, state, rng: True,
}


@pytest.mark.slow
@pytest.mark.parametrize("no_arm", ANSWERS)
@pytest.mark.parametrize(("part", "what"), [("verdict", "answer"), ("act", "arm")])
@pytest.mark.parametrize("task", ["bai", "regret"])
def test_what_is_no_arm_is_the_same_error_by_either_path(
    task: str, part: str, what: str, no_arm: str
) -> None:
    options = {"horizon": LATE} if task == "regret" else {}
    agent = own(**{part: ANSWERS[no_arm]})
    told = error_of(agent, compiled=True, task=task, **options)
    assert told == error_of(agent, compiled=False, task=task, **options)
    assert f"{what} of own must be an arm in 0..4" in told
