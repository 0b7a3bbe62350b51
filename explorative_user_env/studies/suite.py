"""The suite: frozen tasks on which scores of agents can be compared.

In every task UNI has 0 and a stated reference 1, and all agents meet the same users.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
import pandas as pd
from rich.table import Table
from rich.text import Text

from explorative_user_env.display import tables
from explorative_user_env.display.plots import AXIS_SIZE, TEXT_SIZE, plot_axes, verbatim
from explorative_user_env.display.progress import OnProgress, named, portion, shown
from explorative_user_env.display.tables import Column, as_text, markdown, table
from explorative_user_env.display.text import in_markdown
from explorative_user_env.evaluation import Results, Sweep, evaluate, load
from explorative_user_env.evaluation.runner import FEWEST_ARMS, agent_record, carries_finished
from explorative_user_env.protocol import Array
from explorative_user_env.results.intervals import LEVEL
from explorative_user_env.results.metrics import scores_of
from explorative_user_env.results.records import record_of, stream_fingerprint, versions_of
from explorative_user_env.results.store import Store, about
from explorative_user_env.results.tables import AGENT_COLUMN, marked, references_of
from explorative_user_env.studies.suite_tasks import (
    CENTRAL,
    SUITE_VERSION,
    WORST,
    SuiteRun,
    SuiteTask,
    Taking,
    check_fitting,
    entrant_of,
    line_up_for,
    suite_digest,
    taking_part,
    who,
)
from explorative_user_env.validation import InvalidArgumentError
from explorative_user_env.version import __version__

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["SuiteResults", "kept_suite", "load_suite", "rankings_of", "run_suite"]

#: Of the bootstrap.
N_REPLICATES = 2000


@dataclass(frozen=True)
class Replicates:
    """A number, and its values for users and trainings that are drawn again.

    Attributes:
        value: the number.
        drawn: of each replicate, shape (`N_REPLICATES`,).
    """

    value: float
    drawn: Array

    def interval(self) -> tuple[float, float]:
        """Return the interval between the percentiles; NaN where there is no number."""
        tail = (1.0 - LEVEL) / 2.0
        low, high = np.quantile(self.drawn, [tail, 1.0 - tail])
        return float(low), float(high)


def losses_of(results: Results) -> dict[str, Array]:
    """Return the losses of each agent, by its name: one a training and user, (trainings, users)."""
    found: dict[str, list[Array]] = {}
    for name, scores in scores_of([(results.runs, results.cell)], None).items():
        found.setdefault(entrant_of(name), []).append(-scores[:, 0])
    return {name: np.stack(losses) for name, losses in found.items()}


def mean_losses(losses: Mapping[str, Array], seed: int) -> dict[str, Replicates]:
    """Return the mean loss of each agent with the users of a task.

    Args:
        losses: as of `losses_of`.
        seed: the task's; the draws of users follow from it, those of trainings from the agent's
            name as well, so that other agents change nothing.
    """

    def stream(what: str) -> np.random.Generator:
        key = (crc32(b"bootstrap"), crc32(what.encode(errors="backslashreplace")))
        return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))

    n_users = next(iter(losses.values())).shape[1]
    drawn_users = stream("users").integers(n_users, size=(N_REPLICATES, n_users))
    places = drawn_users + np.arange(0, N_REPLICATES * n_users, n_users)[:, np.newaxis]
    counts = np.bincount(places.ravel(), minlength=places.size)
    weights = counts.reshape(places.shape) / n_users
    found = {}
    for name, own in losses.items():
        drawn = weights @ own.T  # (replicates, trainings)
        if len(own) > 1:
            chosen = stream(name).integers(len(own), size=drawn.shape)
            drawn = np.take_along_axis(drawn, chosen, axis=1)
        found[name] = Replicates(float(own.mean()), drawn.mean(axis=1))
    return found


def scores_in(task: SuiteTask, losses: Mapping[str, Replicates]) -> dict[str, Replicates]:
    """Return the score of each agent in a task; NaN where both anchors lose the same."""
    worst, reference = losses[WORST], losses[task.reference]

    with np.errstate(divide="ignore", invalid="ignore"):
        return {
            name: Replicates(
                float(np.divide(worst.value - own.value, worst.value - reference.value)),
                (worst.drawn - own.drawn) / (worst.drawn - reference.drawn),
            )
            for name, own in losses.items()
        }


def over_tasks(scores: Sequence[Replicates], mean: Callable[..., Any]) -> Replicates:
    """Return a mean over tasks, by a function such as `numpy.mean`."""
    drawn = np.asarray(mean([each.drawn for each in scores], axis=0))
    return Replicates(float(mean([each.value for each in scores])), drawn)


def with_ranks(totals: pd.DataFrame, n_tasks: int) -> pd.DataFrame:
    """Return totals, the best first, with the `rank` of agents that ran on all tasks."""
    competes = ~totals["sees_rewards"] & (totals["n_tasks"] == n_tasks)
    ranks = totals["mean"].where(competes).rank(method="min", ascending=False)
    totals = totals.assign(rank=ranks.astype("Int64"))
    return totals.sort_values("mean", ascending=False, ignore_index=True)


def rankings_of(
    losses: Mapping[str, Mapping[str, Replicates]],
    references: Collection[str] = (),
    against: str = CENTRAL,
) -> pd.DataFrame:
    """Return one row a task: its order of the agents, beside that of another task.

    Args:
        losses: mean losses by task and agent.
        references: agents that are left out; so are agents that ran on one of the tasks only.
        against: the other task's name; without it there are no rows.

    Returns:
        `task`; `order`, the agents from the least loss on; `tau`, Kendall's rank correlation with
        the other task (1 the same order, -1 the reverse; NaN for a single agent); and `reversed`,
        the pairs "A > B" of which A loses less here and B there, both with a 95% interval of the
        difference that excludes 0.
    """
    from scipy import stats

    def surely_less(one: Replicates, other: Replicates) -> bool:
        apart = Replicates(one.value - other.value, one.drawn - other.drawn)
        return apart.interval()[1] < 0.0

    rows, there = [], losses.get(against, {})
    for task, here in losses.items() if there else ():
        both = [name for name in here if name in there and name not in references]
        own, other = ([cell[name].value for name in both] for cell in (here, there))
        row: dict[str, Any] = {
            "task": task,
            "order": sorted(both, key=lambda name: here[name].value),
        }
        row["tau"] = float(stats.kendalltau(own, other).statistic) if len(both) > 1 else math.nan
        row["reversed"] = [
            f"{one} > {two}"
            for one, two in permutations(both, 2)
            if surely_less(here[one], here[two]) and surely_less(there[two], there[one])
        ]
        rows.append(row)
    return pd.DataFrame(rows, columns=["task", "order", "tau", "reversed"])


def draw_heat_map(
    values: Array,
    rows: Sequence[str],
    columns: Sequence[str],
    text: Sequence[Sequence[str]],
    *,
    label: str,
    most: float = 1.0,
    bar: Mapping[str, Any] | None = None,
    axes: "Axes | None" = None,
) -> "Axes":
    """Draw numbers as a map from dark, at 0, to light, each with its text; NaN stays white.

    Args:
        values: the numbers, (rows, columns).
        rows: names, the first on top.
        columns: names, from the left.
        text: the words in each cell.
        label: the name of the scale.
        most: the number at the light end; numbers beyond the ends have the colours of the ends.
        bar: options of the colour bar.
        axes: where it is drawn, and what is returned; None is a new figure.
    """
    lines = [part for line in text for cell in line for part in cell.split("\n")]
    n_lines = len(lines) / max(1, values.size)
    height = 1.9 + (0.2 + 0.16 * n_lines) * len(rows)
    width = 1.8 + (0.3 + 0.085 * max(map(len, lines), default=4)) * len(columns)
    axes = plot_axes(axes, height, width)
    image = axes.imshow(values, vmin=0.0, vmax=most, cmap="cividis", aspect="auto")
    axes.set_xticks(range(len(columns)), columns, rotation=40, ha="right")
    axes.set_yticks(range(len(rows)), [verbatim(name, 24) for name in rows])
    axes.tick_params(labelsize=TEXT_SIZE, length=0)
    axes.spines[:].set_visible(False)
    for (row, column), value in np.ndenumerate(values):
        if not np.isnan(value):
            words = axes.text(column, row, text[row][column], ha="center", va="center")
            words.set(fontsize=TEXT_SIZE, color="black" if value > 0.6 else "white")
    scale = axes.figure.colorbar(image, ax=axes, pad=0.02, **(bar or {}))
    scale.set_label(label, fontsize=AXIS_SIZE)
    scale.ax.tick_params(labelsize=TEXT_SIZE)
    return axes


#: Of an agent that does not run on a task.
NO_SCORE = "-"

LEGEND_OF_SCORES = (
    f"score: (loss of {WORST} - loss) / (loss of {WORST} - loss of the reference), which has 1; "
    "the loss is the regret, or the cost c T + error. ± is the longer side of a 95% interval over "
    "users, and over trainings where a model was trained more than once.",
    "mean: over the tasks an agent ran on. IQM: their interquartile mean. Ranked are those that "
    "ran on all.",
)
LEGEND_OF_TAU = (
    f"τ: Kendall's rank correlation of the agents' order with that of {CENTRAL}, the paper's "
    "central cell.",
)


def notes_of_scores(totals: pd.DataFrame, ranked: pd.DataFrame) -> tuple[str, ...]:
    """Return the notes below the tables of `SuiteResults.totals` and `SuiteResults.rankings`."""
    legend = LEGEND_OF_SCORES + (() if ranked.empty else LEGEND_OF_TAU)
    return legend + references_of(totals)


def totals_table(totals: pd.DataFrame, title: str | None = None) -> Table:
    """Return `SuiteResults.totals` as a Rich table."""

    def interval(name: str, row: Mapping[str, Any]) -> str:
        return f"{row[name]:.2f} [{row[f'{name}_low']:.2f}, {row[f'{name}_high']:.2f}]"

    columns = [
        Column("rank", "rank", lambda rank: NO_SCORE if pd.isna(rank) else str(int(rank))),
        AGENT_COLUMN,
        *(
            Column(f"{heading} [95%]", partial(interval, heading.lower()))
            for heading in ("mean", "IQM")
        ),
        Column("tasks", "n_tasks"),
    ]
    return table(marked(totals), columns, title, padding=1, leading=2)


def scores_table(scores: pd.DataFrame, totals: pd.DataFrame, ranked: pd.DataFrame) -> Table:
    """Return scores as a Rich table, a row a task and a column an agent, the best first.

    Args:
        scores: see `SuiteResults.scores`.
        totals: see `SuiteResults.totals`.
        ranked: see `rankings_of`.
    """
    taus = ranked.set_index("task")["tau"].to_dict()
    rows: dict[str, dict[str, Any]] = {}
    for row in marked(scores).to_dict("records"):
        error = max(row["high"] - row["score"], row["score"] - row["low"])
        cell = f"{row['score']:.2f} ± {error:.2f}" if error else f"{row['score']:g}"
        missing = {"task": row["task"], "τ": taus.get(row["task"], math.nan)}
        line = rows.setdefault(row["task"], missing)
        line[row["agent"]] = NO_SCORE if math.isnan(error) else cell
    columns = [Column("task", left=True)]
    if taus:
        columns.append(Column("τ", form=lambda tau: NO_SCORE if math.isnan(tau) else f"{tau:.2f}"))
    leading = len(columns)
    for name in marked(totals)["agent"]:
        columns.append(Column(name, lambda row, name=name: row.get(name, NO_SCORE)))
    return table(rows.values(), columns, leading=leading)


def tasks_table(tasks: Sequence[SuiteTask]) -> Table:
    """Return the tasks as a Rich table."""

    def question(task: SuiteTask) -> str:
        words = {**task.options, **task.numbers()}
        return f"{task.task}: " + ", ".join(f"{name}={value}" for name, value in words.items())

    columns = [
        Column("task", "name", left=True),
        Column("for", "about", left=True),
        Column("asks for", question, left=True),
        Column("users", "n_instances"),
        Column("seed", "seed"),
        Column("1 is", "reference"),
    ]
    return table(tasks, columns)


@dataclass(frozen=True, repr=False)
class SuiteResults:
    """The runs of a suite and their scores; `str` and notebooks show the tables.

    Attributes:
        run: the run of the suite; quote `run.title`.
        cells: the results of each task, by its name.
    """

    run: SuiteRun
    cells: Mapping[str, Results]

    @property
    def tasks(self) -> tuple[SuiteTask, ...]:
        """The tasks that have results."""
        return tuple(task for task in self.run.records() if task.name in self.cells)

    @cached_property
    def agents(self) -> tuple[str, ...]:
        """The entrants in the order in which they were given; anchors that were not given last."""
        longest = sorted(self.cells.values(), key=lambda cell: -cell.runs["agent"].nunique())
        names = pd.concat([cell.runs["agent"] for cell in longest]).unique()
        return tuple(dict.fromkeys(map(entrant_of, names)))

    @property
    def references(self) -> frozenset[str]:
        """The agents that see rewards, which no competitor does."""
        every = (cell.references for cell in self.cells.values())
        return frozenset(map(entrant_of, chain.from_iterable(every)))

    @cached_property
    def losses(self) -> Mapping[str, Mapping[str, Replicates]]:
        """By task and agent the mean loss, with its replicates."""
        return {
            task.name: mean_losses(losses_of(self.cells[task.name]), task.seed)
            for task in self.tasks
        }

    def scores(self) -> pd.DataFrame:
        """Return one row a task and agent that ran on it.

        `task`, `agent`, `score` with its 95% interval `low` to `high`, `loss` (the mean), `n`
        (users), `n_trainings` and `sees_rewards`.
        """
        rows = []
        for task in self.tasks:
            trained = pd.Series(self.cells[task.name].runs["agent"].unique()).map(entrant_of)
            trainings, losses = trained.value_counts(), self.losses[task.name]
            scores = scores_in(task, losses)
            for name in filter(scores.__contains__, self.agents):
                low, high = scores[name].interval()
                row = {"task": task.name, "agent": name, "score": scores[name].value}
                row |= {"low": low, "high": high, "loss": losses[name].value}
                row |= {"n": task.n_instances, "n_trainings": int(trainings[name])}
                rows.append(row | {"sees_rewards": name in self.references})
        return pd.DataFrame(rows)

    def totals(self) -> pd.DataFrame:
        """Return one row an agent: its scores over all tasks, with 95% intervals.

        `mean` over the `n_tasks` tasks it ran on, and the interquartile mean `iqm`. `rank` is by
        the mean, of the agents that ran on all tasks and see no rewards; others have none.
        """
        from scipy import stats

        means: dict[str, Any] = {
            "mean": np.mean,
            "iqm": partial(stats.trim_mean, proportiontocut=0.25),
        }
        by_task = [scores_in(task, self.losses[task.name]) for task in self.tasks]
        rows = []
        for name in self.agents:
            scores = [found[name] for found in by_task if name in found]
            row: dict[str, Any] = {"agent": name, "n_tasks": len(scores)}
            for figure, mean in means.items():
                low, high = (total := over_tasks(scores, mean)).interval()
                row |= {figure: total.value, f"{figure}_low": low, f"{figure}_high": high}
            rows.append(row | {"sees_rewards": name in self.references})
        return with_ranks(pd.DataFrame(rows), len(self.tasks))

    def rankings(self, against: str = CENTRAL) -> pd.DataFrame:
        """Return the order of the agents in each task, against another one; see `rankings_of`.

        Args:
            against: the other task's name.
        """
        return rankings_of(self.losses, self.references, against)

    def record(self) -> dict[str, Any]:
        """Return everything as JSON can hold it, with None where there is no number."""
        frames = {"scores": self.scores(), "totals": self.totals(), "rankings": self.rankings()}
        record: dict[str, Any] = {
            "title": self.run.title,
            "version": SUITE_VERSION,
            "digest": suite_digest(),
            "versions": versions_of(),
            "streams": stream_fingerprint(),
            "tasks": [vars(task) for task in self.tasks],
        }
        for name, frame in frames.items():
            record[name] = frame.astype(object).where(frame.notna(), None).to_dict("records")
        found: dict[str, Any] = record_of(record)
        return found

    def page(self) -> str:
        """Return everything as a page of Markdown."""
        totals, ranked = self.totals(), self.rankings()
        references: dict[tuple[str, str], list[str]] = {}
        for task in self.tasks:
            references.setdefault((task.reference, task.why), []).append(task.name)
        parts = [f"# Scores, {self.run.title}", markdown(totals_table(totals))]
        parts += ["## By task", markdown(scores_table(self.scores(), totals, ranked))]
        parts += [f"- {in_markdown(note)}" for note in self.notes()]
        parts += ["## Tasks", markdown(tasks_table(self.tasks))]
        for (reference, why), names in references.items():
            parts.append(in_markdown(f"- {reference} has 1 in {', '.join(names)}: {why}."))
        others = ranked[ranked["task"] != CENTRAL]
        if len(others):
            parts += [f"## Pairs of which another is the better than in {CENTRAL}, with certainty"]
        for task, pairs in zip(others["task"], others["reversed"], strict=True):
            parts.append(in_markdown(f"- {task}: {', '.join(pairs) or 'none'}"))
        return "\n\n".join(parts) + "\n"

    def tables(self) -> list[Table]:
        """Return the scores over all tasks and by task as Rich tables."""
        totals = self.totals()
        by_task = scores_table(self.scores(), totals, self.rankings())
        return [totals_table(totals, self.run.title), by_task]

    def notes(self) -> tuple[str, ...]:
        """Return the notes below the tables, and how to quote them."""
        package = f"explorative-user-env {__version__}"
        quoted = f"To quote: {self.run.title} (tasks {suite_digest()}), {package}"
        return (*notes_of_scores(self.totals(), self.rankings()), quoted)

    def plot(self, axes: "Axes | None" = None) -> "Axes":
        """Draw the scores as a heat map: agents, the best first, by tasks and their mean.

        Args:
            axes: where it is drawn, and what is returned; None is a new figure.
        """
        totals, scores = marked(self.totals()), marked(self.scores())
        agents, tasks = totals["agent"].tolist(), [task.name for task in self.tasks]
        by_task = scores.pivot(index="agent", columns="task", values="score")
        by_task = by_task.reindex(agents)[tasks].assign(mean=totals["mean"].to_numpy())
        values = by_task.to_numpy(float)
        text = [[f"{value:.2f}" for value in line] for line in values]
        bar, columns = {"extend": "both"}, [*tasks, "mean"]
        shown: dict[str, Any] = {"label": "score", "most": 1.2, "bar": bar, "axes": axes}
        axes = draw_heat_map(values, agents, columns, text, **shown)
        axes.axvline(len(tasks) - 0.5, color="white", linewidth=4)
        axes.set_title(f"Scores, {self.run.title}", fontsize=AXIS_SIZE, loc="left")
        return axes

    def __str__(self) -> str:
        notes = [as_text(Text(note)) for note in self.notes()]
        return "\n\n".join(map(as_text, self.tables())) + "\n" + "\n".join(notes)

    def __repr__(self) -> str:
        return f"SuiteResults({self.run.title!r}, agents={list(self.agents)})"

    def _repr_html_(self) -> str:
        return "".join(map(tables.html_table, self.tables())) + tables.paragraphs(self.notes())


#: The name of the study in a file of runs.
COMMAND = "suite"


def run_suite(
    agents: Iterable[Taking] | None = None,
    *,
    tasks: Sequence[str] | None = None,
    quick: bool = False,
    seed: int | None = None,
    workers: int = 1,
    executor: Executor | None = None,
    progress: bool | OnProgress = True,
    store: Store | Path | str | None = None,
) -> SuiteResults:
    """Run agents on every task of the suite, each as `evaluate` alone would.

    UNI and the task's reference, whose scores are 0 and 1, run along. A trained model runs on the
    tasks of its kind and its K.

    Args:
        agents: agents, names of the package's, or `ModelsByTask`; None is all of the package.
        tasks: names of tasks; None is all.
        quick: whether with a tenth of the users, which takes a tenth of the time.
        seed: the seed of other users than the suite's. Published numbers have None.
        workers: as for `evaluate`; the result is the same.
        executor: as for `evaluate`.
        progress: as for `evaluate`.
        store: as for `evaluate`, one file for all tasks; `load_suite` reads it.

    Returns:
        The scores: printable, with `scores()`, `totals()` and each task's `Results` in `cells`.

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
        Exception: what `evaluate` raises; its `finished` holds the tasks that were done before.
    """
    run, entrants = SuiteRun(tasks, quick, seed), taking_part(agents)
    records, cells = run.records(), dict[str, Results]()
    check_fitting(entrants, records)
    kept: Any = nullcontext(store)
    if store is not None and not isinstance(store, Store):
        made_of = {name: agent_record(agent, FEWEST_ARMS) for name, agent in who(entrants).items()}
        options = {"task": tasks, "quick": quick, "seed": seed, "agents": made_of}
        kept = Store(store, {"command": COMMAND, "options": options})
    with shown(progress) as report, kept as opened:
        for place, task in enumerate(records):
            with carries_finished(lambda: list(cells.values())):
                cells[task.name] = evaluate(
                    line_up_for(task, entrants),
                    workers=workers,
                    executor=executor,
                    progress=named(portion(report, place, len(records)), f"{task.name}:"),
                    store=opened,
                    **task.arguments(),
                )
    return SuiteResults(run, cells)


def load_suite(path: Path | str, own: Sequence[Any] = ()) -> SuiteResults:
    """Return the results of a suite from a file of runs, also while it is written.

    Of an unfinished run they are of the agents that have met all users of a task, and of the tasks
    whose anchors are among them.

    Args:
        path: the file that `run_suite(..., store=)` or the command has written.
        own: as for `load`.

    Raises:
        InvalidArgumentError: if there is no such file, or it has no runs of a suite.
    """
    asked = about(Path(path)).request
    if asked.get("command") != COMMAND:
        allowed = f"a file of runs of {COMMAND} (it is of {asked.get('command')})"
        raise InvalidArgumentError("path", str(path), allowed)
    found = load(path, own)
    return kept_suite(asked["options"], found.cells if isinstance(found, Sweep) else [found])


def kept_suite(options: Mapping[str, Any], cells: Sequence[Results]) -> SuiteResults:
    """Return the results of a suite from the cells of a file; see `load_suite`.

    Args:
        options: of the run.
        cells: results of tasks as a file keeps them.

    Raises:
        InvalidArgumentError: if no task has its anchors with all users.
    """
    run = SuiteRun(options["task"], options["quick"], options["seed"])
    by_seed, done = {cell.cell["seed"]: cell for cell in cells}, {}
    for task in run.records():
        if (cell := by_seed.get(task.seed)) is None:
            continue
        n_users = cell.runs.groupby("agent")["instance"].transform("size")
        runs = cell.runs[n_users == task.n_instances].reset_index(drop=True)
        if {WORST, task.reference} <= set(runs["agent"]):
            done[task.name] = replace(cell, runs=runs)
    if not done:
        allowed = "one of which a task is done, with its anchors"
        raise InvalidArgumentError("suite", run.title, allowed)
    return SuiteResults(run, done)
