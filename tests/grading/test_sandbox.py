"""Cheats get nothing but a reason, and neither does who fails; whoever else is there goes on."""

import sys
from pathlib import Path

import handed_in
import pytest

from explorative_user_env.grading.assignment import Assignment
from explorative_user_env.grading.grader import Graded, grade
from explorative_user_env.grading.hidden import Key
from explorative_user_env.grading.limits import Limits
from explorative_user_env.grading.reasons import CHEATS, GradingOutcome
from explorative_user_env.grading.submissions import submissions_at

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits are Linux's"),
]

ALL = {
    GradingOutcome.CHEATED: handed_in.CHEATS,
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
    assert told.reason.startswith(ALL[outcome][name][1]) or ALL[outcome][name][1] in told.reason
    assert (told.outcome, told.points.value, told.points.high) == (outcome, 0.0, 0.0)


def test_every_kind_of_cheat_that_is_known_is_among_them(graded: dict[str, Graded]) -> None:
    reasons = [each.reason for each in graded.values()]
    assert all(any(reason.startswith(words) for reason in reasons) for words in CHEATS.values())


def test_an_honest_one_goes_on_behind_all_of_them(graded: dict[str, Graded]) -> None:
    assert graded["zealous"].reason == ""
    assert graded["zealous"].outcome == GradingOutcome.GRADED
    assert "the best score is that of arm 1" in graded["zealous"].output
    assert list(graded)[-1] == "zealous"


def test_a_slow_one_is_stopped_at_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "slow.py"
    path.write_text(handed_in.where("act", "import time\ntime.sleep(0.3)"))
    found = submissions_at([str(path)])
    (told,) = grade(found, Assignment(n_instances=9), Key("a key"), Limits(seconds=3.0)).graded
    assert told.outcome == GradingOutcome.STOPPED
    assert told.reason.startswith("it took longer than 3 s in all")
    # Forty steps with each of nine users would take nine times twelve seconds.
    assert 3.0 <= told.seconds < 9 * 12.0


def test_what_is_printed_is_kept_as_feedback_and_cut_off(graded: dict[str, Graded]) -> None:
    assert graded["prints a score"].output == "Score: 100\n"
    flood = graded["floods"].output
    assert flood.startswith("xxx")
    assert len(flood) < 5000
    assert "bytes more" in flood


def test_nothing_is_left_of_their_processes_and_folders(
    graded: dict[str, Graded], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    path = tmp_path / "mine.py"
    text = handed_in.where("reset", "open('left', 'w').write('x')\nwhile True:\n    pass")
    path.write_text(text)
    limits = Limits(call_seconds=0.2)
    board = grade(submissions_at([str(path)]), Assignment(n_instances=2), Key("a key"), limits)
    assert board.graded[0].outcome == GradingOutcome.STOPPED
    assert [each.name for each in tmp_path.iterdir()] == ["mine.py"]
