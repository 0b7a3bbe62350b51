"""Every example runs on fewer users and prints what it is about; its policies are worth it."""

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
from explorative_user_env.agents import SuccessiveElimination, Uniform
from explorative_user_env.studies.suite_tasks import tasks_named
from explorative_user_env.users.population import Population
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
SCALE = {"ROUNDS": 2, "FAST_USERS": 30, "SLOW_USERS": 20, "COUNTED": 1000, "KEPT_USERS": 2000}
TRAINING = {"STEPS_OF_AN_UPDATE": 4096, "ROUNDS": 1}
RATIOS = r"\n\| .* \| [\d,]+ (\| \d+\.\d\d \[.*\] ){3}\|\n"
STEPS = r"\(256\) +\d+ steps a second, [\d.]+ times"
PRINTED = {
    "quickstart": ({"N_INSTANCES": 5}, r"arm 2: accepted", r"BAIR\s+\d"),
    "custom_agent": ({"N_INSTANCES": 5}, r"BAIR\s+\d", r"mine\s+\d"),
    "text_agent": ({"N_INSTANCES": 3}, r"words\s+\d", "answers that could not be read: 0"),
    "theory": ({"N_INSTANCES": 5}, r"broken .*: never met \(0 of 5 runs\)\n", "lm:Er"),
    "cleanrl_style": (ONE_FILE, r"update 2 of 2: .* \d+\n", r"one-file PPO\s+\d"),
    "train_ppo": (PPO, r"SE\s+\d", r"PPO\s+\d"),
}
LONG = {
    "training_speed": (TRAINING, r"8 DummyVecEnvs +\d+ steps a second\n", STEPS),
    "scale_out": (SCALE, RATIOS, r"run takes [2-5]\d bytes"),
}


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize(
    "name", [*PRINTED, *(pytest.param(each, marks=pytest.mark.exhaustive) for each in LONG)]
)
def test_an_example_runs(run, name):
    if name.startswith("train"):
        pytest.importorskip("sb3_contrib")
    constants, *patterns = (PRINTED | LONG)[name]
    told = run(name, **constants)
    for pattern in patterns:
        assert re.search(pattern, told), pattern


def test_the_pictures_of_the_documents_are_drawn(run, tmp_path):
    run("pictures", tmp_path)
    for path in tmp_path.iterdir():
        assert (EXAMPLES / "pictures" / path.name).exists()
        assert "<svg" in path.read_text(encoding="utf-8")


@pytest.mark.exhaustive
def test_speed_prints_every_comparison(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.syspath_prepend(EXAMPLES)
    speed = importlib.import_module("speed")
    small = {"ROUNDS": 1, "SINGLE_STEPS": 20, "VECTOR_STEPS": 4096, "FRAMES": 3}
    small |= {"BATCH_STEPS": 1000, "ARMS": (2,), "LONGEST": 1000, "MOST_INSTANCES": 100}
    small |= {"SHORT_RUNS": 100, "ProcessPoolExecutor": lambda n, context: ThreadPoolExecutor(n)}
    for constant, value in small.items():
        monkeypatch.setattr(speed, constant, value)
    speed.main()
    printed = capsys.readouterr().out
    for row in ("BAIR, K = 100", "T&S, K = 2", "regret, 2 workers", "rgb_array, K = 5"):
        assert re.search(rf"{row}.*\d", printed), row


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
    met = room.met_in(task, 1 if task == room.POPULATION_TASK else 12)
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


@pytest.mark.exhaustive
def test_training_follows_from_its_seed_and_begins_at_elimination(room, monkeypatch):
    script = importlib.import_module("train_index")
    for name, few in (("N_DRAWS", 4), ("N_BEST", 2), ("N_TIMES", 2), ("N_USERS", 3)):
        monkeypatch.setattr(script, name, few)
    weights = script.train("noisy-k5", 0)
    assert weights == script.train("noisy-k5", 0)
    assert np.abs(np.array(weights) - room.elimination(3)).max() < 3.0
