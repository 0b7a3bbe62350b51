"""Results: the runs of a line-up with what is computed of them, in memory and out of a file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd
from rich.text import Text

from explorative_user_env import protocol
from explorative_user_env.display.tables import as_text, html_table
from explorative_user_env.envs.user import environment_of
from explorative_user_env.protocol import POPULATION, Agent, Array, sees_rewards
from explorative_user_env.results import compare as pairs
from explorative_user_env.results.metrics import frame_of, scores_of, summarize
from explorative_user_env.results.records import UnknownCodeError, from_record, record_of
from explorative_user_env.results.store import Store, columns_in, read_only, results_in
from explorative_user_env.results.tables import table_of, warnings_of
from explorative_user_env.runs.loop import Episode, Members, rollout
from explorative_user_env.users.population import Population
from explorative_user_env.validation import InvalidArgumentError, choice, risk

if TYPE_CHECKING:
    import sqlite3

    from matplotlib.axes import Axes

#: Parts of a cell that a summary leaves out; the setting's title says if `means` and `rho` are not
#: its own.
NOT_IN_SUMMARY = ("means", "rho", "max_steps", "agents", "differences", "versions")

#: Parts of a cell that a table shows anyway, or that do not say who its users are.
NOT_TITLED = ("task", "delta", "n_arms", "horizon", "max_steps", "seed")


@dataclass(frozen=True, repr=False)
class Results:
    """The runs of one or more agents on the same users; printed, it is the table.

    Attributes:
        runs: one row a run. `instance`, `user_seed` (by which `replay` and `rollout` repeat the
            run), `agent`, `best_arm`, `answer`, `correct`, `censored`, `left` (whether the user
            did), `interactions`, `acceptances`, and `stopping_time` and `rejections` as the setting
            reports them (the released setting counts its private draws). Of the task "regret" also
            `regret`, `utility`, `last_arm`, `most_accepted_arm` and `most_accepted_is_best` (1/n
            where it is one of n tied arms). Of the task "population" a run is an episode: `regret`,
            `utility`, `acceptances`, `last_is_best` and `most_accepted_is_best` (with which share
            of its users), and `regret_by_user`, which `results.metrics.regrets_by_user` reads.
        cell: what all runs share: `task`, every option of the users in words (see `Population`),
            `delta`, `horizon` (T of the agents that need one), `seed`, `differences` (of the
            setting from the paper's text), of best-arm identification `step_cost`, `max_steps` (the
            step cap) and, if asked for, `until_width`, `agents` (the options of each, with its own
            cap) and `versions` (of the package and what its numbers may depend on).
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
        """Return one row an agent, in their order, with 95% intervals.

        `rank` is by the least `cost`, or regret over a horizon; who `sees_rewards` has none.
        """
        shared = {name: value for name, value in self.cell.items() if name not in NOT_IN_SUMMARY}
        rows = []
        for agent, runs in self.runs.groupby("agent", sort=False):
            delta = self.deltas.get(str(agent), self.cell["delta"])
            figures = summarize(runs, self.cell, self.population, delta)
            sees = {"sees_rewards": agent in self.references}
            rows.append({**shared, "agent": agent, **figures, **sees})
        summary = pd.DataFrame(rows)
        ranked_by = summary["regret" if self.over_horizon else "cost"]
        competing = ranked_by.mask(summary["sees_rewards"])
        return summary.assign(rank=competing.rank(method="min").astype("Int64"))

    @property
    def references(self) -> frozenset[str]:
        """The names of the agents that see rewards, which no competitor does."""
        return frozenset(name for name, agent in self.line_up.items() if sees_rewards(agent))

    @property
    def over_horizon(self) -> bool:
        """Whether agents ran to a horizon, with one user or many, and did not stop to answer."""
        return not protocol.TASKS[self.cell["task"]].ends_itself

    def compare(self, first: str, second: str) -> pairs.Comparison:
        """Return how two agents, by name, compare with the same users; see `results.compare`."""
        return pairs.compare(self, first, second)

    def compare_all(self, against: str) -> pairs.LineUpComparison:
        """Return how all others compare with one, with a family-wise error of 5% a figure."""
        return pairs.compare_all(self, against)

    def to_rliable(self, score: str | None = None) -> dict[str, Array]:
        """Return scores as rliable takes them: by agent an array (users, 1), the more the better.

        Its bootstrap draws users apart for each agent; `compare` has differences with the same.

        Args:
            score: "cost", "stopping_time" or "success"; over a horizon "regret" or "utility". What
                is better the less is negated. None is the first, by which agents rank.

        Raises:
            InvalidArgumentError: for another score.
        """
        return scores_of([(self.runs, self.cell)], score)

    def replay(self, row: Any) -> Episode:
        """Return a run again, step by step: what the agent recommended and how the user responded.

        It is the very run, without the time limit of `gym.make`; of users who come one after
        another it is the steps of all.

        Args:
            row: a row of `runs`, or its label there.

        Raises:
            InvalidArgumentError: for what is no row of these runs, or code that is not known here.
        """
        runs = self.runs
        if isinstance(row, Integral) and not isinstance(row, bool) and row in runs.index:
            row = runs.loc[row]
        own = runs[:0]
        if isinstance(row, Mapping | pd.Series) and {"agent", "user_seed"} <= {*row.keys()}:
            own = runs[(runs["agent"] == row["agent"]) & (runs["user_seed"] == row["user_seed"])]
        if own.empty:
            raise InvalidArgumentError("row", row, "a row of these runs, or its label there")
        name, seed = row["agent"], int(row["user_seed"])
        if name not in self.line_up:
            raise InvalidArgumentError("line_up", list(self.line_up), f"with {name}, to replay it")
        agent, horizon = self.line_up[name], self.cell["horizon"]
        if self.cell["task"] == POPULATION.name:
            members = Members(self.cell["n_users"], self.cell["deviation"])
            return members.episode(self.population, agent, seed, horizon)
        cap, plays = self.cell["agents"][name]["max_steps"], self.over_horizon
        if not plays:  # a stranger's row may claim less than comes out, which may have no end
            cap = min(cap, int(own["interactions"].iloc[0]) + 1)
        return rollout(
            environment_of(self.population, agent, "regret", horizon if plays else None),
            agent,
            seed,
            max_steps=cap,
            horizon=horizon if plays or protocol.needs_horizon(agent) else None,
            commits=plays,
        )

    def plot(
        self, kind: str | None = None, axes: "Axes | None" = None, *, progress: Any = True
    ) -> "Axes":
        """Draw the runs, and return Matplotlib's axes; see `results.plots`.

        Args:
            kind: "success" against the budget of a run, "stopping_times" (which share goes on),
                "regret" or "rejections" over time, "acceptances" of each arm in the first run,
                "rounds" or "phase1_rejections" of checked runs, "regret_by_user" of users who come
                one after another. None is success, or else regret.
            axes: where it is drawn; None is a new figure.
            progress: as for `evaluate`, of the runs that are replayed.

        Raises:
            InvalidArgumentError: for another kind, naming those of these results.
        """
        from explorative_user_env.results.plots import RUN_KINDS, why_not

        usual = "regret_by_user" if self.cell["task"] == POPULATION.name else "regret"
        chosen = (usual if self.over_horizon else "success") if kind is None else kind
        if why := why_not(choice("kind", chosen, RUN_KINDS), self):
            suitable = [name for name in RUN_KINDS if not why_not(name, self)]
            allowed = f"one of {', '.join(suitable)} for these results (it is {why})"
            raise InvalidArgumentError("kind", chosen, allowed)
        return RUN_KINDS[chosen](self, chosen, axes, progress)

    def save(self, path: Path | str) -> None:
        """Write the runs, and what made them, to a new file, which `eu.load` reads.

        Args:
            path: the file; its name ends in .sqlite, .sqlite3 or .db.

        Raises:
            InvalidArgumentError: if the file exists, has another ending, or the disk refuses.
        """
        if Path(path).exists():
            raise InvalidArgumentError("path", str(path), "a new file (it is there already)")
        task = self.cell["task"]
        agents = {name: record_of(self.line_up.get(name)) for name in self.deltas}
        request = {"task": task, "n_instances": int(self.runs["instance"].max()) + 1}
        request |= {"population": record_of(self.population), "agents": agents}
        saved = {"command": "save", "options": {"cell": record_of(self.cell)}}
        with Store(path, saved, argument="path") as store:
            parts = []
            for name, runs in self.runs.groupby("agent", sort=False):
                parts.append(store.part(task, str(name), request))
                parts[-1].add({column: runs[column].to_numpy() for column in runs})
            own = {"cell": self.cell, "deltas": self.deltas, "checks": self.checks}
            store.note({"request": request, **own}, parts, finished=True)

    def __str__(self) -> str:
        summary = self.summary()
        warnings = [as_text(Text(words)) for words in warnings_of(summary)]
        return "\n".join([as_text(table_of(summary)), *warnings])

    def __repr__(self) -> str:
        counts = self.runs.groupby("agent", sort=False).size()
        words = {name: self.cell.get(name) for name in ("task", "setting", "n_arms", "seed")}
        words |= {"n_instances": int(counts.max()), "agents": list(counts.index)}
        return f"Results({', '.join(f'{name}={word!r}' for name, word in words.items())})"

    def _repr_html_(self) -> str:
        return html_table(table_of(self.summary()))


@dataclass(frozen=True, repr=False)
class Sweep:
    """The same agents in several cells; printed, it is the table of all of them.

    Attributes:
        cells: the results of each cell, in the order they ran.
    """

    cells: Sequence[Results]

    @property
    def runs(self) -> pd.DataFrame:
        """One row a run, with the `setting`, `delta` and `n_arms` of its cell."""
        return all_runs(self.cells)

    def summary(self) -> pd.DataFrame:
        """Return one row an agent and cell; see `Results.summary`."""
        return pd.concat([cell.summary() for cell in self.cells], ignore_index=True)

    def to_rliable(self, score: str | None = None) -> dict[str, Array]:
        """Return scores as `Results.to_rliable`: by agent an array (users, cells).

        Raises:
            InvalidArgumentError: also for cells with other agents or other numbers of users.
        """
        return scores_of([(cell.runs, cell.cell) for cell in self.cells], score)

    def plot(self, kind: str | None = None, axes: "Axes | None" = None) -> "Axes":
        """Draw a figure of every agent against K, or 1/delta where K is the same, and return axes.

        Args:
            kind: "stopping_time", "success" or "rejection_rate"; over a horizon "regret" or
                "utility"; "rounds" or "phase1_rejections" of `check_theory=True`. None is the
                first of them.
            axes: where it is drawn; None is a new figure.

        Raises:
            InvalidArgumentError: for another kind, or cells that differ in something else.
        """
        from explorative_user_env.results.plots import figure_by_cell

        return figure_by_cell(self, kind, axes)

    def __str__(self) -> str:
        return "\n\n".join(as_text(table_of(each, title)) for title, each in summaries_of(self))

    def __repr__(self) -> str:
        return f"Sweep({len(self.cells)} cells, the first {self.cells[0]!r})"

    def _repr_html_(self) -> str:
        return "".join(html_table(table_of(each, title)) for title, each in summaries_of(self))


def summaries_of(found: Results | Sweep) -> list[tuple[str | None, pd.DataFrame]]:
    """Return the summary of the cells of each task.

    Cells with other users have their own, with a title that names the difference, as `noise=0.2`.
    """
    if isinstance(found, Results):
        return [(None, found.summary())]
    frames: dict[tuple[Any, str], list[pd.DataFrame]] = {}
    for task in dict.fromkeys(each.cell.get("task") for each in found.cells):
        cells = [each for each in found.cells if each.cell.get("task") == task]
        for each in cells:
            title = ", ".join(
                f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
                for name, value in _words_of(each).items()
                if name not in NOT_TITLED and any(one.cell.get(name) != value for one in cells)
            )
            frames.setdefault((task, title), []).append(each.summary())
    return [
        (title or None, pd.concat(own, ignore_index=True)) for (_, title), own in frames.items()
    ]


def _words_of(results: Results) -> dict[str, Any]:
    """Return the parts of a cell that are a word or a number."""
    words = results.cell.items()
    return {name: value for name, value in words if isinstance(value, bool | int | float | str)}


def all_runs(results: Sequence[Results]) -> pd.DataFrame:
    """Return all runs, one row each, with the `setting`, `delta` and `n_arms` of their cells."""
    names = ("setting", "delta", "n_arms")
    frames = [each.runs.assign(**{name: each.cell[name] for name in names}) for each in results]
    return pd.concat(frames, ignore_index=True)


def runs_with_cells(results: Sequence[Results]) -> pd.DataFrame:
    """Return all runs, one row each, with all words and numbers of their cells."""
    frames = [each.runs.assign(**_words_of(each) | dict(each.runs)) for each in results]
    return pd.concat(frames, ignore_index=True)


class StoredCell(NamedTuple):
    """An evaluation as a file of runs has it.

    Attributes:
        record: its `request`, `cell` and what else `Results` has besides the runs.
        finished: whether the file says that all runs are there.
        results: its runs; None if there are none.
    """

    record: Mapping[str, Any]
    finished: bool
    results: Results | None


def load(path: Path | str, agents: Sequence[Any] = ()) -> Results | Sweep:
    """Return the results in a file of runs, also while another process writes to it.

    Of a run that was broken off they are of the users that had been met.

    Args:
        path: what `evaluate(..., store=)`, `Results.save` or a command has written.
        agents: custom agents, which `Results.replay` needs, and custom behaviours, laws and
            functions of users. A file of runs executes no code.

    Returns:
        `Results`, or, of more than one cell, a `Sweep`.

    Raises:
        InvalidArgumentError: if there is no such file, or it has no run; or `agents` lacks code.
    """
    with read_only(Path(path), "path") as db:
        cells = [each.results for each in stored_cells(db, agents) if each.results is not None]
    if not cells:
        raise InvalidArgumentError("path", str(path), "a file with runs (it has none yet)")
    return cells[0] if len(cells) == 1 else Sweep(cells)


def stored_cells(db: "sqlite3.Connection", agents: Sequence[Any] = ()) -> list[StoredCell]:
    """Return every evaluation of an open file, in the order in which they ran; see `load`.

    Raises:
        ValueError: for records that cannot be read.
    """

    def read(query: str, value: Any) -> Any:
        return db.execute(query, (value,))

    try:
        return [
            StoredCell(record, finished, _results_of(read, record, numbers, agents))
            for record, numbers, finished in results_in(db)
        ]
    except (ArithmeticError, AttributeError, ImportError, LookupError, TypeError) as error:
        raise ValueError(f"a record cannot be read: {type(error).__name__}: {error}") from error


def _results_of(read: Any, record: Any, numbers: Any, agents: Sequence[Any]) -> Results | None:
    """Return the results of an evaluation, None without runs; the request outdoes the cell."""
    request, frames = record["request"], {}
    task, n_users = request["task"], request["n_instances"]
    for number in numbers:
        for (name,) in read("SELECT agent FROM parts WHERE id = ?", number).fetchall():
            if columns := columns_in(read, number, task):
                first = {column: each[:n_users] for column, each in columns.items()}
                frames[name] = frame_of(task, name, first)
    in_order = [name for name in request["agents"] if name in frames]
    if not in_order:
        return None
    try:
        population = from_record(request["population"], agents)
    except UnknownCodeError as missing:
        allowed = f"with {missing}, which the users rest on"
        raise InvalidArgumentError("agents", list(agents), allowed) from missing
    usual: dict[str, Any] = dict.fromkeys(("seed", "delta", "n_users", "deviation"))
    usual |= {"step_cost": protocol.STEP_COST, "max_steps": protocol.STEP_CAP}
    cell = dict(record["cell"])
    for name in {*usual} & {*cell} & {*request}:
        cell[name] = usual[name] if request[name] is None else request[name]
    cell |= record_of(population.words())
    cell["agents"] = {name: cell["agents"][name] for name in in_order}
    known = {protocol.name_of(agent): agent for agent in agents if isinstance(agent, Agent)}
    line_up = {}
    for name in in_order:
        try:
            line_up[name] = from_record(request["agents"][name])
        except UnknownCodeError:
            if name in known:
                line_up[name] = known[name]
    checks = from_record(record.get("checks"))
    return Results(
        pd.concat([frames[name] for name in in_order], ignore_index=True),
        cell=cell,
        population=population,
        deltas={name: risk("delta", record["deltas"][name]) for name in in_order},
        checks=None if checks is None else pd.DataFrame(checks),
        line_up=line_up,
    )
