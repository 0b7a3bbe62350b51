"""The trained policies that come with the examples: they load, and are better than chance."""

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import explorative_user_env as eu
from explorative_user_env.agents import SuccessiveElimination, Uniform
from explorative_user_env.studies.suite_tasks import tasks_named
from explorative_user_env.users.population import Population
from explorative_user_env.validation import InvalidArgumentError

TASKS = ["noisy-k5", "varied-k5", "impatient-k5", "regret-k20", "population-k20"]
EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture(scope="module")
def room() -> Iterator[Any]:
    """The script, imported as who stands in its folder would."""
    sys.path.insert(0, str(EXAMPLES))
    yield importlib.import_module("learnt_index")
    sys.path.remove(str(EXAMPLES))


def test_users_are_those_of_the_suite_s_tasks(room: Any) -> None:
    for task in tasks_named(TASKS):
        assert Population(**{"n_arms": 5} | room.USERS_OF[task.name]) == task.population


def test_files_say_how_the_weights_came_about(room: Any) -> None:
    assert [*room.USERS_OF] == TASKS
    for task, users in room.USERS_OF.items():
        files = room.files_of(task)
        assert files
        for path in files:
            made = json.loads(path.read_text(encoding="utf-8"))
            name = f"seed-{made['seed']}.json"
            assert (made["task"], made["users"], path.name) == (task, users, name)
            words = f"python examples/train_index.py {task} {made['seed']} {name}"
            assert made["command"] == words
            assert 0 < made["cpu_seconds"] < 20 * 60
            carried = room.N_CARRIED if task == room.POPULATION_TASK else 0
            assert len(made["weights"]) == room.N_WEIGHTS + carried
            assert path.stat().st_size < 2000


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_a_policy_is_far_better_than_uniform_play_with_its_users(room: Any, task: str) -> None:
    met = room.met_in(task, 1 if task == room.POPULATION_TASK else 12)
    agents = ["UNI", room.shipped(task)[0]]
    runs = eu.evaluate(agents, seed=0, compiled=False, progress=False, **met).runs
    by_chance, learnt = runs.groupby("agent", sort=False)["regret"].mean()
    assert learnt < 0.7 * by_chance


@pytest.mark.slow
def test_the_script_compares_the_policies_of_all_seeds_with_each_agent(
    room: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = importlib.import_module("learning_that_pays")
    monkeypatch.setattr(script, "N_INSTANCES", 2)
    monkeypatch.setattr(script, "by_hand", lambda task: [Uniform(), SuccessiveElimination()])
    table = script.compared("noisy-k5").set_index("agent")
    assert [*table.index[-2:]] == ["SE", "UNI"]  # the best first
    gap = table.loc[[f"learnt index #{seed}" for seed in range(3)], "regret"].mean()
    told = table.loc["UNI"]
    assert told["policies minus it"] == pytest.approx(gap - told["regret"])
    assert told["low"] < told["policies minus it"] < told["high"]


@pytest.mark.slow
def test_who_is_tuned_by_hand_is_the_best_of_those_tried_with_other_users(
    monkeypatch: pytest.MonkeyPatch, room: Any
) -> None:
    script = importlib.import_module("tuned_by_hand")
    ways = script.ways("regret")
    tried = [agent for agent in ways if agent.name in ("SE, m = 8, all", "SE, m = 1")]
    monkeypatch.setattr(script, "ways", lambda task: tried)
    seeds, evaluate = [], eu.evaluate

    def asked(agents: Any, *, seed: int, **met: Any) -> Any:
        seeds.append(seed)
        return evaluate(agents, seed=seed, compiled=False, **met)

    monkeypatch.setattr(eu, "evaluate", asked)
    best = script.best_way(0, **room.met_in("regret-k20", 4))
    assert (best.name, best.options["m"]) == ("tuned: SE, m = 1", 1)
    assert 0 not in seeds


@pytest.mark.parametrize("kind", ["regret", "population"])
def test_what_is_tried_by_hand_has_names_of_its_own(room: Any, kind: str) -> None:
    names = [agent.name for agent in importlib.import_module("tuned_by_hand").ways(kind)]
    assert len(set(names)) == len(names)
    assert any("SE-transfer" in name for name in names) == (kind == "population")


def test_all_policies_take_part_in_the_suite_as_one(room: Any) -> None:
    models = room.by_task()
    assert {task: len(own) for task, own in models.models.items()} == {
        task: len(room.files_of(task)) for task in TASKS
    }
    for make in (room.noisy, room.varied, room.impatient, room.many_arms, room.population):
        assert make().options in [each.options for each in models.agents()]


def test_without_training_it_recommends_as_elimination_does(room: Any) -> None:
    """In turn, the least accepted first, until an arm is rejected."""
    agent = room.learnt_index()
    agent.reset(4, np.random.default_rng(0), 100)
    arms = []
    for _ in range(8):
        arms.append(agent.act())
        agent.observe(arms[-1], True)
    assert sorted(arms[:4]) == [0, 1, 2, 3]
    dropped = agent.act()
    agent.observe(dropped, False)
    assert dropped not in {_after(agent, True) for _ in range(40)}


def _after(agent: Any, accepted: bool) -> int:
    arm = agent.act()
    agent.observe(arm, accepted)
    return int(arm)


def test_other_weights_are_refused(room: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^weights must be 17 finite numbers"):
        room.learnt_index([1.0])


@pytest.mark.slow
def test_training_follows_from_its_seed_and_begins_at_elimination(
    room: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = importlib.import_module("train_index")
    for name, few in (("N_DRAWS", 4), ("N_BEST", 2), ("N_TIMES", 2), ("N_USERS", 3)):
        monkeypatch.setattr(script, name, few)
    weights = script.train("noisy-k5", 0)
    assert weights == script.train("noisy-k5", 0)
    assert weights != script.train("noisy-k5", 1)
    assert np.abs(np.array(weights) - room.elimination(3)).max() < 3.0
