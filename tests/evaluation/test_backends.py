import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from processes import python
from toy_agents import scripted, spy

import explorative_user_env as eu
from explorative_user_env.agents import AGENTS, BAIR, EXP3, REFERENCES, TrackAndStop, Uniform
from explorative_user_env.evaluation import evaluate
from explorative_user_env.evaluation.runner import CHUNK
from explorative_user_env.protocol import Agent
from explorative_user_env.users.model import Schedule
from explorative_user_env.users.population import Setting

TESTS = str(Path(__file__).parents[1])

SMALL: dict[str, Any] = {"n_arms": 3, "n_instances": 25, "seed": 11, "progress": False}

NAMES = sorted(AGENTS)


def assert_same_runs(one: pd.DataFrame, other: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(one.reset_index(drop=True), other.reset_index(drop=True))


def test_an_evaluation_gives_the_same_table_by_either_path(setting: Setting) -> None:
    options: dict[str, Any] = {"setting": setting, "n_instances": 4, "max_steps": 300, "seed": 5}
    fast = evaluate(NAMES, compiled=True, **options)
    slow = evaluate(NAMES, compiled=False, **options)
    assert_same_runs(fast.runs, slow.runs)
    assert fast.cell == slow.cell


def everyone() -> list[Any]:
    return [make() for make in (AGENTS | REFERENCES).values()]


def test_more_users_leave_the_first_ones_as_they_were() -> None:
    few = eu.evaluate([BAIR()], **SMALL).runs
    many = eu.evaluate([BAIR()], **SMALL | {"n_instances": 2 * CHUNK + 9}).runs
    assert few.equals(many.head(len(few)))


def runs_of(agent: str, runs: pd.DataFrame) -> pd.DataFrame:
    return runs[runs["agent"] == agent]


@pytest.mark.parametrize("compiled", [True, False])
def test_company_and_order_and_more_users_change_nobody_s_runs(compiled: bool) -> None:
    options: dict[str, Any] = {"max_steps": 150, "seed": 3, "compiled": compiled}
    timed = [EXP3(horizon=80), Uniform(order="random", horizon=80)]
    line_up: list[Agent | str] = ["BAIR", timed[0], TrackAndStop(), timed[1]]
    full = evaluate(line_up, n_instances=12, **options).runs
    reordered = evaluate(line_up[::-1], n_instances=12, **options).runs
    fewer = evaluate(line_up, n_instances=5, **options).runs
    for name in NAMES:
        alone = evaluate([line_up[NAMES.index(name)]], n_instances=12, **options).runs
        assert_same_runs(runs_of(name, full), alone)
        assert_same_runs(runs_of(name, full), runs_of(name, reordered))
        assert_same_runs(runs_of(name, full)[:5], runs_of(name, fewer))


def test_agents_of_different_names_have_different_streams() -> None:
    agents = [EXP3(horizon=50, name="one"), EXP3(horizon=50, name="two")]
    runs = evaluate(agents, n_instances=20).runs
    one, two = runs_of("one", runs), runs_of("two", runs)
    assert one["user_seed"].tolist() == two["user_seed"].tolist()
    assert one["acceptances"].tolist() != two["acceptances"].tolist()


@pytest.mark.parametrize("time", [np.int64(60), np.int32(60)])
def test_a_time_may_be_a_numpy_integer(time: Any) -> None:
    runs = evaluate(["UNI"], n_instances=3, baseline_time=time).runs
    assert_same_runs(runs, evaluate(["UNI"], n_instances=3, baseline_time=60).runs)


# Two processes start once for all of these, and do not outlive the last.


@pytest.mark.slow
def test_one_and_two_workers_give_the_same_runs(setting: Setting) -> None:
    line_up = [BAIR(), TrackAndStop(max_steps=2000), Uniform(), EXP3(), spy()]
    one = eu.evaluate(line_up, setting=setting, workers=1, **SMALL)
    two = eu.evaluate(line_up, setting=setting, workers=2, **SMALL)
    assert one.runs.equals(two.runs)


@pytest.mark.slow
@pytest.mark.parametrize("compiled", [True, False])
def test_the_number_of_workers_changes_nothing(compiled: bool) -> None:
    options: dict[str, Any] = {"n_instances": 25, "max_steps": 60, "compiled": compiled}
    alone = evaluate(["BAIR", "UNI"], workers=1, **options)
    assert_same_runs(alone.runs, evaluate(["BAIR", "UNI"], workers=2, **options).runs)


@pytest.mark.slow
@pytest.mark.parametrize("compiled", [True, False])
def test_one_and_two_workers_play_alike(compiled: bool) -> None:
    line_up = [*everyone(), scripted([0, 1] * 10)]
    facts: dict[str, Any] = SMALL | {
        "task": "regret",
        "n_instances": 21,
        "noise": 0.1,
        "horizon": 60,
        "compiled": compiled,
    }
    one = eu.evaluate(line_up, workers=1, **facts)
    two = eu.evaluate(line_up, workers=2, **facts)
    pd.testing.assert_frame_equal(one.runs, two.runs, check_exact=True)


@pytest.mark.slow  # two processes have to start, unless they did already
def test_the_number_of_workers_changes_no_check() -> None:
    one, two = (
        eu.evaluate(
            ["BAIR"],
            setting="released",
            n_instances=45,
            max_steps=700,
            check_theory=True,
            workers=workers,
            progress=False,
        ).checks
        for workers in (1, 2)
    )
    assert one is not None
    assert two is not None
    assert one["censored"].any()
    pd.testing.assert_frame_equal(one, two)


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_kept")
def test_progress_names_compiling_while_it_lasts_and_only_then() -> None:
    def flat(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
        return 1.0

    told: list[tuple[str, int, int]] = []
    options: dict[str, Any] = SMALL | {"rho": Schedule(flat, 1.0, 1.0, ()), "baseline_time": 20}
    options |= {"progress": lambda *what: told.append(what)}
    eu.evaluate([Uniform()], **options)
    begin, *compiling, run = told[: told.index(("UNI", 0, 25), 1) + 1]
    assert begin == run == ("UNI", 0, 25)
    assert set(compiling) == {("UNI compiling", 0, 25)}
    told.clear()
    eu.evaluate([Uniform()], **options)
    assert {what for what, *_ in told} == {"UNI"}


@pytest.mark.slow
def test_an_agent_that_does_not_compile_needs_no_compiler() -> None:
    script = (
        "import sys, explorative_user_env as eu; from toy_agents import spy;"
        "eu.evaluate([spy()], n_instances=2, n_arms=3); print('numba' in sys.modules)"
    )
    finished = python("-c", f"import sys; sys.path.append({TESTS!r}); {script}")
    assert finished.stdout.strip() == "False", finished.stderr


NOWHERE = """
class FromNowhere:
    reset = act = observe = answer = lambda self, *arguments: None
"""


@pytest.mark.slow
def test_an_agent_that_cannot_reach_a_worker_process_is_an_error_that_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = ModuleType("nowhere")  # known here, and to no worker
    monkeypatch.setitem(sys.modules, "nowhere", module)
    exec(NOWHERE, module.__dict__)
    with pytest.raises(eu.InvalidArgumentError, match="agent must be one that can be sent"):
        eu.evaluate([module.FromNowhere()], workers=2, **SMALL)
