"""What an evaluation keeps in a store: under which key, and what makes results of it again."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.evaluation.request import Request
from explorative_user_env.protocol import Agent, name_of, options_of
from explorative_user_env.results.columns import digest_of_runs
from explorative_user_env.results.parts import Kept, NoPieces, Part, Pieces, Remembered, Unkept
from explorative_user_env.results.records import record_of, record_of_class
from explorative_user_env.results.store import Store
from explorative_user_env.tasks import OF_MEMBERS

FEWEST_ARMS = 2
"""Arms of whoever tells agents apart where no users are known."""

LONGEST_TRIED = 8
TRIED = ((3,), (3, LONGEST_TRIED))
"""Users whom an agent meets for so many steps: after the second it remembers something else."""


class Keeper:
    """Keeps nothing."""

    def part(self, agent: Agent, cap: int, horizon: int | None) -> Kept:
        """Return where the runs of an agent are kept."""
        return Unkept()

    def checks(self, agent: Agent, cap: int) -> Pieces:
        """Return where the checks of an agent's runs are kept."""
        return NoPieces()

    def note(self, told: Mapping[str, Any], finished: bool) -> None:
        """Take in what is to be said of the runs so far."""

    def finish(self, told: Mapping[str, Any], runs: Mapping[str, pd.DataFrame]) -> None:
        """Take in what is to be said of all runs, by agent, now that they are there."""


class MemoryKeeper(Keeper):
    """Keeps the runs of one evaluation in memory, for as long as it meets more users."""

    def __init__(self) -> None:
        self._parts: dict[str, Kept] = {}

    def part(self, agent: Agent, cap: int, horizon: int | None) -> Kept:
        """Return where the runs of an agent are kept."""
        return self._parts.setdefault(name_of(agent), Remembered())


class StoreKeeper(Keeper):
    """Keeps the runs of one evaluation in a store."""

    def __init__(self, store: Store, request: Mapping[str, Any], seed: int) -> None:
        self._store, self._request, self._seed = store, request, seed
        self._parts: dict[str, Part] = {}

    def part(self, agent: Agent, cap: int, horizon: int | None) -> Kept:
        """Return where the runs of an agent are kept."""
        name = name_of(agent)
        record = self._record(name, cap) | {"horizon": horizon}
        self._parts[name] = self._store.part(self._request["task"], name, record)
        return self._parts[name]

    def checks(self, agent: Agent, cap: int) -> Pieces:
        """Return where the checks of an agent's runs are kept."""
        name, n_users = name_of(agent), self._request["n_instances"]
        record = self._record(name, cap) | {"checks": n_users}  # its last chunk may be a short one
        return self._store.pieces(record)

    def _record(self, name: str, cap: int) -> dict[str, Any]:
        """Return what runs of an agent follow from."""
        asked = self._request
        of_cell = {"population": asked["population"], "seed": self._seed}
        of_cell |= {name: asked[name] for name in OF_MEMBERS if name in asked}
        return {**of_cell, "record": asked["agents"][name], "cap": cap}

    def note(self, told: Mapping[str, Any], finished: bool) -> None:
        """Take in what is to be said of the runs so far."""
        parts = list(self._parts.values())
        self._store.note({"request": self._request, **told}, parts, finished)

    def finish(self, told: Mapping[str, Any], runs: Mapping[str, pd.DataFrame]) -> None:
        """Take in what is to be said of all runs, and what tells these from any others."""
        task = self._request["task"]
        digests = {name: digest_of_runs(task, of_agent) for name, of_agent in runs.items()}
        self.note({**told, "digests": digests}, finished=True)


@contextmanager
def keeping(
    store: Store | Path | str | None, request: Request, line_up: Sequence[Agent]
) -> Iterator[Keeper]:
    """Open the store of an evaluation, if it has one of its own, and close it at the end.

    Raises:
        InvalidArgumentError: if the store has the runs of another request.
    """
    if store is None:
        yield Keeper() if request.until_width is None else MemoryKeeper()
        return
    told = request_record(request, line_up)
    if isinstance(store, Store):
        yield StoreKeeper(store, told, request.seed)
        return
    with Store(store, {"command": "evaluate", "options": told}) as own:
        yield StoreKeeper(own, told, request.seed)


def request_record(request: Request, line_up: Sequence[Agent]) -> dict[str, Any]:
    """Return all that the rows of an evaluation follow from."""
    arms = request.population.n_arms
    agents = {name_of(agent): agent_record(agent, arms) for agent in line_up}
    names = ("n_instances", "seed", "delta", "max_steps", "step_cost", "check_theory")
    own = {name: getattr(request, name) for name in names}
    if request.until_width is not None:
        own["until_width"] = request.until_width
    if request.members is not None:
        own |= asdict(request.members)
    own |= {"population": record_of(request.population), "agents": agents}
    return {"task": request.task.name, "told": request.told, **own}


def agent_record(agent: Agent | str, n_arms: int) -> Any:
    """Return what tells an agent from others of its name: its class, its code and its options.

    Options are what an agent says they are, or else its attributes, but for those that are others
    once it has met another user: these are what it remembers.
    """
    if isinstance(agent, AlgorithmAgent | str):
        return record_of(agent)
    if (said := options_of(agent)) is not None:
        return record_of_class(type(agent)) | {"attributes": record_of(said)}
    met_few, met_more = (_having_met(agent, n_arms, steps) for steps in TRIED)
    if met_few is None or met_more is None:
        return record_of(agent)
    lasting = {name: value for name, value in met_few.items() if met_more.get(name) == value}
    return record_of_class(type(agent)) | {"attributes": lasting}


def _having_met(agent: Agent, n_arms: int, steps: Sequence[int]) -> Mapping[str, Any] | None:
    """Return the attributes of a copy of an agent that has met users; None where it cannot."""
    try:
        tried = copy.deepcopy(agent)
        for n_steps in steps:
            tried.reset(n_arms, np.random.default_rng(n_steps), LONGEST_TRIED)
            for step in range(n_steps):
                arm = tried.act()
                if arm is None:
                    break
                tried.observe(arm, step % 2 == 0)
        attributes: Mapping[str, Any] = record_of(tried)["attributes"]
    except Exception:  # what fails here is told of where it runs
        return None
    return attributes
