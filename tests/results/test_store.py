"""The store: what is committed stays, another request is refused, and readers never disturb."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from processes import python

from explorative_user_env.results import database, store
from explorative_user_env.results.about import about, is_finished, request_in
from explorative_user_env.results.columns import RUN_FRAMES
from explorative_user_env.results.fingerprint import stream_fingerprint
from explorative_user_env.results.loading import load
from explorative_user_env.results.parts import Part, columns_in
from explorative_user_env.results.store import Store
from explorative_user_env.validation import InvalidArgumentError

ASKED = {"command": "evaluate", "options": {"seed": 0, "agents": {"BAIR": {"delta": 0.1}}}}


def runs(first: int = 0, n_runs: int = 3) -> dict[str, Any]:
    """Return columns of best-arm identification, of the users from `first` on."""
    numbers = np.arange(first, first + n_runs)
    columns = {name: numbers + place for place, name in enumerate(RUN_FRAMES["bai"])}
    columns |= {"instance": numbers, "correct": numbers % 2 == 0, "censored": numbers % 2 == 1}
    del columns["agent"]
    return columns


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.sqlite"


@pytest.fixture
def opened(path: Path) -> Iterator[Store]:
    with Store(path, ASKED) as mine:
        yield mine


def part_of(mine: Store, **record: Any) -> Part:
    return mine.part("bai", "BAIR", {"seed": 0, **record})


def test_what_is_added_is_there_for_who_asks_for_the_same_again(path: Path) -> None:
    with Store(path, ASKED) as mine:
        part = part_of(mine)
        part.add(runs())
        part.add(runs(3, 2))
        part_of(mine, seed=1).add(runs(0, 1))
    with Store(path, ASKED) as again:
        found = part_of(again).columns()
        assert again.n_found == 6
    for name, values in runs(0, 5).items():
        np.testing.assert_array_equal(found[name], values)
        assert found[name].dtype == values.dtype


def test_it_uses_the_journal_that_does_not_keep_readers_waiting(opened: Store, path: Path) -> None:
    part = part_of(opened)
    part.add(runs())
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert len(db.execute("SELECT * FROM runs_bai").fetchall()) == 3
        db.execute("BEGIN")
        db.execute("SELECT * FROM runs_bai").fetchone()
        part.add(runs(3))  # while somebody reads
        assert len(db.execute("SELECT * FROM runs_bai").fetchall()) == 3
        db.execute("COMMIT")
        assert len(db.execute("SELECT * FROM runs_bai").fetchall()) == 6


def test_where_that_journal_is_refused_the_usual_one_is_whole_as_well(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "WAL", "delete")  # as some file systems answer
    with Store(path, ASKED) as mine:
        part_of(mine).add(runs())
        with database.read_only(path, "path") as db:
            assert len(columns_in(lambda q, *v: db.execute(q, v).fetchall(), 1, "bai")) == 10


def test_a_finished_file_is_a_single_one_that_can_be_copied_and_read_anywhere(path: Path) -> None:
    with Store(path, ASKED) as mine:
        part_of(mine).add(runs())
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    assert is_finished(path)
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_a_chunk_that_is_broken_off_leaves_what_was_there(path: Path) -> None:
    with Store(path, ASKED) as mine:
        part = part_of(mine)
        part.add(runs())
        bad = runs(3)
        bad["answer"] = np.array([1.0, np.nan, 2.0])
        with pytest.raises(InvalidArgumentError, match="whose figures are all numbers"):
            part.add(bad)
        assert mine.n_runs() == 3
        part.add(runs(3))
        assert mine.n_runs() == 6


def test_no_number_that_is_none_is_kept_in_a_record(opened: Store) -> None:
    pieces = opened.pieces({"what": "mine"})
    with pytest.raises(ValueError, match="JSON"):
        pieces.add(float("nan"))
    pieces.add([0.1, None])
    pieces.add("last")
    assert opened.pieces({"what": "mine"}).found() == [[0.1, None], "last"]
    assert opened.pieces({"what": "other"}).found() == []


def test_a_second_writer_is_refused_and_the_first_goes_on(path: Path, opened: Store) -> None:
    part = part_of(opened)
    part.add(runs())
    with pytest.raises(InvalidArgumentError, match="a file that nobody else is writing to"):
        Store(path, ASKED)
    with pytest.raises(InvalidArgumentError, match="a file that nobody else is writing to"):
        Store(path, ASKED, how="over")
    part.add(runs(3))
    assert opened.n_runs() == 6


@pytest.mark.slow
def test_a_second_process_is_refused_in_one_line(path: Path, opened: Store) -> None:
    part_of(opened).add(runs())
    words = f"from explorative_user_env.results.store import Store; Store({str(path)!r}, {ASKED})"
    other = python("-c", words)
    assert other.stderr.splitlines()[-1].endswith(
        f"store must be a file that nobody else is writing to, got {str(path)!r}"
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"options": {"seed": 1}}, "seed is 0 there and 1 here"),
        ({"options": {"agents": {"BAIR": {"delta": 0.2}}}}, "agents.BAIR.delta is 0.1 there"),
        ({"command": "bench"}, "command is evaluate there and bench here"),
        ({"options": {"alpha": 2.0}}, "alpha is None there and 2.0 here"),
    ],
)
def test_another_request_is_refused_with_what_both_say(
    path: Path, change: dict[str, Any], words: str
) -> None:
    with Store(path, ASKED) as mine:
        part_of(mine).add(runs())
    before = path.read_bytes()
    asked = {**ASKED, **change}
    asked["options"] = {**ASKED["options"], **change.get("options", {})}  # type: ignore[dict-item]
    with pytest.raises(InvalidArgumentError, match=words):
        Store(path, asked)
    assert path.read_bytes() == before


@pytest.mark.parametrize("what", ["package_digest", "stream_fingerprint"])
def test_other_code_and_other_streams_are_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    with Store(path, ASKED) as mine:
        part_of(mine).add(runs())
    monkeypatch.setattr(store, what, lambda: "other")
    with pytest.raises(InvalidArgumentError, match="there and other here"):
        Store(path, ASKED)


def test_other_versions_are_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(path, ASKED) as mine:
        part_of(mine).add(runs())
    monkeypatch.setattr(store, "versions_of", lambda: {"numpy": "99.0"})
    with pytest.raises(InvalidArgumentError, match=r"numpy is \S+ there and 99.0 here"):
        Store(path, ASKED)


def test_what_is_there_is_not_written_over_unless_that_is_asked_for(path: Path) -> None:
    with Store(path, ASKED) as mine:
        part_of(mine).add(runs())
    with pytest.raises(InvalidArgumentError, match="a new file"):
        Store(path, ASKED, how="new")
    with Store(path, {**ASKED, "command": "other"}, how="over") as other:
        assert other.n_found == 0
        part_of(other).add(runs(0, 1))
    assert (request_in(path)["command"], about(path).n_runs) == ("other", 1)


@pytest.mark.parametrize("content", [b"", b"no database, though as long as its header" * 9])
def test_somebody_elses_file_is_refused_and_left_as_it_is(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    if content:
        with pytest.raises(InvalidArgumentError, match="a file of runs"):
            Store(path, ASKED)
    for read in (load, request_in, about):
        with pytest.raises(InvalidArgumentError, match="a file of runs"):
            read(path)
    with pytest.raises(InvalidArgumentError, match="a file of runs"):
        Store(path, ASKED, how="the same")
    assert path.read_bytes() == content


def test_the_database_of_another_program_is_refused(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE runs_bai(part)")
    before = path.read_bytes()
    for opens in (load, lambda path: Store(path, ASKED)):
        with pytest.raises(InvalidArgumentError, match="somebody else's"):
            opens(path)
    assert path.read_bytes() == before


def test_the_tables_of_another_version_are_refused(path: Path) -> None:
    with Store(path, ASKED) as mine:
        part_of(mine).add(runs())
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version=99")
    for opens in (load, lambda path: Store(path, ASKED)):
        with pytest.raises(InvalidArgumentError, match=r"version 1 \(it has 99"):
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


def test_what_was_killed_without_that_journal_is_put_in_order_by_a_reader(path: Path) -> None:
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
    with (
        closing(sqlite3.connect(f"{(left / path.name).as_uri()}?mode=ro", uri=True)) as db,
        pytest.raises(sqlite3.OperationalError, match="readonly"),
    ):
        db.execute("SELECT * FROM runs_bai")
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
        mine._database._db.execute("PRAGMA max_page_count=30")  # SQLite then says that it is full
        with pytest.raises(InvalidArgumentError, match=r"written to \(database or disk is full"):
            part.add(runs(3, 5000))
        assert mine.n_runs() == 3
    with Store(path, ASKED) as again:
        part_of(again).add(runs(3, 5000))
    assert about(path).n_runs == 5003


@pytest.mark.parametrize("opens", [request_in, about, lambda path: Store(path, ASKED)])
def test_a_record_that_is_not_as_it_was_written_is_refused(path: Path, opens: Any) -> None:
    with Store(path, ASKED) as mine:
        part_of(mine).add(runs())
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE about SET value = replace(value, '0.1', '0.2')")
        db.commit()
    with pytest.raises(InvalidArgumentError, match="not as it was written"):
        opens(path)


def test_a_place_that_takes_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for where in (tmp_path / "file" / "run.sqlite", tmp_path):
        with pytest.raises(InvalidArgumentError, match="store must be a file"):
            Store(where, ASKED)


def test_a_file_without_a_run_is_taken_away_when_the_work_fails(path: Path) -> None:
    with pytest.raises(ZeroDivisionError), Store(path, ASKED):
        raise ZeroDivisionError
    assert not list(path.parent.iterdir())


def test_every_session_is_told_with_its_end(path: Path) -> None:
    mine = Store(path, ASKED)
    part_of(mine).add(runs())
    mine.close("KeyboardInterrupt")
    assert not is_finished(path)
    with Store(path, ASKED):
        pass
    told = about(path)
    assert [each["how"] for each in told.sessions] == ["KeyboardInterrupt", "finished"]
    for session in told.sessions:
        assert session["began"] <= session["ended"]
        assert {"machine", "command", "commit", "journal"} == set(session["made_by"])
    assert told.finished
    assert told.request["made with"]["streams"] == stream_fingerprint()
