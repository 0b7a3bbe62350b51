"""Who fails gets no points and a reason, and whoever else is there goes on."""

import sys
import tempfile
import time

import pytest
from handed_in import UNIFORM, where

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

ZEALOUS = where(
    "top",
    """
    import gymnasium, logging, numpy, tempfile, warnings
    from explorative_user_env.agents import BAIR

    with tempfile.TemporaryFile() as file:
        file.write(b"so far")
    with open("notes.txt", "w") as file:
        file.write("mine")
    assert open("notes.txt").read() == "mine"
    logging.getLogger("mine").warning("the scores: 0.3, 0.7")
    warnings.warn("score 3 looks odd")
    env = gymnasium.make("ExplorativeUser-v0")
    env.reset(seed=0)
    env.unwrapped.hidden_state()
    print("the best score is that of arm", numpy.argmax([1, 2]))
    """,
)
"""Does much that one may do, and meets a user of its own, whose truth is nobody's secret."""

WRITES = """
import os
for one in range(3, 20):
    try:
        os.write(one, {reply})
    except OSError:
        pass
"""

CHEATED, FAILED, STOPPED = GradingOutcome.CHEATED, GradingOutcome.FAILED, GradingOutcome.STOPPED
GARBAGE = WRITES.format(reply="bytes([2]) * 200 + b'\\n'")
ARMS = WRITES.format(reply="b'[%d,0]\\n' % (self.n_steps + 2)")
ENDLESS = "while True:\n    "
RAISES = UNIFORM.replace("self.accepted[arm] += accepted", "1 / (self.n_steps - 3)")
REWARDED = UNIFORM.replace("class Agent:", "class Agent:\n    sees_rewards = True")
CRASHES = "import faulthandler\nfaulthandler._sigsegv()"
ALL = {
    "sends garbage": (CHEATED, where("act", GARBAGE), GONE),
    "tells arms": (CHEATED, where("act", ARMS), GONE),
    "raises": (FAILED, RAISES, "observe raised ZeroDivisionError: division by zero (line 11"),
    "takes more": (FAILED, UNIFORM.replace("act(self)", "act(self, x)"), "'x', at step 1"),
    "syntax": (FAILED, "class Agent:\n    def act(self) return 1\n", "(line 2 of the file)"),
    "no agent": (FAILED, "x = 1\n", "the file must have one class with the methods reset, act,"),
    "leaves": (FAILED, where("act", "import os\nos._exit(3)"), "it ended its own process (exit"),
    "much memory": (FAILED, where("act", "bytearray(1 << 40)"), "its limit is 512 MB, at step 1"),
    "rewards": (FAILED, REWARDED, "the agent requests rewards, which no agent may observe"),
    "crashes": (FAILED, where("top", CRASHES), "signal SIGSEGV ended its process, in the import"),
    "never ends": (STOPPED, where("act", ENDLESS + "pass"), "reset or act took more than 2 s of "),
    "floods": (STOPPED, where("answer", ENDLESS + "print('x' * 9999)"), "answer took more than"),
}
QUICK = ("sends garbage", "raises", "takes more", "crashes")


@pytest.mark.parametrize("names", [QUICK, pytest.param(ALL, marks=pytest.mark.exhaustive)])
def test_who_fails_gets_no_points_and_a_reason(names, tmp_path, monkeypatch, subtests):
    for name in names:
        (tmp_path / f"{name}.py").write_text(ALL[name][1])
    (tmp_path / "zealous.py").write_text(ZEALOUS)  # honest, behind all others
    limits = Limits(call_seconds=2.0, memory=512)  # others need far less, on any machine
    monkeypatch.setattr(submission, "BY_THE_CLOCK", 100.0)  # however busy the machine is
    handed = submissions_at([str(tmp_path)])
    board = grade(handed, Assignment(n_instances=2), Key("a key"), limits)
    graded = {each.student: each for each in board.graded}
    for name in names:
        with subtests.test(name):
            (outcome, _, reason), told = ALL[name], graded[name]
            assert reason in told.reason
            assert (told.outcome, told.points.value, told.points.high) == (outcome, 0.0, 0.0)
    assert (graded["zealous"].outcome, graded["zealous"].reason) == (GradingOutcome.GRADED, "")
    assert "the best score is that of arm 1" in graded["zealous"].output
    assert list(graded)[-1] == "zealous"
    if "floods" in graded:
        assert len(graded["floods"].output) < 5000
        assert "bytes more" in graded["floods"].output


def graded_alone(text, folder, limits, **asked):
    path = folder / "alone.py"
    path.write_text(text)
    assignment = Assignment(**{"n_instances": 9, **asked})
    return grade([Submission("alone", path)], assignment, Key("a key"), limits).graded[0]


def test_a_pipe_that_another_process_holds_has_a_time_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(submission, "BY_THE_CLOCK", 2.0)
    # The child is not of the group that is killed. Where a limit forbids it, `act` fails.
    code = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(20)\nos._exit(0)"
    began = time.monotonic()
    told = graded_alone(where("act", code), tmp_path, Limits(call_seconds=0.5))
    assert told.outcome in (GradingOutcome.STOPPED, GradingOutcome.FAILED)
    assert time.monotonic() - began < 15.0


@pytest.mark.exhaustive
def test_who_takes_too_long_is_stopped(tmp_path, monkeypatch):
    waits, busy = "import time\ntime.sleep(99)", "for _ in range(3_000_000):\n    pass"
    half_a_reply = WRITES.format(reply="b'[1,'") + waits
    rows = [
        (2.0, half_a_reply, Limits(call_seconds=0.5), "reset or act took longer than 1 s of wall"),
        (1e3, busy, Limits(1.0), "it took more than 1 s of processor time in total"),
    ]
    for by_the_clock, code, limits, reason in rows:
        monkeypatch.setattr(submission, "BY_THE_CLOCK", by_the_clock)
        told = graded_alone(where("act", code), tmp_path, limits)
        assert told.outcome == GradingOutcome.STOPPED
        assert told.reason.startswith(reason)


def test_what_was_finished_in_time_is_graded(tmp_path):
    endless = "self.n = getattr(self, 'n', 0) + 1\nwhile self.n > 5:\n    pass"
    asked, slow = {"task": REGRET, "horizon": 30}, where("reset", endless)
    told = graded_alone(slow, tmp_path, Limits(call_seconds=0.5), **asked)
    assert told.outcome == GradingOutcome.STOPPED
    assert told.reason.endswith("at step 1 with user 6; 5 of 9 users were finished")
    whole = graded_alone(UNIFORM, tmp_path, Limits(), **asked)
    assert 0.0 < told.figures["regret"] != whole.figures["regret"]
    assert told.figures["n_runs"] == whole.figures["n_runs"] == 9


def test_nothing_is_left_of_their_processes_and_folders(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    text = where("reset", "open('left', 'w').write('x')\nwhile True:\n    pass")
    told = graded_alone(text, tmp_path, Limits(call_seconds=0.2), n_instances=2)
    assert told.outcome == GradingOutcome.STOPPED
    assert [each.name for each in tmp_path.iterdir()] == ["alone.py"]
