"""A SQLite file with one writer and any number of readers, whose refusals are one line each."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorative_user_env.results.columns import OF_A_PART, RUN_FRAMES
from explorative_user_env.results.packed import unpacked
from explorative_user_env.results.sealed import BrokenSealError
from explorative_user_env.validation import InvalidArgumentError, MissingExtraError

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
