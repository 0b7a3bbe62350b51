"""Models of several tasks that take part in a suite as one are verified task by task."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import explorative_user_env as eu
from explorative_user_env.agents import UCB1
from explorative_user_env.studies import suite_tasks as room
from explorative_user_env.studies.suite import run_suite
from explorative_user_env.studies.suite_tasks import SUITE, ModelsByTask, who


class Turns:
    """Recommends each arm so many times in a row."""

    name = "mine"

    def __init__(self, each: int) -> None:
        self.each = each

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        self.n_arms, self.t = n_arms, -1

    def act(self) -> int:
        self.t += 1
        return self.t // self.each % self.n_arms

    def observe(self, arm: int, accepted: bool) -> None:
        pass

    def answer(self) -> int:
        return 0


def test_models_of_one_name_are_told_apart_and_asked_of_their_own_tasks_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "SUITE", tuple(replace(task, n_instances=6) for task in SUITE))
    models = {"regret-k5": [Turns(2)], "noisy-k5": [Turns(4)], "logistic-k5": [Turns(3)]}
    tuned = {
        "regret-k5": [UCB1(exploration=0.1, name="tuned")],
        "logistic-k5": [UCB1(exploration=0.2, name="tuned")],
    }
    entrants = [ModelsByTask("mine", models), ModelsByTask("tuned", tuned)]
    path = tmp_path / "run.sqlite"
    run_suite(entrants, tasks=["regret-k5", "noisy-k5"], store=path, progress=False)
    own = list(who(entrants).values())
    found = eu.verify(path, own, share=1.0, progress=False)
    assert [each.words for each in found.findings] == []
    assert found.equal
    assert not found.notes
    others = eu.verify(path, [Turns(2), Turns(5)], share=1.0, progress=False)
    assert {(each.cell, each.agent) for each in others.findings} == {("noisy-k5", "mine")}
