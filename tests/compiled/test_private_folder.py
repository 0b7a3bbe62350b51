import errno
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from explorative_user_env.files import LONGEST_WRITING
from explorative_user_env.kernels.cache import PrivateFolder

ANOTHER = 12345
"""Somebody else's number."""

needs_modes = pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")


@pytest.fixture
def folder(tmp_path: Path) -> PrivateFolder:
    """A folder with one file, "a"."""
    folder = PrivateFolder(tmp_path / "caches" / "ours")
    folder.write("a", b"content")
    return folder


def names(folder: PrivateFolder) -> list[str]:
    return sorted(os.listdir(folder.path))


def assert_unused(folder: PrivateFolder, why: str) -> None:
    """Assert that nothing is read from a folder, nor written into it."""
    with pytest.raises(OSError, match=why):
        folder.read("a")
    with pytest.raises(OSError, match=why):
        folder.write("b", b"")


def test_a_file_is_read_as_it_was_written_and_written_anew(folder: PrivateFolder) -> None:
    assert folder.read("a") == b"content"
    folder.write("a", b"other")
    assert folder.read("a") == b"other"
    assert folder.read("b") is None
    assert names(folder) == ["a"]


def test_a_folder_that_is_not_there_is_made_by_writing_only(tmp_path: Path) -> None:
    folder = PrivateFolder(tmp_path / "none" / "ours")
    assert folder.read("a") is None
    folder.remove("a")
    assert not folder.path.parent.exists()
    folder.write("a", b"")
    assert folder.read("a") == b""


def test_what_somebody_who_was_killed_has_left_is_taken_away(folder: PrivateFolder) -> None:
    for name in ("left.unfinished", "written.unfinished"):
        (folder.path / name).touch()
    before = time.time() - LONGEST_WRITING - 1.0
    os.utime(folder.path / "left.unfinished", (before, before))
    folder.write("b", b"")
    assert names(folder) == ["a", "b", "written.unfinished"]


@needs_modes
def test_the_folder_and_its_files_are_for_their_owner_only(folder: PrivateFolder) -> None:
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (folder.path, folder.path / "a")]
    assert modes == [0o700, 0o600]


CHANGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "cut off": lambda data: data[:-1],
    "cut off in its hash": lambda data: data[:10],
    "longer": lambda data: data + b"x",
    "one bit": lambda data: data[:-1] + bytes([data[-1] ^ 1]),
    "garbage": lambda data: b"garbage",
    "without its hash": lambda data: data[32:],
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_what_is_not_as_it_was_written_is_thrown_away(
    folder: PrivateFolder, change: Callable[[bytes], bytes]
) -> None:
    path = folder.path / "a"
    path.write_bytes(change(path.read_bytes()))
    assert folder.read("a") is None
    assert names(folder) == []


@needs_modes
@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o770, 0o702])
def test_a_folder_that_others_may_write_to_is_neither_read_nor_written(
    folder: PrivateFolder, mode: int
) -> None:
    folder.path.chmod(mode)
    assert_unused(folder, "others may write to it")
    folder.remove("a")
    assert names(folder) == ["a"]


@needs_modes
def test_a_link_in_the_place_of_the_folder_is_not_followed(
    folder: PrivateFolder, tmp_path: Path
) -> None:
    # As whoever may write to the folder above can put there.
    link = PrivateFolder(tmp_path / "link")
    link.path.symlink_to(folder.path)
    assert_unused(link, "[Ll]ink|[Dd]irectory")
    assert names(folder) == ["a"]


@needs_modes
def test_a_folder_of_somebody_else_is_neither_read_nor_written(
    folder: PrivateFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: ANOTHER)
    assert_unused(folder, "it belongs to somebody else")
    assert names(folder) == ["a"]


@needs_modes
@pytest.mark.parametrize("planted", ["writable", "link", "pipe", "folder", "somebody else's"])
def test_a_file_that_another_may_have_put_there_is_not_read(
    folder: PrivateFolder, tmp_path: Path, planted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder.path / "a"
    data = path.read_bytes()
    if planted == "writable":
        path.chmod(0o666)
    elif planted == "somebody else's":
        let_belong_to_another(path, monkeypatch)
    else:
        path.unlink()
        (tmp_path / "elsewhere").write_bytes(data)
        if planted == "link":
            path.symlink_to(tmp_path / "elsewhere")
        elif planted == "pipe":
            os.mkfifo(path)
        else:
            path.mkdir()
    assert folder.read("a") is None
    assert names(folder) == (["a"] if planted == "folder" else [])


def let_belong_to_another(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the system say of one file that it is another user's, which only root can make it."""
    inode, said = path.stat().st_ino, os.fstat

    def fstat(handle: int) -> Any:
        status = said(handle)
        if status.st_ino != inode:
            return status
        return os.stat_result((*status[:4], ANOTHER, *status[5:]))

    monkeypatch.setattr(os, "fstat", fstat)


@pytest.mark.parametrize("call", ["open", "fsync", "replace"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO])
def test_a_disk_that_refuses_leaves_all_as_it_was(
    folder: PrivateFolder, monkeypatch: pytest.MonkeyPatch, call: str, number: int
) -> None:
    said = getattr(os, call)

    def refuses(path: Any, *arguments: Any, **named: Any) -> Any:
        if call != "open" or "unfinished" in str(path):
            raise OSError(number, os.strerror(number))
        return said(path, *arguments, **named)

    with monkeypatch.context() as patch:
        if call == "open":
            patch.setattr(os, "supports_dir_fd", {*os.supports_dir_fd, refuses})
        patch.setattr(os, call, refuses)
        with pytest.raises(OSError, match=os.strerror(number)):
            folder.write("a", b"other")
    assert folder.read("a") == b"content"
    assert names(folder) == ["a"]


def test_a_folder_is_read_that_cannot_be_written_to(folder: PrivateFolder) -> None:
    folder.path.chmod(0o500)
    try:
        assert folder.read("a") == b"content"
    finally:
        folder.path.chmod(0o700)


def test_where_nobody_has_a_home_no_folder_of_that_name_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OSError, match="there is no home folder"):
        PrivateFolder(Path("~/.cache/ours")).write("a", b"")
    assert list(tmp_path.iterdir()) == []


def test_where_files_are_opened_by_whole_paths_it_is_the_same(
    folder: PrivateFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "supports_dir_fd", set())
    folder.write("b", b"b")
    assert (folder.read("a"), folder.read("b")) == (b"content", b"b")
    folder.remove("a")
    assert names(folder) == ["b"]
    link = PrivateFolder(folder.path.parent / "link")
    link.path.symlink_to(folder.path)
    with pytest.raises(OSError, match="it is a link"):
        link.read("b")
