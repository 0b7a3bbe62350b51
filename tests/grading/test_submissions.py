"""Whose file is read: a student's own, and no other."""

import os
from pathlib import Path

import pytest

from explorative_user_env.teach.submission import one_submission, submissions_at

A_LINK = "its file is a link, and not a file of its own"


@pytest.fixture
def handed_in(tmp_path: Path) -> Path:
    folder = tmp_path / "handed_in"
    for name in ("anna.py", "bert/agent.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("mine = 1\n")
    (tmp_path / "key.txt").write_text("a secret")
    return folder


def _faults(folder: Path) -> dict[str, str]:
    return {each.student: each.fault for each in submissions_at([str(folder)])}


@pytest.mark.parametrize(
    ("link", "to"),
    [
        ("carl.py", "anna.py"),  # another's answer
        ("carl.py", "../key.txt"),  # the teacher's secret
        ("carl", "bert"),  # another's folder
        ("carl/agent.py", "../anna.py"),
    ],
)
def test_a_link_to_what_is_not_its_own_is_not_followed(link: str, to: str, handed_in: Path) -> None:
    (handed_in / link).parent.mkdir(exist_ok=True)
    try:
        (handed_in / link).symlink_to(to)
    except OSError:
        pytest.skip("no links can be made here")
    assert _faults(handed_in) == {"anna": "", "bert": "", "carl": A_LINK}


def test_a_folder_may_itself_be_a_link(handed_in: Path, tmp_path: Path) -> None:
    try:
        (tmp_path / "linked").symlink_to(handed_in)
    except OSError:
        pytest.skip("no links can be made here")
    assert _faults(tmp_path / "linked") == {"anna": "", "bert": ""}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_nobody_waits_for_a_pipe_to_end(handed_in: Path, tmp_path: Path) -> None:
    os.mkfifo(handed_in / "carl.py")
    assert _faults(handed_in)["carl"] == "it is not a file"
    (tmp_path / "one").mkdir()
    os.mkfifo(tmp_path / "one" / "agent.py")
    assert one_submission(str(tmp_path / "one")).fault == "it is not a file"


def test_a_name_of_any_length_stands_in_the_name_of_a_file(handed_in: Path) -> None:
    names = ["a" * 252, "a" * 251 + "b", "é" * 126]
    for name in names:
        (handed_in / f"{name}.py").write_text("mine = 1\n")
    called = [name for name in _faults(handed_in) if name not in ("anna", "bert")]
    assert len(called) == len(names), "no two of them are called the same"
    assert all(len(f"feedback_{name}.json".encode()) < 200 for name in called)


def test_every_entry_gets_a_row(handed_in: Path) -> None:
    (handed_in / "carl.ipynb").write_text("{}")
    (handed_in / "dora").mkdir()
    (handed_in / "_notes.txt").write_text("of nobody")
    assert _faults(handed_in) == {
        "anna": "",
        "bert": "",
        "carl": "carl.ipynb is no .py file",
        "dora": "it has 0 Python files, not one",
    }


def test_names_that_differ_in_their_case_stop_nobody(handed_in: Path) -> None:
    for name in ("Anna.py", "ANNA.py", "anna.txt"):
        (handed_in / name).write_text("mine = 2\n")
    found = submissions_at([str(handed_in)])
    names = [each.student for each in found]
    assert len({name.casefold() for name in names}) == len(names) == 5
    with pytest.raises(ValueError, match=r"^submission must be given once"):
        submissions_at([str(handed_in / "anna.py"), str(handed_in / "anna.py")])
