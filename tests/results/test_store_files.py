"""What a store makes of files: of others, of who was killed, of a full disk, of no disk at all."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from processes import python
from stores import ASKED, part_of, runs

from explorative_user_env.commands.run import continue_with
from explorative_user_env.results.results import load
from explorative_user_env.results.store import Store, about
from explorative_user_env.validation import InvalidArgumentError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.sqlite"


@pytest.mark.parametrize("content", [b"", b"no database, though as long as its header" * 9])
def test_somebody_elses_file_is_refused_and_left_as_it_is(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    if content:
        with pytest.raises(InvalidArgumentError, match="a file of runs"):
            Store(path, ASKED)
    for read in (load, about):
        with pytest.raises(InvalidArgumentError, match="a file of runs"):
            read(path)
    assert path.read_bytes() == content


def test_the_database_of_another_program_is_refused(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE runs_bai(part)")
    before = path.read_bytes()
    for opens in (load, lambda path: Store(path, ASKED)):
        with pytest.raises(InvalidArgumentError, match="its application_id is 0"):
            opens(path)
    assert path.read_bytes() == before


def test_the_tables_of_another_version_are_refused(path: Path) -> None:
    with Store(path, ASKED) as mine:
        part_of(mine).add(runs())
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version=99")
    allowed = "its user_version is 99"
    for opens in (load, lambda path: Store(path, ASKED)):
        with pytest.raises(InvalidArgumentError, match=allowed):
            opens(path)


def test_a_file_whose_maker_was_killed_at_once_is_taken_for_new(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("CREATE TABLE a(b)")
        db.execute("DROP TABLE a")
    assert path.stat().st_size
    with pytest.raises(InvalidArgumentError, match="it is empty"):
        load(path)
    with Store(path, ASKED) as mine:
        part_of(mine).add(runs())
    assert about(path).n_runs == 3


@pytest.mark.parametrize("spoiled", [False, True])
def test_what_a_killed_writer_has_left_is_read_whole(path: Path, spoiled: bool) -> None:
    left = path.with_name("left")
    left.mkdir()
    with Store(path, ASKED) as mine:
        part_of(mine).add(runs())
        for name in ("run.sqlite", "run.sqlite-wal", "run.sqlite-shm"):
            shutil.copy(path.with_name(name), left / name)
    if spoiled:  # it was killed in the middle of a change of what its readers share
        with (left / "run.sqlite-shm").open("r+b") as shared:
            shared.write(b"\xff" * 48)
    assert about(left / "run.sqlite").n_runs == 3
    with Store(left / "run.sqlite", ASKED) as again:
        assert again.n_found == 3


def test_what_was_killed_without_that_journal_is_put_in_order_by_who_resumes(path: Path) -> None:
    left = path.with_name("left")
    left.mkdir()
    with Store(path, ASKED) as mine:
        part_of(mine).add(runs())
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA cache_size=1")
        db.execute("BEGIN")
        for number in range(20_000):  # more than it holds back
            db.execute("INSERT INTO kept VALUES ('a', ?, 'long')", (number,))
        for name in ("run.sqlite", "run.sqlite-journal"):
            shutil.copy(path.with_name(name), left / name)
        db.execute("ROLLBACK")
    with pytest.raises(InvalidArgumentError, match="resuming the run puts it in order"):
        about(left / "run.sqlite")
    shutil.copytree(left, left.with_name("resumed"))
    given = {"seed": None}
    continue_with(left.with_name("resumed") / "run.sqlite", "evaluate", given, ())
    assert given == {"seed": 0}
    with Store(left / "run.sqlite", ASKED) as again:
        assert (again.n_runs(), again.n_kept()) == (3, 0)
    assert about(left / "run.sqlite").n_runs == 3


@pytest.mark.slow
def test_a_python_without_sqlite_evaluates_and_says_what_files_need(tmp_path: Path) -> None:
    words = (
        "import sys; sys.modules['_sqlite3'] = None; sys.modules['sqlite3'] = None; "
        "import importlib.util as util; found = util.find_spec; "
        "util.find_spec = lambda name, *rest: None if 'sqlite3' in name else found(name, *rest); "
        "import explorative_user_env as eu; "
        "print(eu.evaluate(['UNI'], baseline_time=9, n_instances=3, compiled=False)); "
        "eu.evaluate(['UNI'], baseline_time=9, n_instances=3, compiled=False, store='a.sqlite')"
    )
    done = python("-c", words, folder=tmp_path)
    assert "UNI" in done.stdout
    assert done.stderr.splitlines()[-1].endswith(
        "files of runs need sqlite3, which this Python was built without"
    )


def test_a_full_disk_costs_the_chunk_that_it_has_no_room_for(path: Path) -> None:
    with Store(path, ASKED) as mine:
        part = part_of(mine)
        part.add(runs())
        mine._db.execute("PRAGMA max_page_count=30")  # SQLite then says that it is full
        with pytest.raises(InvalidArgumentError, match=r"written to \(database or disk is full"):
            part.add(runs(3, 5000))
        assert mine.n_runs() == 3
    with Store(path, ASKED) as again:
        part_of(again).add(runs(3, 5000))
    assert about(path).n_runs == 5003


def test_a_place_that_takes_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for where in (tmp_path / "file" / "run.sqlite", tmp_path):
        with pytest.raises(InvalidArgumentError, match="store must be a file"):
            Store(where, ASKED)


def test_a_file_without_a_run_is_taken_away_when_the_work_fails(path: Path) -> None:
    with pytest.raises(ZeroDivisionError), Store(path, ASKED):
        raise ZeroDivisionError
    assert not list(path.parent.iterdir())
