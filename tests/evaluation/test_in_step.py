from typing import Any

import pandas as pd
import pytest
from pairs import pairs
from toy_agents import Clock, Wanderer

import explorative_user_env as eu
from explorative_user_env.evaluation import runner as backends
from explorative_user_env.protocol import Agent, ManyUserAgent
from explorative_user_env.users.model import Schedule

SMALL: dict[str, Any] = {"n_arms": 3, "n_instances": 30, "seed": 3, "progress": False}

TASKS: list[dict[str, Any]] = [
    {"task": "bai", "max_steps": 40},
    {"task": "regret", "horizon": 40},
]


def assert_same(one: pd.DataFrame, other: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(one, other, check_exact=True)


def test_the_agent_of_these_tests_is_one_of_both_kinds() -> None:
    assert isinstance(Wanderer(), ManyUserAgent)
    assert isinstance(Wanderer(), Agent)


@pairs(facts=TASKS, stops=[0.0, 0.05, 0.5, 1.0], setting=["printed", "released"])
def test_users_in_step_have_the_runs_they_have_one_by_one(
    facts: dict[str, Any], stops: float, setting: str
) -> None:
    facts = SMALL | facts | {"setting": setting, "noise": 0.1}
    agent = Wanderer(stops)
    together = eu.evaluate([agent], **facts).runs
    assert agent.sizes == [30]
    agent = Wanderer(stops)
    apart = eu.evaluate([agent], compiled=False, **facts).runs
    assert agent.sizes == [1] * 30
    assert_same(together, apart)


@pytest.mark.parametrize("facts", TASKS, ids=["bai", "regret"])
@pytest.mark.parametrize("n_instances", [1, 63, 64, 200])
def test_users_in_other_company_have_the_same_runs(facts: dict[str, Any], n_instances: int) -> None:
    # From 64 users on, the users themselves are in compiled code.
    few = eu.evaluate([Wanderer()], **SMALL | facts).runs
    many = eu.evaluate([Wanderer()], **SMALL | facts | {"n_instances": n_instances}).runs
    n = min(len(few), len(many))
    assert_same(few.head(n), many.head(n))


@pytest.mark.parametrize("facts", TASKS, ids=["bai", "regret"])
def test_users_who_do_not_fit_at_once_are_met_in_portions(
    facts: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = eu.evaluate([Wanderer()], **SMALL | facts).runs
    monkeypatch.setattr(backends, "USERS_IN_STEP", 13)
    agent = Wanderer()
    told: list[tuple[str, int, int]] = []
    facts = SMALL | facts | {"progress": lambda *what: told.append(what)}
    assert_same(eu.evaluate([agent], **facts).runs, expected)
    assert agent.sizes == [13, 13, 4]
    assert told == [("wanderer", done, 30) for done in (0, 13, 26, 30)]


def test_over_a_horizon_portions_are_of_as_many_steps_as_memory_is_meant_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    facts: dict[str, Any] = SMALL | {"task": "regret", "horizon": 30}
    expected = eu.evaluate([Wanderer()], **facts).runs
    monkeypatch.setattr(backends, "LONGEST_PLAY", 11 * 30)
    agent = Wanderer()
    assert_same(eu.evaluate([agent], **facts).runs, expected)
    assert agent.sizes == [11, 11, 8]


@pytest.mark.parametrize("facts", TASKS, ids=["bai", "regret"])
def test_a_run_is_replayed_by_its_user_seed_alone(facts: dict[str, Any]) -> None:
    over_horizon = facts["task"] == "regret"
    runs = eu.evaluate([Wanderer()], **SMALL | facts).runs
    env = eu.ExplorativeUserEnv(n_arms=3)
    for _, run in runs.iterrows():
        seed = int(run["user_seed"])
        episode = eu.rollout(env, Wanderer(), seed, max_steps=40, commits=over_horizon)
        assert run["best_arm"] == env.hidden_state().instance.best_arm
        assert (run["answer"], run["acceptances"]) == (episode.answer, episode.acceptances)
        if over_horizon:
            assert run["last_arm"] == episode.arms[-1]
            assert run["regret"] == pytest.approx(-sum(episode.rewards))
        else:
            assert run["interactions"] == episode.stopping_time
            assert run["censored"] == episode.censored


def test_every_user_has_one_run_however_long_so_that_short_ones_do_not_count_more() -> None:
    results = eu.evaluate([Clock()], **SMALL | {"n_instances": 150, "max_steps": 1000})
    runs = results.runs
    assert runs["user_seed"].nunique() == len(runs) == 150
    n_long = int((runs["interactions"] == Clock.long).sum())
    assert n_long + int((runs["interactions"] == Clock.short).sum()) == 150
    # 150 draws of a chance of .3: 45 and five standard deviations of 5.6.
    assert 17 <= n_long <= 73
    mean = (n_long * Clock.long + (150 - n_long) * Clock.short) / 150
    summary = results.summary().iloc[0]
    assert summary["n_runs"] == 150
    assert summary["stopping_time"] == pytest.approx(mean)
    assert not runs["censored"].any()


def test_long_and_short_runs_are_those_of_the_readable_loop() -> None:
    facts = SMALL | {"max_steps": 1000}
    together = eu.evaluate([Clock()], **facts).runs
    assert_same(together, eu.evaluate([Clock()], compiled=False, **facts).runs)
    assert together["interactions"].nunique() == 2


def test_runs_that_the_cap_ends_are_censored_and_have_an_answer() -> None:
    agent = Wanderer(stops=0.0)
    runs = eu.evaluate([agent], **SMALL | {"max_steps": 9}).runs
    assert runs["censored"].all()
    assert (runs["interactions"] == 9).all()
    assert agent.n_answers == [1] * 30


def test_a_run_that_stops_at_the_very_cap_is_not_censored() -> None:
    for compiled in (True, False):
        runs = eu.evaluate([Clock()], compiled=compiled, **SMALL | {"max_steps": Clock.long}).runs
        assert not runs["censored"].any()
        runs = eu.evaluate([Clock()], compiled=compiled, **SMALL | {"max_steps": Clock.long - 1})
        assert runs.runs["censored"].any()


def test_adding_others_changes_nothing() -> None:
    alone = eu.evaluate([Wanderer()], **SMALL | TASKS[0]).runs
    among = eu.evaluate(["BAIR", Wanderer(), Clock()], **SMALL | TASKS[0]).runs
    among = among[among["agent"] == "wanderer"].reset_index(drop=True)
    assert_same(alone, among)


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_kept")
def test_progress_names_compiling_of_the_users_while_it_lasts() -> None:
    def flat(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
        return 1.0

    told: list[tuple[str, int, int]] = []
    options = SMALL | {"n_instances": 64, "rho": Schedule(flat, 1.0, 1.0, ())}
    eu.evaluate([Wanderer()], **options | {"progress": lambda *what: told.append(what)})
    assert told[:3] == [("wanderer", 0, 64), ("wanderer compiling", 0, 64), ("wanderer", 0, 64)]
    assert told[-1] == ("wanderer", 64, 64)
