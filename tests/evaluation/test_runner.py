import copy
import json
import pickle
import random
import sys
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, EXP3, TrackAndStop, Uniform
from explorative_user_env.compiled import kernels
from explorative_user_env.evaluation.backends import CHUNK
from explorative_user_env.settings import PRINTED, RELEASED, Setting
from explorative_user_env.users import others
from explorative_user_env.users.confidence import constant

SMALL: dict[str, Any] = {"n_arms": 3, "n_instances": 25, "seed": 11, "progress": False}


def spy() -> Any:
    """An agent that recommends in turn for 20 steps and keeps everything it is given."""

    # A class inside a function travels to worker processes by value, as one in a notebook does.
    class Spy:
        name = "spy"

        def __init__(self) -> None:
            self.seen: list[Any] = []

        def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
            self.n_arms, self.steps = n_arms, 0
            self.seen.append((n_arms, horizon))

        def act(self) -> int | None:
            return None if self.steps == 20 else self.steps % self.n_arms

        def observe(self, arm: int, accepted: bool) -> None:
            self.steps += 1
            self.seen.append((arm, accepted))

        def answer(self) -> int:
            return 0

    return Spy()


def tireless() -> Any:
    """An agent that never stops."""
    agent = spy()
    agent.name = "tireless"
    agent.act = lambda: agent.steps % agent.n_arms
    return agent


NOWHERE = """
class FromNowhere:
    reset = act = observe = answer = lambda self, *arguments: None
"""


def test_one_and_two_workers_give_the_same_runs(setting: Setting) -> None:
    line_up = [BAIR(), TrackAndStop(max_steps=2000), Uniform(), EXP3(), spy()]
    one = eu.evaluate(line_up, setting=setting, workers=1, **SMALL)
    two = eu.evaluate(line_up, setting=setting, workers=2, **SMALL)
    assert one.runs.equals(two.runs)


def test_compiled_and_readable_give_the_same_runs(setting: Setting) -> None:
    line_up = [BAIR(), TrackAndStop(max_steps=500), Uniform(), EXP3()]
    fast = eu.evaluate(line_up, setting=setting, noise=0.05, **SMALL)
    slow = eu.evaluate(line_up, setting=setting, noise=0.05, compiled=False, **SMALL)
    assert fast.runs.equals(slow.runs)


def test_adding_agents_or_changing_their_order_changes_nobody_else() -> None:
    alone = eu.evaluate([BAIR()], **SMALL).runs
    among = eu.evaluate([EXP3(), spy(), BAIR(), Uniform()], **SMALL).runs
    among = among[among["agent"] == "BAIR"].reset_index(drop=True)
    assert alone.equals(among)


def test_more_users_leave_the_first_ones_as_they_were() -> None:
    few = eu.evaluate([BAIR()], **SMALL).runs
    many = eu.evaluate([BAIR()], **SMALL | {"n_instances": 2 * CHUNK + 9}).runs
    assert few.equals(many.head(len(few)))


def test_another_seed_means_other_users() -> None:
    one = eu.evaluate([BAIR()], **SMALL).runs
    other = eu.evaluate([BAIR()], **SMALL | {"seed": 12}).runs
    assert set(one["user_seed"]).isdisjoint(other["user_seed"])


def test_a_run_is_replayed_by_its_user_seed_alone() -> None:
    run = eu.evaluate([BAIR(delta=0.2)], **SMALL).runs.iloc[7]
    env = eu.ExplorativeUserEnv(n_arms=3)
    episode = eu.rollout(env, BAIR(delta=0.2), seed=int(run["user_seed"]))
    assert (episode.stopping_time, episode.rejections, episode.answer) == (
        run["stopping_time"],
        run["rejections"],
        run["answer"],
    )
    assert env.hidden_state().instance.best_arm == run["best_arm"]


def test_all_agents_meet_the_same_instances() -> None:
    runs = eu.evaluate([BAIR(), spy(), Uniform()], **SMALL).runs
    assert (runs.groupby("instance")["best_arm"].nunique() == 1).all()


def test_an_agent_that_cannot_reach_a_worker_process_is_an_error_that_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = ModuleType("nowhere")  # known here, and to no worker
    monkeypatch.setitem(sys.modules, "nowhere", module)
    exec(NOWHERE, module.__dict__)
    with pytest.raises(eu.InvalidArgumentError, match="workers must be 1 for FromNowhere"):
        eu.evaluate([module.FromNowhere()], workers=2, **SMALL)


def test_agents_see_arms_and_responses_and_nothing_else() -> None:
    agent = spy()
    eu.evaluate([agent], **SMALL | {"n_instances": 2})
    assert len(agent.seen) == 2 * 21
    for one, two in agent.seen:
        assert type(one) is int
        assert two is None or type(two) is bool


def test_uni_and_exp3_get_the_mean_time_of_bair() -> None:
    results = eu.evaluate([Uniform(), BAIR(), EXP3()], **SMALL)
    times = results.runs.groupby("agent")["stopping_time"]
    horizon = round(times.mean()["BAIR"])
    assert results.cell["horizon"] == horizon
    assert (times.get_group("EXP3") == horizon).all()
    assert (times.get_group("UNI") == horizon).all()


def test_the_released_setting_counts_private_draws_as_its_tables_do() -> None:
    results = eu.evaluate([BAIR(), TrackAndStop()], setting="released", **SMALL)
    runs = results.runs
    assert (runs["stopping_time"] == runs["interactions"] + 3).all()
    hidden = runs["rejections"] - (runs["interactions"] - runs["acceptances"])
    assert set(hidden[runs["agent"] == "BAIR"]) == {3}
    assert set(hidden[runs["agent"] == "T&S"]) == {0}


def test_open_options_are_taken_from_the_setting_and_the_user() -> None:
    facts: dict[str, Any] = {"setting": RELEASED, "delta": 0.2, "alpha": 2.0} | SMALL
    open_agent = eu.evaluate(
        [BAIR(), BAIR(name="by hand", delta=0.2, alpha=2.0, n1="proof")], **facts
    )
    both = open_agent.runs.groupby("agent")["stopping_time"].apply(list)
    assert both["BAIR"] == both["by hand"]


def test_a_given_option_wins_over_the_setting() -> None:
    results = eu.evaluate([BAIR(n1=0), BAIR(n1=2000, name="patient")], **SMALL)
    times = results.runs.groupby("agent")["stopping_time"].min()
    assert times["BAIR"] < 2000 <= times["patient"]


def test_an_agent_that_never_stops_is_censored_at_the_cap() -> None:
    runs = eu.evaluate([tireless()], max_steps=30, **SMALL | {"n_instances": 3}).runs
    assert runs["censored"].all()
    assert (runs["interactions"] == 30).all()


def test_an_agents_own_cap_wins_over_the_harness() -> None:
    runs = eu.evaluate([BAIR(max_steps=10)], max_steps=1000, **SMALL).runs
    assert runs["censored"].all()
    assert (runs["interactions"] == 10).all()


def test_names_stand_for_agents_in_any_case() -> None:
    runs = eu.evaluate(["bair", "TAS", "uniform", "Exp3"], **SMALL).runs
    assert list(runs["agent"].unique()) == ["BAIR", "T&S", "UNI", "EXP3"]


def test_progress_is_told_to_the_end() -> None:
    told: list[tuple[str, int, int]] = []
    eu.evaluate([BAIR(), spy()], **SMALL | {"progress": lambda *what: told.append(what)})
    assert told[0] == ("BAIR", 0, 50)
    assert told[-1] == ("spy", 50, 50)
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_arms": 1}, "n_arms must be an integer of at least 2, got 1"),
        ({"gap": 0.0}, "gap must be a finite number above 0, got 0.0"),
        ({"delta": 1.0}, "delta must be a number in (0, 1), got 1.0"),
        ({"alpha": -1.0}, "alpha must be a finite number above 0, got -1.0"),
        ({"noise": 1.5}, "noise must be a number in [0, 1], got 1.5"),
        ({"rho": 0.0}, "rho range must be positive and finite, [rho_0, rho_1], got (0.0, 0.0)"),
        (
            {"means": [0.0, float("nan"), 1.0]},
            "means must be 3 finite numbers, got [0.0, nan, 1.0]",
        ),
        ({"setting": "text"}, "setting must be one of printed, released, got 'text'"),
        ({"workers": 0}, "workers must be an integer of at least 1, got 0"),
        ({"max_steps": 0}, "max_steps must be an integer of at least 1, got 0"),
        ({"n_instances": 0}, "n_instances must be an integer of at least 1, got 0"),
        ({"seed": -1}, "seed must be an integer of at least 0, got -1"),
    ],
)
def test_a_wrong_argument_is_named_with_its_value_and_what_is_allowed(
    wrong: dict[str, Any], message: str
) -> None:
    with pytest.raises(eu.InvalidArgumentError) as error:
        eu.evaluate([BAIR()], **SMALL | wrong)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("line_up", "message"),
    [
        ([], "at least one agent"),
        (["bandit"], "agent must be one of"),
        ([BAIR(), BAIR()], "different names"),
        ([Uniform()], "baseline_time must be a number, or an agent of the line-up"),
        ([object()], "agent must be a name or have the methods"),
    ],
)
def test_a_wrong_line_up_is_refused(line_up: list[Any], message: str) -> None:
    with pytest.raises(eu.InvalidArgumentError, match=message):
        eu.evaluate(line_up, **SMALL)


def global_state() -> bytes:
    """Where the streams are that everyone shares; the keys alone say nothing of most draws."""
    return pickle.dumps((random.getstate(), np.random.get_state(legacy=False)))  # noqa: NPY002


def test_nothing_global_is_random() -> None:
    before = global_state()
    eu.evaluate([BAIR(), Uniform(), EXP3(), spy()], **SMALL)
    assert global_state() == before


def test_printed_results_fit_100_columns_and_name_everyone() -> None:
    results = eu.evaluate([BAIR(), Uniform()], setting=PRINTED, **SMALL)
    text = str(results)
    assert max(map(len, text.splitlines())) <= 100
    assert "BAIR" in text
    assert "UNI" in text


def test_the_summary_is_what_the_runs_say() -> None:
    results = eu.evaluate([BAIR(), Uniform(horizon=40)], **SMALL)
    summary = results.summary().set_index("agent")
    runs = results.runs[results.runs["agent"] == "UNI"]
    assert summary.loc["UNI", "success"] == runs["correct"].mean()
    assert summary.loc["UNI", "rejection_rate"] == pytest.approx(runs["rejections"].mean() / 40)
    assert list(summary.index) == ["BAIR", "UNI"]


def test_a_copied_or_pickled_agent_runs_the_loop_that_is_compiled_already() -> None:
    kernels._run_all.cache_clear()
    agents = [BAIR(), copy.deepcopy(BAIR()), pickle.loads(pickle.dumps(BAIR()))]
    runs = [eu.evaluate([agent], **SMALL).runs for agent in agents]
    assert runs[0].equals(runs[1])
    assert runs[0].equals(runs[2])
    assert kernels._run_all.cache_info().misses == 1


def test_a_behaviours_numbers_do_not_compile_in() -> None:
    kernels._run_all.cache_clear()
    for window in (3, 30):
        eu.evaluate([Uniform(horizon=40)], behaviour=others.forgetful(window), **SMALL)
    assert kernels._run_all.cache_info().misses == 1


def test_a_cell_says_all_that_made_its_runs() -> None:
    line_up = [BAIR(n1=5), TrackAndStop(max_steps=300), spy()]
    results = eu.evaluate(line_up, means="uniform", rho=1.5, delta=0.2, max_steps=400, **SMALL)
    users = eu.Population(n_arms=3, means="uniform", rho=constant(1.5))
    assert results.population == users
    words = users.words()
    assert {name: results.cell[name] for name in words} == words
    assert results.cell["setting"] == "printed (means=uniform, rho=1.5)"
    assert (results.cell["max_steps"], results.cell["version"]) == (400, eu.__version__)
    agents = results.cell["agents"]
    assert {name: own["max_steps"] for name, own in agents.items()} == {
        "BAIR": 400,
        "T&S": 300,
        "spy": 400,
    }
    assert (agents["BAIR"]["n1"], agents["BAIR"]["delta"], agents["BAIR"]["rho_0"]) == (5, 0.2, 1.5)
    assert agents["T&S"]["threshold"] is None  # left to the algorithm's default
    assert json.loads(json.dumps(results.cell)) == results.cell


def test_what_is_in_every_row_is_said_once() -> None:
    results = eu.evaluate([BAIR()], setting=replace(PRINTED, bair_n1="proof"), **SMALL)
    summary = results.summary()
    assert summary["setting"].tolist() == ["printed (bair_n1=proof)"]
    assert not {"means", "rho", "max_steps", "agents", "version"} & set(summary)
