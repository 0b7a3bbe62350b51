"""The tasks are frozen, and each of them is one that agents can be asked."""

from dataclasses import replace
from typing import Any

import pytest

import explorative_user_env as eu
from explorative_user_env.studies import suite_tasks as room
from explorative_user_env.studies.suite import SuiteResults
from explorative_user_env.studies.suite_tasks import (
    SUITE,
    SUITE_VERSION,
    SuiteRun,
    SuiteTask,
    line_up_for,
    suite_digest,
    tasks_named,
)
from explorative_user_env.validation import InvalidArgumentError


def test_the_records_of_a_version_never_change() -> None:
    # Whoever changes a record on purpose makes a new version: scores are compared by its name.
    assert (SUITE_VERSION, suite_digest(SUITE)) == ("v1", "c4c13fe0cba0cdfd")


def test_any_number_of_a_record_makes_another_digest_and_words_about_it_do_not() -> None:
    first, *rest = SUITE
    changes: tuple[dict[str, Any], ...] = (
        {"seed": 1},
        {"max_steps": 9},
        {"options": {"n_arms": 3}},
    )
    for change in changes:
        assert suite_digest([replace(first, **change), *rest]) != suite_digest(SUITE)
    words = replace(first, about="Clearer.", why="Because.")
    assert suite_digest([words, *rest]) == suite_digest(SUITE)


def test_tasks_have_names_and_users_of_their_own_and_say_what_they_are_for() -> None:
    for name in ("name", "seed", "about"):
        assert len({getattr(task, name) for task in SUITE}) == len(SUITE)
    assert {task.reference for task in SUITE} != {room.WORST}


@pytest.mark.slow
@pytest.mark.parametrize("task", SUITE, ids=lambda task: task.name)
def test_every_task_runs_with_its_anchors_which_have_0_and_1(task: SuiteTask) -> None:
    one = replace(task, n_instances=2)
    # Step by step: nothing has to be compiled for kinds of users that nobody else here meets.
    cell = eu.evaluate(line_up_for(one, []), compiled=False, progress=False, **one.arguments())
    scores = SuiteResults(SuiteRun([task.name]), {task.name: cell}).scores().set_index("agent")
    for name, score in (("UNI", 0.0), (task.reference, 1.0)):
        assert scores.loc[name, ["score", "low", "high"]].tolist() == [score] * 3


def test_a_quick_run_has_the_first_tenth_of_the_users() -> None:
    for task, quick in zip(tasks_named(None), SuiteRun(quick=True).records(), strict=True):
        assert quick == replace(task, n_instances=task.n_instances // 10)


def test_another_seed_gives_each_task_users_of_its_own() -> None:
    seeds = [task.seed for run in (3, 4) for task in SuiteRun(seed=run).records()]
    assert len(set(seeds)) == 2 * len(SUITE)
    assert SuiteRun(["bai-k5"], seed=3).records()[0].seed == seeds[1]


def test_the_title_says_what_is_not_the_whole_suite() -> None:
    assert SuiteRun().title == "suite v1"
    assert SuiteRun([task.name for task in SUITE]).title == "suite v1"
    part = SuiteRun(["bai-k5", "regret-k5"], quick=True, seed=0)
    assert part.title == f"suite v1, seed 0, 1 in 10 users, 2 of {len(SUITE)} tasks"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"tasks": ["bai"]}, "task must be one of bai-k2, bai-k5"),
        ({"tasks": []}, "tasks must be at least one task's name"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_what_there_is_none_of_is_refused(options: dict[str, object], told: str) -> None:
    with pytest.raises(InvalidArgumentError, match=told):
        SuiteRun(**options)  # type: ignore[arg-type]


def test_a_record_that_cannot_be_run_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="behaviour must be"):
        SuiteTask("mine", "regret", {"behaviour": "drifting"}, 10, 1, "SE", "moving means", "none")
