"""Whose file is read: a student's own, and no other."""

import os

import pytest

from explorative_user_env.teach.submission import submissions_at


@pytest.fixture
def handed_in(tmp_path):
    folder = tmp_path / "handed_in"
    for name in ("anna.py", "bert/agent.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("mine = 1\n")
    (tmp_path / "key.txt").write_text("a secret")
    return folder


def _faults(folder):
    return {each.student: each.fault for each in submissions_at([str(folder)])}


def test_a_link_to_what_is_not_its_own_is_not_followed(handed_in, tmp_path):
    (tmp_path / "linked").symlink_to(handed_in)  # a folder may itself be a link
    (handed_in / "carl").mkdir()
    links = [("key.py", "../key.txt"), ("folder", "bert"), ("carl/agent.py", "../anna.py")]
    for link, to in links:
        (handed_in / link).symlink_to(to)
    linked = "its file is a link"
    told = dict.fromkeys(("key", "folder", "carl"), linked)
    assert _faults(tmp_path / "linked") == {"anna": "", "bert": "", **told}


def test_every_entry_gets_a_row_and_nobody_waits_for_a_pipe_to_end(handed_in):
    (handed_in / "carl.ipynb").write_text("{}")
    (handed_in / "dora").mkdir()
    (handed_in / "_notes.txt").write_text("of nobody")
    os.mkfifo(handed_in / "emil.py")
    assert _faults(handed_in) == {
        **{"anna": "", "bert": "", "carl": "carl.ipynb is not a .py file"},
        **{"dora": "it has 0 Python files, not one", "emil": "it is not a file"},
    }


def test_names_that_are_long_or_differ_in_their_case_stop_nobody(handed_in):
    names = ["a" * 252, "a" * 251 + "b", "é" * 126, "Anna", "ANNA"]
    for name in names:
        (handed_in / f"{name}.py").write_text("mine = 1\n")
    called = [each.student for each in submissions_at([str(handed_in)])]
    assert len({name.casefold() for name in called}) == len(called) == 7
    assert all(len(f"feedback_{name}.json".encode()) < 200 for name in called)
    with pytest.raises(ValueError, match=r"^submission must be listed only once"):
        submissions_at([str(handed_in / "anna.py"), str(handed_in / "anna.py")])
