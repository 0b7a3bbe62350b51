import dataclasses
import importlib
import math
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import pandas as pd
import pytest
from shared import compiled_run

from explorative_user_env.agents import (
    AGENTS,
    BAIR,
    EXP3,
    AlgorithmAgent,
    TrackAndStop,
    Uniform,
    uniform,
)
from explorative_user_env.compiled.arrays import as_arrays, user_arrays, user_tuple
from explorative_user_env.compiled.loops import make_run
from explorative_user_env.evaluation import evaluate
from explorative_user_env.evaluation.compiled import compiles, run_compiled
from explorative_user_env.evaluation.readable import RUN_COLUMNS, environment_of
from explorative_user_env.loop import rollout
from explorative_user_env.population import Population
from explorative_user_env.protocol import STOP, Agent, Algorithm
from explorative_user_env.seeding import agent_generator, user_generator
from explorative_user_env.settings import PRINTED, Setting
from explorative_user_env.users import explorative as user_rules
from explorative_user_env.users.confidence import Schedule
from explorative_user_env.users.state import UserState, blank_state

CAP = 400
SEEDS = (1, 2, 3)

NAMES = sorted(AGENTS)


TABLES = ("logarithms", "inverse_roots")
"""Fields of a user's state that are longer in compiled code."""

OWN = [field.name for field in dataclasses.fields(UserState) if field.name not in TABLES]


class Left(NamedTuple):
    """All that is left after a run, as plain numbers."""

    figures: tuple[int, int, int, bool]
    user: dict[str, list[Any]]
    state: list[Any]
    streams: list[Any]


def population_of(setting: Setting, n_arms: int, noise: float = 0.0, **changes: Any) -> Population:
    return Population(setting=setting, n_arms=n_arms, noise=noise, **changes)


def agent_of(name: str, users: Population) -> AlgorithmAgent:
    """The agent as an evaluation makes it; BAIR(m) of a noisy user has an m above 1."""
    facts = {"delta": 0.3, "alpha": users.alpha, "rho_0": 1.0, "noise": users.noise}
    return AGENTS[name]().informed(facts | users.setting.agent_options(name, users.n_arms))


def run_of(users: Population, agent: AlgorithmAgent, seed: int, compiled: bool) -> Left:
    user, schedule = users.user, users.schedule
    params = agent.params(users.n_arms, CAP - 50)
    numbers: Any = user
    user_state: Any = blank_state(user)
    state: Any = agent.algorithm.blank(params)
    run = make_run(agent.algorithm, schedule.rule)
    rng, own = user_generator(seed), agent_generator(seed, agent.name)
    streams: list[Any] = [rng, own]
    if compiled:
        numbers, user_state, state = user_tuple(user), user_arrays(user), as_arrays(state)
        run = compiled_run(agent.algorithm, schedule.rule)
    user_state.means[:] = users.instance_law.draw(rng).means
    figures = run(numbers, user_state, streams[0], params, state, streams[1], CAP)
    return Left(
        figures,
        {name: np.asarray(getattr(user_state, name)).tolist() for name in OWN},
        [np.asarray(values).tolist() for values in state],
        [rng.bit_generator.state, own.bit_generator.state],
    )


@pytest.mark.parametrize("noise", [0.0, 0.1])
@pytest.mark.parametrize("n_arms", [2, 5, 20])
@pytest.mark.parametrize("name", NAMES)
def test_compiled_runs_are_the_readable_ones_to_the_last_bit(
    name: str, setting: Setting, n_arms: int, noise: float
) -> None:
    users = population_of(setting, n_arms, noise)
    agent = agent_of(name, users)
    for seed in SEEDS:
        assert run_of(users, agent, seed, True) == run_of(users, agent, seed, False)


@pytest.mark.parametrize("noise", [0.0, 0.1])
@pytest.mark.parametrize("n_arms", [2, 5])
@pytest.mark.parametrize("name", NAMES)
def test_compiled_runs_are_those_of_the_environment(
    name: str, setting: Setting, n_arms: int, noise: float
) -> None:
    users = population_of(setting, n_arms, noise)
    agent = agent_of(name, users)
    env = environment_of(users, agent)
    numbers, schedule = users.user, users.schedule
    runs = run_compiled(users, agent, SEEDS, CAP, CAP - 50)
    for seed, run in zip(SEEDS, runs.tolist(), strict=True):
        episode = rollout(env, agent, seed, CAP, CAP - 50)
        truth = env.hidden_state()
        assert dict(zip(RUN_COLUMNS, run, strict=True)) == {
            "best_arm": truth.instance.best_arm,
            "acceptances": episode.acceptances,
            "rejections": episode.rejections,
            "answer": episode.answer,
            "censored": episode.censored,
        }
        left = run_of(users, agent, seed, True).user
        user = dataclasses.replace(blank_state(numbers), **left)
        assert tuple(user.means) == truth.instance.means
        assert tuple(user.estimates) == truth.estimates
        assert tuple(user.counts) == truth.counts
        assert user_rules.rho(numbers, user, schedule.rule) == truth.rho
        assert user.spread[0] ** 2 == truth.gamma
        assert user.acceptances == [truth.acceptances]
        assert user.interactions == [truth.interactions] == [episode.stopping_time]


def test_the_runs_compared_cover_all_ways_to_end(setting: Setting) -> None:
    users = population_of(setting, 5, 0.1)
    ends = {
        (name, run_of(users, agent_of(name, users), seed, True).figures[-1])
        for name in NAMES
        for seed in range(20)
    }
    assert ends >= {("BAIR", True), ("BAIR", False), ("UNI", False), ("EXP3", False)}
    assert {censored for name, censored in ends if name == "T&S"} == {True, False}


@pytest.mark.parametrize("noise", [0.0, 0.3])
@pytest.mark.parametrize("name", NAMES)
def test_a_worker_s_arrays_are_fit_for_the_next_user(
    name: str, setting: Setting, noise: float
) -> None:
    users = population_of(setting, 5, noise)
    agent = agent_of(name, users)
    apart = [run_compiled(users, agent, [seed], CAP, 100)[0].tolist() for seed in range(20)]
    assert run_compiled(users, agent, range(20), CAP, 100).tolist() == apart


@numba.njit
def _fill(rng: np.random.Generator, normals: np.ndarray, uniforms: np.ndarray) -> None:
    for index in range(len(normals)):
        normals[index] = rng.standard_normal()
    for index in range(len(uniforms)):
        uniforms[index] = rng.random()


def test_a_million_compiled_draws_are_numpy_s_bit_for_bit() -> None:
    compiled, plain = np.random.default_rng(8), np.random.default_rng(8)
    normals, uniforms = np.empty(1_000_000), np.empty(1_000_000)
    _fill(compiled, normals, uniforms)
    # The tail of the ziggurat, drawn by another formula, begins at 3.654.
    assert np.sum(np.abs(normals) > 3.66) > 100
    np.testing.assert_array_equal(normals, plain.standard_normal(1_000_000))
    np.testing.assert_array_equal(uniforms, plain.random(1_000_000))
    assert compiled.bit_generator.state == plain.bit_generator.state


def assert_same_runs(one: pd.DataFrame, other: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(one.reset_index(drop=True), other.reset_index(drop=True))


def test_an_evaluation_gives_the_same_table_by_either_path(setting: Setting) -> None:
    options: dict[str, Any] = {"setting": setting, "n_instances": 4, "max_steps": 300, "seed": 5}
    fast = evaluate(NAMES, compiled=True, **options)
    slow = evaluate(NAMES, compiled=False, **options)
    assert_same_runs(fast.runs, slow.runs)
    assert fast.cell == slow.cell


@pytest.mark.parametrize("compiled", [True, False])
def test_the_number_of_workers_changes_nothing(compiled: bool) -> None:
    options: dict[str, Any] = {"n_instances": 25, "max_steps": 60, "compiled": compiled}
    alone = evaluate(["BAIR", "UNI"], workers=1, **options)
    assert_same_runs(alone.runs, evaluate(["BAIR", "UNI"], workers=2, **options).runs)


def runs_of(agent: str, runs: pd.DataFrame) -> pd.DataFrame:
    return runs[runs["agent"] == agent]


@pytest.mark.parametrize("compiled", [True, False])
def test_company_and_order_and_more_users_change_nobody_s_runs(compiled: bool) -> None:
    options: dict[str, Any] = {
        "baseline_time": 80,
        "max_steps": 150,
        "seed": 3,
        "compiled": compiled,
    }
    line_up: list[Agent | str] = ["BAIR", "EXP3", TrackAndStop(), Uniform(order="random")]
    full = evaluate(line_up, n_instances=12, **options).runs
    reordered = evaluate(line_up[::-1], n_instances=12, **options).runs
    fewer = evaluate(line_up, n_instances=5, **options).runs
    for name in NAMES:
        alone = evaluate([name if name != "UNI" else line_up[-1]], n_instances=12, **options).runs
        assert_same_runs(runs_of(name, full), alone)
        assert_same_runs(runs_of(name, full), runs_of(name, reordered))
        assert_same_runs(runs_of(name, full)[:5], runs_of(name, fewer))


def test_agents_of_different_names_have_different_streams() -> None:
    agents = [EXP3(horizon=50, name="one"), EXP3(horizon=50, name="two")]
    runs = evaluate(agents, n_instances=20).runs
    one, two = runs_of("one", runs), runs_of("two", runs)
    assert one["user_seed"].tolist() == two["user_seed"].tolist()
    assert one["acceptances"].tolist() != two["acceptances"].tolist()


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
    assert_same_runs(fast, evaluate([agent], compiled=False, **options).runs)
    assert fast["acceptances"].nunique() > 1
    assert not fast.equals(evaluate([agent], compiled=False, **options | {"rho": None}).runs)


RULE = """
import dataclasses
from explorative_user_env.agents import uniform
from {helpers} import NUMBER, compiled, plain
def verdict(params, state, rng):
    return NUMBER + plain() + compiled()
RECORD = dataclasses.replace(uniform.ALGORITHM, name="theirs", verdict=verdict)
"""

HELPERS = """
import numba
NUMBER = {0}
def plain():
    return {1}
@numba.njit
def compiled():
    return {2}
"""


def test_a_loop_kept_on_disk_is_not_taken_for_a_changed_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What another file says goes into the compiled loop as well as the rule's own file.
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    rule, helpers = "rule_of_theirs", "helpers_of_theirs"
    (tmp_path / f"{rule}.py").write_text(RULE.format(helpers=helpers))
    answers = []
    for parts in ((0, 0, 0), (0, 1, 0), (1, 1, 0), (1, 1, 2)):
        (tmp_path / f"{helpers}.py").write_text(HELPERS.format(*parts))
        for module in (rule, helpers):
            sys.modules.pop(module, None)
        importlib.invalidate_caches()
        agent = AlgorithmAgent(importlib.import_module(rule).RECORD, {"horizon": 9})
        answers += evaluate([agent], n_instances=1).runs["answer"].tolist()
    for module in (rule, helpers):
        monkeypatch.delitem(sys.modules, module)
    # First the plain function changed, then the number, then the compiled function.
    assert answers == [0, 1, 2, 4]


def answer_by_dict(params: Any, state: Any, rng: np.random.Generator) -> int:
    counts = {arm: state.accepted[arm] for arm in range(params.n_arms)}
    return max(counts, key=counts.__getitem__)


def answer_by_array(params: Any, state: Any, rng: np.random.Generator) -> int:
    return int(np.argmax(np.array([state.accepted[arm] for arm in range(params.n_arms)])))


class Remembering(NamedTuple):
    accepted: list[int]
    steps: list[int]
    following: list[int]
    seen: dict[int, int]


class Journal(NamedTuple):
    accepted: list[int]
    steps: list[int]
    following: list[int]
    pages: list[list[int]]


def blank_with_dict(params: uniform.Params) -> Remembering:
    return Remembering([0] * params.n_arms, [0], [0], {})


def blank_with_pages(params: uniform.Params) -> Journal:
    return Journal([0] * params.n_arms, [0], [0], [[], [0]])


def observe_in_dict(params: Any, state: Any, arm: int, accepted: bool) -> None:
    uniform.observe(params, state, arm, accepted)
    state.seen[arm] = state.seen.get(arm, 0) + 1


def observe_in_pages(params: Any, state: Any, arm: int, accepted: bool) -> None:
    uniform.observe(params, state, arm, accepted)
    state.pages[0].append(arm)


UNCOMPILABLE: dict[str, dict[str, Any]] = {
    "dict": {"verdict": answer_by_dict},
    "array": {"verdict": answer_by_array},
    "dict in the state": {"blank": blank_with_dict, "observe": observe_in_dict},
    "lists in the state": {"blank": blank_with_pages, "observe": observe_in_pages},
}


@pytest.mark.parametrize("case", UNCOMPILABLE)
def test_a_record_that_does_not_compile_is_reported_and_runs_all_the_same(case: str) -> None:
    record = dataclasses.replace(uniform.ALGORITHM, name="mine", **UNCOMPILABLE[case])
    agent = AlgorithmAgent(record, {"horizon": 30, "ties": "first"})
    users = population_of(PRINTED, 5)
    with pytest.warns(UserWarning, match="mine does not compile, so it runs in the slower"):
        assert not compiles(users, agent, 1, 30)
    with pytest.warns(UserWarning, match="mine does not compile"):
        runs = evaluate([agent], n_instances=6).runs
    # The same rule, written so that it compiles.
    expected = evaluate([Uniform(horizon=30, ties="first", name="mine")], n_instances=6).runs
    assert_same_runs(runs, expected)


def test_the_warning_says_what_does_not_compile() -> None:
    record = dataclasses.replace(uniform.ALGORITHM, name="mine", verdict=answer_by_dict)
    with pytest.warns(UserWarning, match="answer_by_dict") as caught:
        compiles(Population(), AlgorithmAgent(record, {"horizon": 30}), 1, 30)
    assert "\n" not in str(caught[0].message)


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
        assert not compiles(Population(), Stubborn(), 1, None)
        runs = evaluate([Stubborn()], n_instances=3).runs
    assert runs["interactions"].tolist() == [9] * 3


def act_below_the_arms(params: Any, state: Any, rng: np.random.Generator) -> int:
    return STOP if state.steps[0] >= params.horizon else -2


def answer_above_the_arms(params: Any, state: Any, rng: np.random.Generator) -> int:
    return int(params.n_arms)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    "changes", [{"act": act_below_the_arms}, {"verdict": answer_above_the_arms}]
)
def test_an_arm_that_does_not_exist_is_an_error_by_either_path(
    changes: dict[str, Any], compiled: bool
) -> None:
    # Compiled code that indexes with it would read and write foreign memory.
    record = dataclasses.replace(uniform.ALGORITHM, name="astray", **changes)
    with pytest.raises(ValueError, match=r"arm|action|answer"):
        evaluate([AlgorithmAgent(record, {"horizon": 10})], n_instances=2, compiled=compiled)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("height", [1.5, -0.5, math.nan])
def test_a_rho_out_of_its_range_is_an_error_by_either_path(compiled: bool, height: float) -> None:
    rho = Schedule(wave, 1.0, 2.0, (height,))
    with pytest.raises(ValueError, match="rho_t left the range"):
        evaluate([AlgorithmAgent(BOUND, {})], rho=rho, baseline_time=50, compiled=compiled)


@pytest.mark.parametrize("time", [np.int64(60), np.int32(60)])
def test_a_time_may_be_a_numpy_integer(time: Any) -> None:
    runs = evaluate(["UNI"], n_instances=3, baseline_time=time).runs
    assert_same_runs(runs, evaluate(["UNI"], n_instances=3, baseline_time=60).runs)


def test_a_step_cap_of_its_own_censors_by_either_path() -> None:
    for compiled in (True, False):
        runs = evaluate([BAIR(max_steps=7)], n_instances=3, compiled=compiled).runs
        assert runs["interactions"].tolist() == [7] * 3
        assert runs["censored"].all()


def test_a_run_that_stops_at_the_very_cap_is_not_censored() -> None:
    for compiled in (True, False):
        runs = evaluate([Uniform(horizon=7)], n_instances=3, max_steps=7, compiled=compiled).runs
        assert runs["interactions"].tolist() == [7] * 3
        assert not runs["censored"].any()
