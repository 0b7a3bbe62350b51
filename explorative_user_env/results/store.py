"""The store of a run: what was asked for, what made it, and a row for every finished run.

It is one SQLite file (`database`). A finished chunk of runs is one transaction: what is committed
stays, whatever ends the process. A part of the store is one agent with the users of one cell; its
key is a digest of all that its runs follow from, so that who asks for the same again, in whatever
order, is given the runs that are there, and goes on from them.
"""

import copy
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from explorative_user_env.files.difference import differences
from explorative_user_env.results.about import FINISHED, REQUEST, request_in
from explorative_user_env.results.columns import RUN_FRAMES
from explorative_user_env.results.database import (
    Database,
    EmptyFileError,
    OtherFileError,
    refused,
    table_of_runs,
)
from explorative_user_env.results.fingerprint import stream_fingerprint
from explorative_user_env.results.parts import KeptPieces, Part
from explorative_user_env.results.provenance import made_now, time_now, versions_of
from explorative_user_env.results.records import digest, package_digest, record_of
from explorative_user_env.results.sealed import sealed, unsealed
from explorative_user_env.validation import InvalidArgumentError, one_line

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
