"""What a file says of its runs, cell by cell, before any of it is believed."""

import copy
import functools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from explorative_user_env.envs.meeting import informed
from explorative_user_env.evaluation.runner import agent_record
from explorative_user_env.protocol import Agent, name_of
from explorative_user_env.results.records import KIND
from explorative_user_env.results.results import KeptEvaluation, Results, kept_evaluations
from explorative_user_env.results.store import read_only, request_from
from explorative_user_env.shipped import shipped_models
from explorative_user_env.studies.suite import ModelsByTask
from explorative_user_env.validation import InvalidArgumentError, MissingExtraError

MODEL = "explorative_user_env.rl.agent:SB3Agent"
"""What a record says of an agent that is a trained model."""


@dataclass(frozen=True)
class CellClaim:
    """What a file says of a cell.

    Attributes:
        cell: the cell in words, by what tells it from the others; "" if it is alone.
        request: what was asked for.
        results: the runs that are there; None if there are none.
        parts: by agent, what its runs are said to follow from.
        keys: by agent, the digest of that.
        digests: by agent, what is said to tell its runs from any others.
        finished: whether it is said that all runs are there.
    """

    cell: str
    request: Mapping[str, Any]
    results: Results | None
    parts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)
    finished: bool = True

    @property
    def agents(self) -> list[str]:
        """The names of the agents that were asked for."""
        return [*self.request["agents"]]

    @property
    def told(self) -> Mapping[str, Any]:
        """What all runs of the cell share; nothing if there is none."""
        return {} if self.results is None else self.results.cell

    def runs(self, agent: str) -> pd.DataFrame:
        """Return the runs of an agent, in the order of the users; none where it has none."""
        if self.results is None:
            return pd.DataFrame()
        whole = self.results.runs
        return whole[whole["agent"] == agent].reset_index(drop=True)

    def where(self, agent: str = "") -> str:
        """Return in words whose runs are meant: an agent's, or all agents'."""
        return ", ".join(filter(None, (agent, self.cell))) or "all agents"

    def who(self, agent: str) -> Agent | None:
        """Return the agent that is said to have had these runs, if it is known here."""
        return None if self.results is None else self.results.line_up.get(agent)


@dataclass(frozen=True)
class FileClaims:
    """What a file says.

    Attributes:
        request: what was asked for, and what made it; empty where the file does not say.
        cells: what it says of each cell.
    """

    request: Mapping[str, Any]
    cells: Sequence[CellClaim]


@contextmanager
def read_as_they_are(path: Path) -> Iterator[None]:
    """Say in one line what is wrong with records that somebody else has written.

    Raises:
        InvalidArgumentError: for whatever fails in the block.
    """
    try:
        yield
    except (InvalidArgumentError, MissingExtraError, OSError):
        raise
    except Exception as error:  # whatever somebody has written into it
        allowed = f"a file of runs whose records can be read ({type(error).__name__}: {error})"
        raise InvalidArgumentError("path", str(path), allowed) from error


def claims_in(path: Path, own: Sequence[Any]) -> FileClaims:
    """Return what a file of runs says.

    Args:
        path: the file.
        own: as for `verify`.

    Raises:
        InvalidArgumentError: if it is no such file, has no cell, or cannot be read.
    """
    with read_only(path, "path") as db:
        request = request_from(db)
        cells = [_claim(each, own) for each in kept_evaluations(db, own)]
    if not cells:
        raise InvalidArgumentError("path", str(path), "a file with runs (it has none yet)")
    return FileClaims(request, named_cells(cells))


def _claim(kept: KeptEvaluation, own: Sequence[Any]) -> CellClaim:
    record = kept.record
    if not isinstance(record["request"]["agents"], Mapping):
        raise TypeError("agents are no record")
    results = None if kept.results is None else _with_agents(kept.results, record, own)
    digests = record.get("digests", {})
    return CellClaim("", record["request"], results, kept.parts, kept.keys, digests, kept.finished)


def _with_agents(results: Results, record: Mapping[str, Any], own: Sequence[Any]) -> Results:
    """Return results with the agents that a file tells of by their code or weights alone."""
    asked = {
        name: told
        for name, told in record["request"]["agents"].items()
        if not isinstance(told, str)
    }
    handed_in = [agent for each in own for agent in _agents_in(each)]
    if any(told.get(KIND) == MODEL for told in asked.values() if isinstance(told, Mapping)):
        handed_in += _shipped()
    found = dict(results.line_up)
    how = (results.population, results.cell["delta"], record["request"].get("max_steps"))
    met = [informed(each, *how) for each in handed_in]
    for name, told in asked.items():
        for agent in met:
            if tells_of(told, agent_record(agent, results.population.n_arms)):
                found[name] = agent if name_of(agent) == name else named_as(name, agent)
    return replace(results, line_up=found)


def tells_of(told: Any, own: Any) -> bool:
    """Return whether a record is that of an agent, which may leave open what its runs filled in."""
    if isinstance(told, Mapping) and isinstance(own, Mapping):
        closed = [name for name in own if own[name] is not None]
        return all(name in told and tells_of(told[name], own[name]) for name in closed)
    return bool(told == own)


def _agents_in(each: Any) -> Sequence[Agent]:
    """Return the agents that are handed in as one thing, if it is any."""
    if isinstance(each, ModelsByTask):
        return each.agents()
    return [each] if isinstance(each, Agent) else []


def named_as(name: str, agent: Any) -> Agent:
    """Return an agent under the name that a file has it by, by which its random stream goes."""
    other: Any = copy.copy(agent)
    other.name = name
    named: Agent = other
    return named


@functools.cache
def _shipped() -> list[Agent]:
    """Return the models of the package, none where they cannot be run."""
    try:
        from explorative_user_env.rl import load_agent
    except ImportError:
        return []
    return [load_agent(folder) for folder in shipped_models().values()]


def named_cells(cells: Sequence[CellClaim]) -> list[CellClaim]:
    """Return cells with their names: what of them is not the same in all."""
    words = [
        {name: value for name, value in each.told.items() if isinstance(value, str | int | float)}
        for each in cells
    ]
    names = dict.fromkeys(name for each in words for name in each if name != "horizon")
    telling: list[str] = []
    for name in names:  # until no two are called the same, and no name is given in vain
        if _n_apart(words, [*telling, name]) > _n_apart(words, telling):
            telling.append(name)
    return [
        replace(cell, cell=" ".join(f"{name}={_short(told.get(name))}" for name in telling))
        for cell, told in zip(cells, words, strict=True)
    ]


def _n_apart(words: Sequence[Mapping[str, Any]], names: Sequence[str]) -> int:
    return len({tuple(str(each.get(name)) for name in names) for each in words})


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
