"""Who fails gets no points and a reason, and whoever else is there goes on."""

import sys
from pathlib import Path

import handed_in
import pytest

from explorative_user_env.protocol import REGRET
from explorative_user_env.teach import submission
from explorative_user_env.teach.grade import Assignment, Graded, Key, grade
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


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Graded]:
    folder = tmp_path_factory.mktemp("submissions")
    texts = {name: text for those in ALL.values() for name, (text, _) in those.items()}
    # One that is honest, behind all others.
    for name, text in {**texts, "zealous": handed_in.ZEALOUS}.items():
        (folder / f"{name}.py").write_text(text)
    limits = Limits(call_seconds=2.0, memory=512)  # others need far less, on any machine
    board = grade(submissions_at([str(folder)]), Assignment(n_instances=2), Key("a key"), limits)
    return {each.student: each for each in board.graded}


@pytest.mark.parametrize(
    ("outcome", "name"), [(outcome, name) for outcome, those in ALL.items() for name in those]
)
def test_who_does_what_is_not_asked_for_gets_no_points_and_a_reason(
    outcome: GradingOutcome, name: str, graded: dict[str, Graded]
) -> None:
    told = graded[name]
    assert ALL[outcome][name][1] in told.reason
    assert (told.outcome, told.points.value, told.points.high) == (outcome, 0.0, 0.0)


def test_an_honest_one_goes_on_behind_all_of_them(graded: dict[str, Graded]) -> None:
    assert graded["zealous"].reason == ""
    assert graded["zealous"].outcome == GradingOutcome.GRADED
    assert "the best score is that of arm 1" in graded["zealous"].output
    assert list(graded)[-1] == "zealous"


def graded_alone(text: str, folder: Path, limits: Limits, **asked: object) -> Graded:
    path = folder / "alone.py"
    path.write_text(text)
    assignment = Assignment(**{"n_instances": 9, **asked})  # type: ignore[arg-type]
    return grade([Submission("alone", path)], assignment, Key("a key"), limits).graded[0]


def test_one_that_waits_is_stopped_by_the_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submission, "BY_THE_CLOCK", 2.0)
    text = handed_in.where("act", "import time\ntime.sleep(1000)")
    told = graded_alone(text, tmp_path, Limits(call_seconds=0.5))
    assert told.outcome == GradingOutcome.STOPPED
    assert told.reason.startswith("reset or act took longer than 1 s by the clock")
    # Half a reply is none.
    text = handed_in.where(
        "act", handed_in.WRITES.format(reply="b'[1,'") + "import time\ntime.sleep(99)"
    )
    told = graded_alone(text, tmp_path, Limits(call_seconds=0.5))
    assert told.outcome == GradingOutcome.STOPPED
    monkeypatch.setattr(submission, "BY_THE_CLOCK", 0.5)
    told = graded_alone(
        handed_in.where("act", "import time\ntime.sleep(0.3)"), tmp_path, Limits(9.0)
    )
    assert told.reason.startswith("it took longer than 4.5 s by the clock")
    assert told.outcome == GradingOutcome.STOPPED


@pytest.mark.parametrize("asked", [{}, {"task": REGRET, "horizon": 30}])
def test_what_was_finished_in_time_is_graded(asked: dict[str, object], tmp_path: Path) -> None:
    """Users who are left count as an arm by chance: with all of them finished, more points."""
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


def test_processor_time_in_all_is_limited(tmp_path: Path) -> None:
    busy = handed_in.where("act", "for _ in range(3_000_000):\n    pass")
    told = graded_alone(busy, tmp_path, Limits(seconds=1.0))
    assert told.outcome == GradingOutcome.STOPPED
    assert told.reason.startswith("it took more than 1 s of processor time in all")


def test_a_name_of_many_bytes_is_no_cheat(tmp_path: Path) -> None:
    for name in ("\N{GRINNING FACE}" * 84, "\N{GREEK SMALL LETTER RHO}" * 180):
        text = handed_in.UNIFORM.replace("class Agent:", f"class Agent:\n    name = {name!r}")
        assert graded_alone(text, tmp_path, Limits()).outcome == GradingOutcome.GRADED


def test_what_is_printed_is_kept_as_feedback_and_cut_off(graded: dict[str, Graded]) -> None:
    flood = graded["floods"].output
    assert flood.startswith("xxx")
    assert len(flood) < 5000
    assert "bytes more" in flood


def test_nothing_is_left_of_their_processes_and_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    text = handed_in.where("reset", "open('left', 'w').write('x')\nwhile True:\n    pass")
    told = graded_alone(text, tmp_path, Limits(call_seconds=0.2), n_instances=2)
    assert told.outcome == GradingOutcome.STOPPED
    assert [each.name for each in tmp_path.iterdir()] == ["alone.py"]
