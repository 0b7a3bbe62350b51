"""`Results` and `Sweep` hold the runs of a line-up. `load` reads a file of runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd
from rich.text import Text

from explorative_user_env import protocol
from explorative_user_env.agents import with_facts
from explorative_user_env.display.tables import as_text, html_table
from explorative_user_env.envs.user import environment_of
from explorative_user_env.files import write_file
from explorative_user_env.protocol import POPULATION, Agent, Array, sees_rewards
from explorative_user_env.results import compare as pairs
from explorative_user_env.results.metrics import frame_of, scores_of, summarize
from explorative_user_env.results.records import UnknownCodeError, from_record, record_of
from explorative_user_env.results.store import Store, columns_in, read_only, results_in
from explorative_user_env.results.tables import table_of, warnings_of
from explorative_user_env.runs.loop import Episode, Members, rollout
from explorative_user_env.users.population import Population
from explorative_user_env.validation import InvalidArgumentError, risk

if TYPE_CHECKING:
    import sqlite3

    from matplotlib.axes import Axes

#: Entries of a cell that a summary omits; the setting's name shows custom `means` and `rho`.
NOT_IN_SUMMARY = ("means", "rho", "max_steps", "agents", "differences", "versions")

#: Entries of a cell that no table title names: columns show them, or they do not describe users.
NOT_TITLED = ("task", "delta", "n_arms", "horizon", "max_steps", "seed")


@dataclass(frozen=True, repr=False)
class Results:
    """The runs of one or more agents on the same users; printing shows the summary table.

    Attributes:
        runs: one row per run, with the columns `instance`, `user_seed` (`replay` and `rollout` need
            it to repeat the run), `agent`, `best_arm`, `answer`, `correct`, `censored`, `left`
            (whether the user left), `interactions`, `acceptances`, `stopping_time` and
            `rejections`. With the setting `released`, stopping times and rejections also count the
            draws of each arm that the user makes before the first recommendation. The task "regret"
            adds `regret`, `utility`, `last_arm`, `most_accepted_arm` and `most_accepted_is_best`
            (1/n if n arms are tied). In the task "population" a run is an episode. Its columns are
            `regret`, `utility`, `acceptances`, `last_is_best` and `most_accepted_is_best` (shares
            of the episode's users), and `regret_by_user`, which `results.metrics.regrets_by_user`
            reads.
        cell: the options that all runs share: `task`; every option of the users as text (see
            `Population`); `delta`; `horizon` (T, for agents that need a horizon); `seed`;
            `differences` (between the setting and the paper's text); in best-arm identification
            `step_cost`, `max_steps` (the step cap) and, if given, `until_width`; `agents` (options
            and step cap of each agent); `versions` (of the package and its libraries).
        population: the users.
        deltas: delta of each agent, by name.
        checks: one row per run of BAIR with the paper's bounds (the fields of
            `monitors.TheoryCheck`); None without `check_theory=True`.
        line_up: the agents by name. An option that was None has the value used in the runs.
    """

    runs: pd.DataFrame
    cell: Mapping[str, Any]
    population: Population = field(default_factory=Population)
    deltas: Mapping[str, float] = field(default_factory=dict)
    checks: pd.DataFrame | None = None
    line_up: Mapping[str, Agent] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        """Return the number of runs."""
        return len(self.runs)

    @property
    def agents(self) -> list[str]:
        """The names of the agents, in line-up order."""
        return [str(name) for name in self.runs["agent"].unique()]

    def summary(self) -> pd.DataFrame:
        """Return one row per agent, in line-up order, with 95% intervals.

        `rank` is by `cost`, or by `regret` with a horizon; agents that see rewards have no rank.
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
        """The names of the reference agents, which see rewards and are not ranked."""
        return frozenset(name for name, agent in self.line_up.items() if sees_rewards(agent))

    @property
    def over_horizon(self) -> bool:
        """Whether runs end at a horizon instead of with an answer."""
        return not protocol.TASKS[self.cell["task"]].ends_itself

    def compare(self, first: str, second: str) -> pairs.Comparison:
        """Compare two agents, by name, on the same users; see `results.compare`."""
        return pairs.compare(self, first, second)

    def compare_all(self, against: str) -> pairs.LineUpComparison:
        """Compare all other agents with `against`, at a family-wise error of 5% for each metric."""
        return pairs.compare_all(self, against)

    def to_rliable(self, score: str | None = None) -> dict[str, Array]:
        """Return the scores for rliable: a dict of arrays of shape (users, 1) by agent name.

        Higher scores are better. rliable resamples the users of each agent independently, although
        all agents have the same users; `compare` compares the agents user by user.

        Args:
            score: "cost" (default), "stopping_time" or "success"; in tasks with a horizon "regret"
                (default) or "utility". Costs, times and regrets are negated.

        Raises:
            InvalidArgumentError: if the score is unknown.
        """
        return scores_of([(self.runs, self.cell)], score)

    def replay(self, row: Any) -> Episode:
        """Repeat a run and return every recommendation and response as an episode.

        The repetition equals the stored run. In the task "population" a run is a whole episode.

        Args:
            row: a row of `runs`, or the row's index label.

        Raises:
            InvalidArgumentError: if `runs` has no such row, or if `line_up` lacks the agent.
        """
        runs = self.runs
        if isinstance(row, Integral) and not isinstance(row, bool) and row in runs.index:
            row = runs.loc[row]
        same = runs[:0]
        if isinstance(row, Mapping | pd.Series) and {"agent", "user_seed"} <= {*row.keys()}:
            same = runs[(runs["agent"] == row["agent"]) & (runs["user_seed"] == row["user_seed"])]
        if same.empty:
            raise InvalidArgumentError("row", row, "a row of these runs, or the row's index label")
        name, seed = row["agent"], int(row["user_seed"])
        if name not in self.line_up:
            raise InvalidArgumentError(
                "line_up", list(self.line_up), f"a mapping that has {name} (load has agents=)"
            )
        agent, horizon = self.informed(self.line_up[name], name), self.cell["horizon"]
        if self.cell["task"] == POPULATION.name:
            members = Members(self.cell["n_users"], self.cell["deviation"])
            return members.episode(self.population, agent, seed, horizon)
        cap, plays = self.cell["agents"][name]["max_steps"], self.over_horizon
        if not plays:  # a changed row could make the replay far longer than its run
            cap = min(cap, int(same["interactions"].iloc[0]) + 1)
        return rollout(
            environment_of(self.population, agent, "regret", horizon if plays else None),
            agent,
            seed,
            max_steps=cap,
            horizon=horizon if plays or protocol.needs_horizon(agent) else None,
            commits=plays,
        )

    def informed(self, agent: Agent, name: str) -> Agent:
        """Return the agent with the facts of these runs, if it is a `TextAgent` without facts.

        Args:
            agent: the agent.
            name: its name in `cell`.
        """
        return with_facts(agent, self.population, {**self.cell, **self.cell["agents"][name]})

    def plot(
        self, kind: str | None = None, axes: "Axes | None" = None, *, progress: Any = True
    ) -> "Axes":
        """Plot the runs and return Matplotlib's axes; see `results.plots`.

        Args:
            kind: "success" (share of runs that have succeeded by a time), "stopping_times" (share
                not stopped), "regret" or "rejections" over time, "acceptances" of each arm in the
                first run, "rounds" or "phase1_rejections" with `check_theory=True`, or
                "regret_by_user" in the task "population". With None, the kind is "success", or the
                regret in tasks with a horizon.
            axes: Matplotlib axes for the plot; None creates new axes.
            progress: as in `evaluate`, for the runs that a plot replays.

        Raises:
            InvalidArgumentError: for any other kind; the message lists the available kinds.
        """
        from explorative_user_env.results.plots import RUN_KINDS, why_not

        default = "regret_by_user" if self.cell["task"] == POPULATION.name else "regret"
        chosen = (default if self.over_horizon else "success") if kind is None else kind
        if why := why_not(chosen, self) if chosen in [*RUN_KINDS] else "is unknown":
            suitable = [name for name in RUN_KINDS if not why_not(name, self)]
            allowed = f"one of {', '.join(suitable)} for these results ({chosen} {why})"
            raise InvalidArgumentError("kind", chosen, allowed)
        return RUN_KINDS[chosen](self, chosen, axes, progress)

    def save(self, path: Path | str) -> None:
        """Write the runs and their options to a new file; `eu.load` reads the file.

        Args:
            path: the file; its name ends in .sqlite, .sqlite3 or .db.

        Raises:
            InvalidArgumentError: if the file exists, its name has another ending, or writing fails.
        """
        if Path(path).exists():
            raise InvalidArgumentError("path", str(path), "a new file")
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
            shared = {"cell": self.cell, "deltas": self.deltas, "checks": self.checks}
            store.note({"request": request, **shared}, parts, finished=True)

    def to_csv(self, path: Path | str) -> None:
        """Write `runs` to a CSV file, and replace an existing file.

        Args:
            path: the file; its folder is created if missing.

        Raises:
            InvalidArgumentError: if writing fails; then an existing file is unchanged.
        """
        write = partial(self.runs.to_csv, index=False)
        write_file("path", Path(path), write, overwrite=True)

    def __str__(self) -> str:
        summary = self.summary()
        warnings = [as_text(Text(words)) for words in warnings_of(summary)]
        return "\n".join([as_text(table_of(summary)), *warnings])

    def __repr__(self) -> str:
        words = {name: self.cell.get(name) for name in ("task", "setting", "n_arms", "seed")}
        words |= {"n_instances": int(self.runs["agent"].value_counts().max())}
        words |= {"agents": self.agents}
        return f"Results({', '.join(f'{name}={word!r}' for name, word in words.items())})"

    def _repr_html_(self) -> str:
        return html_table(table_of(self.summary()))


@dataclass(frozen=True, repr=False)
class Sweep:
    """The same agents with several combinations of options; printing shows all summaries.

    Attributes:
        cells: the results for each combination of options, in the order of the sweep.
    """

    cells: Sequence[Results]

    @property
    def runs(self) -> pd.DataFrame:
        """One row per run; the columns `setting`, `delta` and `n_arms` state its options."""
        return all_runs(self.cells)

    def summary(self) -> pd.DataFrame:
        """Return one row for each agent in each of the `cells`; see `Results.summary`."""
        return pd.concat([cell.summary() for cell in self.cells], ignore_index=True)

    def to_rliable(self, score: str | None = None) -> dict[str, Array]:
        """Return the scores for rliable: a dict of arrays of shape (users, cells) by agent name.

        See `Results.to_rliable`.

        Raises:
            InvalidArgumentError: if the score is unknown, or cells differ in agents or users.
        """
        return scores_of([(cell.runs, cell.cell) for cell in self.cells], score)

    def plot(self, kind: str | None = None, axes: "Axes | None" = None) -> "Axes":
        """Plot a metric of every agent against K, or against 1/delta if all cells have the same K.

        Args:
            kind: "stopping_time" (default), "success" or "rejection_rate"; in tasks with a horizon
                "regret" (default) or "utility"; with `check_theory=True` also "rounds" or
                "phase1_rejections".
            axes: Matplotlib axes for the plot; None creates new axes.

        Raises:
            InvalidArgumentError: for any other kind, or if the sweep has only one pair of K and
                delta, or has a pair twice.
        """
        from explorative_user_env.results.plots import figure_by_cell

        return figure_by_cell(self, kind, axes)

    def __str__(self) -> str:
        return "\n\n".join(as_text(table_of(each, title)) for title, each in summaries_of(self))

    def __repr__(self) -> str:
        return f"Sweep({len(self.cells)} cells, the first {self.cells[0]!r})"

    def _repr_html_(self) -> str:
        return "".join(html_table(table_of(each, title)) for title, each in summaries_of(self))


def summaries_of(results: Results | Sweep) -> list[tuple[str | None, pd.DataFrame]]:
    """Return a title and a summary for each task and each population.

    If results of one task differ in options of the users, titles name these, such as `noise=0.2`.
    """
    if isinstance(results, Results):
        return [(None, results.summary())]
    frames: dict[tuple[Any, str], list[pd.DataFrame]] = {}
    for task in dict.fromkeys(each.cell.get("task") for each in results.cells):
        cells = [each for each in results.cells if each.cell.get("task") == task]
        for each in cells:
            title = ", ".join(
                f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
                for name, value in _words_of(each).items()
                if name not in NOT_TITLED and any(one.cell.get(name) != value for one in cells)
            )
            frames.setdefault((task, title), []).append(each.summary())
    items = frames.items()
    return [(title or None, pd.concat(parts, ignore_index=True)) for (_, title), parts in items]


def _words_of(results: Results) -> dict[str, Any]:
    words = results.cell.items()
    return {name: value for name, value in words if isinstance(value, bool | int | float | str)}


def all_runs(results: Sequence[Results]) -> pd.DataFrame:
    """Return one row for each run; columns `setting`, `delta` and `n_arms` state its options."""
    names = ("setting", "delta", "n_arms")
    frames = [each.runs.assign(**{name: each.cell[name] for name in names}) for each in results]
    return pd.concat(frames, ignore_index=True)


def runs_with_cells(results: Sequence[Results]) -> pd.DataFrame:
    """Return one row for each run; further columns have its options that are text or numbers."""
    frames = [each.runs.assign(**_words_of(each) | dict(each.runs)) for each in results]
    return pd.concat(frames, ignore_index=True)


class StoredCell(NamedTuple):
    """An evaluation in a file of runs.

    Attributes:
        record: a mapping with the `request`, `cell`, `deltas` and `checks` of the evaluation.
        finished: whether the file marks the evaluation as complete.
        results: the results of the evaluation; None if the file has no runs of it.
    """

    record: Mapping[str, Any]
    finished: bool
    results: Results | None


def load(path: Path | str, agents: Sequence[Any] = ()) -> Results | Sweep:
    """Return the results in a file of runs; another process may still write to the file.

    The results of an interrupted evaluation contain its finished users.

    Args:
        path: a file that `evaluate(..., store=)`, `Results.save` or a command wrote, or the output
            folder of a command.
        agents: the custom objects of the runs: the behaviours, laws and functions of users, and the
            agents that `Results.replay` needs. `load` executes no code from the file.

    Returns:
        `Results`, or a `Sweep` if the file has several cells.

    Raises:
        InvalidArgumentError: if the file is missing or has no runs, or `agents` is incomplete.
    """
    with read_only(Path(path), "path") as db:
        cells = [each.results for each in stored_cells(db, agents) if each.results is not None]
    if not cells:
        raise InvalidArgumentError("path", str(path), "a file with at least one run")
    return cells[0] if len(cells) == 1 else Sweep(cells)


def stored_cells(db: "sqlite3.Connection", agents: Sequence[Any] = ()) -> list[StoredCell]:
    """Return every evaluation of a file of runs, oldest first; `agents` is as in `load`.

    Raises:
        ValueError: if a record cannot be read.
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
    """Return the results of a stored evaluation, or None if no run of it is stored.

    If `record["request"]` and `record["cell"]` differ in an option, the request's value counts.
    """
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
        allowed = f"a list with {missing}, which the users need"
        raise InvalidArgumentError("agents", list(agents), allowed) from missing
    defaults: dict[str, Any] = dict.fromkeys(("seed", "delta", "n_users", "deviation"))
    defaults |= {"step_cost": protocol.STEP_COST, "max_steps": protocol.STEP_CAP}
    cell = dict(record["cell"])
    for name in {*defaults} & {*cell} & {*request}:
        cell[name] = defaults[name] if request[name] is None else request[name]
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
