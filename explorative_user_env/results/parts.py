"""The runs of one agent with the users of one cell, kept in a store or nowhere."""

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from explorative_user_env.protocol import Array
from explorative_user_env.results.columns import OF_A_PART, RUN_FRAMES
from explorative_user_env.results.database import Database, table_of_runs
from explorative_user_env.results.sealed import sealed, unsealed

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
