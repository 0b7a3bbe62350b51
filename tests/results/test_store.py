"""The store: what is committed stays, another request is refused, and readers never disturb."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from processes import python
from stores import ASKED, part_of, runs

from explorative_user_env.results import records
from explorative_user_env.results import store as database
from explorative_user_env.results.records import stream_fingerprint
from explorative_user_env.results.store import Store, about, columns_in
from explorative_user_env.validation import InvalidArgumentError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.sqlite"


@pytest.fixture
def opened(path: Path) -> Iterator[Store]:
    with Store(path, ASKED) as mine:
        yield mine


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
            assert len(columns_in(lambda q, *v: db.execute(q, v).fetchall(), 1, "bai")) == 11


def test_a_finished_file_is_a_single_one_that_can_be_copied_and_read_anywhere(path: Path) -> None:
    with Store(path, ASKED) as mine:
        part_of(mine).add(runs())
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    assert about(path).finished
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
        Store(path, ASKED, overwrite=True)
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
    monkeypatch.setattr(records, what, lambda: "other")
    with pytest.raises(InvalidArgumentError, match="there and other here"):
        Store(path, ASKED)


def test_other_versions_are_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(path, ASKED) as mine:
        part_of(mine).add(runs())
    monkeypatch.setattr(records, "versions_of", lambda: {"numpy": "99.0"})
    with pytest.raises(InvalidArgumentError, match=r"numpy is \S+ there and 99.0 here"):
        Store(path, ASKED)


def test_what_is_there_is_not_written_over_unless_that_is_asked_for(path: Path) -> None:
    with Store(path, ASKED) as mine:
        part_of(mine).add(runs())
    with Store(path, {**ASKED, "command": "other"}, overwrite=True) as other:
        assert other.n_found == 0
        part_of(other).add(runs(0, 1))
    assert (about(path).request["command"], about(path).n_runs) == ("other", 1)


def test_every_session_is_told_with_its_end(path: Path) -> None:
    mine = Store(path, ASKED)
    part_of(mine).add(runs())
    mine.close("KeyboardInterrupt")
    assert not about(path).finished
    with Store(path, ASKED):
        pass
    told = about(path)
    assert [each["how"] for each in told.sessions] == ["KeyboardInterrupt", "finished"]
    for session in told.sessions:
        assert session["began"] <= session["ended"]
        assert {"machine", "command", "commit", "journal"} == set(session["made_by"])
    assert told.finished
    assert told.request["made with"]["streams"] == stream_fingerprint()
