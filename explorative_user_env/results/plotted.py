"""What plots take: results by what they have, as `Results` and `Sweep` do."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import pandas as pd

from explorative_user_env.display.series import LONGEST_NAME, verbatim
from explorative_user_env.episodes import Episode
from explorative_user_env.population import Population
from explorative_user_env.protocol import Agent
from explorative_user_env.results.tables import REFERENCE
from explorative_user_env.tasks import POPULATION


class PlottedRuns(Protocol):
    """The runs of a line-up with the users of one cell: `Results`."""

    @property
    def runs(self) -> pd.DataFrame:
        """One row a run."""

    @property
    def cell(self) -> Mapping[str, Any]:
        """What all runs share."""

    @property
    def population(self) -> Population:
        """The users."""

    @property
    def deltas(self) -> Mapping[str, float]:
        """Delta of the agents that have one of their own."""

    @property
    def checks(self) -> pd.DataFrame | None:
        """The runs of BAIR held against the paper's bounds, if they were."""

    @property
    def line_up(self) -> Mapping[str, Agent]:
        """The agents that can be replayed, by name."""

    @property
    def references(self) -> frozenset[str]:
        """The names of those that were told rewards."""

    @property
    def over_horizon(self) -> bool:
        """Whether the task is "regret"."""

    def replay(self, row: Any) -> Episode:
        """Return a run again, step by step."""

    def summary(self) -> pd.DataFrame:
        """Return one row an agent."""


class PlottedCells(Protocol):
    """The same task in several cells: `Sweep`."""

    @property
    def cells(self) -> Sequence[PlottedRuns]:
        """The results of each."""

    def summary(self) -> pd.DataFrame:
        """Return one row an agent and cell."""


def agents_in(results: PlottedRuns) -> list[str]:
    """Return the names of the agents, in the order of the line-up."""
    return list(dict.fromkeys(results.runs["agent"]))


def label_of(results: PlottedRuns, agent: str) -> str:
    """Return what a legend calls an agent; a reference has its sign."""
    name = verbatim(agent, LONGEST_NAME)
    return name + REFERENCE if agent in results.references else name


def heading_of(results: PlottedRuns, varying: Sequence[str] = ()) -> str:
    """Return who met whom, as the title of a plot.

    Args:
        results: the runs.
        varying: what is no part of it, as it is on an axis or in the legend.
    """
    cell = results.cell
    parts = {"n_arms": f"K = {cell['n_arms']}", "delta": f"δ = {cell['delta']:g}"}
    for name, usual in (("alpha", 1.0), ("gap", None), ("noise", 0.0)):
        value = cell.get(name, usual)
        if value is not None and value != usual:
            parts[name] = f"{name} = {value:g}"
    for name, usual_word in (("reward_law", "gaussian"), ("behaviour", "explorative")):
        if cell.get(name, usual_word) != usual_word:
            parts[name] = str(cell[name])
    n_runs = int(results.runs.groupby("agent").size().max())
    whom = "episode" if cell.get("task") == POPULATION.name else "user"
    told = [text for name, text in parts.items() if name not in varying]
    return ", ".join([str(cell["setting"]), *told, f"{n_runs} {whom}{'s' * (n_runs != 1)}"])
