"""`course` gives the notebooks out, takes nobody's work away, and grades what is handed in."""

import json
import os
import shlex
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from handed_in import UNIFORM, where

from explorative_user_env import validation as extras
from explorative_user_env.teach import LESSONS
from explorative_user_env.teach import grade as grader

NAMES = [f"{lesson.name}.ipynb" for lesson in LESSONS]
SECRET = "a-most-secret-word"
SMALL = "course grade --n-instances 3 --n-arms 3"


def test_the_notebooks_are_written_and_her_work_in_them_is_kept(run, tmp_path, monkeypatch):
    folder = tmp_path / "my course"
    *lines, last = run("course notebooks", folder).out.splitlines()
    assert lines == [f"new: {name}" for name in NAMES]
    assert last.endswith(f"jupyter lab {shlex.quote(str(folder))}")
    (folder / NAMES[1]).write_text("her work")
    (folder / NAMES[2]).unlink()
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    lines = run("course notebooks", folder, "--solutions").out.splitlines()
    assert f"not replaced, as it has your changes: {NAMES[1]}" in lines
    assert f"new: {NAMES[2]}" in lines
    assert lines[-1].startswith(f"To open them: {extras.how_to_get('course')} && jupyter lab ")
    assert (folder / NAMES[1]).read_text() == "her work"
    assert (folder / NAMES[0]).read_text() != (folder / "solutions" / NAMES[0]).read_text()


@pytest.fixture
def submissions(tmp_path):
    folder = tmp_path / "submissions"
    (folder / "deep").mkdir(parents=True)
    (folder / "_notes.py").write_text("x = 1")
    for name in ("deep/agent.py", "=1+1.py"):
        (folder / name).write_text(UNIFORM)
    (folder / "bert.py").write_text(where("act", "return 7"))
    return folder


@pytest.mark.slow
def test_a_folder_is_graded_and_the_key_written_nowhere(submissions, output, run, monkeypatch):
    key_file = submissions.parent / "key.txt"
    key_file.write_text(SECRET + "\n")
    words = (SMALL, submissions, "--output", output)
    printed = run(*words, "--key-file", key_file).out
    assert "bert: 0 points, failed: act must return an arm in 0..2, got 7" in printed
    files = {path.name: path.read_text() for path in output.iterdir()}
    names = {f"feedback_{name}.json" for name in ("bert", "deep", "=1+1")}
    assert set(files) == names | {"leaderboard.csv", "leaderboard.md", "made_by.json"}
    points = pd.read_csv(output / "leaderboard.csv", index_col="name")["points"]
    students = {"bert", "deep", "'=1+1"}  # which a spreadsheet does not calculate
    assert set(points.index) == students | {"BAIR", "SE", "UNI"}
    assert points["deep"] == points["'=1+1"], "the same agent has met the same users"
    assert json.loads(files["feedback_bert.json"])["points"] == 0.0
    assert not any(SECRET in text for text in (printed, *files.values()))
    # The same users by the environment, and others with another key, which counts before it.
    monkeypatch.setenv("EXPLORATIVE_USER_KEY", SECRET)
    for more, same_users in ((), True), (("--key", "another-secret-word"), False):
        assert run(SMALL, submissions / "deep", "--output", output, "--overwrite", *more).code == 0
        again = pd.read_csv(output / "leaderboard.csv", index_col="name")["points"]
        assert (again["BAIR"] == points["BAIR"]) == same_users


@pytest.mark.slow
def test_a_class_can_be_named_and_files_of_one_name_are_told_apart(tmp_path, run):
    files = [tmp_path / name / "agent.py" for name in ("one", "two")]
    for file in files:
        file.parent.mkdir()
        file.write_text(UNIFORM + UNIFORM.replace("Agent", "Other"))
    printed = run(SMALL, f"{files[0]}:Other", f"{files[1]}:None", "--key", "short").out
    assert (
        "two-agent: 0 points, failed: the file has no agent class None; it has the classes: A"
        in printed
    )
    assert ("one-agent" in printed, "16 characters or more" in printed) == (True, True)


def test_an_interrupt_leaves_no_process(submissions, run, calls_of):
    calls = calls_of("explorative_user_env.teach.submission.SubmittedAgent.reset")
    assert run(SMALL, submissions / "=1+1.py", "--key", SECRET).code == 130
    assert calls[0].arguments[0]._process.poll() is not None


@pytest.mark.slow
def test_the_autograder_grades_like_the_command_and_tells_gradescope(tmp_path, run):
    archive, home = tmp_path / "autograder.zip", tmp_path / "autograder"
    source = home / "source"
    words = (f"{SMALL} --max-steps 500 --key", SECRET)
    assert run(*words, "--autograder", archive).code == 0
    assert run(*words, "--autograder", archive).code == 2, "nothing is written over"
    assert stat.S_IMODE(archive.stat().st_mode) == 0o600
    with zipfile.ZipFile(archive) as packed:
        assert packed.getinfo("run_autograder").external_attr >> 16 & 0o777 == 0o755
        assert packed.getinfo("key.txt").external_attr >> 16 & 0o777 == 0o600
        packed.extractall(source)
    subprocess.run(["bash", "-n", source / "setup.sh"], check=True)
    assert (source / "package" / "explorative_user_env" / "agents" / "bair.py").is_file()
    ours = Path(grader.__file__).parents[2]  # which was compiled already
    python = source / "environment" / "bin" / "python"
    submission = home / "submission" / "my agent.py"
    for folder in (python.parent, submission.parent, home / "results"):
        folder.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{ours}" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    submission.write_text(UNIFORM)
    script = ["bash", str(source / "run_autograder")]
    environment = os.environ | {"AUTOGRADER": str(home)}
    subprocess.run(script, env=environment, check=True, capture_output=True)
    results = json.loads((home / "results" / "results.json").read_text())
    assert SECRET not in str(results)
    assert run(*words, submission, "--out", tmp_path / "out").code == 0
    feedback = json.loads((tmp_path / "out" / "feedback_my agent.json").read_text())
    assert results["score"] == round(feedback["points"], 2)
    assert results["stdout_visibility"] == "hidden"


def test_gradescope_is_told_where_not_one_file_was_handed_in(tmp_path, run):
    folder, results = tmp_path / "submission", tmp_path / "results.json"
    folder.mkdir()
    for n_files in (0, 2):
        for name in range(n_files):
            (folder / f"{name}.py").write_text(UNIFORM)
        assert run(SMALL, folder, "--key", SECRET, "--gradescope", results).code == 0
        told = json.loads(results.read_text())
        assert told["score"] == 0.0
        assert f"it has {n_files} Python files, not one" in told["output"]


def test_where_there_is_nothing_to_grade_or_to_pack_it_is_refused(tmp_path, run, monkeypatch):
    assert "submission must be" in run("course grade --key", SECRET, tmp_path).err.lower()
    monkeypatch.setattr(grader, "DISTRIBUTION", "a-package-that-is-nowhere")
    ended = run("course grade --key", SECRET, "--autograder", tmp_path / "autograder.zip")
    assert "where the package is installed" in ended.err
    assert not list(tmp_path.iterdir())
