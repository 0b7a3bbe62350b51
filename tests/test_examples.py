"""Examples print what they are about, policies are worth it, and figures of pages are found."""

import importlib
import json
import re
import runpy
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, SuccessiveElimination, TransferElimination, Uniform
from explorative_user_env.display.progress import silent
from explorative_user_env.display.text import with_error
from explorative_user_env.results.compare import AS_MEANS, paired_difference
from explorative_user_env.studies import tuning
from explorative_user_env.studies.suite_tasks import tasks_named
from explorative_user_env.users.population import RELEASED, Population
from explorative_user_env.validation import InvalidArgumentError

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture
def run(monkeypatch, capsys):
    """What runs an example as a script would, on fewer users, and returns what it prints."""

    def of(name, *arguments, **constants):
        space = runpy.run_path(str(EXAMPLES / f"{name}.py"))
        for constant, value in constants.items():
            assert constant in space, f"{name} has no {constant} any more"
            monkeypatch.setitem(space["main"].__globals__, constant, value)
        space["main"](*arguments)
        return capsys.readouterr().out

    return of


PPO = {"STEPS": 512, "N_USERS": 8, "N_STEPS": 64, "N_INSTANCES": 5}
ONE_FILE = {"HORIZON": 20, "N_USERS": 4, "N_STEPS": 32, "UPDATES": 2, "BATCH": 64, "N_INSTANCES": 5}
SCALE = {"ROUNDS": 2, "FAST_USERS": 30, "SLOW_USERS": 20, "COUNTED": 1000, "STORED_USERS": 2000}
TRAINING = {"STEPS_OF_AN_UPDATE": 4096, "ROUNDS": 1}
RATIOS = r"\n\| .* \| [\d,]+ (\| \d+\.\d\d \[.*\] ){3}\|\n"
STEPS = r"\(256\) +\d+ steps a second, [\d.]+ times"
PRINTED = {
    "quickstart": ({"N_INSTANCES": 5}, r"arm 2: accepted", r"BAIR\s+\d"),
    "custom_agent": ({"N_INSTANCES": 5}, r"BAIR\s+\d", r"mine\s+\d"),
    "text_agent": ({"N_INSTANCES": 3}, r"words\s+\d", "answers that could not be read: 0"),
    "theory": ({"N_INSTANCES": 5}, r"broken .*: untested \(0 of 5 runs\)\n", "lm:Er"),
    "cleanrl_style": (ONE_FILE, r"update 2 of 2: .* \d+\n", r"one-file PPO\s+\d"),
    "train_ppo": (PPO, r"SE\s+\d", r"PPO\s+\d"),
}
SPEED = {"ROUNDS": 1, "SINGLE_STEPS": 20, "VECTOR_STEPS": 4096, "FRAMES": 3, "BATCH_STEPS": 1000}
SPEED |= {"ARMS": (2,), "LONGEST": 1000, "MOST_INSTANCES": 100, "SHORT_RUNS": 100}
SPEED["ProcessPoolExecutor"] = lambda n, context: ThreadPoolExecutor(n)
LONG = {
    "speed": (SPEED, r"BAIR, K = 100.*\d", r"T&S, K = 2.*\d", r"rgb_array, K = 5.*\d"),
    "training_speed": (TRAINING, r"8 DummyVecEnvs +\d+ steps a second\n", STEPS),
    "population_rule": ({"N_EPISODES": 2}, r"index - rule", r"\n(\| [\d.]+ ){2}(\| \d+ ± \d+ ){2}"),
    "scale_out": (SCALE, RATIOS, r"run takes [2-5]\d bytes"),
}


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize(
    "name", [*PRINTED, *(pytest.param(each, marks=pytest.mark.exhaustive) for each in LONG)]
)
def test_an_example_runs(run, name, monkeypatch):
    if name.startswith("train"):
        pytest.importorskip("sb3_contrib")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.syspath_prepend(EXAMPLES)
    constants, *patterns = (PRINTED | LONG)[name]
    told = run(name, **constants)
    for pattern in patterns:
        assert re.search(pattern, told), pattern


@pytest.mark.exhaustive
@pytest.mark.usefixtures("one_thread")
def test_ppo_by_default_keeps_its_models_and_prints_a_row_for_each_learner_and_agent(run, tmp_path):
    space = runpy.run_path(str(EXAMPLES / "ppo_by_default.py"))
    few = {"N_LANES": 1, "N_INSTANCES": {"regret": 5, "bai": 5, "population": 2}}
    few["LEARNERS"] = {
        task: [(learner, 1, 2) for learner in dict.fromkeys(row[0] for row in rows)]
        for task, rows in space["LEARNERS"].items()
    }
    table = run("ppo_by_default", tmp_path, **few)
    rows = [cells(line) for line in table.splitlines()[2:]]
    assert [row[0] for row in rows] == ["regret"] * 4 + ["bai"] * 5 + ["population"] * 5
    assert all(re.fullmatch(r"-?[\d.]+ \[-?[\d.]+, -?[\d.]+\]", row[2]) for row in rows)
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert len(kept) == 4 * 2
    assert run("ppo_by_default", tmp_path, **few) == table
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == kept


def test_the_pictures_of_the_documents_are_drawn(run, tmp_path):
    run("pictures", tmp_path)
    for path in tmp_path.iterdir():
        assert (EXAMPLES / "pictures" / path.name).exists()
        assert "<svg" in path.read_text(encoding="utf-8")


def test_the_wrappers_that_the_zoo_is_told_of_make_an_observation():
    told = (EXAMPLES / "rl_zoo3.yml").read_text(encoding="utf-8")
    env = gym.make(re.findall(r"^(\S+):$", told, flags=re.MULTILINE)[0])
    wrappers = re.findall(r"^    - (\S+)\.(\w+)$", told, flags=re.MULTILINE)
    assert len(wrappers) == 2
    for module, name in wrappers:
        env = getattr(importlib.import_module(module), name)(env)
    observation, _ = env.reset(seed=0)
    assert env.observation_space.contains(observation)


# Learning that pays

TASKS = ["noisy-k5", "varied-k5", "impatient-k5", "regret-k20", "population-k20"]


@pytest.fixture
def room(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    return importlib.import_module("learnt_index")


def test_the_policies_are_of_the_suite_s_users_and_name_what_made_them(room):
    for task in tasks_named(TASKS):
        users = room.USERS_OF[task.name]
        assert Population(**{"n_arms": 5} | users) == task.population
        files = room.files_of(task.name)
        assert len(room.by_task().models[task.name]) == len(files) > 0
        for path in files:
            made = json.loads(path.read_text(encoding="utf-8"))
            assert (made["task"], made["users"]) == (task.name, users)
            assert path.name == f"seed-{made['seed']}.json"


REST = [pytest.param(task, marks=pytest.mark.exhaustive) for task in TASKS[1:]]


@pytest.mark.parametrize("task", [TASKS[0], *REST])
def test_a_policy_is_far_better_than_uniform_play_with_its_users(room, task):
    met = room.options_of(task, 1 if task == room.POPULATION_TASK else 12)
    agents = ["UNI", room.shipped(task)[0]]
    runs = eu.evaluate(agents, seed=0, compiled=False, progress=False, **met).runs
    by_chance, learnt = runs.groupby("agent", sort=False)["regret"].mean()
    assert learnt < 0.7 * by_chance


@pytest.mark.exhaustive
def test_the_script_compares_the_policies_of_all_seeds_with_each_agent(room, monkeypatch):
    script = importlib.import_module("learning_that_pays")
    monkeypatch.setattr(script, "N_INSTANCES", 2)
    monkeypatch.setattr(script, "by_hand", lambda task: [Uniform(), SuccessiveElimination()])
    table = script.compared("noisy-k5").set_index("agent")
    assert [*table.index[-2:]] == ["SE", "UNI"]  # the best first
    gap = table.loc[[f"learnt index #{seed}" for seed in range(3)], "regret"].mean()
    told = table.loc["UNI"]
    assert told["policies minus it"] == pytest.approx(gap - told["regret"])
    assert told["low"] < told["policies minus it"] < told["high"]


def test_without_training_it_recommends_as_elimination_does(room):
    agent = room.learnt_index()
    agent.reset(4, np.random.default_rng(0), 100)

    def after(accepted):
        arm = int(agent.act())
        agent.observe(arm, accepted)
        return arm

    # In turn, the least accepted first, until an arm is rejected.
    arms = [after(True) for _ in range(8)]
    assert sorted(arms[:4]) == [0, 1, 2, 3]
    dropped = after(False)
    assert dropped not in {after(True) for _ in range(40)}
    with pytest.raises(InvalidArgumentError, match=r"^weights must be 17 finite numbers"):
        room.learnt_index([1.0])


@pytest.mark.slow
def test_the_rule_of_one_number_has_less_regret_than_se_transfer(room):
    """The 95% interval of the paired difference over 24 episodes is below 0."""
    agents = [importlib.import_module("population_rule").population_rule(), TransferElimination()]
    users = room.options_of(room.POPULATION_TASK, 24)
    runs = eu.evaluate(agents, seed=0, compiled=False, progress=False, **users).runs
    regrets = [each["regret"].to_numpy() for _, each in runs.groupby("agent", sort=False)]
    assert paired_difference("regret", AS_MEANS, *regrets).high < 0.0


@pytest.mark.exhaustive
def test_training_follows_from_its_seed_and_begins_at_elimination(room, monkeypatch):
    script = importlib.import_module("train_index")
    for name, few in (("N_DRAWS", 4), ("N_BEST", 2), ("N_TIMES", 2), ("N_USERS", 3)):
        monkeypatch.setattr(script, name, few)
    weights = script.train("noisy-k5", 0)
    assert weights == script.train("noisy-k5", 0)
    assert np.abs(np.array(weights) - room.elimination(3)).max() < 3.0


# Figures of pages


def page(name):
    return (EXAMPLES / f"{name}.md").read_text(encoding="utf-8")


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


TUNE, RL = page("tune_n1"), page("rl")
USERS = Population(setting=RELEASED, n_arms=20)
HOW = {"population": USERS, "delta": 0.005, "max_steps": 1_000_000, "workers": 2, "seed": 0}


@pytest.mark.exhaustive
def test_the_frontier_is_the_pages():
    table = TUNE.split(f"### Frontier, {tuning.FRONTIER_USERS} users", 1)[1].split("\n\n", 2)[1]
    rows = [cells(line) for line in table.splitlines() if line.startswith("|")][2:]
    shown = {int(row[0]): row for row in rows}
    for row in tuning.frontier_of([0, 2, 20, 8000], HOW, silent).to_dict("records"):
        _, time, success, *_ = shown[row["n1"]]
        half = row["stopping_time_high"] - row["stopping_time"]
        assert time == f"{row['stopping_time']:.0f} ± {half:.0f}"
        assert success.startswith(f"{row['success']:.4f} [{row['success_low']:.4f}")


@pytest.mark.slow
def test_the_confirmation_is_near_the_pages():
    """The 95% interval of the first 3000 of its 100000 users holds the page's success."""
    agents = [tuning.TunedAgent(2, {"delta": 0.005})]
    row = tuning.measure(agents, HOW, 3000, tuning.CONFIRMATION, progress=silent).summary().iloc[0]
    shown = float(re.findall(r"on 100000 fresh users (\d\.\d+)", TUNE)[0])
    assert row["success_low"] < shown < row["success_high"]


def coverages(tables):
    """Every exact coverage, by its table, row, column and place in the cell."""
    read, title = {}, ""
    for line in tables.split("### Means (")[0].splitlines():
        title = line if line.startswith("#") else title
        if not line.startswith("|") or "n = 20" in line or "---:" in line:
            continue
        row, *columns = cells(line)
        for column, cell in enumerate(columns):
            for place, number in enumerate(re.findall(r"[01]\.\d{3}", cell)):
                read[title, row, column, place] = float(number)
    return read


@pytest.mark.slow
def test_the_exact_coverages_are_what_the_script_finds(capsys):
    space = runpy.run_path(str(EXAMPLES / "interval_coverage.py"))["main"].__globals__
    space |= {"SIZES": (20, 100), "NAMED_SIZES": ["n = 20", "n = 100"]}
    space["print_exact"]()
    exact, again = (
        coverages(page("intervals").split("<!-- coverage -->")[1]),
        coverages(capsys.readouterr().out),
    )
    assert len(again) == 7 * 2 * 2 + 7 * 2 + 7
    assert again == pytest.approx({key: exact[key] for key in again}, abs=0.0011)


def row_of(beginning):
    (line,) = (line for line in RL.splitlines() if line.startswith(f"| {beginning} |"))
    return cells(line)


@pytest.mark.slow
def test_the_figures_of_those_who_need_no_training_are_the_pages():
    shared = {"n_instances": 2000, "workers": 2, "progress": False}
    regret = eu.evaluate(["bair", "uni"], task="regret", n_arms=5, **shared).summary()
    for own, beginning in zip(regret.iloc, ("BAIR, then its answer", "uniform"), strict=True):
        assert row_of(beginning)[1] == with_error(own["regret"], own["regret_high"])
    for n_arms, agent, beginning in [
        (2, "bair", "2 | BAIR, delta = .1"),
        (2, "se", "2 | successive elimination"),
        (5, "bair", "5 | BAIR, delta = .1"),
    ]:
        bai = eu.evaluate([agent], n_arms=n_arms, max_steps=2000, **shared).summary()
        own, row = bai.iloc[0], row_of(beginning)[2:]
        shares = [own["success"], own["wrong"], own["censored"]]
        assert [float(cell) for cell in row[:3]] == pytest.approx(shares, abs=0.0005)
        assert row[3] == with_error(own["stopping_time"], own["stopping_time_high"])


@pytest.mark.slow
def test_the_frontier_agent_is_faster_than_a_tuned_bair_with_many_arms(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    frontier = importlib.import_module("frontier")
    runs = eu.evaluate(
        [frontier.Frontier(), BAIR(n1=300)],
        setting="released",
        n_arms=100,
        n_instances=150,
        seed=28,
        progress=False,
    ).runs
    times = runs.pivot(index="instance", columns="agent", values="stopping_time")
    difference = times["frontier"] - 0.9 * times["BAIR"]
    assert difference.mean() + 1.96 * difference.sem() < 0.0
    assert runs["correct"].all()
