import errno
from pathlib import Path

import pytest

from explorative_user_env.files import Folder
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
