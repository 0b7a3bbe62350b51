import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from explorative_user_env import InvalidArgumentError
from explorative_user_env.agents import AGENTS, REFERENCES
from explorative_user_env.commands.agents import (
    Defaults,
    agents_called,
    bench_defaults,
    elsewhere,
)
from explorative_user_env.protocol import name_of
from explorative_user_env.studies.paper import BENCH_DELTAS, BENCH_N_ARMS
from explorative_user_env.studies.tuning import Estimate, TunedN1
from explorative_user_env.users.population import RELEASED, Population

PAPERS = ["BAIR", "T&S", "UNI", "EXP3"]


class Model:
    """Stands in for a trained model."""

    def __init__(self, name: str = "PPO", **trained_on: Any) -> None:
        self.name = name
        self.trained_on = {"task": "regret", "n_arms": 4} | trained_on


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The folders that models were loaded from; one with "dqn" in its name is a DQN."""
    sources: list[str] = []

    def load(source: str) -> Model:
        sources.append(source)
        return Model("DQN" if "dqn" in source else "PPO")

    monkeypatch.setitem(sys.modules, "explorative_user_env.rl", SimpleNamespace(load_agent=load))
    return sources


def shown(agents: list[Any]) -> list[str]:
    return [name_of(agent) for agent in agents]


@pytest.mark.parametrize("names", [None, []])
def test_the_papers_four_take_part_where_nobody_is_named(names: list[str] | None) -> None:
    assert shown(agents_called(names, None)) == PAPERS == list(AGENTS)


def test_agents_are_named_in_any_spelling_and_keep_their_order() -> None:
    found = agents_called(["ucb1", "TAS", "full-information", "Bair"], None)
    assert shown(found) == ["UCB1", "T&S", "Full-information", "BAIR"]


def test_the_step_cap_is_every_agents() -> None:
    assert [agent.max_steps for agent in agents_called(None, 77)] == [77] * 4
    assert [agent.max_steps for agent in agents_called(["se"], None)] == [None]


def test_models_of_one_algorithm_have_the_names_of_their_folders(loaded: list[str]) -> None:
    for names, expected in (
        (["sb3:a/one", "sb3:b/two"], ["one", "two"]),
        (["sb3:a/one", "sb3:b/one"], ["a/one", "b/one"]),
    ):
        assert shown(agents_called(["bair", *names], None))[1:] == expected


@pytest.mark.parametrize("task", [None, "bai", "regret"])
def test_models_alone_stand_beside_all_of_the_package(task: str | None, loaded: list[str]) -> None:
    found = agents_called(["sb3:a/ppo", "sb3:b/dqn"], None, task)
    assert shown(found) == [*AGENTS, *REFERENCES, "PPO", "DQN"]
    assert loaded == ["a/ppo", "b/dqn"]


@pytest.mark.parametrize("task", ["bai", "regret"])
def test_all_of_the_package_take_part_where_only_a_task_is_named(task: str) -> None:
    assert shown(agents_called(None, None, task)) == [*AGENTS, *REFERENCES]
    assert shown(agents_called(["uni"], None, task)) == ["UNI"]


def test_models_beside_a_named_agent_are_with_that_one_alone(loaded: list[str]) -> None:
    assert shown(agents_called(["sb3:a/ppo", "thompson"], None)) == ["PPO", "Thompson"]


def test_several_models_of_one_algorithm_are_told_apart_by_their_folders(
    loaded: list[str],
) -> None:
    found = agents_called(["sb3:one", "uni", "sb3:two", "sb3:dqn"], None)
    assert shown(found) == ["one", "UNI", "two", "DQN"]


@pytest.mark.parametrize("names", [["greedy"], ["bair", "greedy"], ["sb3"], [""]])
def test_a_name_that_means_nothing_is_refused(names: list[str]) -> None:
    with pytest.raises(InvalidArgumentError, match="agent must be one of bair, "):
        agents_called(names, None)


def test_a_model_without_a_folder_is_refused() -> None:
    pytest.importorskip("sb3_contrib", reason="models are loaded by Stable-Baselines3")
    with pytest.raises(InvalidArgumentError, match="model must be a folder"):
        agents_called(["sb3:"], None)


def test_a_folder_without_a_model_is_refused_by_name(tmp_path: Any) -> None:
    pytest.importorskip("sb3_contrib", reason="models are loaded by Stable-Baselines3")
    with pytest.raises(InvalidArgumentError, match=f"model must be a folder.*got '{tmp_path}'"):
        agents_called([f"sb3:{tmp_path}"], None)


def defaults(agents: list[Any], **given: Any) -> Defaults:
    nothing: dict[str, Any] = dict.fromkeys(("task", "setting", "deltas", "n_arms"))
    return bench_defaults(agents, **(nothing | given))


def test_without_models_a_bench_is_the_papers() -> None:
    found = defaults(agents_called(None, None))
    assert found == Defaults("bai", "released", (0.1,), (5,), papers=True)
    found = defaults(agents_called(None, None), whole=True)
    assert found == Defaults("bai", "released", BENCH_DELTAS, BENCH_N_ARMS, papers=True)


@pytest.mark.parametrize("task", ["bai", "regret"])
def test_a_bench_of_a_named_task_is_not_the_papers(task: str) -> None:
    assert not defaults(agents_called(None, None, task), task=task).papers


def test_regret_has_no_use_for_several_deltas() -> None:
    found = defaults(agents_called(None, None), task="regret", whole=True)
    assert found == Defaults("regret", "released", BENCH_DELTAS[:1], BENCH_N_ARMS, papers=False)


@pytest.mark.parametrize("task", ["bai", "regret"])
def test_beside_a_model_all_is_as_it_was_trained(task: str) -> None:
    agents = [*agents_called(None, None), Model(task=task, n_arms=7, setting="printed")]
    assert defaults(agents) == Defaults(task, "printed", BENCH_DELTAS[:1], (7,), papers=False)


def test_a_model_of_no_known_setting_meets_the_released_one() -> None:
    assert defaults([Model()]).setting == "released"


def test_of_several_models_the_first_counts() -> None:
    agents = [Model(task="bai", n_arms=3), Model(task="regret", n_arms=9)]
    assert defaults(agents) == Defaults("bai", "released", BENCH_DELTAS[:1], (3,), papers=False)


def test_what_is_asked_for_wins_over_a_model() -> None:
    asked: dict[str, Any] = {
        "task": "bai",
        "setting": "printed",
        "deltas": [0.2, 0.3],
        "n_arms": [2, 6],
    }
    model = Model(task="regret", n_arms=4, setting="released")
    assert defaults([model], **asked) == Defaults(**asked, papers=False)


@pytest.mark.parametrize("agents", [[], [Model()]])
def test_a_task_that_is_not_known_is_refused(agents: list[Any]) -> None:
    with pytest.raises(InvalidArgumentError, match="one of bai, population, regret, got 'sleep'"):
        defaults(agents, task="sleep")


@pytest.fixture
def tuned(tmp_path: Path) -> str:
    """The folder of a tuned N_1 = 7."""
    cell = {"setting": "printed", "n_arms": 20, "delta": 0.005, "alpha": 0.8, "gap": 0.5}
    cell |= {"noise": 0.0, "means": "normal", "rho": None}
    figure = Estimate(1.0, 1.0, 1.0)
    rest: dict[str, Any] = {
        "n_fresh": 1,
        "censored": 0.0,
        "error": 0.05,
        "n_runs": 1,
        "n_instances": 1,
        "seed": 0,
    }
    rest |= dict.fromkeys(("success", "stopping_time", "paper_stopping_time"), figure)
    found = TunedN1(n1=7, interval=(5, 7), paper_n1=9, cell=cell, **rest)
    found.save(tmp_path / "tuned.json")
    return str(tmp_path)


@pytest.mark.parametrize("file", ["", "/tuned.json"], ids=["folder", "file"])
def test_a_tuned_n1_takes_part_by_its_file(tuned: str, file: str) -> None:
    bair, agent = agents_called(["bair", f"bair-tuned:{tuned}{file}"], 99)
    assert shown([bair, agent]) == ["BAIR", "BAIR-tuned"]
    assert agent.params(20, None).n1 == 7
    assert agent.max_steps == 99


def test_a_tuned_n1_takes_part_by_its_number() -> None:
    _, agent = agents_called(["bair", "bair-tuned:200"], None)
    assert agent.params(5, None).n1 == 200
    assert defaults([agent], whole=True).deltas == BENCH_DELTAS


def test_a_tuned_n1_alone_stands_beside_all_of_the_package() -> None:
    found = agents_called(["bair-tuned:200"], None)
    assert shown(found) == [*AGENTS, *REFERENCES, "BAIR-tuned"]


def test_several_tuned_n1_are_told_apart(tuned: str) -> None:
    names = ["bair", "bair-tuned:9", f"bair-tuned:{tuned}", "bair-tuned:0"]
    assert shown(agents_called(names, None))[1:] == [
        "BAIR-tuned:9",
        f"BAIR-tuned:{Path(tuned).name}",
        "BAIR-tuned:0",
    ]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bair-tuned:", "tuned must be a file or folder written by tune-n1"),
        ("bair-tuned:nowhere", "tuned must be a file or folder written by tune-n1"),
        ("bair-tuned:-3", "tuned must be a file or folder written by tune-n1"),
        ("bair-tuned", "agent must be one of bair, "),
    ],
)
def test_a_tuned_n1_that_is_none_is_refused(name: str, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        agents_called([name], None)


def test_beside_a_tuned_n1_all_is_as_it_was_tuned(tuned: str) -> None:
    agents = agents_called(["bair", f"bair-tuned:{tuned}"], None)
    assert defaults(agents) == Defaults("bai", "printed", (0.005,), (20,), papers=False)


def test_a_tuned_n1_among_other_users_is_warned_of(tuned: str) -> None:
    agents = agents_called(["bair", f"bair-tuned:{tuned}", "bair-tuned:3"], None)
    usual = defaults(agents)
    assert elsewhere(agents, usual, Population(alpha=0.8)) == []
    other = defaults(agents, deltas=[0.005, 0.1], setting="released")
    assert elsewhere(agents, other, Population(setting=RELEASED, means="normal")) == [
        f"BAIR-tuned:{Path(tuned).name}: N_1 was tuned for delta=0.005, setting=printed, "
        "alpha=0.8; it promises nothing else."
    ]
