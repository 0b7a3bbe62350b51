from pathlib import Path

import pytest

from explorative_user_env.files import MADE_BY, Folder, check_one_run, finished_file
from explorative_user_env.validation import InvalidArgumentError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Folder(tmp_path).write({name: lambda path: path.write_text(path.name) for name in ("a", "b")})
    return tmp_path


def test_files_as_their_run_has_written_them_are_all_right(folder: Path) -> None:
    check_one_run("model", folder, ("a", "b"))


@pytest.mark.parametrize("text", [None, "", "b"])
def test_a_file_that_is_another_or_gone_is_named(folder: Path, text: str | None) -> None:
    (folder / "a").unlink()
    if text is not None:
        (folder / "a").write_text(text)
    message = r"^model must be a folder whose files are all as its run .* \(a is not\), got '"
    with pytest.raises(InvalidArgumentError, match=message):
        check_one_run("model", folder, ("a", "b"))
    check_one_run("model", folder, ["b"])


def test_files_that_somebody_has_put_there_are_their_own_business(folder: Path) -> None:
    (folder / "c").write_text("c")
    check_one_run("model", folder, ["c"])
    (folder / MADE_BY).unlink()
    (folder / "a").write_text("another")
    check_one_run("model", folder, ("a", "b"))
    check_one_run("model", folder / "nowhere", ["a"])


def test_a_file_of_a_finished_run_has_its_place_and_another_says_when_it_is_written(
    folder: Path,
) -> None:
    assert finished_file("path", folder, "a") == folder / "a"
    for nowhere in (folder, folder / "nowhere"):
        with pytest.raises(InvalidArgumentError, match="a folder with c, which is written when"):
            finished_file("path", nowhere, "c")
    (folder / "a").write_text("another")
    with pytest.raises(InvalidArgumentError, match=r"\(a is not\)"):
        finished_file("path", folder, "a")
