"""What an evaluation makes of its line-up: options, times, caps, and what is told of it."""

import json
import pickle
import random

import numpy as np
import pytest
from toy_agents import Wanderer, scripted, spy, tireless

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, EXP3, TrackAndStop, Uniform
from explorative_user_env.results.records import versions_of
from explorative_user_env.users.model import constant
from explorative_user_env.users.population import RELEASED

SMALL = {"n_arms": 3, "n_instances": 25, "seed": 11, "progress": False}


def test_uni_and_exp3_get_the_mean_time_of_bair():
    results = eu.evaluate(["uniform", "bair", "Exp3", TrackAndStop(max_steps=90)], **SMALL)
    times = results.runs.groupby("agent", sort=False)["stopping_time"]
    assert [*times.groups] == ["UNI", "BAIR", "EXP3", "T&S"]  # as they were given
    horizon = round(times.mean()["BAIR"])
    assert results.cell["horizon"] == horizon
    assert times.max()[["UNI", "EXP3"]].tolist() == [horizon, horizon]
    assert times.min()[["UNI", "EXP3"]].tolist() == [horizon, horizon]
    other = eu.evaluate([TrackAndStop(max_steps=90), BAIR(), "UNI"], baseline_time="T&S", **SMALL)
    assert other.cell["horizon"] == round(times.mean()["T&S"]) != horizon


def test_the_mean_time_is_that_of_the_runs_that_the_setting_s_table_has(setting):
    for max_steps in (50, 500):  # which cuts all or some
        facts = SMALL | {"setting": setting, "max_steps": max_steps}
        results = eu.evaluate([Uniform(), BAIR(n1=60)], **facts)
        runs = results.runs[results.runs["agent"] == "BAIR"]
        kept = runs[~runs["censored"]]
        assert (len(kept) > 0) == (max_steps == 500)
        assert len(kept) < len(runs)
        kept = kept if setting.drops_censored and len(kept) else runs
        assert results.cell["horizon"] == round(kept["interactions"].mean())


def test_success_is_held_against_an_agent_s_own_delta():
    line_up = [BAIR(max_steps=9), BAIR(max_steps=9, delta=0.5, name="bold")]
    summary = eu.evaluate(line_up, delta=0.25, **SMALL).summary()
    assert summary["success"].tolist() == [0.0, 0.0]
    assert summary["failure_over_delta"].tolist() == [1 / 0.25, 1 / 0.5]


def test_nothing_global_is_random():
    def streams():  # the keys alone say nothing of most draws
        return pickle.dumps((random.getstate(), np.random.get_state(legacy=False)))  # noqa: NPY002

    before = streams()
    eu.evaluate([BAIR(), Uniform(), EXP3(), spy()], **SMALL)
    assert streams() == before


def test_a_cap_is_everyones_and_an_agents_own_may_be_smaller():
    line_up = [BAIR(max_steps=10), tireless(max_steps=10)]
    for max_steps, steps in ((4, 4), (1000, 10), (None, 10)):
        results = eu.evaluate(line_up, max_steps=max_steps, **SMALL)
        assert results.runs["censored"].all()
        assert (results.runs["interactions"] == steps).all()
        assert [own["max_steps"] for own in results.cell["agents"].values()] == [steps, steps]
    usual = eu.evaluate(["T&S"], setting="released", **SMALL | {"n_instances": 1})
    assert usual.cell["agents"]["T&S"]["max_steps"] == 10_000  # as the setting has it
    line_up = [Uniform(), Uniform(horizon=20, name="own")]  # which are left time for their T
    facts = SMALL | {"setting": RELEASED, "baseline_time": 20}
    for max_steps, steps in ((19, 19), (20, 20), (None, 21), (500, 21)):  # 7 passes of 3 arms
        runs = eu.evaluate(line_up, max_steps=max_steps, **facts).runs
        assert (runs["interactions"] == steps).all()
        assert (runs["censored"] == (steps < 20)).all()


def test_an_agent_that_never_stops_is_told_of_before_the_others_are_met(monkeypatch):
    monkeypatch.setattr("explorative_user_env.protocol.STEP_CAP", 40)
    five = SMALL | {"n_instances": 5}
    with pytest.warns(UserWarning, match="tireless reached max_steps=40 with the first user"):
        runs = eu.evaluate([tireless()], **five).runs
    assert runs.equals(eu.evaluate([tireless()], max_steps=40, **five).runs)
    agent = tireless()
    with pytest.raises(UserWarning, match="reached max_steps"):  # as all warnings are errors here
        eu.evaluate([agent], **five)
    assert agent.seen.count((3, None)) == 1
    with pytest.warns(UserWarning, match="wanderer reached .* with all of the first 5"):
        eu.evaluate([Wanderer(stops=0.0)], **five)
    for each in (tireless(30), Wanderer(stops=0.1), BAIR()):  # BAIR compiles: it takes no time
        assert len(eu.evaluate([each], **five).runs) == 5
    play = eu.evaluate([tireless(7)], task="regret", horizon=30, **five).runs  # nobody stops there
    assert (play["interactions"] == 30).all()


def test_a_cell_says_all_that_made_its_runs():
    line_up = [BAIR(n1=5), TrackAndStop(max_steps=300), spy()]
    facts = SMALL | {"n_instances": 2, "compiled": False}  # no path is in the cell
    facts |= {"means": "uniform", "rho": 1.5, "delta": 0.2, "max_steps": 400, "step_cost": 0.01}
    results = eu.evaluate(line_up, **facts)
    users = eu.Population(n_arms=3, means="uniform", rho=constant(1.5))
    assert results.population == users
    said = {"task": "bai", "delta": 0.2, "horizon": None, "seed": 11, "step_cost": 0.01}
    said |= users.words() | {"max_steps": 400, "differences": {}, "versions": versions_of()}
    agents = results.cell["agents"]
    assert results.cell == {**said, "agents": agents}
    assert [own["max_steps"] for own in agents.values()] == [400, 300, 400]
    assert (agents["BAIR"]["n1"], agents["BAIR"]["delta"], agents["BAIR"]["rho_0"]) == (5, 0.2, 1.5)
    assert agents["T&S"]["threshold"] is None  # left to the algorithm's default
    assert json.loads(json.dumps(results.cell)) == results.cell


def test_the_horizon_of_regret_is_500_by_default():
    agent = scripted([0])
    cell = eu.evaluate([agent], task="regret", **SMALL | {"n_instances": 2}).cell
    assert agent.horizon == cell["horizon"] == 500
    assert "step_cost" not in cell
