"""Rules of one's own run compiled as in Python, and fail with the same error."""

import math
from typing import NamedTuple

import pandas as pd
import pytest

pytest.importorskip("numba")

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.evaluation import evaluate
from explorative_user_env.protocol import STOP, Algorithm
from explorative_user_env.users import model as rules
from explorative_user_env.users.behaviours import Behaviour
from explorative_user_env.users.model import Schedule
from explorative_user_env.validation import CallableError

LATE = 50
"""The first step that reaches too far, by a rule that does."""

FAULTS = ["none", "blank", "act", "observe", "verdict", "arm above", "arm below", "answer above"]
NONE, BLANK, ACT, OBSERVE, VERDICT, ARM_ABOVE, ARM_BELOW, ANSWER_ABOVE = range(8)


# An algorithm: the arm of the largest jittered acceptance rate, with helpers that call helpers. Its
# parts do what they must not, if asked to. One loop is compiled for all faults.


class Params(NamedTuple):
    n_arms: int
    width: float
    fault: int


class State(NamedTuple):
    accepted: list[int]
    rates: list[float]
    steps: list[int]


def prepare(options, n_arms, horizon):
    return Params(n_arms, float(options["width"]), FAULTS.index(options["fault"]))


def blank(params):
    short = 2 if params.fault == BLANK else params.n_arms
    return State([0] * short, [0.0] * params.n_arms, [0])


def start(params, state, rng):
    for arm in range(params.n_arms):
        state.accepted[arm] = 0
        state.rates[arm] = 2.0
    state.steps[0] = 0


def largest(params, values, rng):
    arm, value = 0, -1.0
    for other in range(params.n_arms):
        drawn = values[other] + params.width * math.sqrt(rng.random())
        if drawn > value:
            arm, value = other, drawn
    return arm


def act(params, state, rng):
    if state.steps[0] >= 2 * LATE:
        return STOP
    if params.fault == ACT and state.steps[0] > LATE:
        return 0 * state.accepted[state.steps[0]]
    if params.fault == ARM_ABOVE:
        return params.n_arms
    return -3 if params.fault == ARM_BELOW else largest(params, state.rates, rng)


def observe(params, state, arm, accepted):
    state.steps[0] += 1
    if accepted:
        state.accepted[arm] += 1
    if params.fault == OBSERVE and state.steps[0] > LATE:
        state.accepted[params.n_arms + state.steps[0]] = 1
    state.rates[arm] = state.accepted[arm] / state.steps[0]


def verdict(params, state, rng):
    if params.fault == VERDICT:
        return 0 * state.accepted[params.n_arms]
    return params.n_arms if params.fault == ANSWER_ABOVE else largest(params, state.rates, rng)


PARTS = (prepare, blank, start, act, observe, verdict)
OWN = Algorithm("own", *PARTS, defaults={"width": 0.7, "fault": "none"}, stops_itself=True)


def writes_down(user, state, rule, arm, rng):
    """Remember every step, so that it needs a long memory."""
    state.memory[state.interactions[0]] = 1.0
    return rules.respond(user, state, rule, arm, rng)


def wave(parameters, n, t, n_arms):
    return 1.0 + parameters[0] * half_sine(n + t + n_arms)


def half_sine(x):
    return 0.5 + 0.5 * math.sin(x)


def facts(height=0.9, memory=999):
    """Users by own rules, of which a schedule may be too high and a memory too short."""
    own = Behaviour("writes down", respond=writes_down, memory=memory)
    users = {"rho": Schedule(wave, 1.0, 2.0, (height,)), "behaviour": own, "alpha": 0.05}
    return users | {"n_instances": 3, "seed": 4, "max_steps": 200, "progress": False}


@pytest.mark.slow
def test_runs_by_own_rules_are_those_in_python():
    # A warning would be an error here: none says that the code does not compile.
    agent = AlgorithmAgent(OWN, {})
    fast, slow = (evaluate([agent], compiled=each, **facts()).runs for each in (True, False))
    pd.testing.assert_frame_equal(fast, slow, check_exact=True)
    assert fast["acceptances"].nunique() > 1


@pytest.mark.slow
def test_an_error_is_the_same_by_either_path(subtests):
    """Compiled code that indexes with what is not there would read and write foreign memory."""
    index = "raised IndexError: list"
    faulty = {fault: AlgorithmAgent(OWN, {"fault": fault}) for fault in FAULTS}
    rows = [
        *((faulty[fault], facts(), f"of own {index}") for fault in FAULTS[1:5]),
        (faulty["none"], facts(memory=LATE), "IndexError"),
        *((faulty["none"], facts(height), "rho_t must be in") for height in (1.5, -0.5, math.nan)),
        (faulty["arm above"], facts(), "arm chosen by own must be an arm"),
        (faulty["arm below"], facts(), "arm chosen by own must be an arm"),
        (faulty["answer above"], facts(), "answer of own must be an arm in 0..4"),
    ]
    for agent, options, words in rows:
        with subtests.test(words, fault=agent.options):
            told = set()
            for compiled in (True, False):
                with pytest.raises(CallableError) as error:
                    evaluate([agent], compiled=compiled, **options)
                told.add(str(error.value))
            (message,) = told
            assert words in message
