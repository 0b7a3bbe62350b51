import json
import pickle
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from toy_agents import spy, tireless

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, EXP3, TrackAndStop, Uniform
from explorative_user_env.results.records import versions_of
from explorative_user_env.users.model import constant
from explorative_user_env.users.population import PRINTED, Setting

SMALL: dict[str, Any] = {"n_arms": 3, "n_instances": 25, "seed": 11, "progress": False}


@pytest.mark.slow
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


def test_agents_see_arms_and_responses_and_nothing_else() -> None:
    agent = spy()
    eu.evaluate([agent], **SMALL | {"n_instances": 2})
    assert len(agent.seen) == 2 * 21
    for one, two in agent.seen:
        assert type(one) is int
        assert two is None or type(two) is bool


def test_who_stops_by_itself_is_told_no_time() -> None:
    agent = spy()
    eu.evaluate([agent, Uniform()], baseline_time=17, **SMALL)
    assert agent.seen[0] == (3, None)


def test_uni_and_exp3_get_the_mean_time_of_bair() -> None:
    results = eu.evaluate([Uniform(), BAIR(), EXP3()], **SMALL)
    assert results.runs["agent"].unique().tolist() == ["UNI", "BAIR", "EXP3"]  # as they were given
    times = results.runs.groupby("agent")["stopping_time"]
    horizon = round(times.mean()["BAIR"])
    assert results.cell["horizon"] == horizon
    assert (times.get_group("EXP3") == horizon).all()
    assert (times.get_group("UNI") == horizon).all()


@pytest.mark.parametrize("max_steps", [50, 500])
def test_the_mean_time_is_that_of_the_runs_that_the_setting_s_table_has(
    setting: Setting, max_steps: int
) -> None:
    facts: dict[str, Any] = SMALL | {"setting": setting, "max_steps": max_steps}
    results = eu.evaluate([Uniform(), BAIR(n1=60)], **facts)
    runs = results.runs[results.runs["agent"] == "BAIR"]
    n_kept = int((~runs["censored"]).sum())
    assert n_kept == 0 if max_steps == 50 else 0 < n_kept < len(runs)
    drops = setting.drops_censored and n_kept > 0
    kept = runs[~runs["censored"]] if drops else runs
    assert results.cell["horizon"] == round(kept["interactions"].mean())


def test_the_mean_time_may_be_that_of_another_agent() -> None:
    line_up = [TrackAndStop(max_steps=90), BAIR(), Uniform()]
    results = eu.evaluate(line_up, baseline_time="T&S", **SMALL)
    times = results.runs.groupby("agent")["interactions"].mean()
    assert results.cell["horizon"] == times["UNI"] == round(times["T&S"]) != round(times["BAIR"])


def test_success_is_held_against_an_agent_s_own_delta() -> None:
    line_up = [BAIR(max_steps=9), BAIR(max_steps=9, delta=0.5, name="bold")]
    summary = eu.evaluate(line_up, delta=0.25, **SMALL).summary()
    assert summary["success"].tolist() == [0.0, 0.0]
    assert summary["failure_over_delta"].tolist() == [1 / 0.25, 1 / 0.5]


def test_an_agent_that_never_stops_is_censored_at_the_cap() -> None:
    runs = eu.evaluate([tireless()], max_steps=30, **SMALL | {"n_instances": 3}).runs
    assert runs["censored"].all()
    assert (runs["interactions"] == 30).all()


def test_progress_is_told_to_the_end() -> None:
    told: list[tuple[str, int, int]] = []
    eu.evaluate([BAIR(), spy()], **SMALL | {"progress": lambda *what: told.append(what)})
    assert told[0] == ("BAIR", 0, 50)
    assert told[-1] == ("spy", 50, 50)
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)


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


def test_a_cell_says_all_that_made_its_runs() -> None:
    line_up = [BAIR(n1=5), TrackAndStop(max_steps=300), spy()]
    facts: dict[str, Any] = SMALL | {"n_instances": 2, "compiled": False}  # no path is in the cell
    results = eu.evaluate(line_up, means="uniform", rho=1.5, delta=0.2, max_steps=400, **facts)
    users = eu.Population(n_arms=3, means="uniform", rho=constant(1.5))
    assert results.population == users
    words = users.words()
    assert {name: results.cell[name] for name in words} == words
    assert results.cell["setting"] == "printed (means=uniform, rho=1.5)"
    assert results.cell["max_steps"] == 400
    assert results.cell["versions"] == versions_of()
    assert results.cell["differences"] == {}
    said = {name: results.cell[name] for name in ("task", "delta", "horizon", "seed", "step_cost")}
    expected = {"task": "bai", "delta": 0.2, "horizon": None, "seed": 11, "step_cost": 5e-4}
    assert said == expected
    assert set(results.cell) == {
        *words,
        *expected,
        "max_steps",
        "agents",
        "differences",
        "versions",
    }
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
    assert results.cell["differences"] == {"BAIR: N_1": "(2(K-1)/delta)^(1/alpha)"}
    assert not {"means", "rho", "max_steps", "agents", "differences", "versions"} & set(summary)
