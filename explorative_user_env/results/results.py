"""What an evaluation found: one row a run, one row an agent, and the table a person reads."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from rich.text import Text

from explorative_user_env.display.html import html_table
from explorative_user_env.display.tables import as_text
from explorative_user_env.episodes import Episode
from explorative_user_env.loop import rollout
from explorative_user_env.meeting import environment_of
from explorative_user_env.members import Members, episode_with_members
from explorative_user_env.population import Population
from explorative_user_env.protocol import Agent, Array, needs_horizon, sees_rewards
from explorative_user_env.results.comparison import (
    Comparison,
    LineUpComparison,
    compare,
    compare_all,
)
from explorative_user_env.results.records import record_of
from explorative_user_env.results.scores import scores_of
from explorative_user_env.results.store import Store
from explorative_user_env.results.summaries import figures_of_runs
from explorative_user_env.results.tables import table_of, warnings_of
from explorative_user_env.tasks import POPULATION, TASKS
from explorative_user_env.validation import InvalidArgumentError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

UNREPEATED = ("means", "rho", "max_steps", "agents", "differences", "versions")
"""What a cell says besides, which is not repeated beside every figure: the setting's title says if
`means` and `rho` are not its own."""


@dataclass(frozen=True, repr=False)
class Results:
    """The runs of one or more agents on the same users.

    Printed, or as the last line of a notebook's cell, it is the table.

    Attributes:
        runs: one row a run. `instance`, `user_seed` (with which `replay`, or `rollout`, has the run
            again), `agent`, `best_arm`, `answer`, `correct`, `censored`, `left` (whether the user
            did), `interactions`, `acceptances`, and `stopping_time` and `rejections` as the setting
            reports them (the released setting counts its private draws). Of the task "regret":
            `regret`, `utility`, `acceptances`, `last_arm`, `most_accepted_arm`,
            `most_accepted_is_best` (1/n where it is one of n tied arms), `interactions` and `left`
            in their place. Of the task "population" a run is an episode: `regret`, `utility`,
            `acceptances`, `last_is_best` and `most_accepted_is_best` (with how many of its users, a
            share), and `regret_by_user`, numbers as words (`results.columns.regrets_by_user` reads
            them).
        cell: what all runs share: `task`, every option of the users in words (see `Population`),
            `delta`, `horizon` (T of the agents that need one), `seed`, `differences` (the points in
            which the setting is not the paper's text), of best-arm identification `step_cost`,
            `max_steps` (the step cap) and `until_width`, if that was asked for, and then `agents`
            (the options of each, with its own cap) and `versions` (of the package and what its
            numbers may depend on).
        population: the users themselves.
        deltas: delta of the agents that have one of their own.
        checks: what every run of every BAIR kept to and broke of the paper's bounds, one row a run
            (the fields of `monitors.TheoryCheck`), if the evaluation was asked for it.
        line_up: the agents by name, as they ran: with their open options filled in.
    """

    runs: pd.DataFrame
    cell: Mapping[str, Any]
    population: Population = field(default_factory=Population)
    deltas: Mapping[str, float] = field(default_factory=dict)
    checks: pd.DataFrame | None = None
    line_up: Mapping[str, Agent] = field(default_factory=dict, repr=False)

    def summary(self) -> pd.DataFrame:
        """Return one row an agent, in the order they were given, with 95% intervals.

        `rank` is by `cost` (1 the least), or by regret over a horizon. Who `sees_rewards` is a
        reference and has none.
        """
        shared = {name: value for name, value in self.cell.items() if name not in UNREPEATED}
        rows = []
        for agent, runs in self.runs.groupby("agent", sort=False):
            delta = self.deltas.get(str(agent), self.cell["delta"])
            figures = figures_of_runs(runs, self.cell, self.population, delta)
            sees = {"sees_rewards": agent in self.references}
            rows.append({**shared, "agent": agent, **figures, **sees})
        summary = pd.DataFrame(rows)
        ranked_by = summary["regret" if self.over_horizon else "cost"]
        competing = ranked_by.mask(summary["sees_rewards"])
        return summary.assign(rank=competing.rank(method="min").astype("Int64"))

    @property
    def references(self) -> frozenset[str]:
        """The names of the agents that were told rewards, which no competitor is."""
        return frozenset(name for name, agent in self.line_up.items() if sees_rewards(agent))

    @property
    def over_horizon(self) -> bool:
        """Whether agents ran to a horizon, with one user or many, and were not to answer."""
        return not TASKS[self.cell["task"]].ends_itself

    def compare(self, first: str, second: str) -> Comparison:
        """Return how two agents compare with the same users: see `comparison`, also for errors.

        Args:
            first: the name of an agent.
            second: of another.
        """
        return compare(self.runs, first, second, over_horizon=self.over_horizon)

    def compare_all(self, against: str) -> LineUpComparison:
        """Return how all others compare with one, with a family-wise error of 5% for each figure.

        Args:
            against: the one's name.
        """
        return compare_all(self.runs, against, over_horizon=self.over_horizon)

    def to_rliable(self, score: str | None = None) -> dict[str, Array]:
        """Return scores as rliable takes them: by agent an array (users, 1), the more the better.

        Its users are runs, and its bootstrap draws them apart for each agent: for differences with
        the same users there is `compare`.

        Args:
            score: "cost", "stopping_time" or "success"; over a horizon "regret" or "utility". What
                is the better the less is negated; None is the first, by which agents rank.

        Raises:
            InvalidArgumentError: for another score.
        """
        return scores_of([(self.runs, self.cell)], score)

    def replay(self, row: Any) -> Episode:
        """Return a run again, step by step: what the agent recommended and what the user said.

        It is the very run, with the same horizon and step cap, and no time limit of `gym.make`;
        with users who come one after another it is the steps of all, in their order.

        Args:
            row: a row of `runs`, or its label there (its place, as long as nobody sorts them).

        Raises:
            InvalidArgumentError: for what is no row of these runs.
        """
        name, seed = self._run_of(row)
        if name not in self.line_up:
            raise InvalidArgumentError("line_up", list(self.line_up), f"with {name}, to replay it")
        agent = self.line_up[name]
        horizon, told = self.cell["horizon"], self.over_horizon or needs_horizon(agent)
        if self.cell["task"] == POPULATION.name:
            members = Members(self.cell["n_users"], self.cell["deviation"])
            return episode_with_members(members, self.population, agent, seed, horizon)
        stays = horizon if self.over_horizon else None
        return rollout(
            environment_of(self.population, agent, "regret", stays),
            agent,
            seed,
            max_steps=self.cell["agents"][name]["max_steps"],
            horizon=horizon if told else None,
            commits=self.over_horizon,
        )

    def plot(
        self, kind: str | None = None, axes: "Axes | None" = None, *, progress: Any = True
    ) -> "Axes":
        """Draw the runs, and return Matplotlib's axes; `results.figures` has a function a kind.

        Args:
            kind: "success" against the budget of a run, "stopping_times" (which share goes on),
                "regret" or "rejections" over time, "acceptances" of each arm in the first run,
                "rounds" or "phase1_rejections" of checked runs; with users who come one after
                another "regret_by_user". None is success, or else regret.
            axes: where it is drawn; None is a new figure.
            progress: as for `evaluate`, of runs that are replayed for it.

        Raises:
            InvalidArgumentError: for a kind that there is none of, naming those there are.
        """
        from explorative_user_env.results.figures import plot_runs

        return plot_runs(self, kind, axes, progress)

    def save(self, path: Path | str) -> None:
        """Write the runs, and what made them, to a new file, which `eu.load` reads.

        Args:
            path: the file, in SQLite's format; nothing may be there.

        Raises:
            InvalidArgumentError: if something is, or the disk refuses.
        """
        task = self.cell["task"]
        agents = {name: record_of(self.line_up.get(name)) for name in self.deltas}
        request = {"task": task, "n_instances": int(self.runs["instance"].max()) + 1}
        request |= {"population": record_of(self.population), "agents": agents}
        told = {"command": "save", "options": {"cell": record_of(self.cell)}}
        with Store(path, told, how="new", argument="path") as store:
            parts = []
            for name, runs in self.runs.groupby("agent", sort=False):
                parts.append(store.part(task, str(name), request))
                parts[-1].add({column: runs[column].to_numpy() for column in runs})
            own = {"cell": self.cell, "deltas": self.deltas, "checks": self.checks}
            store.note({"request": request, **own}, parts, finished=True)

    def _run_of(self, row: Any) -> tuple[str, int]:
        """Return the agent's name and the user's seed of a row that is among the runs."""
        allowed = "a row of these runs, or its label there"
        if isinstance(row, Integral) and not isinstance(row, bool) and row in self.runs.index:
            row = self.runs.loc[row]
        if not isinstance(row, Mapping | pd.Series) or not {"agent", "user_seed"} <= set(
            row.keys()
        ):
            raise InvalidArgumentError("row", row, allowed)
        name, seed = row["agent"], row["user_seed"]
        if not ((self.runs["agent"] == name) & (self.runs["user_seed"] == seed)).any():
            raise InvalidArgumentError("row", dict(row), allowed)
        return name, int(seed)

    def __str__(self) -> str:
        summary = self.summary()
        warnings = [as_text(Text(words)) for words in warnings_of(summary)]
        return "\n".join([as_text(table_of(summary)), *warnings])

    def __repr__(self) -> str:
        counts = self.runs.groupby("agent", sort=False).size()
        said = {name: self.cell.get(name) for name in ("task", "setting", "n_arms", "seed")}
        said |= {"n_instances": int(counts.max()), "agents": list(counts.index)}
        return f"Results({', '.join(f'{name}={word!r}' for name, word in said.items())})"

    def _repr_html_(self) -> str:
        return html_table(table_of(self.summary()))
