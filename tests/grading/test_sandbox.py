"""Who fails gets no points and a reason, and whoever else is there goes on."""

import sys

import handed_in
import pytest

from explorative_user_env.protocol import REGRET
from explorative_user_env.teach import submission
from explorative_user_env.teach.grade import Assignment, Key, grade
from explorative_user_env.teach.submission import (
    GONE,
    GradingOutcome,
    Limits,
    Submission,
    submissions_at,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits are Linux's"),
]

ALL = {
    GradingOutcome.CHEATED: {name: (text, GONE) for name, text in handed_in.CHEATS.items()},
    GradingOutcome.FAILED: handed_in.FAILING,
    GradingOutcome.STOPPED: handed_in.SLOW,
}


QUICK = ("sends garbage", "raises later", "crashes")


@pytest.mark.parametrize("names", [QUICK, pytest.param(None, marks=pytest.mark.exhaustive)])
def test_who_does_what_is_not_asked_for_gets_no_points_and_a_reason(
    names, tmp_path, monkeypatch, subtests
):
    cases = {
        name: (outcome, text, reason)
        for outcome, those in ALL.items()
        for name, (text, reason) in those.items()
        if names is None or name in names
    }
    for name, (_, text, _) in cases.items():
        (tmp_path / f"{name}.py").write_text(text)
    (tmp_path / "zealous.py").write_text(handed_in.ZEALOUS)  # honest, behind all others
    limits = Limits(call_seconds=2.0, memory=512)  # others need far less, on any machine
    monkeypatch.setattr(submission, "BY_THE_CLOCK", 100.0)  # however busy the machine is
    handed = submissions_at([str(tmp_path)])
    board = grade(handed, Assignment(n_instances=2), Key("a key"), limits)
    graded = {each.student: each for each in board.graded}
    for name, (outcome, _, reason) in cases.items():
        with subtests.test(name):
            told = graded[name]
            assert reason in told.reason
            assert (told.outcome, told.points.value, told.points.high) == (outcome, 0.0, 0.0)
    assert (graded["zealous"].outcome, graded["zealous"].reason) == (GradingOutcome.GRADED, "")
    assert "the best score is that of arm 1" in graded["zealous"].output
    assert list(graded)[-1] == "zealous"
    if "floods" in graded:
        flood = graded["floods"].output
        assert flood.startswith("xxx")
        assert len(flood) < 5000
        assert "bytes more" in flood


def graded_alone(text, folder, limits, **asked):
    path = folder / "alone.py"
    path.write_text(text)
    assignment = Assignment(**{"n_instances": 9, **asked})
    return grade([Submission("alone", path)], assignment, Key("a key"), limits).graded[0]


@pytest.mark.exhaustive
def test_one_that_takes_too_long_is_stopped_by_the_clock_or_its_processor_time(
    tmp_path, monkeypatch
):
    waits, half_a_reply = "import time\ntime.sleep(99)", handed_in.WRITES.format(reply="b'[1,'")
    quick, busy = "import time\ntime.sleep(0.3)", "for _ in range(3_000_000):\n    pass"
    rows = [
        (2.0, waits, Limits(call_seconds=0.5), "reset or act took longer than 1 s by the clock"),
        (2.0, half_a_reply + waits, Limits(call_seconds=0.5), "reset or act took longer"),
        (0.5, quick, Limits(9.0), "it took longer than 4.5 s by the clock"),
        (1e3, busy, Limits(1.0), "it took more than 1 s of processor time in all"),
    ]
    for by_the_clock, code, limits, reason in rows:
        monkeypatch.setattr(submission, "BY_THE_CLOCK", by_the_clock)
        told = graded_alone(handed_in.where("act", code), tmp_path, limits)
        assert told.outcome == GradingOutcome.STOPPED
        assert told.reason.startswith(reason)


@pytest.mark.parametrize(
    "asked", [{}, pytest.param({"task": REGRET, "horizon": 30}, marks=pytest.mark.exhaustive)]
)
def test_what_was_finished_in_time_is_graded(asked, tmp_path):
    slow = handed_in.where(
        "reset", "self.n = getattr(self, 'n', 0) + 1\nwhile self.n > 5:\n    pass"
    )
    told = graded_alone(slow, tmp_path, Limits(call_seconds=1.0), **asked)
    assert told.outcome == GradingOutcome.STOPPED
    assert told.reason.endswith("at step 1 with user 6; 5 of 9 users were finished")
    whole = graded_alone(handed_in.UNIFORM, tmp_path, Limits(), **asked)
    rank_by = "regret" if asked else "cost"
    assert 0.0 < told.figures[rank_by] != whole.figures[rank_by]
    assert told.figures["n_runs"] == whole.figures["n_runs"] == 9


def test_nothing_is_left_of_their_processes_and_folders(tmp_path, monkeypatch):
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    text = handed_in.where("reset", "open('left', 'w').write('x')\nwhile True:\n    pass")
    told = graded_alone(text, tmp_path, Limits(call_seconds=0.2), n_instances=2)
    assert told.outcome == GradingOutcome.STOPPED
    assert [each.name for each in tmp_path.iterdir()] == ["alone.py"]
