"""The store: an SQLite file with one row for every finished run.

The file also has a request: the command or call that wrote it, with all options. A file accepts
runs of one request only. Each finished chunk of runs is one transaction, so committed runs survive
if the process is killed. A part of the store has the runs of one agent with one combination of
options. Its key is a digest of all inputs of these runs except their number, so a repeated request
finds the part and adds only missing runs. Readers never change the file: SQLite opens the file or a
copy as immutable.
"""

import copy
import json
import lzma
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.files import RUN_FILE, differences, from_json, write_file
from explorative_user_env.protocol import Array
from explorative_user_env.results import records
from explorative_user_env.results.metrics import RUN_FRAMES
from explorative_user_env.validation import InvalidArgumentError, MissingExtraError, one_line

try:
    import sqlite3
except ImportError:  # some Python builds lack sqlite3
    sqlite3 = None  # type: ignore[assignment]

#: Allowed suffixes of a file of runs.
ENDINGS = (".sqlite", ".sqlite3", ".db")

#: Suffix added to the name of a compressed file.
PACKED = ".xz"

#: Size limit of a decompressed or copied file, in bytes: guards against decompression bombs.
MOST_BYTES = 2_000_000_000

#: SQLite header fields: the application, and the version of the tables. Other values are refused.
KIND = {"application_id": 0x45555354, "user_version": 3}

#: Seconds to wait for a lock of another writer.
LONGEST_BUSY = 1.0

#: Write-ahead log: readers do not wait for a writer. Some file systems do not support it.
WAL = "wal"

#: Names in the table `about`: the request, and the mark of a finished run.
REQUEST, FINISHED = "request", "finished"

#: Most results that share a run, on average; a file with more is refused as malformed.
MOST_SHARED = 20

Record = Mapping[str, Any]

#: The columns of each task's table of runs, with their types.
OF_RUNS = {
    task: {name: kind for name, kind in frame.items() if name != "agent"}
    for task, frame in RUN_FRAMES.items()
}

#: The SQL of each table. SQLite stores NaN as NULL, which NOT NULL refuses.
TABLES = {
    "about": "(name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "sessions": "(id INTEGER PRIMARY KEY, began TEXT NOT NULL, ended TEXT, how TEXT, "
    "made_by TEXT NOT NULL)",
    "parts": "(id INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL, task TEXT NOT NULL, "
    "agent TEXT NOT NULL, record TEXT NOT NULL)",
    "results": "(id INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL, record TEXT NOT NULL, "
    "parts TEXT NOT NULL, finished INTEGER NOT NULL)",
    "kept": "(key TEXT NOT NULL, position INTEGER NOT NULL, value TEXT NOT NULL, "
    "PRIMARY KEY (key, position)) WITHOUT ROWID",
}
_SQL = {int: "INTEGER", bool: "INTEGER", float: "REAL", str: "TEXT"}
for _task, _kinds in OF_RUNS.items():
    _names = ", ".join(f"{name} {_SQL[kind]} NOT NULL" for name, kind in _kinds.items())
    _key = "PRIMARY KEY (part, instance)) WITHOUT ROWID"
    TABLES[f"runs_{_task}"] = f"(part INTEGER NOT NULL REFERENCES parts(id), {_names}, {_key}"
TABLES = {name: f"CREATE TABLE {name}{columns}" for name, columns in TABLES.items()}


@contextmanager
def _refusals(argument: str, path: Path) -> Iterator[None]:
    """Convert errors of SQLite and the file system within the `with` block to one-line errors."""
    if sqlite3 is None:
        raise MissingExtraError("files of runs need sqlite3, which this Python was built without")
    no_runs = (ValueError, lzma.LZMAError, EOFError)
    try:
        yield
    except InvalidArgumentError:
        raise
    except (OSError, sqlite3.Error, OverflowError, *no_runs) as error:
        words = str(getattr(error, "strerror", None) or error)
        allowed = f"a file that can be written to ({words})"
        if isinstance(error, no_runs) or "not a database" in words or "malformed" in words:
            allowed = f"a file of runs of explorative-user-env ({words})"
        elif "locked" in words or "busy" in words:
            allowed = "a file that no other process writes to"
        elif "NOT NULL" in words:
            allowed = f"a file for runs without NaN ({words})"
        raise InvalidArgumentError(argument, str(path), allowed) from error


def _check_kind(db: "sqlite3.Connection", path: Path, argument: str) -> None:
    """Raise an error if the file lacks one of the `TABLES` or has a further table or trigger."""
    tables = dict(db.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
    if not tables:
        raise InvalidArgumentError(argument, str(path), "a non-empty file of runs")
    schema = {name: db.execute(f"PRAGMA {name}").fetchone()[0] for name in KIND} | tables
    ours: dict[str, Any] = KIND | TABLES
    for name in {**schema, **ours}:
        if schema.get(name) != ours.get(name):
            actual = f"its {name} is {one_line(str(schema.get(name)), 60)}"
            allowed = f"a file of runs of explorative-user-env ({actual})"
            raise InvalidArgumentError(argument, str(path), allowed)


@contextmanager
def read_only(path: Path, argument: str = "path") -> "Iterator[sqlite3.Connection]":
    """Open a file of runs read-only; another process may still write to the file.

    Compressed files and files with a write-ahead log are copied first. A file with a rollback
    journal is refused: the journal could name any other file, which SQLite would delete.

    Raises:
        InvalidArgumentError: if the file is missing, is not a file of runs, or has a journal.
    """
    path = path / RUN_FILE if path.is_dir() else path
    with _refusals(argument, path), tempfile.TemporaryDirectory() as folder:
        if not path.is_file():
            raise InvalidArgumentError(argument, str(path), "an existing file of runs")
        journal, log = (path.with_name(path.name + ending) for ending in ("-journal", "-wal"))
        if journal.is_file() and journal.stat().st_size:
            allowed = f"a file without the journal {journal.name} (resume the run to remove it)"
            raise InvalidArgumentError(argument, str(path), allowed)
        allowed = f"a file of at most {MOST_BYTES} bytes"
        too_large = InvalidArgumentError(argument, str(path), allowed)
        place, copied = path, Path(folder) / "run.sqlite"
        if path.suffix == PACKED:
            place = copied
            with lzma.open(path) as source, copied.open("wb") as target:
                while piece := source.read(1 << 20):
                    if target.tell() + len(piece) > MOST_BYTES:
                        raise too_large
                    target.write(piece)
        # A writer may restart the log during the copy. Its first bytes then change; copy again.
        while place == path and (salt := _beginning(log)):
            if path.stat().st_size + log.stat().st_size > MOST_BYTES:
                raise too_large
            shutil.copyfile(path, copied)
            with suppress(FileNotFoundError):
                shutil.copyfile(log, copied.with_name("run.sqlite-wal"))
            if salt == _beginning(log):
                place = copied
                with closing(sqlite3.connect(copied)) as db:
                    db.execute("PRAGMA wal_checkpoint")
        where = f"{place.resolve().as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(where, uri=True)) as db:
            _check_kind(db, path, argument)
            yield db


def _beginning(path: Path) -> bytes:
    """Return the first 32 bytes of a file; b"" if the path is not a regular file."""
    if not path.is_file():
        return b""
    with path.open("rb") as file:
        return file.read(32)


class About(NamedTuple):
    """The metadata of a file of runs.

    Attributes:
        request: the command or call that wrote the file, with all options.
        sessions: for each process that wrote to the file, when it `began` and `ended`, `how` it
            ended, and its machine and command (`made_by`).
        n_runs: number of runs.
        n_results: number of evaluations that have runs.
        finished: whether all requested runs are finished.
    """

    request: Record
    sessions: Sequence[Record]
    n_runs: int
    n_results: int
    finished: bool


def about(path: Path, argument: str = "path") -> About:
    """Return the metadata of a file of runs.

    Raises:
        InvalidArgumentError: if the file is missing, or is not a file of runs.
    """
    with read_only(path, argument) as db:
        rows = db.execute("SELECT began, ended, how, made_by FROM sessions ORDER BY id").fetchall()
        names = ("began", "ended", "how")
        sessions = [dict(zip(names, row, strict=False), made_by=from_json(row[3])) for row in rows]
        sizes = part_sizes(db)
        n_results = sum(any(map(sizes.get, numbers)) for _, numbers, _ in results_in(db))
        finished = db.execute("SELECT 1 FROM about WHERE name = ?", (FINISHED,)).fetchone()
        return About(request_from(db), sessions, sum(sizes.values()), n_results, bool(finished))


def part_sizes(db: "sqlite3.Connection") -> dict[int, int]:
    """Return {id of a part: number of runs}; a part has runs of one agent with equal options."""
    tables = " UNION ALL ".join(f"SELECT part FROM runs_{task}" for task in RUN_FRAMES)
    return dict(db.execute(f"SELECT part, count(*) FROM ({tables}) GROUP BY part"))


def results_in(db: "sqlite3.Connection") -> list[tuple[Any, Sequence[int], bool]]:
    """Return (record, ids of the parts with the runs, whether all runs exist) per evaluation.

    Raises:
        ValueError: if a run belongs, on average, to more than `MOST_SHARED` evaluations.
    """
    rows = db.execute("SELECT record, parts, finished FROM results ORDER BY id")
    results = [(from_json(record), from_json(parts), bool(done)) for record, parts, done in rows]
    sizes = part_sizes(db)
    n_read = sum(sizes.get(number, 0) for _, numbers, _ in results for number in numbers)
    if n_read > MOST_SHARED * sum(sizes.values()):
        raise ValueError("too many evaluations share the same runs")
    return results


def request_from(db: "sqlite3.Connection") -> Any:
    """Return the request in a file of runs, which is the command or call that wrote the file."""
    row = db.execute("SELECT value FROM about WHERE name = ?", (REQUEST,)).fetchone()
    return from_json(row[0] if row else "")


def request_resumed(path: Path) -> Record:
    """Return the stored request of an interrupted run, to resume the run.

    The result is {} if the process was killed before it stored the request. If the process left a
    journal, SQLite rolls back the transaction.

    Raises:
        InvalidArgumentError: if the file is missing or not writable.
    """
    with _refusals("resume", path):
        if path.is_file():
            with closing(sqlite3.connect(path, timeout=LONGEST_BUSY)) as db:
                if db.execute("SELECT 1 FROM sqlite_master").fetchone() is None:
                    return {}
    return about(path, "resume").request


def pack(path: Path, output: Path, overwrite: bool = False) -> None:
    """Write a compressed copy of a file of runs; the name of `output` ends in .xz.

    Raises:
        InvalidArgumentError: if `output` exists and `overwrite` is False, or if writing fails.
    """
    if output.suffix != PACKED:
        raise InvalidArgumentError("output", str(output), f"a name that ends in {PACKED}")
    packed = lzma.compress(path.read_bytes())
    write_file("output", output, lambda place: place.write_bytes(packed), overwrite)


class Part:
    """The stored runs of one agent with one combination of options."""

    def __init__(self, store: "Store", number: int, task: str) -> None:
        self.number, self._store, self._task = number, store, task

    def columns(self) -> dict[str, Array]:
        """Return the columns of the stored runs, in user order; {} without runs."""
        return columns_in(self._store.read, self.number, self._task)

    def add(self, columns: Mapping[str, Array]) -> None:
        """Store the runs of the next users."""
        names = OF_RUNS[self._task]
        values = [np.asarray(columns[name]) for name in names]
        plain = [(each.astype(int) if each.dtype == bool else each).tolist() for each in values]
        marks = ", ".join("?" * (1 + len(names)))
        words = f"INSERT INTO runs_{self._task}(part, {', '.join(names)}) VALUES ({marks})"
        self._store.write(words, zip([self.number] * len(plain[0]), *plain, strict=True))


def columns_in(read: Any, part: int, task: str) -> dict[str, Array]:
    """Return the stored runs of one agent as columns; `read` executes a query."""
    kinds = OF_RUNS[task]
    query = f"SELECT {', '.join(kinds)} FROM runs_{task} WHERE part = ? ORDER BY instance"
    columns = zip(kinds.items(), zip(*read(query, part), strict=True), strict=False)
    return {name: np.array(column, dtype=kind) for (name, kind), column in columns}


class Pieces(NamedTuple):
    """A list of JSON values in a store, for work without runs, such as the progress of training."""

    store: "Store"
    key: str

    def values(self) -> list[Any]:
        """Return the stored values, in order."""
        words = "SELECT value FROM kept WHERE key = ? ORDER BY position"
        return [from_json(value) for (value,) in self.store.read(words, self.key)]

    def add(self, piece: Any) -> None:
        """Append a JSON value."""
        words = (
            "INSERT INTO kept(key, position, value) "
            "SELECT ?1, 1 + coalesce(max(position), -1), ?2 FROM kept WHERE key = ?1"
        )
        self.store.write(words, [(self.key, _json(piece))])


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False)


class Store:
    """A file of runs that is open for writing.

    The store always has an open transaction, so other processes cannot write.

    Args:
        path: the file; an existing file is resumed.
        request: the options that determine the runs, as JSON values.
        argument: name of the argument that holds the path, for messages.
        overwrite: whether to replace an existing file.

    Raises:
        InvalidArgumentError: if an existing file has another request (the message names the
            differences), if another process writes to the file, or if the file is not writable.
    """

    def __init__(
        self, path: Path | str, request: Record, argument: str = "store", overwrite: bool = False
    ) -> None:
        self.path, self._argument, self._notes = Path(path), argument, True
        made_with = {"code": records.package_digest(), "streams": records.stream_fingerprint()}
        stored = {**request, "versions": records.versions_of(), "made with": made_with}
        with _refusals(argument, self.path):
            self._new = not self._has_run() or overwrite
            if self._new:
                self._create(stored)
            self._db = sqlite3.connect(self.path, timeout=LONGEST_BUSY, isolation_level=None)
            try:
                self._check_request(json.loads(json.dumps(stored)))
                (journal,) = self._db.execute(f"PRAGMA journal_mode={WAL}").fetchone()
                # After a power failure, NORMAL may lose the chunks that were stored last.
                self._db.execute(f"PRAGMA synchronous={'NORMAL' if journal == WAL else 'FULL'}")
                self._db.execute("BEGIN IMMEDIATE")
                made_by = _json({**records.provenance(), "journal": journal})
                words = "INSERT INTO sessions(began, made_by) VALUES (?, ?)"
                self.write(words, [(records.time_now(), made_by)])
            except BaseException:
                self._db.close()
                raise
        self._session = int(self.read("SELECT max(id) FROM sessions")[0][0])
        self.n_resumed = self.n_runs()

    def _has_run(self) -> bool:
        """Return whether the file has content; raise an error if another process writes to it."""
        if not self.path.exists():
            return False
        with closing(sqlite3.connect(self.path, timeout=LONGEST_BUSY)) as db:
            try:
                db.execute("BEGIN IMMEDIATE")
                return db.execute("SELECT 1 FROM sqlite_master").fetchone() is not None
            except sqlite3.DatabaseError as error:
                if "not a database" not in str(error):
                    raise
                return True

    def _create(self, request: Record) -> None:
        """Create the file atomically, with its tables and the request."""
        if self.path.suffix not in ENDINGS:
            allowed = f"a file whose name ends in {', '.join(ENDINGS)}"
            raise InvalidArgumentError(self._argument, str(self.path), allowed)

        def write(place: Path) -> None:
            kind = (f"PRAGMA {name}={value}" for name, value in KIND.items())
            with closing(sqlite3.connect(place)) as db, db:
                db.executescript("; ".join([*kind, *TABLES.values()]))
                db.execute("INSERT INTO about VALUES (?, ?)", (REQUEST, _json(request)))

        for ending in ("-wal", "-shm", "-journal"):  # files of SQLite for the replaced file
            self.path.with_name(self.path.name + ending).unlink(missing_ok=True)
        write_file(self._argument, self.path, write, overwrite=True)

    def _check_request(self, request: Record) -> None:
        _check_kind(self._db, self.path, self._argument)
        if others := differences(request_from(self._db), request):
            words = "; ".join(
                f"{name} is {one_line(str(was), 60)} in the file and {one_line(str(now), 60)} here"
                for name, was, now in others
            )
            allowed = f"the file of a run with the same request ({one_line(words, 250)})"
            if self._argument == "output":
                allowed += "; --overwrite replaces it"
            raise InvalidArgumentError(self._argument, str(self.path), allowed)

    def read(self, words: str, *values: Any) -> list[Any]:
        """Execute a query and return its rows."""
        with _refusals(self._argument, self.path):
            return self._db.execute(words, values).fetchall()

    def write(self, words: str, rows: Iterable[Sequence[Any]]) -> None:
        """Execute a statement for each row of values, in one transaction."""
        with _refusals(self._argument, self.path):
            try:
                with self._db:
                    self._db.executemany(words, rows)
            finally:
                with suppress(sqlite3.Error):  # if this fails, the next write raises the error
                    self._db.execute("BEGIN IMMEDIATE")

    def aside(self) -> "Store":
        """Return a copy that writes runs to the same file, and whose method `note` does nothing."""
        other = copy.copy(self)
        other._notes = False
        return other

    def n_runs(self) -> int:
        """Return the number of stored runs."""
        return sum(part_sizes(self._db).values())

    def n_pieces(self) -> int:
        """Return the number of JSON values that all `Pieces` of the store have together."""
        return int(self.read("SELECT count(*) FROM kept")[0][0])

    def part(self, task: str, agent: str, record: Record) -> Part:
        """Return an agent's stored runs; `record` has their inputs except the number of users."""
        key = records.digest({"task": task, "agent": agent, **record})
        words = "INSERT OR IGNORE INTO parts(key, task, agent, record) VALUES (?, ?, ?, ?)"
        self.write(words, [(key, task, agent, _json(record))])
        return Part(self, self.read("SELECT id FROM parts WHERE key = ?", key)[0][0], task)

    def note(self, record: Record, parts: Sequence[Part], finished: bool) -> None:
        """Store that the runs of an evaluation are in these parts.

        Args:
            record: the `request` of the evaluation, and `cell`, `deltas` and `checks` of `Results`.
            parts: one part (the runs of one agent) for each agent, in line-up order.
            finished: whether the parts contain all requested runs.
        """
        if not self._notes:
            return
        checks = record.get("checks")
        stored = records.record_of(
            {**record, "checks": None if checks is None else checks.to_dict("list")}
        )
        words = (
            "INSERT INTO results(key, record, parts, finished) VALUES (?, ?, ?, ?) ON CONFLICT(key)"
            " DO UPDATE SET record = excluded.record, parts = excluded.parts,"
            " finished = max(finished, excluded.finished)"
        )
        numbers = _json([each.number for each in parts])
        self.write(
            words, [(records.digest(stored["request"]), _json(stored), numbers, int(finished))]
        )

    def pieces(self, record: Record) -> Pieces:
        """Return the `Pieces` with the JSON values that were stored for `record`."""
        return Pieces(self, records.digest(records.record_of(record)))

    def close(self, how: str = FINISHED) -> None:
        """Store how the session ended, and close the file.

        If `how` is `FINISHED`, SQLite merges its log into the file. If `how` is another word, a new
        file without runs is deleted.
        """
        empty = self._new and how != FINISHED and not (self.n_runs() or self.n_pieces())
        with suppress(InvalidArgumentError, sqlite3.Error):
            words = "UPDATE sessions SET ended = ?, how = ? WHERE id = ?"
            self.write(words, [(records.time_now(), how, self._session)])
            if how == FINISHED:
                self.write("INSERT OR REPLACE INTO about VALUES (?, 'true')", [(FINISHED,)])
            self._db.execute("ROLLBACK")
            if empty or how == FINISHED:
                self._db.execute("PRAGMA journal_mode=DELETE")
        self._db.close()
        if empty:
            with suppress(OSError):
                self.path.unlink()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(FINISHED if kind is None else kind.__name__)
