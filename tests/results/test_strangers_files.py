"""A stranger's file of runs deletes, changes and follows nothing, and costs bounded time."""

import json
import os
import random
import sqlite3
import struct
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from stores import ASKED, part_of, runs

import explorative_user_env as eu
from explorative_user_env.results.store import Store, about
from explorative_user_env.validation import InvalidArgumentError

MAGIC = bytes.fromhex("d9d505f920a163d7")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A finished file of runs."""
    path = tmp_path / "theirs" / "run.sqlite"
    eu.evaluate(["UNI"], store=path, n_instances=3, baseline_time=9, n_arms=2, progress=False)
    return path


def journal_naming(victim: Path, database: Path) -> bytes:
    """A "hot" rollback journal whose super-journal is the victim, which SQLite then deletes."""
    name = os.fsencode(victim)
    nonce = random.Random(0).getrandbits(32)
    size = database.stat().st_size // 4096
    header = MAGIC + struct.pack(">IIIII", 0, nonce, size, 512, 4096)
    checksum = sum(byte - 256 * (byte > 127) for byte in name) & 0xFFFFFFFF
    last = struct.pack(">I", 0x40000000 // 4096 + 1) + name
    return header.ljust(512, b"\0") + last + struct.pack(">II", len(name), checksum) + MAGIC


READERS: dict[str, Any] = {
    "load": eu.load,
    "about": about,
    "verify": lambda path: eu.verify(path, progress=False),
    "verify the folder": lambda path: eu.verify(path.parent, progress=False),
}


@pytest.mark.parametrize("reader", READERS)
def test_a_planted_journal_deletes_nothing(path: Path, tmp_path: Path, reader: str) -> None:
    victim = tmp_path / "thesis.tex"
    victim.write_text("years of work")
    planted = path.with_name("run.sqlite-journal")
    planted.write_bytes(journal_naming(victim, path))
    before = planted.read_bytes()
    with pytest.raises(InvalidArgumentError, match=r"run\.sqlite-journal"):
        READERS[reader](path)
    assert victim.read_text() == "years of work"
    assert planted.read_bytes() == before


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("ending", ["-wal", "-shm"])
def test_a_planted_link_changes_nothing(
    path: Path, tmp_path: Path, reader: str, ending: str
) -> None:
    victim = tmp_path / "thesis.tex"
    victim.write_text("years of work " * 5000)
    before = victim.read_bytes()
    path.with_name(f"run.sqlite{ending}").symlink_to(victim)
    READERS[reader](path)
    assert victim.read_bytes() == before


def test_a_reader_leaves_the_folder_as_it_is(path: Path) -> None:
    def found() -> dict[str, bytes]:
        return {each.name: each.read_bytes() for each in path.parent.iterdir()}

    before = found()
    eu.load(path)
    assert found() == before


@pytest.mark.parametrize("content", [b"", None])
def test_an_empty_file_is_gone_on_with(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "run.sqlite"
    if content is None:
        with closing(sqlite3.connect(path)) as db:
            db.execute("PRAGMA journal_mode=WAL")
    else:
        path.write_bytes(content)
    with Store(path, ASKED) as mine:
        part_of(mine).add(runs())
    assert about(path).n_runs == 3


def test_a_new_file_is_whole_from_its_first_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.sqlite"
    seen: list[Any] = []
    replace = os.replace

    def replaced(source: Any, target: Any) -> None:
        seen.append(path.exists())
        replace(source, target)
        seen.append(about(path).request["command"])

    monkeypatch.setattr(os, "replace", replaced)
    with Store(path, ASKED):
        monkeypatch.undo()
    assert seen == [False, "evaluate"]


@pytest.mark.parametrize("name", ["runs.csv", "runs.parquet", "runs"])
def test_a_name_of_another_format_is_refused(path: Path, name: str) -> None:
    results = eu.load(path)
    assert isinstance(results, eu.Results)
    with pytest.raises(InvalidArgumentError, match=r"ends in \.sqlite"):
        results.save(path.with_name(name))
    with pytest.raises(InvalidArgumentError, match=r"ends in \.sqlite"):
        eu.evaluate(["SE"], store=path.with_name(name), n_instances=2, progress=False)
    assert not path.with_name(name).exists()


def test_a_column_that_computes_is_refused(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("ALTER TABLE runs_bai ADD COLUMN more AS (hex(zeroblob(100000000)))")
    for reader in READERS.values():
        with pytest.raises(InvalidArgumentError, match="runs_bai"):
            reader(path)


def test_a_part_is_not_read_many_times(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE results SET parts = ?", (json.dumps([1] * 200_000),))
    with pytest.raises(InvalidArgumentError, match="parts"):
        eu.load(path)
