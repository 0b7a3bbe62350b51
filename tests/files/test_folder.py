"""A folder has the files of one run, whole, or says not; what somebody else has put there stays."""

import errno
import hashlib
import json
import os
import shutil
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

import pytest

from explorative_user_env.files import (
    FILES,
    MADE_BY,
    PREFIX,
    RUN,
    Folder,
    add_files,
    check_one_run,
    finished_file,
)
from explorative_user_env.validation import InvalidArgumentError

OPTIONS = {"seed": 0, "delta": (0.1, 0.01), "gap": None}
ASKED = {"command": "bench", "options": OPTIONS}


def fill(folder, made_by, text="a", names=("a",), **options):
    files = {name: lambda path: path.write_text(text) for name in names}
    return Folder(folder, made_by, **options).write(files)


def manifest(folder):
    return json.loads((folder / MADE_BY).read_text())


def contents(folder):
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def test_files_are_written_together_with_what_made_them_and_what_each_holds(tmp_path):
    path = tmp_path / "deep" / "er"
    folder = Folder(path, ASKED)
    folder.note(cells=[1])
    shutil.rmtree(tmp_path / "deep")  # it is made again
    written = folder.write({name: lambda path: path.write_text(path.name) for name in ("a", "b")})
    assert written == [path / "a", path / "b"]
    said = manifest(path)
    assert contents(path) == {"a": b"a", "b": b"b", MADE_BY: (path / MADE_BY).read_bytes()}
    assert said.pop(FILES) == {name: hashlib.sha256(name.encode()).hexdigest() for name in "ab"}
    run = said.pop(RUN)
    assert said == json.loads(json.dumps(ASKED)) | {"cells": [1]}
    # The same run may write over its own files, whatever was noted.
    fill(path, ASKED)
    first = manifest(path)
    assert first[RUN] != run
    for text, same in (("a", True), ("b", False)):
        fill(path, ASKED, text)
        assert (manifest(path) == first) == same


def test_another_runs_files_are_written_over_only_if_that_is_asked_for(tmp_path):
    for told, other in {
        "seed=0, no gap": {"options": OPTIONS | {"gap": 0.3, "seed": 1}},
        r"delta=\[0.1, 0.01\]": {"options": {"seed": 0, "gap": None}},
        "command=bench": {"command": "robustness"},
        "no numpy": {"versions": {"numpy": "9"}},
    }.items():
        fill(tmp_path, ASKED, overwrite=True)
        before = contents(tmp_path)
        message = (
            f"^output must be a folder without another run \\(it has a run with {told}\\); --over"
        )
        with pytest.raises(InvalidArgumentError, match=message):
            fill(tmp_path, ASKED | other)
        assert contents(tmp_path) == before
        fill(tmp_path, ASKED | other, overwrite=True)
        assert json.loads(json.dumps(ASKED | other)).items() <= manifest(tmp_path).items()
    for text in ("", "{", "[1]", "\xff", "[" * 100_000):
        (tmp_path / MADE_BY).write_text(text, encoding="latin-1")
        with pytest.raises(
            InvalidArgumentError, match=r"with an unreadable manifest\); --overwrite"
        ):
            fill(tmp_path, ASKED)


def test_files_that_a_run_does_not_have_are_taken_away_if_nobody_has_changed_them(tmp_path):
    (tmp_path / "mine").write_text("not theirs")
    fill(tmp_path, ASKED, "old", ("kept", "gone", "edited"))
    (tmp_path / "edited").write_text("with a note")
    fill(tmp_path, ASKED, "new", ("kept",))
    left = {name: text for name, text in contents(tmp_path).items() if name != MADE_BY}
    assert left == {"mine": b"not theirs", "kept": b"new", "edited": b"with a note"}


def test_a_folder_that_takes_no_files_is_refused_at_once(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    for place in ("file", "file/inside"):
        with pytest.raises(InvalidArgumentError, match="DIR must be a folder that can be written"):
            add_files("DIR", tmp_path / place, ADDED)
        with pytest.raises(InvalidArgumentError, match="output must be a folder that can be writ"):
            Folder(tmp_path / place)

    def refuse(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("os.open", refuse)  # root may write everywhere, so chmod would not do
    with pytest.raises(InvalidArgumentError, match=r"written to \(Permission denied\), got"):
        Folder(tmp_path)


def test_what_a_folder_does_not_take_in_the_end_is_refused_and_nothing_changes(tmp_path):
    def a_file_for_the_folder(folder):
        folder.rmdir()
        folder.write_text("")

    def by_another_run(folder):
        fill(folder, ASKED | {"options": OPTIONS | {"seed": 1}})

    def refuse(path):
        path.write_text("half")
        raise OSError(errno.ENOSPC, "No space left on device")

    for told, happens, write in [
        ("a is a folder", lambda folder: (folder / "a").mkdir(), Path.touch),
        (os.strerror(errno.EEXIST), a_file_for_the_folder, Path.touch),
        ("it now has a run with seed=1", by_another_run, Path.touch),
        ("No space left on device", lambda folder: (folder / "a").write_text("old"), refuse),
    ]:
        path = tmp_path / told
        folder = Folder(path, ASKED)
        happens(path)
        before = contents(tmp_path)
        with pytest.raises(InvalidArgumentError) as refused:
            folder.write({"a": lambda path: path.write_text("a"), "b": write})
        allowed = f"a folder that can be written to ({told})"
        assert str(refused.value) == f"output must be {allowed}, got {str(path)!r}"
        assert before == contents(tmp_path)


def test_a_file_that_is_not_as_its_run_has_written_it_is_named(tmp_path):
    Folder(tmp_path).write({name: lambda path: path.write_text(path.name) for name in ("a", "b")})
    check_one_run("model", tmp_path, ("a", "b"))
    assert finished_file("path", tmp_path, "a") == tmp_path / "a"
    (tmp_path / "a").write_text("b")
    with pytest.raises(InvalidArgumentError, match=r"\(a differs\)"):
        finished_file("path", tmp_path, "a")
    for change in (Path.touch, Path.unlink):
        change(tmp_path / "a")
        with pytest.raises(InvalidArgumentError, match=r"^model must be .* \(a differs\), got '"):
            check_one_run("model", tmp_path, ("b", "a"))
    (tmp_path / "c").write_text("c")
    check_one_run("model", tmp_path, ["b", "c"])
    with pytest.raises(InvalidArgumentError, match="a folder with d, which a finished run"):
        finished_file("path", tmp_path, "d")
    (tmp_path / MADE_BY).unlink()
    check_one_run("model", tmp_path, ("a", "b"))


ADDED = {"a": b"1", "b": b"2", "inside/c": b"3"}


def test_files_are_added_and_what_somebody_has_there_is_kept(tmp_path):
    folder = tmp_path / "of" / "hers"
    assert add_files("folder", folder, ADDED) == (["a", "b", "inside/c"], [], [])
    assert contents(folder) == ADDED
    (folder / "b").write_bytes(b"hers")
    (folder / "d").write_bytes(b"hers too")
    (folder / "inside" / "c").unlink()
    assert add_files("folder", folder, ADDED) == (["inside/c"], ["a"], ["b"])
    assert contents(folder) == {**ADDED, "b": b"hers", "d": b"hers too"}
    for name in ("a", "b"):
        (folder / name).unlink()
    (folder / "a").symlink_to(tmp_path / "nowhere")
    (folder / "b").mkdir()
    assert add_files("folder", folder, ADDED) == ([], ["inside/c"], ["a", "b"])
    assert (folder / "a").is_symlink()
    assert not (tmp_path / "nowhere").exists()


def test_who_is_interrupted_has_no_file_more_than_before(tmp_path, monkeypatch):
    (tmp_path / "b").write_bytes(b"hers")
    replace = os.replace

    def interrupted(source, target):
        if target.name == "c":
            raise KeyboardInterrupt
        replace(source, target)

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        add_files("folder", tmp_path, ADDED)
    assert contents(tmp_path) == {"b": b"hers"}


def test_what_a_killed_process_has_left_is_removed_an_hour_later(tmp_path):
    old, new = tmp_path / ".unfinished-old", tmp_path / ".unfinished-new"
    for left in (old, new):
        (left / "a").mkdir(parents=True)
    os.utime(old, (0.0, 0.0))
    Folder(tmp_path, ASKED)
    assert (old.exists(), new.exists()) == (False, True)


# Whatever stops an exchange of files, and wherever: a kill is an exception that comes again from
# everything that the process does afterwards.

OLD, NEW = ("first", "second", "older"), ("first", "second", "newer")
PLACES = range(15)  # the last of which no exchange here comes to


@contextmanager
def stopped_at(place, how, lasts=True):
    places = count()

    def touch(usual, *arguments, **options):
        here = next(places)
        if here == place or (lasts and here > place):
            raise how
        return usual(*arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        for name in ("mkdir", "replace", "rmdir", "unlink"):  # what changes a folder
            usual = getattr(os, name)
            patch.setattr(os, name, lambda *a, usual=usual, **o: touch(usual, *a, **o))
        yield


def write(folder, names):
    fill(folder, {"command": names[-1]}, " ".join(names), names, overwrite=True)


def run_in(folder):
    shown = {path.name for path in folder.iterdir() if not path.name.startswith(PREFIX)}
    for names in (OLD, NEW):
        if shown == {*names, MADE_BY}:
            check_one_run("output", folder, names)
            assert all((folder / name).read_text() == " ".join(names) for name in names)
            return names[-1]
    return sorted(shown)


@pytest.mark.parametrize("place", PLACES)
def test_who_is_killed_leaves_one_run_or_a_mixture_that_is_refused(place, tmp_path):
    write(tmp_path, OLD)
    ends = pytest.raises(SystemExit) if place <= 8 else suppress(SystemExit)
    with ends, stopped_at(place, SystemExit()):
        write(tmp_path, NEW)
    with suppress(InvalidArgumentError):
        check_one_run("output", tmp_path, OLD)
        assert run_in(tmp_path) in ("older", "newer")
    write(tmp_path, NEW)
    assert run_in(tmp_path) == "newer"


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("how", [OSError(errno.EIO, "error"), KeyboardInterrupt()])
def test_what_fails_once_changes_nothing(place, how, tmp_path):
    write(tmp_path, OLD)
    found = ["newer"]
    try:
        with stopped_at(place, how, lasts=False):
            write(tmp_path, NEW)
    except InvalidArgumentError:
        found = ["older"]
    except KeyboardInterrupt:
        found = ["older", "newer"]  # it may come while old files are deleted
    assert run_in(tmp_path) in found


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
def test_a_manifest_that_is_no_regular_file_is_not_read(tmp_path):
    os.mkfifo(tmp_path / MADE_BY)  # reading it would wait for ever
    with pytest.raises(InvalidArgumentError, match="an unreadable manifest"):
        Folder(tmp_path, ASKED)
