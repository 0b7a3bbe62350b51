"""Rows that are run again, and in what they are others than a file says."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from explorative_user_env.agents import AGENTS, REFERENCES
from explorative_user_env.display.progress import OnProgress
from explorative_user_env.envs.meeting import informed
from explorative_user_env.evaluation.paths import paths_of
from explorative_user_env.evaluation.runner import runs_of
from explorative_user_env.evaluation.workers import Workforce
from explorative_user_env.protocol import (
    POPULATION,
    Agent,
    Array,
    as_task,
    kept_steps,
    name_of,
    needs_horizon,
)
from explorative_user_env.results.store import Kept
from explorative_user_env.runs.members import Members
from explorative_user_env.validation import InvalidArgumentError, integer
from explorative_user_env.verification.claims import CellClaim

WHOSE_RUN = ("instance", "user_seed", "agent")
"""Columns that say whose run a row is, and are not what comes out of it."""

EQUAL_WITHIN = 1e-9
"""Of sums, whose last bits depend on the processor: what differs by less is taken to be equal."""

WORTH_COMPILING = 50_000
"""Steps from which on it is quicker to compile an agent than to run it step by step."""

TELLING_ROWS = 10
"""Rows that are run again to tell whose they are, where a row came out otherwise."""


class Other(NamedTuple):
    """A number that is not what comes out."""

    instance: int
    column: str
    there: Any
    here: Any


@dataclass(frozen=True)
class SecondRun:
    """Runs other rows of a cell.

    Attributes:
        claim: what is said of the cell.
        workforce: who does it.
        compiled: whether algorithm records run compiled.
    """

    claim: CellClaim
    workforce: Workforce
    compiled: bool

    def runs(self, agent: Agent, said_of: str, rows: pd.DataFrame, progress: OnProgress) -> Any:
        """Return what comes out with the users of some rows.

        Args:
            agent: who meets them.
            said_of: whose step cap it has.
            rows: the rows.
            progress: told how far it is.

        Raises:
            InvalidArgumentError: if what the file says cannot be run.
        """
        results = self.claim.results
        assert results is not None
        cell, seeds = results.cell, [int(seed) for seed in rows["user_seed"]]
        cap = integer("max_steps", cell["agents"][said_of]["max_steps"], 1)
        told = results.over_horizon or needs_horizon(agent)
        if told:
            kept_steps("horizon", cell["horizon"])
        return runs_of(
            paths_of(as_task(cell["task"]), members_in(cell)),
            agent,
            results.population,
            seeds,
            cap=cap,
            horizon=cell["horizon"] if told else None,
            workforce=self.workforce,
            compiled=self.compiled,
            progress=progress,
            kept=Kept(),
        )

    def whose(self, said_of: str, rows: pd.DataFrame, progress: OnProgress) -> str | None:
        """Return the agent whose rows these are, of the cell's and the package's; None of others.

        Args:
            said_of: whose they are said to be, and are not.
            rows: the rows.
            progress: told how far it is.
        """
        soon = replace(self, compiled=self.compiled and self._n_steps(rows) > WORTH_COMPILING)
        for agent in self._candidates(said_of):
            try:
                here = soon.runs(agent, said_of, rows, progress)
            except InvalidArgumentError:
                continue
            n_others = len({each.instance for each in others_in(rows, here)})
            if n_others <= len(rows) // 10:
                return name_of(agent)
        return None

    def _n_steps(self, rows: pd.DataFrame) -> int:
        """Return how many steps some rows have together."""
        if "interactions" in rows:
            return int(rows["interactions"].sum())
        told = self.claim.told
        return len(rows) * int(told["horizon"]) * int(told.get("n_users", 1))

    def _candidates(self, said_of: str) -> Sequence[Agent]:
        results = self.claim.results
        assert results is not None
        known = dict(results.line_up)
        for name in (*AGENTS, *REFERENCES):
            if name not in known:
                known[name] = informed(name, results.population, results.cell["delta"])
        known.pop(said_of, None)
        told = results.over_horizon or results.cell["horizon"] is not None
        return [agent for agent in known.values() if told or not needs_horizon(agent)]


def members_in(cell: Mapping[str, Any]) -> Members | None:
    """Return how many users come one after another in an episode of a cell, where they do."""
    if cell["task"] != POPULATION.name:
        return None
    return Members(cell["n_users"], cell["deviation"])


def others_in(there: pd.DataFrame, here: pd.DataFrame) -> list[Other]:
    """Return every number of some rows that is not what came out, row by row.

    Args:
        there: the rows as a file has them.
        here: what came out, in the same order.
    """
    columns = [name for name in here if name in there and name not in WHOSE_RUN]
    marked = {name: _marked(there[name].to_numpy(), here[name].to_numpy()) for name in columns}
    found = []
    for place, instance in enumerate(there["instance"].tolist()):
        for name in columns:
            if marked[name][place]:
                was, now = there[name].iloc[place], here[name].iloc[place]
                found.append(Other(int(instance), name, _plain(was), _plain(now)))
    return found


def _marked(there: Array, here: Array) -> Array:
    """Return where two columns are not equal."""
    if there.dtype.kind in "biu" and here.dtype.kind in "biu":
        return np.asarray(there != here)
    if "O" in (there.dtype.kind, here.dtype.kind):
        pairs = zip(map(str, there), map(str, here), strict=True)
        return np.array([not _same_text(*pair) for pair in pairs])
    pair = (there.astype(float), here.astype(float))
    close = np.isclose(*pair, rtol=EQUAL_WITHIN, atol=EQUAL_WITHIN, equal_nan=True)
    return np.asarray(~close)


def _same_text(was: str, now: str) -> bool:
    """Return whether two texts are the same, numbers in them but for their last bits."""
    if was == now:
        return True
    try:
        before, after = (np.array(text.split(), float) for text in (was, now))
    except ValueError:
        return False
    close = before.shape == after.shape and np.allclose(before, after, EQUAL_WITHIN, EQUAL_WITHIN)
    return bool(close)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def drawn(n_rows: int, share: float, rng: np.random.Generator) -> Array:
    """Return the places of a random part of so many rows, at least one, in order."""
    n_drawn = min(n_rows, max(1, math.ceil(share * n_rows)))
    places: Array = np.sort(rng.choice(n_rows, n_drawn, replace=False))
    return places
