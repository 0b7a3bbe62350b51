import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from explorative_user_env.files import FILES, MADE_BY, RUN, Folder
from explorative_user_env.validation import InvalidArgumentError


def test_a_folder_that_cannot_be_written_to_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidArgumentError, match="output must be a folder that can be written"):
        Folder(tmp_path / "file" / "inside")


def test_a_folder_that_is_there_but_takes_no_files_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("os.open", refuse)  # root may write everywhere, so chmod would not do
    with pytest.raises(InvalidArgumentError, match=r"written to \(Permission denied\), got"):
        Folder(tmp_path)


def test_a_full_disk_leaves_old_files_whole_and_no_new_ones(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.mkdir()
    (path / "one").write_text("old")

    def refuse(path: Path) -> None:
        path.write_text("half")
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(InvalidArgumentError, match="No space left on device"):
        Folder(path).write({"one": lambda path: path.write_text("new"), "two": refuse})
    assert [file.name for file in path.iterdir()] == ["one"]
    assert (path / "one").read_text() == "old"
    assert [left.name for left in tmp_path.iterdir()] == ["out"]


def test_files_are_written_together(tmp_path: Path) -> None:
    written = Folder(tmp_path / "deep" / "er").write(
        {name: lambda path: path.write_text(path.name) for name in ("a", "b")}
    )
    assert written == [tmp_path / "deep" / "er" / name for name in ("a", "b")]
    assert [path.read_text() for path in written] == ["a", "b"]
    assert {*(tmp_path / "deep" / "er").iterdir()} == {*written, tmp_path / "deep" / "er" / MADE_BY}


OPTIONS: dict[str, Any] = {"seed": 0, "delta": (0.1, 0.01), "gap": None}
ASKED: dict[str, Any] = {"command": "bench", "options": OPTIONS}


def fill(folder: Path, made_by: dict[str, Any], **options: Any) -> list[Path]:
    return Folder(folder, made_by, **options).write({"a": lambda path: path.write_text("a")})


def made_by(folder: Path) -> dict[str, Any]:
    """What a manifest says beside what the files are."""
    said: dict[str, Any] = json.loads((folder / MADE_BY).read_text())
    return {name: value for name, value in said.items() if name not in (RUN, FILES)}


def test_what_made_the_files_stands_beside_them_with_what_was_noted(tmp_path: Path) -> None:
    folder = Folder(tmp_path, ASKED)
    folder.note(cells=[1])
    assert folder.write({"a": lambda path: path.write_text("a")}) == [tmp_path / "a"]
    assert made_by(tmp_path) == json.loads(json.dumps(ASKED)) | {"cells": [1]}
    assert {path.name for path in tmp_path.iterdir()} == {"a", MADE_BY}


def test_the_same_run_may_write_over_its_own_files_whatever_was_noted(tmp_path: Path) -> None:
    folder = Folder(tmp_path, ASKED)
    folder.note(cells=[1])
    folder.write({})
    assert fill(tmp_path, ASKED) == [tmp_path / "a"]
    assert made_by(tmp_path) == json.loads(json.dumps(ASKED))


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"options": OPTIONS | {"seed": 1}}, "seed=0"),
        ({"options": OPTIONS | {"gap": 0.3, "seed": 1}}, "seed=0, no gap"),
        ({"options": {"seed": 0, "gap": None}}, r"delta=\[0.1, 0.01\]"),
        ({"command": "robustness"}, "command=bench"),
        ({"versions": {"numpy": "9"}}, "no numpy"),
    ],
)
def test_another_runs_files_are_written_over_only_if_that_is_asked_for(
    tmp_path: Path, other: dict[str, Any], told: str
) -> None:
    fill(tmp_path, ASKED)
    before = (tmp_path / MADE_BY).read_text()
    message = f"^output must be another folder, as it has a run with {told}; --overwrite writes"
    with pytest.raises(InvalidArgumentError, match=message):
        fill(tmp_path, ASKED | other)
    assert (tmp_path / MADE_BY).read_text() == before
    fill(tmp_path, ASKED | other, overwrite=True)
    assert made_by(tmp_path) == json.loads(json.dumps(ASKED | other))


@pytest.mark.parametrize("text", ["", "{", "[1]", "\xff"])
def test_a_maker_that_cannot_be_read_is_another(tmp_path: Path, text: str) -> None:
    (tmp_path / MADE_BY).write_text(text, encoding="latin-1")
    with pytest.raises(InvalidArgumentError, match="a run with what cannot be read; --overwrite"):
        fill(tmp_path, ASKED)


def test_the_manifest_says_what_every_file_holds_and_the_same_files_are_the_same_run(
    tmp_path: Path,
) -> None:
    manifests = []
    for name, text in (("one", "a"), ("two", "a"), ("three", "b")):
        Folder(tmp_path / name, ASKED).write({"a": partial(Path.write_text, data=text)})
        manifests.append(json.loads((tmp_path / name / MADE_BY).read_text()))
    assert manifests[0][FILES] == {"a": hashlib.sha256(b"a").hexdigest()}
    assert manifests[0] == manifests[1]
    assert manifests[0][RUN] != manifests[2][RUN]


def test_files_that_a_run_does_not_have_are_taken_away_if_nobody_has_changed_them(
    tmp_path: Path,
) -> None:
    (tmp_path / "mine").write_text("not theirs")
    names = ("kept", "gone", "edited")
    Folder(tmp_path, ASKED).write({name: lambda path: path.write_text("old") for name in names})
    (tmp_path / "edited").write_text("with a note")
    Folder(tmp_path, ASKED).write({"kept": lambda path: path.write_text("new")})
    left = {path.name: path.read_text() for path in tmp_path.iterdir() if path.name != MADE_BY}
    assert left == {"mine": "not theirs", "kept": "new", "edited": "with a note"}


def a_folder_for_a_file(folder: Path) -> None:
    (folder / "a").mkdir()
    (folder / "a" / "mine").write_text("kept")


def a_folder_for_the_manifest(folder: Path) -> None:
    (folder / MADE_BY).mkdir()


def a_file_for_the_folder(folder: Path) -> None:
    folder.rename(folder.with_name("moved"))
    folder.write_text("")


def another_run(folder: Path) -> None:
    fill(folder, ASKED | {"options": OPTIONS | {"seed": 1}})


@pytest.mark.parametrize(
    ("happens", "told"),
    [
        (a_folder_for_a_file, "a is a folder"),
        (a_folder_for_the_manifest, "it has a run with what cannot be read by now"),
        (a_file_for_the_folder, os.strerror(errno.EEXIST)),
        (another_run, "it has a run with seed=1 by now"),
    ],
)
def test_what_a_folder_does_not_take_in_the_end_is_found_in_another_place(
    tmp_path: Path, happens: Callable[[Path], None], told: str
) -> None:
    path = tmp_path / "out"
    folder = Folder(path, ASKED)
    happens(path)
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    with pytest.raises(InvalidArgumentError) as refused:
        folder.write({"a": lambda path: path.write_text("a"), "b": lambda path: path.touch()})
    (elsewhere,) = set(tmp_path.glob("out-*"))
    allowed = f"a folder that takes the files ({told}); they are in {elsewhere} now"
    assert str(refused.value) == f"output must be {allowed}, got {str(path)!r}"
    assert {file.name for file in elsewhere.iterdir()} == {"a", "b", MADE_BY}
    assert {file: file.read_bytes() for file in before} == before


def test_a_folder_that_is_taken_away_meanwhile_is_made_again(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "deep" / "out", ASKED)
    shutil.rmtree(tmp_path / "deep")
    assert folder.write({"a": lambda path: path.write_text("a")})[0].read_text() == "a"


def test_a_manifest_nested_without_end_is_another_run(tmp_path: Path) -> None:
    (tmp_path / MADE_BY).write_text("[" * 100_000)
    with pytest.raises(InvalidArgumentError, match="a run with what cannot be read; --overwrite"):
        fill(tmp_path, ASKED)
