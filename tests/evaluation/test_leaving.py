"""Users who leave, in the harness: the same on every path, and nobody gains by it."""

from typing import Any

import pytest

import explorative_user_env as eu
from explorative_user_env.results.results import Results
from explorative_user_env.results.tables import legend_of

USERS: dict[str, Any] = {"n_arms": 3, "alpha": 0.05, "behaviour": "impatient(probability=0.05)"}


HORIZON = 120


BAI: dict[str, Any] = {"task": "bai", "max_steps": HORIZON}


REGRET: dict[str, Any] = {"task": "regret", "horizon": HORIZON}


TASKS = pytest.mark.parametrize("task", [BAI, REGRET], ids=["bai", "regret"])


def met(agents: Any, task: dict[str, Any], n_instances: int = 60, **options: Any) -> Results:
    return eu.evaluate(agents, progress=False, n_instances=n_instances, **USERS | task | options)


@pytest.fixture(scope="module")
def results() -> Results:
    return met(["UNI", "SE"], BAI, baseline_time=90, compiled=False)


@pytest.fixture(scope="module")
def played() -> Results:
    return met(["UNI", "SE"], REGRET, compiled=False)


def test_a_run_that_was_left_is_neither_right_nor_wrong_nor_censored(results: Results) -> None:
    runs = results.runs[results.runs["agent"] == "UNI"]
    assert not (runs["left"] & runs["censored"]).any()
    stopped = ~runs["left"] & ~runs["censored"]
    row = results.summary().set_index("agent").loc["UNI"]
    assert row["left"] == runs["left"].mean() > 0.3
    assert row["success"] == (stopped & runs["correct"]).mean()
    assert row["wrong"] == (stopped & ~runs["correct"]).mean()
    assert row["success"] + row["wrong"] + row["censored"] + row["left"] == pytest.approx(1.0)
    assert row["cost"] == pytest.approx(5e-4 * runs["stopping_time"].mean() + 1 - row["success"])
    assert results.to_rliable("success")["UNI"].mean() == row["success"]


def test_who_leaves_is_told_of_where_users_can_leave_and_nowhere_else(
    results: Results, played: Results
) -> None:
    for found in (results, played):
        assert " left" in str(found).splitlines()[0]
        assert any(line.startswith("left: ") for line in legend_of(found.summary()))
        assert any("Users left in 0." in note for note in found.compare("UNI", "SE").notes())
    usual = met(["SE"], BAI, behaviour="explorative", n_instances=2)
    assert "left" not in usual.summary()
    assert "left" not in str(usual) + "".join(legend_of(usual.summary()))


@pytest.mark.slow
@TASKS
def test_who_never_loses_patience_is_the_papers_user(task: dict[str, Any]) -> None:
    agents, how = (["SE"] if task is BAI else ["UNI"]), {"n_instances": 15, "noise": 0.1}
    mild = met(agents, task, behaviour="impatient(probability=0)", **how).runs
    assert mild.equals(met(agents, task, behaviour="explorative", **how).runs)
