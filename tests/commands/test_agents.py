"""Who takes part by which words, and what a benchmark is where nothing else is asked for."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from small_tuning import TUNED

from explorative_user_env import InvalidArgumentError
from explorative_user_env.agents import AGENTS, REFERENCES
from explorative_user_env.commands.agents import agents_called, bench_defaults
from explorative_user_env.evaluation import evaluate
from explorative_user_env.protocol import name_of
from explorative_user_env.studies.paper import BENCH_DELTAS, BENCH_N_ARMS

ALL = [*AGENTS, *REFERENCES]
MODULE = """
class Mine:
    def reset(self, n_arms, rng, horizon=None):
        self.left = 5

    def act(self):
        return 0 if self.left else None

    def observe(self, arm, accepted):
        self.left -= 1

    def answer(self):
        return 1

class Other(Mine):
    name = "other"

class Wanting(Mine):
    def __init__(self, needed):
        pass

made, ready, nothing, idle = lambda: Other(), Other(), 3, object
"""


class Model:
    def __init__(self, name="PPO", **trained_on):
        self.name = name
        self.trained_on = {"task": "regret", "n_arms": 4} | trained_on


@pytest.fixture
def _models(monkeypatch):
    load = SimpleNamespace(load_agent=lambda source: Model("DQN" if "dqn" in source else "PPO"))
    monkeypatch.setitem(sys.modules, "explorative_user_env.rl", load)


@pytest.fixture
def _own_module(tmp_path, monkeypatch):
    (tmp_path / "own_bandits.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    sys.modules.pop("own_bandits", None)


@pytest.fixture
def tuned(tmp_path):
    TUNED.save(tmp_path / "tuned.json")
    return str(tmp_path)


@pytest.mark.usefixtures("_models", "_own_module")
def test_agents_take_part_by_their_words_in_their_order(subtests):
    for names, task, expected in (
        (None, None, ["BAIR", "T&S", "UNI", "EXP3"]),
        ([], "regret", ALL),
        (["ucb1", "TAS", "full-information"], "bai", ["UCB1", "T&S", "Full-information"]),
        (["sb3:a/ppo", "sb3:b/dqn"], "bai", [*ALL, "PPO", "DQN"]),
        (["sb3:one", "uni", "sb3:two", "sb3:dqn"], None, ["one", "UNI", "two", "DQN"]),
        (["uni", "sb3:a/one", "sb3:b/one"], None, ["UNI", "a/one", "b/one"]),
        (["uni", "own_bandits:Mine", "own_bandits:Other"], None, ["UNI", "Mine", "other"]),
    ):
        with subtests.test(str(names), task=task):
            assert [name_of(one) for one in agents_called(names, None, task)] == expected
    for place in ("made", "ready"):
        assert agents_called([f"own_bandits:{place}"], None)[0].name == "other"


def test_a_tuned_n1_takes_part_by_its_folder_its_file_or_its_number(tuned):
    for words, n1 in ((tuned, 7), (f"{tuned}/tuned.json", 7), ("200", 200)):
        bair, agent = agents_called(["bair", f"bair-tuned:{words}"], 99)
        assert (name_of(bair), name_of(agent)) == ("BAIR", "BAIR-tuned")
        assert (agent.params(20, None).n1, agent.max_steps) == (n1, 99)
    agents = agents_called(["bair-tuned:9", f"bair-tuned:{tuned}"], None)[-2:]
    assert [name_of(one) for one in agents] == ["BAIR-tuned:9", f"BAIR-tuned:{Path(tuned).name}"]


@pytest.mark.usefixtures("_own_module")
def test_who_is_nobody_is_refused_with_the_reason(subtests):
    for name, reason in {
        "greedy": "^agent must be one of bair, ",
        "bair-tuned:nowhere": "tuned must be a file or folder written by tune-n1",
        "own_bandits:Yours": r"a callable module:Class \(AttributeError: ",
        "own_bandits:Wanting": r"a callable module:Class \(TypeError: .*missing 1 required",
        "own_bandits:nothing": r"a callable module:Class \(TypeError: 'int' object is not call",
        "own_bandits:idle": "module:Class with reset, act, observe, answer",
    }.items():
        with subtests.test(name), pytest.raises(InvalidArgumentError, match=reason):
            agents_called(["bair", name], None)


@pytest.mark.exhaustive  # the agents travel to worker processes
@pytest.mark.usefixtures("_own_module")
def test_an_agent_of_ones_own_stands_in_the_table_after_other_workers(run, output):
    evaluate(["UNI"], n_instances=30, baseline_time=50, compiled=False, workers=2)
    words = "bench --agent bair --agent own_bandits:Mine --n-arms 2 --delta .2 --n-instances 30"
    assert run(words, "--workers", "2", "--output", output).code == 0
    runs = pd.read_csv(output / "runs.csv").query("agent == 'Mine'")
    assert (len(runs), set(runs["answer"]), set(runs["interactions"])) == (30, {1}, {5})


def defaults(agents, **given):
    nothing = dict.fromkeys(("task", "setting", "deltas", "n_arms"))
    return bench_defaults(agents, **nothing | given)


def test_a_bench_is_the_papers_or_as_the_first_model_was_trained(tuned):
    papers, delta = agents_called(None, None), BENCH_DELTAS[:1]
    for asked, expected in (
        ({}, ("bai", "released", delta, (5,), True)),
        ({"every": True}, ("bai", "released", BENCH_DELTAS, BENCH_N_ARMS, True)),
        ({"task": "regret", "every": True}, ("regret", "released", delta, BENCH_N_ARMS, False)),
        ({"task": "population"}, ("population", "printed", delta, (20,), False)),
    ):
        assert defaults(papers, **asked) == expected
    assert not defaults(agents_called(["uni", "se"], None)).papers
    models = [Model(task="bai", n_arms=7, setting="printed"), Model(n_arms=9)]
    assert defaults([*papers, *models]) == ("bai", "printed", delta, (7,), False)
    agents = agents_called(["bair", f"bair-tuned:{tuned}"], None)
    assert defaults(agents) == ("bai", "released", (0.2,), (3,), False)
    given = {"task": "bai", "setting": "printed", "deltas": [0.2, 0.3], "n_arms": [2, 6]}
    assert defaults([Model(setting="released")], **given) == (*given.values(), False)
    with pytest.raises(InvalidArgumentError, match="one of bai, population, regret, got 'sleep'"):
        defaults([Model()], task="sleep")
