import errno
import json
from pathlib import Path
from typing import Any

import pytest

from explorative_user_env.files import MADE_BY, Folder
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
    (tmp_path / "one").write_text("old")

    def refuse(path: Path) -> None:
        path.write_text("half")
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(InvalidArgumentError, match="No space left on device"):
        Folder(tmp_path).write({"one": lambda path: path.write_text("new"), "two": refuse})
    assert [path.name for path in tmp_path.iterdir()] == ["one"]
    assert (tmp_path / "one").read_text() == "old"


def test_files_are_written_together(tmp_path: Path) -> None:
    written = Folder(tmp_path / "deep" / "er").write(
        {name: lambda path: path.write_text(path.name) for name in ("a", "b")}
    )
    assert written == [tmp_path / "deep" / "er" / name for name in ("a", "b")]
    assert [path.read_text() for path in written] == ["a", "b"]
    assert {*(tmp_path / "deep" / "er").iterdir()} == {*written}


OPTIONS: dict[str, Any] = {"seed": 0, "delta": (0.1, 0.01), "gap": None}
RUN: dict[str, Any] = {"command": "bench", "options": OPTIONS}


def fill(folder: Path, made_by: dict[str, Any], **options: Any) -> list[Path]:
    return Folder(folder, made_by, **options).write({"a": lambda path: path.write_text("a")})


def test_what_made_the_files_stands_beside_them_with_what_was_noted(tmp_path: Path) -> None:
    folder = Folder(tmp_path, RUN)
    folder.note(cells=[1])
    assert folder.write({"a": lambda path: path.write_text("a")}) == [tmp_path / "a"]
    made_by = json.loads((tmp_path / MADE_BY).read_text())
    assert made_by == json.loads(json.dumps(RUN)) | {"cells": [1]}
    assert {path.name for path in tmp_path.iterdir()} == {"a", MADE_BY}


def test_the_same_run_may_write_over_its_own_files_whatever_was_noted(tmp_path: Path) -> None:
    folder = Folder(tmp_path, RUN)
    folder.note(cells=[1])
    folder.write({})
    assert fill(tmp_path, RUN) == [tmp_path / "a"]
    assert json.loads((tmp_path / MADE_BY).read_text()) == json.loads(json.dumps(RUN))


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
    fill(tmp_path, RUN)
    before = (tmp_path / MADE_BY).read_text()
    message = f"^output must be another folder, as it has a run with {told}; --overwrite writes"
    with pytest.raises(InvalidArgumentError, match=message):
        fill(tmp_path, RUN | other)
    assert (tmp_path / MADE_BY).read_text() == before
    fill(tmp_path, RUN | other, overwrite=True)
    assert json.loads((tmp_path / MADE_BY).read_text()) == json.loads(json.dumps(RUN | other))


@pytest.mark.parametrize("text", ["", "{", "[1]", "\xff"])
def test_a_maker_that_cannot_be_read_is_another(tmp_path: Path, text: str) -> None:
    (tmp_path / MADE_BY).write_text(text, encoding="latin-1")
    with pytest.raises(InvalidArgumentError, match="a run with what cannot be read; --overwrite"):
        fill(tmp_path, RUN)
