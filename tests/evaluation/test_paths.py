"""Every path of an evaluation has the rows of the slow way: one environment, step by step."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from pairs import pairs
from toy_agents import Answering, Wanderer, scripted

import explorative_user_env as eu
from explorative_user_env.agents import (
    AGENTS,
    BAIR,
    EXP3,
    REFERENCES,
    FullInformation,
    SuccessiveElimination,
    TrackAndStop,
    Uniform,
)
from explorative_user_env.envs.user_vector import COMPILED_FROM
from explorative_user_env.evaluation import runner
from explorative_user_env.protocol import needs_horizon, sees_rewards
from explorative_user_env.users.model import Schedule
from explorative_user_env.users.population import Setting

SMALL: dict[str, Any] = {"n_arms": 3, "seed": 11, "delta": 0.3, "progress": False}
TASKS: dict[str, dict[str, Any]] = {
    "bai": {"task": "bai", "max_steps": 80, "baseline_time": 40},
    "regret": {"task": "regret", "horizon": 80},
}
MAKERS: dict[str, Any] = {
    **{make().name: make for make in (BAIR, TrackAndStop, EXP3, FullInformation)},
    "stops": Wanderer,
    "goes on": lambda: Wanderer(stops=0.0),
    "own": lambda: scripted([0, 1, 2, 1, 1]),
    "policy": lambda: eu.PolicyAgent(Answering(), task="bai", observation="counts"),
}
BEHAVIOURS = {
    "explorative": {},
    "impatient(probability=0.05)": {"alpha": 0.05},
    **{name: {} for name in ("forgetful", "logistic", "omniscient", "drifting")},
}
OTHERS: list[dict[str, Any]] = [
    {"noise": 0.1, "setting": "released"},
    {"noise": 0.1, "reward_law": "bernoulli", "n_arms": 5},
    {"setting": "released", "rho": 1.5, "gap": 0.2},
    {"means": "uniform", "reward_law": "bounded"},
]


def facts_of(agent: str, task: str, behaviour: str, users: dict[str, Any]) -> dict[str, Any]:
    """What an evaluation is asked for; a policy for three arms and one task meets only these."""
    moving = behaviour == "drifting"
    task = "bai" if moving or agent == "policy" else task
    own = SMALL | TASKS[task] | BEHAVIOURS[behaviour] | users | {"behaviour": behaviour}
    own |= {"n_arms": 3} if agent == "policy" else {}
    own |= {"baseline_time": None} if not needs_horizon(MAKERS[agent]()) else {}
    return own


def assert_rows_are_those_of_rollouts(results: eu.Results, agent: str) -> None:
    for _, row in results.runs.iterrows():
        tried = MAKERS[agent]()
        reward = "realized" if sees_rewards(tried) else "regret"
        cell = results.cell
        plays = cell["task"] == "regret"
        long = {"horizon": 80} if plays else {}  # a user who leaves misses the rest
        env = eu.ExplorativeUserEnv(population=results.population, reward=reward, **long)
        own: dict[str, Any] = {"delta": 0.3, "commits": plays, "max_steps": 80}
        told = plays or needs_horizon(tried)
        own["horizon"] = cell["horizon"] if told else None
        episode = eu.rollout(env, tried, int(row["user_seed"]), **own)
        assert episode == results.replay(row)
        assert (episode.answer, episode.acceptances) == (row["answer"], row["acceptances"])
        if "interactions" in row:
            assert episode.stopping_time == row["interactions"]
            assert episode.left == row["left"]
        if plays:
            assert episode.arms[-1] == row["last_arm"]
            if reward == "regret":
                assert -sum(episode.rewards) == pytest.approx(row["regret"], abs=1e-9)
        else:
            assert episode.censored == row["censored"]


def assert_same(one: pd.DataFrame, other: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(one, other, check_exact=True)


@pytest.mark.slow
@pairs(agent=[*MAKERS], behaviour=[*BEHAVIOURS], task=[*TASKS], users=OTHERS)
def test_runs_are_those_of_the_slow_way(
    agent: str, behaviour: str, task: str, users: dict[str, Any]
) -> None:
    facts = facts_of(agent, task, behaviour, users)
    n_users = COMPILED_FROM if isinstance(MAKERS[agent](), Wanderer) else 5
    readable = eu.evaluate([MAKERS[agent]()], n_instances=n_users, compiled=False, **facts)
    usual = eu.evaluate([MAKERS[agent]()], n_instances=n_users, **facts)
    assert_same(usual.runs, readable.runs)
    assert usual.cell == readable.cell
    few = eu.evaluate([MAKERS[agent]()], n_instances=4, workers=2, **facts)
    assert_same(few.runs, usual.runs.head(4))
    assert_rows_are_those_of_rollouts(few, agent)


@pairs(noise=[0.0, 0.1], stops=[0.0, 0.05], task=[*TASKS], n_users=[30, COMPILED_FROM])
def test_users_in_step_leave_as_they_do_one_by_one(
    noise: float, stops: float, task: str, n_users: int
) -> None:
    facts = SMALL | TASKS[task] | {"behaviour": "impatient(probability=0.05)", "alpha": 0.05}
    facts |= {"noise": noise, "n_instances": n_users, "baseline_time": None}
    together = eu.evaluate([Wanderer(stops)], **facts).runs
    assert_same(together, eu.evaluate([Wanderer(stops)], compiled=False, **facts).runs)
    assert together["left"].sum() > 5


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_compiled_and_readable_play_alike_for_every_agent(setting: Setting, noise: float) -> None:
    facts = SMALL | {"task": "regret", "horizon": 300, "n_instances": 11, "setting": setting}
    facts["seed"] = 7
    everyone = [make() for make in (AGENTS | REFERENCES).values()]
    fast = eu.evaluate(everyone, noise=noise, workers=2, **facts).runs
    assert_same(fast, eu.evaluate(everyone, noise=noise, compiled=False, **facts).runs)
    # Without runs that stop before the horizon this would say nothing of what follows an answer.
    how = facts | {"task": "bai", "horizon": None, "max_steps": 300}
    stopping = eu.evaluate([BAIR(), TrackAndStop(), SuccessiveElimination()], **how).runs
    n_censored = stopping.groupby("agent")["censored"].sum()
    assert (n_censored < 11).all()
    assert (n_censored > 0).any()


@pytest.mark.parametrize("compiled", [True, False])
def test_company_order_and_more_users_change_nobody_s_runs(compiled: bool) -> None:
    facts = SMALL | {"max_steps": 150, "compiled": compiled}
    line_up = [BAIR(), EXP3(horizon=80), Wanderer(), Uniform(order="random", horizon=80)]
    full = eu.evaluate(line_up, n_instances=2 * runner.CHUNK + 9, **facts).runs
    others = eu.evaluate(line_up[::-1], n_instances=12, **facts).runs
    others = pd.concat([others, eu.evaluate(["BAIR"], n_instances=12, **facts).runs])
    for name, found in others.groupby("agent"):
        own = full[full["agent"] == name].head(12).reset_index(drop=True)
        for start in range(0, len(found), 12):
            assert_same(found[start : start + 12].reset_index(drop=True), own)


def test_agents_of_different_names_have_different_streams_and_meet_the_same_users() -> None:
    agents = [EXP3(horizon=50, name="one"), EXP3(horizon=50, name="two")]
    runs = eu.evaluate(agents, n_instances=20, **SMALL).runs
    one, two = (runs[runs["agent"] == name] for name in ("one", "two"))
    assert one["user_seed"].tolist() == two["user_seed"].tolist()
    assert one["best_arm"].tolist() == two["best_arm"].tolist()
    assert one["acceptances"].tolist() != two["acceptances"].tolist()
    others = eu.evaluate(agents, n_instances=20, **SMALL | {"seed": 12}).runs
    assert set(others["user_seed"]).isdisjoint(one["user_seed"])


@pytest.mark.parametrize(("setting", "counted"), [("released", 3), ("printed", 0)])
def test_the_released_setting_counts_private_draws_as_its_tables_do(
    setting: str, counted: int
) -> None:
    mine = eu.PolicyAgent(lambda seen: 3 if seen[-1] > 0.4 else 0, task="bai", horizon=10)
    line_up: list[Any] = ["BAIR", "T&S", "SE", "UCB1", mine, "UNI"]
    facts = SMALL | {"setting": setting, "baseline_time": 20, "n_instances": 9}
    runs = eu.evaluate(line_up, **facts).runs
    assert (runs["stopping_time"] == runs["interactions"] + counted).all()
    hidden = runs["rejections"] - (runs["interactions"] - runs["acceptances"])
    assert set(hidden[runs["agent"] != "T&S"]) == {counted}
    assert set(hidden[runs["agent"] == "T&S"]) == {0}


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_kept")
@pytest.mark.parametrize("agent", [Uniform(horizon=9), Wanderer()], ids=["compiled", "in step"])
def test_progress_names_compiling_while_it_lasts_and_only_then(agent: Any) -> None:
    def flat(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
        return 1.0

    told: list[tuple[str, int, int]] = []
    options: dict[str, Any] = SMALL | {"rho": Schedule(flat, 1.0, 1.0, ()), "n_instances": 64}
    options |= {"progress": lambda *what: told.append(what)}
    eu.evaluate([agent], **options)
    name = agent.name
    begin, *compiling, run = told[: told.index((name, 0, 64), 1) + 1]
    assert begin == run == (name, 0, 64)
    assert set(compiling) == {(f"{name} compiling", 0, 64)}
    told.clear()
    eu.evaluate([agent], **options)
    assert {what for what, *_ in told} == {name}
    assert told[-1] == (name, 64, 64)


def test_portions_of_users_in_step_change_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    for task, what, most, sizes in (
        ("bai", "USERS_IN_STEP", 13, [13, 13, 4]),
        ("regret", "LONGEST_PLAY", 11 * 80, [11, 11, 8]),
    ):
        facts = SMALL | TASKS[task] | {"n_instances": 30, "baseline_time": None}
        expected = eu.evaluate([Wanderer()], **facts).runs
        agent, told = Wanderer(), list[int]()
        with monkeypatch.context() as patch:
            patch.setattr(runner, what, most)
            tell = {"progress": lambda what, done, total, told=told: told.append(done)}
            assert_same(eu.evaluate([agent], **facts | tell).runs, expected)
        assert agent.sizes == sizes
        assert told == [0, *np.cumsum(sizes).tolist()]
