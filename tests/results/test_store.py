import shutil
import sqlite3
from contextlib import closing

import numpy as np
import pytest
from stores import ASKED, part_of, runs

import explorative_user_env as eu
from explorative_user_env.results import records
from explorative_user_env.results.store import Store, about
from explorative_user_env.validation import InvalidArgumentError


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.sqlite"


@pytest.fixture
def opened(path):
    with Store(path, ASKED) as store:
        yield store


def test_what_is_added_is_there_for_who_asks_for_the_same_again(path):
    with Store(path, ASKED) as mine:
        part = part_of(mine)
        part.add(runs())
        part.add(runs(3, 2))
        part_of(mine, seed=1).add(runs(0, 1))
    with Store(path, ASKED) as again:
        found = part_of(again).columns()
        assert again.n_resumed == 6
    for name, values in runs(0, 5).items():
        np.testing.assert_array_equal(found[name], values, strict=True)
    assert [each.name for each in path.parent.iterdir()] == [path.name]  # that can be copied


def test_readers_do_not_keep_the_writer_waiting(opened, path):
    part = part_of(opened)
    part.add(runs())
    with closing(sqlite3.connect(path)) as db:
        db.execute("BEGIN")
        for _ in range(2):
            assert len(db.execute("SELECT * FROM runs_bai").fetchall()) == 3
            part.add(runs(opened.n_runs()))  # while somebody reads


def test_a_chunk_that_is_broken_off_leaves_what_was_there(path):
    with pytest.raises(ZeroDivisionError), Store(path, ASKED):
        raise ZeroDivisionError
    assert not list(path.parent.iterdir())
    with Store(path, ASKED) as mine:
        part = part_of(mine)
        part.add(runs())
        with pytest.raises(InvalidArgumentError, match="a file for runs without NaN"):
            part.add(runs(3) | {"answer": np.array([1.0, np.nan, 2.0])})
        assert mine.n_runs() == 3
        part.add(runs(3))
        assert mine.n_runs() == 6


@pytest.mark.slow
def test_a_second_writer_is_refused_and_the_first_goes_on(path, opened):
    part_of(opened).add(runs())
    for overwrite in (False, True):
        with pytest.raises(InvalidArgumentError, match="a file that no other process writes to"):
            Store(path, ASKED, overwrite=overwrite)
    part_of(opened).add(runs(3))
    assert opened.n_runs() == 6


def test_every_session_is_told_with_its_end_until_the_file_is_written_over(path):
    mine = Store(path, ASKED)
    part_of(mine).add(runs())
    mine.close("KeyboardInterrupt")
    assert not about(path).finished
    with Store(path, ASKED):
        pass
    told = about(path)
    assert told.finished
    assert [each["how"] for each in told.sessions] == ["KeyboardInterrupt", "finished"]
    assert told.request["made with"]["streams"] == records.stream_fingerprint()
    with Store(path, {**ASKED, "command": "other"}, overwrite=True) as other:
        assert other.n_resumed == 0
        part_of(other).add(runs(0, 1))
    assert (about(path).request["command"], about(path).n_runs) == ("other", 1)


def test_what_a_killed_writer_has_left_is_read_whole(path):
    left = path.with_name("left")
    left.mkdir()
    with Store(path, ASKED) as mine:
        part_of(mine).add(runs())
        for name in ("run.sqlite", "run.sqlite-wal", "run.sqlite-shm"):
            shutil.copy(path.with_name(name), left / name)
    assert about(left / "run.sqlite").n_runs == 3
    with Store(left / "run.sqlite", ASKED) as again:
        assert again.n_resumed == 3


def test_a_full_disk_costs_the_chunk_that_it_has_no_room_for(path):
    with Store(path, ASKED) as mine:
        part = part_of(mine)
        part.add(runs())
        mine._db.execute("PRAGMA max_page_count=30")  # SQLite then says that it is full
        with pytest.raises(InvalidArgumentError, match=r"written to \(database or disk is full"):
            part.add(runs(3, 5000))
        assert mine.n_runs() == 3
    with Store(path, ASKED) as again:
        part_of(again).add(runs(3, 5000))
        assert again.n_runs() == 5003


@pytest.fixture
def theirs(tmp_path):
    path = tmp_path / "theirs" / "run.sqlite"
    eu.evaluate(["UNI"], store=path, n_instances=3, baseline_time=9, n_arms=2, progress=False)
    return path


READERS = [eu.load, about, lambda path: eu.verify(path.parent, progress=False)]


def test_an_empty_file_is_gone_on_with(path):
    path.touch()
    other = path.with_name("other.sqlite")
    with closing(sqlite3.connect(other)) as db:
        db.execute("PRAGMA journal_mode=WAL")
    for empty in (path, other):
        with Store(empty, ASKED) as mine:
            part_of(mine).add(runs())
        assert about(empty).n_runs == 3


def test_a_file_that_makes_its_readers_work_is_refused(theirs):
    with closing(sqlite3.connect(theirs)) as db, db:
        db.execute("ALTER TABLE runs_bai ADD COLUMN more AS (hex(zeroblob(100000000)))")
    for reader in READERS:
        with pytest.raises(InvalidArgumentError, match="runs_bai"):
            reader(theirs)


def test_what_was_made_with_other_code_streams_or_versions_is_refused(path, monkeypatch):
    with Store(path, ASKED) as mine:
        part_of(mine).add(runs())
    others = {"package_digest": "99", "stream_fingerprint": "99", "versions_of": {"numpy": "99"}}
    for what, other in others.items():
        with monkeypatch.context() as patch:
            patch.setattr(records, what, lambda: other)  # noqa: B023
            with pytest.raises(InvalidArgumentError, match=r"\S+ in the file and 99 here"):
                Store(path, ASKED)


def test_somebody_elses_file_is_refused_and_left_as_it_is(path):
    text, another, later = (path.with_name(name) for name in ("text.db", "another.db", "later.db"))
    text.write_bytes(b"no database, though as long as its header" * 9)
    with closing(sqlite3.connect(another)) as db:
        db.execute("CREATE TABLE runs_bai(part)")
    with Store(later, ASKED) as mine:
        mine._db.execute("PRAGMA user_version=99")
    messages = "a file of runs", "its application_id is 0", "its user_version is 99"
    for file, said in zip((text, another, later), messages, strict=True):
        before = file.read_bytes()
        for opens in (eu.load, about, lambda path: Store(path, ASKED)):
            with pytest.raises(InvalidArgumentError, match=said):
                opens(file)
        assert file.read_bytes() == before
    with pytest.raises(InvalidArgumentError, match="store must be a file"):
        Store(path.parent, ASKED)


def test_a_planted_journal_is_refused(theirs):
    """SQLite deletes the file that a journal names as its super-journal."""
    theirs.with_name("run.sqlite-journal").write_bytes(b"d9d505f920a163d7")
    for reads in READERS:
        with pytest.raises(InvalidArgumentError, match=r"run\.sqlite-journal"):
            reads(theirs)


def test_readers_leave_the_folder_as_it_is_and_follow_no_planted_link(theirs, tmp_path):
    before = theirs.read_bytes()
    eu.load(theirs)
    assert {each: each.read_bytes() for each in theirs.parent.iterdir()} == {theirs: before}
    victim = tmp_path / "thesis.tex"
    victim.write_text("years of work " * 5000)
    for ending in ("-wal", "-shm"):
        theirs.with_name(f"run.sqlite{ending}").symlink_to(victim)
        for reads in READERS:
            reads(theirs)
            assert victim.read_text() == "years of work " * 5000


def test_a_name_of_another_format_is_refused(theirs):
    results = eu.load(theirs)
    path = theirs.with_name("runs.csv")
    for keeps in (results.save, lambda path: eu.evaluate(["SE"], store=path, n_instances=2)):
        with pytest.raises(InvalidArgumentError, match=r"ends in \.sqlite"):
            keeps(path)
    assert not path.exists()
