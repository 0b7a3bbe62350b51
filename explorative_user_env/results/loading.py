"""Results out of a store, as they were when they were kept."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from explorative_user_env.protocol import Agent, name_of
from explorative_user_env.results.columns import RUN_FRAMES, frame_of
from explorative_user_env.results.database import read_only, table_of_runs
from explorative_user_env.results.records import UnknownCodeError, from_record
from explorative_user_env.results.results import Results
from explorative_user_env.results.store import FINISHED, REQUEST, columns_in
from explorative_user_env.results.sweep import Sweep
from explorative_user_env.validation import InvalidArgumentError


def load(path: Path | str, own: Sequence[Any] = ()) -> Results | Sweep:
    """Return the results that a file of runs has, also while somebody is writing to it.

    Of a run that was broken off they are of the users that had been met by then.

    Args:
        path: what `evaluate(..., store=)`, `Results.save` or a command has written.
        own: code of your own that the runs rest on, which is never looked for because a file names
            it: agents, which `Results.replay` needs, and behaviours, laws and functions of users.

    Returns:
        `Results`, or, of more than one cell, a `Sweep` of them.

    Raises:
        InvalidArgumentError: if there is no such file, or it has no run; or `own` lacks code.
    """
    where = Path(path)
    with read_only(where, "path") as db:
        rows = db.execute("SELECT record, parts FROM results ORDER BY id").fetchall()
        found = [_results(db, json.loads(record), json.loads(parts), own) for record, parts in rows]
    cells = [each for each in found if each is not None]
    if not cells:
        raise InvalidArgumentError("path", str(path), "a file with runs (it has none yet)")
    return cells[0] if len(cells) == 1 else Sweep(cells)


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
    request = request_in(path)
    with read_only(path, "path") as db:
        rows = db.execute("SELECT began, ended, how, made_by FROM sessions ORDER BY id").fetchall()
        tables = [table_of_runs(task) for task in RUN_FRAMES]
        counts = [db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]
        with_runs = " OR ".join(
            f"EXISTS (SELECT 1 FROM {table}, json_each(results.parts) WHERE part = value)"
            for table in tables
        )
        n_results = db.execute(f"SELECT count(*) FROM results WHERE {with_runs}").fetchone()[0]
    sessions = [
        {"began": began, "ended": ended, "how": how, "made_by": json.loads(made_by)}
        for began, ended, how, made_by in rows
    ]
    return About(request, sessions, sum(counts), n_results, is_finished(path))


def request_in(path: Path, argument: str = "path") -> dict[str, Any]:
    """Return what the run in a file was asked for.

    Raises:
        InvalidArgumentError: if there is no such file, or nothing in it.
    """
    with read_only(path, argument) as db:
        found = db.execute("SELECT value FROM about WHERE name = ?", (REQUEST,)).fetchone()
    if found is None:
        raise InvalidArgumentError(argument, str(path), "a file of runs (it is empty)")
    request: dict[str, Any] = json.loads(found[0])
    return request


def is_finished(path: Path) -> bool:
    """Return whether there is a file of a run that has come to its end."""
    try:
        with read_only(path, "path") as db:
            words = "SELECT 1 FROM about WHERE name = ?"
            return db.execute(words, (FINISHED,)).fetchone() is not None
    except InvalidArgumentError:
        return False


def _results(
    db: sqlite3.Connection, record: Mapping[str, Any], parts: Sequence[int], own: Sequence[Any]
) -> Results | None:
    """Return the results of an evaluation; None if no run of it is there."""
    request = record["request"]
    frames = {}
    for part in parts:
        name = str(db.execute("SELECT agent FROM parts WHERE id = ?", (part,)).fetchone()[0])
        columns = columns_in(partial(_rows, db), part, request["task"])
        if columns:
            n_users = request["n_instances"]
            columns = {column: values[:n_users] for column, values in columns.items()}
            frames[name] = frame_of(request["task"], name, columns)
    in_order = [name for name in request["agents"] if name in frames]
    if not in_order:
        return None
    known = {name_of(agent): agent for agent in own if isinstance(agent, Agent)}
    agents = {name: _agent(name, request["agents"][name], known) for name in in_order}
    checks, cell = record.get("checks"), record["cell"]
    cell["agents"] = {name: cell["agents"][name] for name in in_order}
    return Results(
        pd.concat([frames[name] for name in in_order], ignore_index=True),
        cell=cell,
        population=_population(request["population"], own),
        deltas={name: record["deltas"][name] for name in in_order},
        checks=None if checks is None else pd.DataFrame(checks),
        line_up={name: agent for name, agent in agents.items() if agent is not None},
    )


def _rows(db: sqlite3.Connection, query: str, *values: Any) -> list[Any]:
    return db.execute(query, values).fetchall()


def _agent(name: str, record: Any, known: Mapping[str, Agent]) -> Agent | None:
    """Return an agent of the package as it ran, or one that was handed in; None of another."""
    try:
        found: Agent = from_record(record)
    except UnknownCodeError:
        return known.get(name)
    return found


def _population(record: Any, own: Sequence[Any]) -> Any:
    try:
        return from_record(record, own)
    except UnknownCodeError as missing:
        allowed = f"with {missing}, which the users rest on"
        raise InvalidArgumentError("own", list(own), allowed) from missing
