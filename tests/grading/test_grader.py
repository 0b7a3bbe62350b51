"""An honest submission gets what `evaluate` gives it, and the same hidden users as all others."""

import json

import handed_in
import numpy as np
import pandas as pd
import pytest

from explorative_user_env.evaluation import evaluate
from explorative_user_env.protocol import BAI, POPULATION, REGRET
from explorative_user_env.results.intervals import mean_interval
from explorative_user_env.teach import grade as grader
from explorative_user_env.teach.grade import (
    SHOWN_FIGURES,
    Assignment,
    Key,
    Points,
    Scale,
    feedback_of,
    leaderboard_table,
    rows_of,
)
from explorative_user_env.teach.submission import GradingOutcome, Limits, Submission, submissions_at
from explorative_user_env.users.population import Population
from explorative_user_env.validation import InvalidArgumentError

KEY = Key("a teacher's secret")
TASKS = {
    "bai": Assignment(n_instances=6, max_steps=300, population=Population(n_arms=3)),
    "regret": Assignment(task=REGRET, n_instances=6, horizon=80),
}


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_an_honest_submission_gets_what_evaluate_gives_its_class(task, tmp_path):
    for name, text in handed_in.HONEST.items():
        (tmp_path / f"{name}.py").write_text(text)
    assignment = TASKS[task]
    board = grader.grade(submissions_at([str(tmp_path)]), assignment, KEY)
    assert [each.outcome for each in board.graded] == [GradingOutcome.GRADED] * 3
    seed = KEY.seed(assignment.task, assignment.population, assignment.delta)
    options = assignment.options() | {"seed": seed, "progress": False}
    time = {row["agent"]: row for _, _, row in board.references}["UNI"]["horizon"]
    for each in board.graded:
        classes = {}
        exec(handed_in.HONEST[each.student], classes)
        agent = classes.get("Agent") or classes["Chooser"]
        told = each.student == "told how long" and task == "bai"
        more = {"baseline_time": time} if told else {}
        mine = evaluate([agent()], **options, **more)
        frames = [mine.summary(), pd.DataFrame([each.figures])]
        pd.testing.assert_frame_equal(*frames, check_exact=True, check_dtype=False)
        if task == "bai":  # naming one of three arms at once is wrong two times in three
            costs = 0.0005 * mine.runs["stopping_time"] + 1.0 - mine.runs["correct"]
            low, high = mean_interval(np.asarray(costs))
            expected = [100.0 * (1.0 - 1.5 * cost) for cost in (costs.mean(), high, low)]
            assert list(each.points) == pytest.approx(np.clip(expected, 0.0, 100.0).tolist())


def board_of(assignment, **outcomes):
    rank_by = "regret" if assignment.over_horizon else "cost"
    usual = dict.fromkeys(SHOWN_FIGURES[rank_by], 0.5)
    graded = [
        grader.Graded(
            name,
            outcome,
            points=Points(points, points, points),
            figures=usual | {rank_by: 1.0 - points / 100} if points else {},
        )
        for name, (outcome, points) in outcomes.items()
    ]
    bair = ("BAIR", Points(60.0, 60.0, 60.0), usual | {rank_by: 0.4})
    return grader.Leaderboard(assignment, [bair], graded)


GRADED, CHEATED, STOPPED = GradingOutcome.GRADED, GradingOutcome.CHEATED, GradingOutcome.STOPPED


@pytest.mark.parametrize("assignment", [Assignment(), Assignment(task=REGRET)])
def test_the_leaderboard_ranks_by_the_cost_of_its_task_and_has_who_got_nothing_last(assignment):
    students = {"a": (CHEATED, 0.0), "b": (GRADED, 50.0), "c": (GRADED, 70.0), "d": (STOPPED, 10.0)}
    board = board_of(assignment, **students)
    frame = rows_of(board)
    assert frame["name"].tolist() == ["c", "BAIR", "b", "d", "a"]
    assert frame["place"].fillna(0).tolist() == [1, 0, 2, 3, 0]
    assert leaderboard_table(frame).row_count == 5


def test_full_marks_are_the_way_from_uni_to_an_agent_with_more_for_who_does_better():
    seed = {"seed": 3, "n_instances": 40, "progress": False, "task": REGRET, "horizon": 300}
    results = evaluate(["BAIR", "SE", "UNI"], **seed)
    marks = Scale.of(results, "BAIR")
    regrets = results.runs.groupby("agent")["regret"].mean()
    assert marks.points(results, "BAIR").value == pytest.approx(100.0)
    assert marks.points(results, "UNI").value == 0.0
    assert Scale.of(results, None).points(results, "BAIR").value < 90.0
    se = 100.0 * (regrets["UNI"] - regrets["SE"]) / (regrets["UNI"] - regrets["BAIR"])
    assert marks.points(results, "SE").value == pytest.approx(max(se, 0.0))
    assert Scale(zero=2.0, full=1.0, most=float("inf"))._worth(0.5) == 150.0
    with pytest.raises(InvalidArgumentError, match=r"^full_marks must be one of BAIR, SE, got"):
        Assignment(full_marks="UNI")
    assert Assignment(full_marks="bair").full_marks == "BAIR"


def test_feedback_has_no_bound_of_steps_below_0_and_says_nothing_of_single_users():
    board = board_of(Assignment(), b=(GRADED, 50.0))
    (graded,) = board.graded
    graded.figures["stopping_time_low"] = -1445.0
    assert rows_of(board).set_index("name")["stopping_time_low"]["b"] == 0.0
    assert "-1445" not in grader.results_json(board)
    told = json.loads(feedback_of(board, graded))
    assert (told["points"], told["figures"]["stopping_time_low"]) == (50.0, 0.0)
    assert list(told["figures"]) == list(SHOWN_FIGURES["cost"])
    assert "seed" not in str(told)


def test_hidden_users_follow_from_the_key_and_the_cell():
    here = (BAI, Population(), 0.1)
    others = [(REGRET, *here[1:]), (BAI, Population(n_arms=6), 0.1), (BAI, Population(), 0.2)]
    seeds = {KEY.seed(*here), Key("another").seed(*here), *(KEY.seed(*each) for each in others)}
    assert len(seeds) == 5
    assert Key("a teacher's secret\n").seed(*here) == KEY.seed(*here)
    assert max(seeds) < 2**256
    assert "secret" not in repr(KEY)


@pytest.mark.slow
def test_the_key_is_nowhere_in_the_process_of_a_submission(tmp_path, monkeypatch):
    secret = "a-most-secret-word"
    monkeypatch.setenv("EXPLORATIVE_USER_KEY", secret)
    path = tmp_path / "one.py"
    look = "import os, sys\nprint(dict(os.environ), sys.argv, sys.path, os.getcwd())\n"
    look += "print([one for one in range(3, 64) if os.path.exists(f'/dev/fd/{one}')])"
    path.write_text(handed_in.where("top", look))
    board = grader.grade([Submission("one", path)], Assignment(n_instances=2), Key(secret))
    printed, open_ones = board.graded[0].output.splitlines()
    assert board.graded[0].outcome == GradingOutcome.GRADED
    assert "PATH" in printed
    assert secret not in printed
    assert str(tmp_path) not in printed
    assert len(json.loads(open_ones)) == 2, "the two ends of its own channel, and nothing else"


def test_limits_are_above_0_and_users_who_come_one_after_another_are_refused():
    with pytest.raises(ValueError, match=r"^memory_limit must be"):
        Limits(memory=0)
    with pytest.raises(InvalidArgumentError, match=r"^task must be one of bai, regret, got"):
        Assignment(task=POPULATION)
