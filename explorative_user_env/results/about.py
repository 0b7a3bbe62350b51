"""What a file of runs says of them, for whoever may only read it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from explorative_user_env.results.columns import RUN_FRAMES
from explorative_user_env.results.database import read_only, table_of_runs
from explorative_user_env.results.sealed import VALUE, unsealed
from explorative_user_env.validation import InvalidArgumentError

if TYPE_CHECKING:
    import sqlite3

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
