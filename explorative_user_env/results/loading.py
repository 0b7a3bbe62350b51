"""Results out of a store, as they were when they were kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from explorative_user_env.protocol import Agent, name_of
from explorative_user_env.results.columns import frame_of
from explorative_user_env.results.database import read_only
from explorative_user_env.results.parts import columns_in
from explorative_user_env.results.records import UnknownCodeError, from_record
from explorative_user_env.results.results import Results
from explorative_user_env.results.sealed import unsealed
from explorative_user_env.results.sweep import Sweep
from explorative_user_env.validation import InvalidArgumentError

if TYPE_CHECKING:
    import sqlite3


@dataclass(frozen=True)
class KeptEvaluation:
    """An evaluation as a file of runs has it.

    Attributes:
        record: what is said of it besides the runs: the `request`, the `cell` and the rest.
        parts: by agent, what its runs are said to follow from.
        keys: by agent, the digest that they are kept under.
        finished: whether all of its runs are said to be there.
        results: its runs; None if there is none.
    """

    record: Mapping[str, Any]
    parts: Mapping[str, Mapping[str, Any]]
    keys: Mapping[str, str]
    finished: bool
    results: Results | None


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
        found = [each.results for each in kept_evaluations(db, own)]
    cells = [each for each in found if each is not None]
    if not cells:
        raise InvalidArgumentError("path", str(path), "a file with runs (it has none yet)")
    return cells[0] if len(cells) == 1 else Sweep(cells)


def kept_evaluations(db: "sqlite3.Connection", own: Sequence[Any] = ()) -> list[KeptEvaluation]:
    """Return every evaluation of a file that is open, in the order they ran.

    Args:
        db: the file.
        own: as for `load`.
    """
    words = "SELECT record, parts, finished FROM results ORDER BY id"
    rows = db.execute(words).fetchall()
    return [
        _evaluation(db, unsealed(record), unsealed(parts), bool(finished), own)
        for record, parts, finished in rows
    ]


def _evaluation(
    db: "sqlite3.Connection",
    record: Mapping[str, Any],
    numbers: Sequence[int],
    finished: bool,
    own: Sequence[Any],
) -> KeptEvaluation:
    request = record["request"]
    frames, parts, keys = {}, {}, {}
    for number in numbers:
        words = "SELECT agent, record, key FROM parts WHERE id = ?"
        for name, of_part, key in db.execute(words, (number,)).fetchall():
            parts[name], keys[name] = unsealed(of_part), key
            columns = columns_in(partial(_rows, db), number, request["task"])
            if columns:
                n_users = request["n_instances"]
                columns = {column: values[:n_users] for column, values in columns.items()}
                frames[name] = frame_of(request["task"], name, columns)
    return KeptEvaluation(record, parts, keys, finished, _results(record, frames, own))


def _results(
    record: Mapping[str, Any], frames: Mapping[str, pd.DataFrame], own: Sequence[Any]
) -> Results | None:
    """Return the results of an evaluation; None if no run of it is there."""
    request = record["request"]
    in_order = [name for name in request["agents"] if name in frames]
    if not in_order:
        return None
    known = {name_of(agent): agent for agent in own if isinstance(agent, Agent)}
    agents = {name: _agent(name, request["agents"][name], known) for name in in_order}
    checks, cell = from_record(record.get("checks")), dict(record["cell"])
    cell["agents"] = {name: cell["agents"][name] for name in in_order}
    return Results(
        pd.concat([frames[name] for name in in_order], ignore_index=True),
        cell=cell,
        population=_population(request["population"], own),
        deltas={name: record["deltas"][name] for name in in_order},
        checks=None if checks is None else pd.DataFrame(checks),
        line_up={name: agent for name, agent in agents.items() if agent is not None},
    )


def _rows(db: "sqlite3.Connection", query: str, *values: Any) -> list[Any]:
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
