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


def test_what_somebody_else_has_not_finished_is_in_the_way_only_where_the_manifest_is_away(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / ".unfinished-1").mkdir()
    monkeypatch.setattr("os.access", lambda *_: False)  # as for all but root
    check_one_run("model", folder, ("a", "b"))
    (folder / MADE_BY).unlink()
    with pytest.raises(InvalidArgumentError, match=r"all of one run \(its writing was cut off\)"):
        check_one_run("model", folder, ["a"])


def test_an_exchange_that_cannot_be_undone_where_one_may_only_read_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = folder / ".unfinished-1"
    for name in ("old", "new"):
        (inside / name).mkdir(parents=True)
    (folder / MADE_BY).rename(inside / "new" / MADE_BY)

    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr("os.replace", refuse)
    with pytest.raises(InvalidArgumentError, match=r"all of one run \(its writing was cut off\)"):
        check_one_run("model", folder, ["a"])


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
