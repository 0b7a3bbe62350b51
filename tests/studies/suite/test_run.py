"""A run of the suite is the same in any company, and goes on where it was broken off."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, UCB1, SuccessiveElimination
from explorative_user_env.studies.suite import SuiteResults, load_suite, run_suite
from explorative_user_env.studies.suite_tasks import ModelsByTask, tasks_named
from explorative_user_env.validation import InvalidArgumentError

TASKS = ("bai-k5", "regret-k5")


class Constant:
    """Recommends one arm, whatever she says, and names it after three times."""

    def __init__(self, arm: int, name: str, n_arms: int = 5, task: str = "bai") -> None:
        self.arm, self.name = arm, name
        self.trained_on = {"n_arms": n_arms, "task": task}

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        self.n_steps = 0

    def act(self) -> int | None:
        return None if self.n_steps == 3 else self.arm

    def observe(self, arm: int, accepted: bool) -> None:
        self.n_steps += 1

    def answer(self) -> int:
        return self.arm


def same(one: SuiteResults, other: SuiteResults) -> None:
    for frame in ("scores", "totals"):
        pd.testing.assert_frame_equal(getattr(one, frame)(), getattr(other, frame)())


def test_each_task_is_what_an_evaluation_of_it_says(found: SuiteResults) -> None:
    assert tuple(found.cells) == TASKS
    for task in tasks_named(TASKS):
        own = task.arguments() | {"progress": False}
        alone = eu.evaluate(["BAIR", "UCB1", "UNI", "SE"], **own).runs
        pd.testing.assert_frame_equal(found.cells[task.name].runs, alone)


def test_it_is_the_same_for_any_order_company_and_number_of_workers(found: SuiteResults) -> None:
    again = run_suite(
        ["EXP3", "SE", "UCB1", "BAIR"], tasks=TASKS[::-1], workers=2, progress=False
    ).scores()
    by_name = again[again["agent"] != "EXP3"].set_index(["task", "agent"]).sort_index()
    expected = found.scores().set_index(["task", "agent"]).sort_index()
    pd.testing.assert_frame_equal(by_name, expected)


def test_a_run_that_is_broken_off_goes_on_from_its_store(
    found: SuiteResults, tmp_path: Path
) -> None:
    path, told = tmp_path / "runs.sqlite", list[str]()

    def ends_in_the_second_task(what: str, done: int, total: int) -> None:
        told.append(what)
        if what.startswith("regret-k5: UCB1"):
            raise KeyboardInterrupt

    options: dict[str, Any] = {"tasks": TASKS, "store": path}
    with pytest.raises(KeyboardInterrupt) as stop:
        run_suite(["BAIR", "UCB1"], progress=ends_in_the_second_task, **options)
    assert [each.cell["task"] for each in stop.value.finished] == ["bai", "regret"]  # type: ignore[attr-defined]
    part = load_suite(path)
    assert [task.name for task in part.tasks] == ["bai-k5"]
    assert part.scores().equals(found.scores()[found.scores()["task"] == "bai-k5"])
    same(run_suite(["BAIR", "UCB1"], progress=False, **options), found)
    same(load_suite(path), found)


def test_another_line_up_is_another_run(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    run_suite(["UCB1"], tasks=["bai-k2"], progress=False, store=path)
    with pytest.raises(InvalidArgumentError, match="asked for the same"):
        run_suite([UCB1(name="other")], tasks=["bai-k2"], progress=False, store=path)


def test_who_fits_some_tasks_has_no_score_in_others_and_no_rank(found: SuiteResults) -> None:
    one = Constant(0, "one")
    results = run_suite(["BAIR", one, "UCB1"], tasks=TASKS, progress=False)
    totals = results.totals().set_index("agent")
    assert totals["n_tasks"].to_dict() == {"BAIR": 2, "one": 1, "UCB1": 2, "UNI": 2, "SE": 2}
    assert pd.isna(totals.loc["one", "rank"])
    assert sorted(totals["rank"].dropna()) == [1, 2, 3, 4]
    scores = results.scores()
    assert scores[scores["agent"] == "one"]["task"].tolist() == ["bai-k5"]
    others = scores[scores["agent"] != "one"].reset_index(drop=True)
    pd.testing.assert_frame_equal(others, found.scores())


def test_trainings_of_one_model_are_one_entrant() -> None:
    models = [Constant(arm, f"stubborn #{arm}") for arm in range(3)]
    together = run_suite(
        [ModelsByTask("stubborn", {"bai-k5": models})], tasks=["bai-k5"], progress=False
    )
    (row,) = together.scores().query("agent == 'stubborn'").to_dict("records")
    alone = [
        run_suite([model], tasks=["bai-k5"], progress=False).losses["bai-k5"]["stubborn"].value
        for model in models
    ]
    assert row["n_trainings"] == 3
    assert row["loss"] == pytest.approx(np.mean(alone))
    assert together.agents == ("stubborn", "UNI", "SE")


@pytest.mark.parametrize(
    ("agents", "told"),
    [
        ([], "agents must be agents with different names"),
        (["BAIR", BAIR()], "agents must be agents with different names"),
        ([SuccessiveElimination(delta=0.3)], "agents must be with another name than SE"),
        ([Constant(0, "UNI")], "agents must be with another name than UNI"),
        ([Constant(0, "c", n_arms=7)], "agents must be of a kind and a K that is among bai-k2"),
        (["Bayes"], "agent must be one of"),
        (BAIR(), "agents must be a list of agents"),
    ],
)
def test_a_line_up_that_has_no_scores_is_refused(agents: Any, told: str) -> None:
    with pytest.raises(InvalidArgumentError, match=told):
        run_suite(agents, progress=False)


def test_models_are_for_tasks_that_there_are_and_called_like_their_entrant() -> None:
    with pytest.raises(InvalidArgumentError, match="task must be one of bai-k2"):
        ModelsByTask("c", {"bai-k6": [Constant(0, "c")]})
    with pytest.raises(InvalidArgumentError, match="models must be called c, or c #0"):
        ModelsByTask("c", {"bai-k5": [Constant(0, "d")]})


def test_what_is_no_file_of_a_suite_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    eu.evaluate(["UNI"], baseline_time=3, n_instances=2, progress=False).save(path)
    with pytest.raises(InvalidArgumentError, match="a file of runs of suite"):
        load_suite(path)
