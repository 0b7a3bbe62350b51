"""Every path of an evaluation has the rows of the slow way: one environment, step by step."""

import threading

import numpy as np
import pandas as pd
import pytest
from pairs import pairs
from toy_agents import Answering, Clock, Wanderer, scripted

import explorative_user_env as eu
from explorative_user_env.agents import (
    AGENTS,
    BAIR,
    FullInformation,
    Uniform,
    agent_named,
    informed,
)
from explorative_user_env.envs.user_vector import COMPILED_FROM
from explorative_user_env.evaluation import runner
from explorative_user_env.evaluation.paths import Play, Runs, figures
from explorative_user_env.protocol import BAI, REGRET, needs_horizon, sees_rewards
from explorative_user_env.users.population import RELEASED

SMALL = {"n_arms": 3, "seed": 11, "delta": 0.3, "progress": False}
TASKS = {
    "bai": {"task": "bai", "max_steps": 80, "baseline_time": 40},
    "regret": {"task": "regret", "horizon": 80},
}
MAKERS = {
    "BAIR": BAIR,
    "Full-information": FullInformation,
    "stops": Wanderer,
    "own": lambda: scripted([0, 1, 2, 1, 1]),
    "policy": lambda: eu.PolicyAgent(Answering(), task="bai", observation="counts"),
}
LEAVING = "impatient(probability=0.05)"
BEHAVIOURS = ["explorative", LEAVING, "logistic", "drifting"]
OTHERS = [
    {"noise": 0.1, "setting": "released"},
    {"noise": 0.1, "reward_law": "bernoulli", "n_arms": 5},
    {"setting": "released", "rho": 1.5, "gap": 0.2},
    {"means": "uniform", "reward_law": "bounded"},
]


def facts_of(agent, task, behaviour, users):
    if agent == "Full-information":
        behaviour = "explorative"  # as more kernels show no more of the path
    if behaviour == "drifting" or agent == "policy":
        task = "bai"
    own = SMALL | TASKS[task] | users | {"behaviour": behaviour}
    own |= {"alpha": 0.05} if behaviour == LEAVING else {}
    own |= {"n_arms": 3} if agent == "policy" else {}
    return own | ({} if needs_horizon(MAKERS[agent]()) else {"baseline_time": None})


def assert_rows_are_those_of_rollouts(results, agent):
    tried, cell = MAKERS[agent](), results.cell
    reward, plays = "realized" if sees_rewards(tried) else "regret", cell["task"] == "regret"
    users = {"population": results.population, "reward": reward}
    users |= {"horizon": 80} if plays else {}  # a user who leaves misses the rest
    own = {"delta": 0.3, "commits": plays, "max_steps": 80}
    own |= {"horizon": cell["horizon"]} if plays or needs_horizon(tried) else {}
    for _, row in results.runs.iterrows():
        env = eu.ExplorativeUserEnv(**users)
        episode = eu.rollout(env, MAKERS[agent](), int(row["user_seed"]), **own)
        assert episode == results.replay(row)
        names = ["answer", "acceptances", *(["left"] if "left" in row else [])]
        names += [] if plays else ["censored"]
        assert [getattr(episode, name) for name in names] == row[names].tolist()
        assert episode.stopping_time == row.get("interactions", episode.stopping_time)
        if plays:
            assert episode.arms[-1] == row["last_arm"]
        if plays and reward == "regret":
            assert -sum(episode.rewards) == pytest.approx(row["regret"], abs=1e-9)


def assert_same(one, other):
    pd.testing.assert_frame_equal(one, other, check_exact=True)


@pytest.mark.slow
@pairs(agent=[*MAKERS], behaviour=BEHAVIOURS, task=[*TASKS], users=OTHERS)
def test_runs_are_those_of_the_slow_way(agent, behaviour, task, users):
    facts = facts_of(agent, task, behaviour, users)
    n_users = COMPILED_FROM if agent == "stops" else 5
    readable = eu.evaluate([MAKERS[agent]()], n_instances=n_users, compiled=False, **facts)
    usual = eu.evaluate([MAKERS[agent]()], n_instances=n_users, **facts)
    assert_same(usual.runs, readable.runs)
    assert usual.cell == readable.cell
    workers = 2 if agent in ("BAIR", "Full-information") else 1  # threads, no processes
    few = eu.evaluate([MAKERS[agent]()], n_instances=4, workers=workers, **facts)
    assert_same(few.runs, usual.runs.head(4))
    assert_rows_are_those_of_rollouts(few, agent)


@pairs(noise=[0.0, 0.1], stops=[0.0, 0.05], task=[*TASKS], n_users=[30, COMPILED_FROM])
def test_users_in_step_leave_as_they_do_one_by_one(noise, stops, task, n_users):
    facts = SMALL | TASKS[task] | {"behaviour": LEAVING, "alpha": 0.05, "noise": noise}
    facts |= {"n_instances": n_users, "baseline_time": None}
    together = eu.evaluate([Wanderer(stops)], **facts).runs
    assert_same(together, eu.evaluate([Wanderer(stops)], compiled=False, **facts).runs)
    assert together["left"].sum() > 5


@pytest.mark.slow
@pytest.mark.compiler
def test_portions_of_compiled_runs_are_those_of_the_readable_loop():
    from explorative_user_env.kernels.seeds import N_STREAMS  # imports numba

    users = eu.Population(setting=RELEASED, n_arms=3, noise=0.3)
    seeds = range(N_STREAMS + 7)
    for task, name in [*((BAI, each) for each in AGENTS), (REGRET, "Full-information")]:
        agent = informed(agent_named(name), users, delta=0.3)
        runs = Runs(users, agent, 60, 60, task)
        readable = runs.figures("readable", seeds)
        for figure, values in runs.figures("compiled", seeds).items():
            assert values.tolist() == readable[figure].tolist()


@pytest.mark.slow
@pytest.mark.compiler
def test_a_compiled_run_ends_when_another_thread_says_so():
    users, very_long = eu.Population(n_arms=1000), 10**9  # steps that take ten seconds and more
    runs = Runs(users, Uniform(horizon=very_long), very_long)
    for seconds in (0.05 * 2**k for k in range(7)):  # it may not have begun by then
        halt = np.zeros(1, int)
        timer = threading.Timer(seconds, halt.fill, [1])
        timer.start()
        found = runs.figures("compiled", [1, 2, 3], halt)
        timer.join()
        taken = found["acceptances"] + found["rejections"]
        if taken[0]:
            break
    assert 0 < taken[0] < very_long
    assert taken[1:].tolist() == [0, 0]  # those that have not begun do not
    for task in (BAI, REGRET):
        runs = Runs(eu.Population(n_arms=3), Uniform(horizon=60), 60, 60, task)
        assert not runs.figures("compiled", range(3), np.ones(1, int))["acceptances"].any()


@pytest.mark.slow
@pytest.mark.parametrize("compiled", [True, False])
def test_company_order_and_more_users_change_nobody_s_runs(compiled):
    facts = SMALL | {"max_steps": 150, "compiled": compiled}
    line_up = [BAIR(), Wanderer(), Uniform(order="random", horizon=80)]
    full = eu.evaluate(line_up, n_instances=2 * runner.CHUNK + 9, **facts).runs
    others = eu.evaluate(line_up[::-1], n_instances=12, **facts).runs
    others = pd.concat([others, eu.evaluate(["BAIR"], n_instances=12, **facts).runs])
    for name, found in others.groupby("agent"):
        own = full[full["agent"] == name].head(12).reset_index(drop=True)
        for start in range(0, len(found), 12):
            assert_same(found[start : start + 12].reset_index(drop=True), own)


@pytest.mark.slow
def test_the_released_setting_counts_private_draws_as_its_tables_do():
    mine = eu.PolicyAgent(lambda seen: 3 if seen[-1] > 0.4 else 0, task="bai", horizon=10)
    facts = SMALL | {"baseline_time": 20, "n_instances": 9}
    for setting, counted in (("released", 3), ("printed", 0)):
        runs = eu.evaluate(["BAIR", "T&S", mine, "UNI"], setting=setting, **facts).runs
        assert (runs["stopping_time"] == runs["interactions"] + counted).all()
        hidden = runs["rejections"] - (runs["interactions"] - runs["acceptances"])
        assert set(hidden[runs["agent"] != "T&S"]) == {counted}
        assert set(hidden[runs["agent"] == "T&S"]) == {0}


def test_portions_of_users_in_step_change_no_run(monkeypatch):
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


def test_users_in_step_report_their_progress_from_time_to_time(monkeypatch):
    tasks = [
        {"task": "regret", "horizon": 80},
        {"task": "bai", "max_steps": 80},
        {"task": "population", "horizon": 10, "n_users": 4},
    ]
    monkeypatch.setattr(runner, "USERS_IN_STEP", 15)
    for task in tasks:
        reports = []
        tell = {"progress": lambda what, done, total, to=reports: to.append(done)}
        with monkeypatch.context() as patch:
            patch.setattr(runner, "PULSE", 0.0)
            eu.evaluate([Wanderer(0.01)], **SMALL | task | tell, n_instances=30)
        assert reports == sorted(reports)
        assert (reports[0], reports[-1]) == (0, 30)
        assert len({*reports} - {0, 15, 30}) > 5


THIRTY = {"n_arms": 3, "n_instances": 30, "seed": 3, "progress": False}
BOTH = [{"task": "bai", "max_steps": 40}, {"task": "regret", "horizon": 40}]


def test_a_run_that_stops_at_the_very_cap_is_not_censored():
    for compiled in (True, False):
        for steps in (Clock.long, Clock.long - 1):
            facts = THIRTY | {"compiled": compiled, "max_steps": steps}
            censored = eu.evaluate([Clock()], **facts).runs["censored"]
            assert censored.any() == (steps < Clock.long)


def test_an_agent_hears_of_users_with_whom_it_goes_on_and_answers_each_once():
    for facts in BOTH:
        agent = Wanderer(0.1)
        eu.evaluate([agent], **THIRTY | facts)
        assert agent.horizon == facts.get("horizon")  # in regret everybody is told it
        assert agent.n_answers == [1] * 30
        going_on = set(range(30))
        for users, arms, accepted in agent.told:
            assert 0 < users.size == arms.size == accepted.size
            assert accepted.dtype == bool
            assert set(users.tolist()) <= going_on
            going_on = set(users.tolist())
        assert 0 < len(going_on) < 30


WRONG_ARMS = [
    *(np.full(30, 3), np.full(30, -2), np.zeros(30), np.zeros(30, bool)),
    *(np.zeros((30, 1), int), None),
]


def test_wrong_arms_and_answers_are_refused_by_name():
    rows = [("act_all", wrong, 0.0, r"-1\.\.2") for wrong in WRONG_ARMS]
    for answer, stops in ((-1, 0.0), (3, 1.0), (0.5, 1.0)):
        rows.append(("answer_all", np.full(30, answer), stops, r"0\.\.2"))
    for number, (method, wrong, stops, arms) in enumerate(rows):
        agent = Wanderer(stops)
        setattr(agent, method, lambda users, wrong=wrong: wrong)
        message = f"arms chosen by wanderer must be 30 integers in {arms}"
        with pytest.raises(eu.InvalidArgumentError, match=message):
            eu.evaluate([agent], **THIRTY | BOTH[number % 2])


def test_the_figures_are_those_of_a_slow_loop():
    rng = np.random.default_rng(0)
    n_users, horizon, n_arms = 6, 40, 3
    means = rng.standard_normal((n_users, n_arms))
    best = means.argmax(axis=1)
    arms = rng.integers(0, n_arms, (n_users, horizon)).astype(np.int32)
    accepted = rng.random((n_users, horizon)) < 0.5
    answers = rng.integers(0, n_arms, n_users)
    play = Play.blank(n_users, n_arms, horizon)
    left = (False, True, True, True, True, False)
    wanted = (means, best, arms, accepted, answers, (40, 39, 1, 17, 40, 40), left)
    for there, each in zip(play, wanted, strict=True):
        there[:] = each
    play.blank_missed()
    found = figures(play)
    for user in range(n_users):
        regret = utility = 0.0
        counts = [0] * n_arms
        stayed = play.stayed[user]
        for arm, yes in zip(arms[user, :stayed].tolist(), accepted[user].tolist(), strict=False):
            regret += max(means[user]) - means[user][arm]
            utility += means[user][arm] if yes else 0.0
            counts[arm] += yes
        regret += (horizon - stayed) * (max(means[user]) - min(means[user]))
        row = {name: values[user] for name, values in found.items()}
        tied = [arm for arm in range(n_arms) if counts[arm] == max(counts)]
        assert row == {
            "best_arm": best[user],
            "answer": answers[user],
            "acceptances": sum(counts),
            "regret": pytest.approx(regret),
            "utility": pytest.approx(utility),
            "last_arm": arms[user, stayed - 1],
            "interactions": stayed,
            "left": left[user],
            "most_accepted_arm": tied[0],
            "most_accepted_is_best": 1 / len(tied) if best[user] in tied else 0.0,
        }
