"""`explorative-user grade`: the key, what is written and printed, and the autograder's zip."""

import json
import os
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import handed_in
import pandas as pd
import pytest

from explorative_user_env.evaluation import Results, evaluate
from explorative_user_env.teach import grade as grader
from explorative_user_env.teach.grade import REFERENCE_AGENTS
from explorative_user_env.teach.submission import SubmittedAgent

SECRET = "a-most-secret-word"
SMALL = ["--n-instances", "3", "--n-arms", "3"]


@pytest.fixture
def submissions(tmp_path: Path) -> Path:
    folder = tmp_path / "submissions"
    (folder / "deep").mkdir(parents=True)
    (folder / "_notes.py").write_text("x = 1")
    (folder / "anna.py").write_text(handed_in.UNIFORM)
    (folder / "bert.py").write_text(handed_in.where("act", "return 7"))
    (folder / "deep" / "agent.py").write_text(handed_in.UNIFORM)
    return folder


@pytest.mark.slow
def test_a_folder_is_graded_a_row_a_student_and_the_key_is_written_nowhere(
    submissions: Path,
    output: Path,
    run: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    key_file = submissions.parent / "key.txt"
    key_file.write_text(SECRET + "\n")
    words = ["course", "grade", str(submissions), *SMALL, "--output", str(output)]
    assert run(*words, "--key-file", str(key_file)) == 0
    printed = capsys.readouterr().out
    assert "bert: 0 points, failed: act returned 7, which has to be an arm in 0..2" in printed
    files = {path.name: path.read_text() for path in output.iterdir()}
    names = {f"feedback_{name}.json" for name in ("anna", "bert", "deep")}
    assert set(files) == names | {"leaderboard.csv", "leaderboard.md", "made_by.json"}
    frame = pd.read_csv(output / "leaderboard.csv")
    assert sorted(frame["name"]) == sorted(["anna", "bert", "deep", "BAIR", "SE", "UNI"])
    same = frame[frame["name"].isin(["anna", "deep"])]["points"]
    assert same.nunique() == 1, "the same agent has met the same users"
    assert json.loads(files["feedback_bert.json"])["points"] == 0.0
    assert "| bert |" in files["leaderboard.md"]
    assert not any(SECRET in text for text in (printed, *files.values()))
    # Again, by the environment: the same users.
    monkeypatch.setenv("EXPLORATIVE_USER_KEY", SECRET)
    assert run(*words) == 0
    again = pd.read_csv(output / "leaderboard.csv")
    pd.testing.assert_frame_equal(again, frame)
    # And others with another key, beside which the variable counts for nothing.
    assert run(*words, "--key", "another-secret-word") == 0
    assert not pd.read_csv(output / "leaderboard.csv").equals(frame)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "--key must be given, by --key, --key-file or the variable EXPLORATIVE_USER_KEY"),
        (["--key", " "], "--key must be a text that is not empty"),
        (["--key", SECRET, "--key-file", "x"], "--key-file must be left out beside --key"),
        (["--key-file", "nowhere"], "--key-file must be a file with the key (No such file"),
        (["--key", SECRET, "--task", "x"], "--task must be one of bai, regret"),
        (["--key", SECRET, "--horizon", "9"], "--horizon must be left out, except for the task"),
        (["--key", SECRET, "--full-marks", "UNI"], "--full-marks must be one of BAIR, SE, got"),
        (["--key", SECRET, "--delta", "2"], "--delta must be a number in (0, 1)"),
        (["--key", SECRET, "--time-limit", "0"], "--time-limit must be a finite number above 0"),
        (["--key", SECRET, "--memory-limit", "0"], "--memory-limit must be an integer in 1.."),
        (
            ["--key", SECRET, "--task", "regret", "--max-steps", "9"],
            "--max-steps must be left out for the task regret",
        ),
        (["--key", SECRET, "--autograder", "x.tar"], "--autograder must be a path that ends in"),
    ],
)
def test_what_is_wrong_is_one_line_without_the_key(
    words: list[str],
    told: str,
    submissions: Path,
    refused: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("EXPLORATIVE_USER_KEY", raising=False)
    line = refused("course grade", str(submissions / "anna.py"), *words)
    assert told in line
    assert SECRET not in line


@pytest.mark.parametrize("place", ["nothing.py", "empty"])
def test_a_place_without_submissions_is_refused(
    place: str, tmp_path: Path, refused: Callable[..., str]
) -> None:
    (tmp_path / "empty").mkdir()
    line = refused("course grade", str(tmp_path / place), "--key", SECRET)
    assert "submission must be" in line.lower()


@pytest.mark.slow
def test_a_name_that_a_spreadsheet_would_calculate_is_a_text_in_the_file(
    tmp_path: Path, run: Callable[..., int]
) -> None:
    (tmp_path / "=1+1.py").write_text(handed_in.UNIFORM)
    output = tmp_path / "grades"
    words = (str(tmp_path / "=1+1.py"), *SMALL, "--key", SECRET, "--out", str(output))
    assert run("course grade", *words) == 0
    assert "'=1+1" in set(pd.read_csv(output / "leaderboard.csv")["name"])
    assert "| =1+1 |" in (output / "leaderboard.md").read_text()


@pytest.mark.slow
def test_a_class_can_be_named_and_files_of_one_name_are_told_apart(
    tmp_path: Path, run: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    two = handed_in.UNIFORM + handed_in.UNIFORM.replace("Agent", "Other")
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "agent.py").write_text(two)
    places = [f"{tmp_path / 'one' / 'agent.py'}:Other", str(tmp_path / "two" / "agent.py")]
    assert run("course grade", *places, *SMALL, "--key", SECRET) == 0
    printed = capsys.readouterr().out
    assert "one-agent" in printed
    assert "two-agent" in printed
    assert "16 characters" not in printed
    assert run("course grade", f"{places[1]}:None", *SMALL, "--key", "short") == 0
    printed = capsys.readouterr().out
    assert "the file has no agent called None; it has Agent, Other" in printed
    assert "16 characters or more are safe" in printed


def test_an_interrupt_leaves_no_process(
    submissions: Path, run: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = []

    def broken_off(agent: SubmittedAgent, *given: Any) -> None:
        ended.append(agent)
        raise KeyboardInterrupt

    monkeypatch.setattr(SubmittedAgent, "reset", broken_off)
    assert run("course grade", str(submissions / "anna.py"), *SMALL, "--key", SECRET) == 130
    assert ended[0]._process.poll() is not None


@pytest.mark.slow
def test_the_autograder_grades_like_the_command_and_tells_gradescope(
    tmp_path: Path, run: Callable[..., int], submissions: Path
) -> None:
    archive = tmp_path / "autograder.zip"
    words = ["course", "grade", "--key", SECRET, *SMALL, "--max-steps", "500"]
    assert run(*words, "--autograder", str(archive)) == 0
    assert run(*words, "--autograder", str(archive)) == 2, "nothing is written over"
    assert stat.S_IMODE(archive.stat().st_mode) == 0o600
    home = tmp_path / "autograder"
    source = home / "source"
    with zipfile.ZipFile(archive) as packed:
        assert packed.getinfo("run_autograder").external_attr >> 16 & 0o777 == 0o755
        assert packed.getinfo("key.txt").external_attr >> 16 & 0o777 == 0o600
        packed.extractall(source)
    assert "numpy>=2" in (source / "requirements.txt").read_text().split()
    assert subprocess.run(["bash", "-n", source / "setup.sh"], check=True).returncode == 0
    copy = source / "package"
    shown = "import explorative_user_env.agents.bair as it; print(it.__file__)"
    words_of_python = [sys.executable, "-c", shown]
    told = subprocess.check_output(words_of_python, env={"PYTHONPATH": str(copy)}, cwd=home)
    assert Path(told.decode().strip()).is_relative_to(copy)
    # What compiles here was compiled already, and would have to be anew in another place.
    ours = Path(grader.__file__).parents[2]
    (source / "environment" / "bin").mkdir(parents=True)
    python = source / "environment" / "bin" / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{ours}" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    (home / "submission").mkdir()
    (home / "submission" / "my agent.py").write_text(handed_in.UNIFORM)
    (home / "results").mkdir()
    results = _gradescope(home, source)
    assert (
        run(*words, str(home / "submission" / "my agent.py"), "--out", str(tmp_path / "out")) == 0
    )
    feedback = json.loads((tmp_path / "out" / "feedback_my agent.json").read_text())
    assert results["score"] == round(feedback["points"], 2)
    assert results["stdout_visibility"] == "hidden"
    assert "BAIR" in str(results["output"])


def test_who_did_not_install_the_package_is_told_to(
    tmp_path: Path,
    run: Callable[..., int],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(grader, "DISTRIBUTION", "a-package-that-is-nowhere")
    archive = tmp_path / "autograder.zip"
    assert run("course grade", "--key", SECRET, "--autograder", str(archive)) == 2
    assert "where the package is installed" in " ".join(capsys.readouterr().err.split())
    assert not archive.exists()


@pytest.mark.parametrize("n_files", [0, 2])
def test_gradescope_is_told_where_not_one_file_was_handed_in(
    n_files: int, tmp_path: Path, run: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grader, "evaluate", _nobody)
    folder, results = tmp_path / "submission", tmp_path / "results.json"
    folder.mkdir()
    for name in range(n_files):
        (folder / f"{name}.py").write_text(handed_in.UNIFORM)
    words = ["course", "grade", str(folder), "--key", SECRET, *SMALL, "--gradescope", str(results)]
    assert run(*words) == 0
    told = json.loads(results.read_text())
    assert told["score"] == 0.0
    assert f"it has {n_files} Python files, not one" in told["output"]


def _nobody(*agents: object, **options: Any) -> Results:
    """Return two runs of each reference agent."""
    asked = {name: options[name] for name in ("population", "seed", "max_steps")}
    return evaluate([*REFERENCE_AGENTS], n_instances=2, compiled=False, progress=False, **asked)


def _gradescope(home: Path, source: Path) -> dict[str, object]:
    subprocess.run(
        ["bash", source / "run_autograder"],
        env={**os.environ, "AUTOGRADER": str(home)},
        check=True,
        capture_output=True,
    )
    told: dict[str, object] = json.loads((home / "results" / "results.json").read_text())
    assert SECRET not in str(told)
    return told
