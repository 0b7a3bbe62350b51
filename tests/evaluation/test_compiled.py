"""Which agents run compiled, and that nobody notices."""

import dataclasses
import warnings
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("numba")


from compared import CAP, agent_as_in_an_evaluation

from explorative_user_env.agents import AGENTS, AlgorithmAgent, Uniform, uniform
from explorative_user_env.evaluation import evaluate
from explorative_user_env.evaluation.paths import Runs, compiles, joined
from explorative_user_env.kernels.seeds import N_STREAMS
from explorative_user_env.protocol import BAI, REGRET, Task
from explorative_user_env.users.population import Population


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


def test_an_agent_without_a_record_has_nothing_to_compile_and_no_warning() -> None:
    class Stubborn:
        def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
            self.steps = 0

        def act(self) -> int | None:
            return 1 if self.steps < 9 else None

        def observe(self, arm: int, accepted: bool) -> None:
            self.steps += 1

        def answer(self) -> int:
            return 1

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not compiles(Runs(Population(), Stubborn(), 30), 1)
        runs = evaluate([Stubborn()], n_instances=3).runs
    assert runs["interactions"].tolist() == [9] * 3


@pytest.mark.parametrize("noise", [0.0, 0.3])
@pytest.mark.parametrize("task", [BAI, REGRET])
def test_a_worker_s_arrays_are_fit_for_the_next_user(task: Task, noise: float) -> None:
    seeds = range(N_STREAMS + 7)  # more than there are streams to lend, so several portions
    for name in sorted(AGENTS):
        users = Population(setting="released", n_arms=5, noise=noise)
        runs = Runs(users, agent_as_in_an_evaluation(name, users), CAP, 100, task)
        apart = joined([runs.figures("compiled", [seed]) for seed in seeds])
        for figure, values in runs.figures("compiled", seeds).items():
            assert values.tolist() == apart[figure].tolist()
