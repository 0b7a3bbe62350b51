"""The store of a run: what was asked for, what made it, and a row for every finished run.

It is one SQLite file (`database`). A finished chunk of runs is one transaction: what is committed
stays, whatever ends the process. A part of the store is one agent with the users of one cell; its
key is a digest of all that its runs follow from, so that who asks for the same again, in whatever
order, is given the runs that are there, and goes on from them.
"""

import copy
import json
import lzma
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

import numpy as np

from explorative_user_env.files import differences, from_json, write_whole
from explorative_user_env.protocol import Array
from explorative_user_env.results.columns import OF_A_PART, RUN_FRAMES
from explorative_user_env.results.records import (
    digest,
    made_now,
    package_digest,
    record_of,
    stream_fingerprint,
    time_now,
    versions_of,
)
from explorative_user_env.validation import InvalidArgumentError, MissingExtraError, one_line

if TYPE_CHECKING:
    import sqlite3


VALUE, SEAL = "value", "seal"
SEAL_LENGTH = 16


class BrokenSealError(ValueError):
    """A record is not as it was written."""


def sealed(value: Any) -> str:
    """Return a record as text; a number that JSON has no word for is an error, and not kept."""
    return json.dumps({VALUE: value, SEAL: _seal_of(value)}, allow_nan=False)


def unsealed(text: str) -> Any:
    """Return the record in a text.

    Raises:
        BrokenSealError: if it was changed since.
    """
    try:
        whole = from_json(text)
        value = whole[VALUE]
        whole_still = whole[SEAL] == _seal_of(value)
    except (ValueError, TypeError, KeyError, RecursionError):
        whole_still = False
    if not whole_still:
        raise BrokenSealError("a record in it is not as it was written")
    return value


def _seal_of(value: Any) -> str:
    return digest(value)[:SEAL_LENGTH]


ENDINGS = (".sqlite", ".sqlite3", ".db")
"""How a path ends that is a file of runs, and no folder."""

PACKED = ".xz"
"""How the name of a packed file ends, after what it was called."""

MOST_UNPACKED = 2_000_000_000
"""Bytes that are unpacked at most: a small file may say that it is a very large one."""

_AT_ONCE = 1 << 20


def pack(path: Path, output: Path, overwrite: bool = False) -> None:
    """Write a file of runs once more, packed.

    Args:
        path: the file.
        output: where it goes, its name ending in `PACKED`.
        overwrite: whether something may be there.

    Raises:
        InvalidArgumentError: if something is, or the disk refuses.
    """
    if output.suffix != PACKED:
        raise InvalidArgumentError("output", str(output), f"a name that ends in {PACKED}")

    def write(place: Path) -> None:
        with path.open("rb") as source, lzma.open(place, "wb") as target:
            shutil.copyfileobj(source, target)

    write_whole("output", output, write, overwrite)


@contextmanager
def unpacked(path: Path, argument: str) -> Iterator[Path]:
    """Yield where a file can be read: itself, or what is in it for as long as the block runs.

    Args:
        path: the file.
        argument: what it was given as.

    Raises:
        InvalidArgumentError: if it is no packed file, or too much is in it.
    """
    if path.suffix != PACKED or not path.is_file():
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        inside = Path(folder) / path.stem
        try:
            _unpack(path, inside, argument)
        except (lzma.LZMAError, EOFError) as error:
            allowed = f"a file that was packed whole ({error})"
            raise InvalidArgumentError(argument, str(path), allowed) from error
        yield inside


def _unpack(path: Path, inside: Path, argument: str) -> None:
    size = 0
    with lzma.open(path) as source, inside.open("wb") as target:
        while piece := source.read(_AT_ONCE):
            size += len(piece)
            if size > MOST_UNPACKED:
                allowed = f"a file with at most {MOST_UNPACKED} bytes in it"
                raise InvalidArgumentError(argument, str(path), allowed)
            target.write(piece)


HAS_SQLITE = find_spec("_sqlite3") is not None
"""Whether this Python has it, which it may lack: in a browser it comes by itself."""

if TYPE_CHECKING or HAS_SQLITE:
    import sqlite3

FILE_OF_RUNS = 0x45555354
"""What the file's header says whose file it is."""

TABLES_VERSION = 2
"""The version of the tables; a file with another is not read."""

LONGEST_BUSY = 1.0
"""Seconds to wait for another who is at the file."""

WAL = "wal"
"""The journal in which readers do not wait for a writer; some file systems refuse it."""

_SQL_TYPES = {int: "INTEGER", bool: "INTEGER", float: "REAL", str: "TEXT"}

_TABLES = (
    "about(name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "sessions(id INTEGER PRIMARY KEY, began TEXT NOT NULL, ended TEXT, how TEXT, "
    "made_by TEXT NOT NULL)",
    "parts(id INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL, task TEXT NOT NULL, "
    "agent TEXT NOT NULL, record TEXT NOT NULL)",
    "results(id INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL, record TEXT NOT NULL, "
    "parts TEXT NOT NULL, finished INTEGER NOT NULL)",
    "kept(key TEXT NOT NULL, position INTEGER NOT NULL, value TEXT NOT NULL, "
    "PRIMARY KEY (key, position)) WITHOUT ROWID",
)


def table_of_runs(task: str) -> str:
    """Return the name of the table that has the runs of a task."""
    return f"runs_{task}"


def _tables() -> Iterator[str]:
    """Yield what makes each table; SQLite would take a number that is none for NULL."""
    yield from _TABLES
    for task, kinds in RUN_FRAMES.items():
        columns = ", ".join(
            f"{name} {_SQL_TYPES[kind]} NOT NULL"
            for name, kind in kinds.items()
            if name not in OF_A_PART
        )
        yield (
            f"{table_of_runs(task)}(part INTEGER NOT NULL REFERENCES parts(id), {columns}, "
            "PRIMARY KEY (part, instance)) WITHOUT ROWID"
        )


class OtherFileError(InvalidArgumentError):
    """A file is no file of runs, or one that another version of the package has written."""


class EmptyFileError(InvalidArgumentError):
    """A file has nothing in it yet, as where whoever made it was killed at once."""


class Database:
    """The file, open for its one writer.

    The transaction that comes next is always open: so nobody else can begin one.

    Args:
        path: where it is; made if it is not there.
        argument: what the path was given as.

    Raises:
        InvalidArgumentError: if the disk refuses, somebody else writes, or it is no such file.
    """

    def __init__(self, path: Path, argument: str) -> None:
        self.path, self.argument = path, argument
        _check_sqlite()
        with self.told():
            self._db = sqlite3.connect(path, timeout=LONGEST_BUSY, isolation_level=None)
            try:
                self._begin(path)
            except BaseException:
                self._db.close()
                raise

    def _begin(self, path: Path) -> None:
        new = _is_empty(self._db)
        if not new:
            check_kind(self._db, path, self.argument)
        self.journal = str(self._db.execute(f"PRAGMA journal_mode={WAL}").fetchone()[0])
        # A crash of the machine may cost the last chunks then, and nothing else.
        self._db.execute(f"PRAGMA synchronous={'NORMAL' if self.journal == WAL else 'FULL'}")
        self._db.execute("BEGIN IMMEDIATE")
        if new:
            self._db.execute(f"PRAGMA application_id={FILE_OF_RUNS}")
            self._db.execute(f"PRAGMA user_version={TABLES_VERSION}")
            for table in _tables():
                self._db.execute(f"CREATE TABLE {table}")

    def wipe(self) -> None:
        """Take everything out of the file."""
        names = self.read("SELECT name FROM sqlite_master WHERE type = 'table'")
        with self.transaction():
            for (name,) in names:
                self.write(f"DELETE FROM {name}", [()])

    def read(self, words: str, *values: Any) -> list[Any]:
        """Return the rows that a query finds."""
        with self.told():
            return self._db.execute(words, values).fetchall()

    def write(self, words: str, rows: Iterable[Sequence[Any]]) -> None:
        """Do the same with each row of values."""
        with self.told():
            self._db.executemany(words, rows)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit what is written in the block, all or nothing."""
        try:
            yield
            with self.told():
                self._db.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            raise
        finally:
            with suppress(sqlite3.Error):  # the next to write will be told
                self._db.execute("BEGIN IMMEDIATE")

    def close(self, whole: bool) -> None:
        """Let go of the file; what is `whole` is left as one file that anybody can copy."""
        with suppress(sqlite3.Error):
            self._db.execute("ROLLBACK")
            if whole:
                self._db.execute("PRAGMA journal_mode=DELETE")
        self._db.close()

    @contextmanager
    def told(self) -> Iterator[None]:
        """Say in one line what SQLite refuses."""
        try:
            yield
        except (sqlite3.Error, OverflowError, BrokenSealError) as error:
            raise refused(self.argument, self.path, error) from error


def refused(argument: str, path: Path, error: Exception) -> InvalidArgumentError:
    """Return the error that tells what SQLite, or the disk, refuses."""
    words = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
    if "locked" in words or "busy" in words:
        allowed = "a file that nobody else is writing to"
    elif isinstance(error, BrokenSealError) or "not a database" in words or "malformed" in words:
        allowed = f"a file of runs, as explorative-user-env writes them ({words})"
        return OtherFileError(argument, str(path), allowed)
    elif "NOT NULL" in words:
        allowed = f"for runs whose figures are all numbers ({words})"
    else:
        allowed = f"a file that can be written to ({words})"
    return InvalidArgumentError(argument, str(path), allowed)


def check_kind(db: "sqlite3.Connection", path: Path, argument: str) -> None:
    """Make sure that a file is one of these, in this version.

    Raises:
        InvalidArgumentError: saying whose it is, or which version it has.
    """
    application = db.execute("PRAGMA application_id").fetchone()[0]
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if application != FILE_OF_RUNS:
        allowed = "a file of runs, as explorative-user-env writes them (it is somebody else's)"
        raise OtherFileError(argument, str(path), allowed)
    if version != TABLES_VERSION:
        allowed = f"a file whose tables have version {TABLES_VERSION} (it has {version})"
        raise OtherFileError(argument, str(path), allowed)
    others = "SELECT name FROM sqlite_master WHERE type NOT IN ('table', 'index') OR sql LIKE ?"
    if found := db.execute(others, ("CREATE VIRTUAL%",)).fetchone():
        allowed = f"a file of tables ({found[0]} is none, and may compute without an end)"
        raise OtherFileError(argument, str(path), allowed)


def _check_sqlite() -> None:
    if not HAS_SQLITE:
        raise MissingExtraError("files of runs need sqlite3, which this Python was built without")


def _is_empty(db: "sqlite3.Connection") -> bool:
    return db.execute("SELECT 1 FROM sqlite_master").fetchone() is None


def _opened_to_read(path: Path) -> "sqlite3.Connection":
    """Return a connection that writes nothing of its own.

    What a killed writer has left may have to be put in order first, and that is written.
    """
    where = path.resolve().as_uri()
    for mode in ("ro", "rw"):
        db = sqlite3.connect(f"{where}?mode={mode}", uri=True, timeout=LONGEST_BUSY)
        try:
            db.execute("PRAGMA query_only=ON")
            _is_empty(db)
            return db
        except sqlite3.Error as error:
            db.close()
            if mode == "rw" or "READONLY" not in str(getattr(error, "sqlite_errorname", "")):
                raise
    raise AssertionError


@contextmanager
def read_only(path: Path, argument: str) -> "Iterator[sqlite3.Connection]":
    """Open a file to read in it, while somebody may write.

    Raises:
        InvalidArgumentError: if it is not there, or no such file.
    """
    _check_sqlite()
    try:
        if not path.is_file():
            raise InvalidArgumentError(argument, str(path), "a file of runs (there is none)")
        with unpacked(path, argument) as place, closing(_opened_to_read(place)) as db:
            if _is_empty(db):
                raise EmptyFileError(argument, str(path), "a file of runs (it is empty)")
            check_kind(db, path, argument)
            yield db
    except (sqlite3.Error, BrokenSealError, OSError) as error:
        raise refused(argument, path, error) from error


REQUEST, FINISHED = "request", "finished"
"""Names of what a file says of its run: what was asked for, and that it has come to its end."""


class About(NamedTuple):
    """What a file says of its run besides the runs.

    Attributes:
        request: what was asked for, as it was when it began.
        sessions: when somebody has worked at it, with what, and how that ended.
        n_runs: how many runs there are.
        n_results: how many evaluations have runs in it.
        finished: whether it has come to its end.
    """

    request: Mapping[str, Any]
    sessions: Sequence[Mapping[str, Any]]
    n_runs: int
    n_results: int
    finished: bool


def about(path: Path) -> About:
    """Return what a file of runs says of them.

    Raises:
        InvalidArgumentError: if there is no such file, or nothing in it.
    """
    with read_only(path, "path") as db:
        request, finished = request_from(db), _is_finished(db)
        rows = db.execute("SELECT began, ended, how, made_by FROM sessions ORDER BY id").fetchall()
        tables = [table_of_runs(task) for task in RUN_FRAMES]
        counts = [db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]
        parts = f"json_each(results.parts, '$.{VALUE}')"
        with_runs = " OR ".join(
            f"EXISTS (SELECT 1 FROM {table}, {parts} WHERE part = value)" for table in tables
        )
        sessions = [
            {"began": began, "ended": ended, "how": how, "made_by": unsealed(made_by)}
            for began, ended, how, made_by in rows
        ]
        n_results = db.execute(f"SELECT count(*) FROM results WHERE {with_runs}").fetchone()[0]
    return About(request, sessions, sum(counts), n_results, finished)


def request_in(path: Path, argument: str = "path") -> dict[str, Any]:
    """Return what the run in a file was asked for.

    Raises:
        InvalidArgumentError: if there is no such file, or nothing in it.
    """
    with read_only(path, argument) as db:
        return request_from(db)


def is_finished(path: Path) -> bool:
    """Return whether there is a file of a run that has come to its end."""
    try:
        with read_only(path, "path") as db:
            return _is_finished(db)
    except InvalidArgumentError:
        return False


def request_from(db: "sqlite3.Connection") -> dict[str, Any]:
    """Return what the run in a file that is open was asked for."""
    found = db.execute("SELECT value FROM about WHERE name = ?", (REQUEST,)).fetchone()
    request: dict[str, Any] = unsealed(found[0] if found else "")
    return request


def _is_finished(db: "sqlite3.Connection") -> bool:
    return db.execute("SELECT 1 FROM about WHERE name = ?", (FINISHED,)).fetchone() is not None


Columns = Mapping[str, Array]
"""Values by the name of their column, of the same runs."""


class Kept(Protocol):
    """Where the runs of one agent in one cell are kept, if anywhere."""

    def columns(self) -> Columns:
        """Return the runs that are there, of the first users; empty if there are none."""

    def add(self, columns: Columns) -> None:
        """Keep the runs of the users who come next."""


class Unkept:
    """A part that is kept nowhere."""

    def columns(self) -> Columns:
        """Return nothing."""
        return {}

    def add(self, columns: Columns) -> None:
        """Forget."""


class Remembered:
    """A part that is kept in memory, for who meets more users later."""

    def __init__(self) -> None:
        self._parts: list[Columns] = []

    def columns(self) -> Columns:
        """Return the runs that are there."""
        names = self._parts[0] if self._parts else ()
        return {name: np.concatenate([part[name] for part in self._parts]) for name in names}

    def add(self, columns: Columns) -> None:
        """Keep the runs of the users who come next."""
        self._parts.append(columns)


class Part:
    """A part that is kept in a store."""

    def __init__(self, database: Database, number: int, task: str) -> None:
        self.number = number
        self._database, self._task = database, task
        self._names = [name for name in RUN_FRAMES[task] if name not in OF_A_PART]

    def columns(self) -> Columns:
        """Return the runs that are there."""
        return columns_in(self._database.read, self.number, self._task)

    def add(self, columns: Columns) -> None:
        """Keep the runs of the users who come next."""
        values = [np.asarray(columns[name]) for name in self._names]
        plain = [(each.astype(int) if each.dtype == bool else each).tolist() for each in values]
        marks = ", ".join("?" * (1 + len(self._names)))
        names = ", ".join(self._names)
        words = f"INSERT INTO {table_of_runs(self._task)}(part, {names}) VALUES ({marks})"
        with self._database.transaction():
            self._database.write(words, zip([self.number] * len(plain[0]), *plain, strict=True))


class Pieces(Protocol):
    """Where the pieces of other work than runs are kept, if anywhere."""

    def found(self) -> list[Any]:
        """Return the pieces that are there, in their order."""

    def add(self, piece: Any) -> None:
        """Keep the piece that comes next, as JSON can hold it."""


class NoPieces:
    """Pieces that are kept nowhere."""

    def found(self) -> list[Any]:
        """Return nothing."""
        return []

    def add(self, piece: Any) -> None:
        """Forget."""


class KeptPieces:
    """Pieces that are kept in a store, under a key."""

    def __init__(self, database: Database, key: str) -> None:
        self._database, self._key = database, key

    def found(self) -> list[Any]:
        """Return the pieces that are there, in their order."""
        words = "SELECT value FROM kept WHERE key = ? ORDER BY position"
        rows = self._database.read(words, self._key)
        with self._database.told():
            return [unsealed(value) for (value,) in rows]

    def add(self, piece: Any) -> None:
        """Keep the piece that comes next, as JSON can hold it."""
        words = (
            "INSERT INTO kept(key, position, value) "
            "SELECT ?1, 1 + coalesce(max(position), -1), ?2 FROM kept WHERE key = ?1"
        )
        with self._database.transaction():
            self._database.write(words, [(self._key, sealed(piece))])


def columns_in(read: Any, part: int, task: str) -> Columns:
    """Return the runs of a part, by a function that reads."""
    kinds = {name: kind for name, kind in RUN_FRAMES[task].items() if name not in OF_A_PART}
    query = f"SELECT {', '.join(kinds)} FROM {table_of_runs(task)} WHERE part = ? ORDER BY instance"
    rows = list(read(query, part))
    if not rows:
        return {}
    return {
        name: np.array(values, dtype=kind)
        for (name, kind), values in zip(kinds.items(), zip(*rows, strict=True), strict=True)
    }


How = Literal["new", "new or the same", "the same", "over"]
"""What may be where a store is opened: nothing; nothing or a run of the same request; such a run;
anything, which is written over."""

OF_COMMANDS = "output"
"""The argument of commands that takes a new place, which they may write over."""

MOST_TOLD = 3
"""Differences that are told one by one."""

LONGEST_TOLD = 60
"""What is told of a value that is different is cut to this length."""


class Store:
    """The runs of one request in a file, open to take in more.

    Args:
        path: the file.
        asked: what was asked for, as JSON can hold it.
        how: what may be there.
        argument: what the path was given as.

    Raises:
        InvalidArgumentError: if what is there is another run, saying in what; or the disk refuses.
    """

    def __init__(
        self,
        path: Path | str,
        asked: Mapping[str, Any],
        how: How = "new or the same",
        argument: str = "store",
    ) -> None:
        self.path, self._notes = Path(path), True
        streams = {"code": package_digest(), "streams": stream_fingerprint()}
        request = json.loads(json.dumps({**asked, "versions": versions_of(), "made with": streams}))
        try:
            self._check_place(request, how, argument)
            self._new = how == "over" or not self.path.exists()
            self._database = _opened(self.path, how, argument)
        except OSError as error:
            raise refused(argument, self.path, error) from error
        try:
            self._check_request(request, argument)
            with self._database.transaction():
                self._session = self._new_session()
        except BaseException:
            self._database.close(whole=False)
            raise
        self.n_found = self.n_runs()

    def _check_place(self, request: Any, how: How, argument: str) -> None:
        """Make sure that what is there may be there, and that something may."""
        there = self.path.exists()
        if how == "new" and there:
            raise InvalidArgumentError(argument, str(self.path), "a new file (it is there already)")
        if how == "the same" or (how == "new or the same" and there):
            try:
                _check_same(request_in(self.path, argument), request, self.path, argument)
            except EmptyFileError:
                if how == "the same":
                    raise
        self.path.parent.mkdir(parents=True, exist_ok=True)

    def _check_request(self, request: Any, argument: str) -> None:
        """Write down the request, or make sure that it is the one that is there by now."""
        if found := self._database.read("SELECT value FROM about WHERE name = ?", REQUEST):
            with self._database.told():
                before = unsealed(found[0][0])
            _check_same(before, request, self.path, argument)
            return
        with self._database.transaction():
            self._tell(REQUEST, request)

    def _tell(self, name: str, value: Any) -> None:
        words = "INSERT OR REPLACE INTO about VALUES (?, ?)"
        self._database.write(words, [(name, sealed(value))])

    def _new_session(self) -> int:
        words = "INSERT INTO sessions(began, made_by) VALUES (?, ?)"
        made_by = {**made_now(), "journal": self._database.journal}
        self._database.write(words, [(time_now(), sealed(made_by))])
        return int(self._database.read("SELECT max(id) FROM sessions")[0][0])

    def aside(self) -> "Store":
        """Return the same store for work whose runs are kept, but are no results of its own."""
        other = copy.copy(self)
        other._notes = False
        return other

    def n_runs(self) -> int:
        """Return how many runs are there."""
        tables = [table_of_runs(task) for task in RUN_FRAMES]
        counts = [self._database.read(f"SELECT count(*) FROM {table}") for table in tables]
        return sum(int(count[0][0]) for count in counts)

    def part(self, task: str, agent: str, record: Mapping[str, Any]) -> Part:
        """Return where the runs of an agent in a cell are kept.

        Args:
            task: the task's name.
            agent: the agent's.
            record: all that the runs follow from, but for how many there are.
        """
        key = digest({"task": task, "agent": agent, **record})
        with self._database.transaction():
            words = "INSERT OR IGNORE INTO parts(key, task, agent, record) VALUES (?, ?, ?, ?)"
            self._database.write(words, [(key, task, agent, sealed(record))])
        number = self._database.read("SELECT id FROM parts WHERE key = ?", key)[0][0]
        return Part(self._database, int(number), task)

    def note(self, record: Mapping[str, Any], parts: Sequence[Part], finished: bool) -> None:
        """Say which parts are the results of what was evaluated.

        Args:
            record: `request`, what was evaluated, and what `Results` has besides the runs: `cell`,
                `deltas` and `checks`.
            parts: of its agents, in their order.
            finished: whether these are all.
        """
        if not self._notes:
            return
        checks = record.get("checks")
        columns = None if checks is None else checks.to_dict("list")
        whole = record_of({**record, "checks": columns})
        row = (digest(whole["request"]), sealed(whole), sealed([each.number for each in parts]))
        words = (
            "INSERT INTO results(key, record, parts, finished) VALUES (?, ?, ?, ?) ON CONFLICT(key)"
            " DO UPDATE SET record = excluded.record, parts = excluded.parts,"
            " finished = max(finished, excluded.finished)"
        )
        with self._database.transaction():
            self._database.write(words, [(*row, int(finished))])

    def pieces(self, record: Mapping[str, Any]) -> KeptPieces:
        """Return where the pieces of other work than runs are kept.

        Args:
            record: all that they follow from.
        """
        return KeptPieces(self._database, digest(record_of(record)))

    def close(self, how: str = FINISHED) -> None:
        """Let go of the file, and say how the work ended."""
        with suppress(InvalidArgumentError), self._database.transaction():
            words = "UPDATE sessions SET ended = ?, how = ? WHERE id = ?"
            self._database.write(words, [(time_now(), how, self._session)])
            if how == FINISHED:
                self._tell(FINISHED, True)
        empty = self._new and how != FINISHED and not (self.n_runs() or self.n_kept())
        self._database.close(whole=empty or how == FINISHED)
        if empty:
            with suppress(OSError):
                self.path.unlink(missing_ok=True)

    def n_kept(self) -> int:
        """Return how many pieces of other work are there."""
        return int(self._database.read("SELECT count(*) FROM kept")[0][0])

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(FINISHED if kind is None else kind.__name__)


def _opened(path: Path, how: How, argument: str) -> Database:
    """Return the file, opened; with "over" it is empty then, whatever it was."""
    try:
        database = Database(path, argument)
    except OtherFileError:
        if how != "over":
            raise
        path.unlink()
        return Database(path, argument)
    if how == "over":
        database.wipe()
    return database


def _check_same(before: Any, now: Any, path: Path, argument: str) -> None:
    """Make sure that a file has the run that is asked for."""
    if others := differences(before, now):
        allowed = f"the file of a run that was asked for the same ({_in_words(others)})"
        if argument == OF_COMMANDS:
            allowed += "; --overwrite writes over it"
        raise InvalidArgumentError(argument, str(path), allowed)


def _in_words(others: Sequence[tuple[str, Any, Any]]) -> str:
    """Return in what two requests differ, and what both say."""
    said = [
        f"{name} is {one_line(str(was), LONGEST_TOLD)} there and "
        f"{one_line(str(now), LONGEST_TOLD)} here"
        for name, was, now in others[:MOST_TOLD]
    ]
    rest = len(others) - len(said)
    return "; ".join(said) + (f"; {rest} more" if rest else "")
