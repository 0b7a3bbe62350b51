"""Files are added to a folder that somebody works in, and what is there stays."""

import os
from pathlib import Path

import pytest

from explorative_user_env.files import add_files
from explorative_user_env.validation import InvalidArgumentError

FILES = {"a": b"1", "b": b"2", "inside/c": b"3"}


def contents(folder: Path) -> dict[str, bytes]:
    """What is in every file of a folder, by its name."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def test_files_are_new_in_a_new_folder_and_the_same_the_second_time(tmp_path: Path) -> None:
    folder = tmp_path / "of" / "hers"
    assert add_files("folder", folder, FILES) == (["a", "b", "inside/c"], [], [])
    assert contents(folder) == FILES
    assert add_files("folder", folder, FILES) == ([], ["a", "b", "inside/c"], [])
    assert contents(folder) == FILES


def test_what_somebody_has_written_is_kept(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"hers")
    (tmp_path / "d").write_bytes(b"hers too")
    assert add_files("folder", tmp_path, FILES) == (["a", "inside/c"], [], ["b"])
    assert contents(tmp_path) == {**FILES, "b": b"hers", "d": b"hers too"}


def test_a_link_to_nowhere_and_a_folder_are_kept_as_well(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "nowhere")
    (tmp_path / "b").mkdir()
    assert add_files("folder", tmp_path, FILES) == (["inside/c"], [], ["a", "b"])
    assert (tmp_path / "a").is_symlink()
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("failure", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_who_is_interrupted_has_no_file_more_than_before(
    failure: type[BaseException] | OSError, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "b").write_bytes(b"hers")
    replace = os.replace

    def interrupted(source: Path, target: Path) -> None:
        if target.name == "c":
            raise failure
        replace(source, target)

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises((KeyboardInterrupt, InvalidArgumentError)):
        add_files("folder", tmp_path, FILES)
    assert contents(tmp_path) == {"b": b"hers"}
    monkeypatch.undo()
    assert add_files("folder", tmp_path, FILES).new == ["a", "inside/c"]


@pytest.mark.parametrize("place", ["file", "file/inside"])
def test_a_folder_that_cannot_be_is_refused_by_name(place: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidArgumentError, match="DIR must be a folder that can be written to"):
        add_files("DIR", tmp_path / place, FILES)
    assert contents(tmp_path) == {"file": b""}
