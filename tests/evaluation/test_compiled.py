"""What compiles runs as what does not, and ends when another thread says so."""

import dataclasses
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("numba")

from compared import CAP, agent_as_in_an_evaluation

from explorative_user_env.agents import AGENTS, AlgorithmAgent, Uniform, uniform
from explorative_user_env.evaluation import evaluate
from explorative_user_env.evaluation.paths import Runs, joined
from explorative_user_env.kernels.seeds import N_STREAMS
from explorative_user_env.protocol import BAI, REGRET, Array, Task
from explorative_user_env.users.population import RELEASED, Population


def assert_same_runs(one: pd.DataFrame, other: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(one.reset_index(drop=True), other.reset_index(drop=True))


def answer_by_dict(params: Any, state: Any, rng: np.random.Generator) -> int:
    counts = {arm: state.accepted[arm] for arm in range(params.n_arms)}
    return max(counts, key=counts.__getitem__)


class Remembering(NamedTuple):
    accepted: list[int]
    steps: list[int]
    following: list[int]
    seen: dict[int, int]


def blank_with_dict(params: uniform.Params) -> Remembering:
    return Remembering([0] * params.n_arms, [0], [0], {})


def observe_in_dict(params: Any, state: Any, arm: int, accepted: bool) -> None:
    uniform.observe(params, state, arm, accepted)
    state.seen[arm] = state.seen.get(arm, 0) + 1


def observe_of_any_arguments(*arguments: Any, **_: Any) -> None:
    uniform.observe(*arguments)


UNCOMPILABLE: dict[str, dict[str, Any]] = {
    "dict": {"verdict": answer_by_dict},
    "dict in the state": {"blank": blank_with_dict, "observe": observe_in_dict},
    "any arguments": {"observe": observe_of_any_arguments},
}


@pytest.mark.slow
@pytest.mark.parametrize("case", UNCOMPILABLE)
def test_a_record_that_does_not_compile_is_reported_and_runs_all_the_same(case: str) -> None:
    record = dataclasses.replace(uniform.ALGORITHM, name="mine", **UNCOMPILABLE[case])
    agent = AlgorithmAgent(record, {"horizon": 30, "ties": "first"})
    with pytest.warns(UserWarning, match="mine does not compile, so it runs in the slower"):
        runs = evaluate([agent], n_instances=6).runs
    # The same rule, written so that it compiles.
    expected = evaluate([Uniform(horizon=30, ties="first", name="mine")], n_instances=6).runs
    assert_same_runs(runs, expected)


@pytest.mark.parametrize("noise", [0.0, 0.3])
@pytest.mark.parametrize("task", [BAI, REGRET])
def test_a_worker_s_arrays_are_fit_for_the_next_user(task: Task, noise: float) -> None:
    seeds = range(N_STREAMS + 7)  # more than there are streams to lend, so several portions
    for name in sorted(AGENTS):
        users = Population(setting=RELEASED, n_arms=5, noise=noise)
        runs = Runs(users, agent_as_in_an_evaluation(name, users), CAP, 100, task)
        apart = joined([runs.figures("compiled", [seed]) for seed in seeds])
        for figure, values in runs.figures("compiled", seeds).items():
            assert values.tolist() == apart[figure].tolist()


VERY_LONG = 10**9


"""Steps that take ten seconds and more."""


SOON = tuple(0.05 * 2**k for k in range(7))


"""Seconds, tried in this order: on a machine with much to do a run may not have begun by then."""


@contextmanager
def halted_after(seconds: float) -> Iterator[Array]:
    halt = np.zeros(1, int)
    timer = threading.Timer(seconds, lambda: halt.fill(1))
    timer.start()
    yield halt
    timer.join()


@pytest.mark.parametrize("n_arms", [1000])
def test_a_run_of_very_many_steps_ends_when_another_thread_says_so(n_arms: int) -> None:
    users, agent = Population(n_arms=n_arms), Uniform(horizon=VERY_LONG)
    Runs(users, agent, 1).figures("compiled", [1])
    for seconds in SOON:
        with halted_after(seconds) as halt:
            found = Runs(users, agent, VERY_LONG).figures("compiled", [1, 2, 3], halt)
        taken = found["acceptances"] + found["rejections"]
        if taken[0]:
            break
    assert 0 < taken[0] < VERY_LONG
    assert taken[1:].tolist() == [0, 0]  # those that have not begun do not


@pytest.mark.parametrize(("task", "n_users"), [(BAI, 70), (REGRET, 1)])
def test_what_is_halted_before_it_begins_takes_no_step(task: Task, n_users: int) -> None:
    users, halt = Population(n_arms=3), np.ones(1, int)
    runs = Runs(users, Uniform(horizon=60), 60, 60, task)
    assert not runs.figures("compiled", range(n_users), halt)["acceptances"].any()
