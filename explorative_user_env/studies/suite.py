"""The suite: a dozen frozen tasks on which agents have scores that can be put side by side.

In every task UNI has 0 and a stated reference 1, with the same users for everybody.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
import pandas as pd
from rich.table import Table
from rich.text import Text

from explorative_user_env.display.plots import AXIS_SIZE, TEXT_SIZE, plot_axes, verbatim
from explorative_user_env.display.progress import OnProgress, named, portion, shown
from explorative_user_env.display.tables import as_text, html_table, markdown, new_table, paragraphs
from explorative_user_env.display.text import in_markdown
from explorative_user_env.evaluation import Results, Sweep, evaluate, load
from explorative_user_env.evaluation.runner import FEWEST_ARMS, agent_record
from explorative_user_env.protocol import Agent, Array, name_of
from explorative_user_env.results.intervals import LEVEL
from explorative_user_env.results.metrics import scores_of
from explorative_user_env.results.records import record_of, stream_fingerprint, versions_of
from explorative_user_env.results.results import carries_finished
from explorative_user_env.results.store import Store, request_in
from explorative_user_env.results.tables import marked, references_of
from explorative_user_env.studies.suite_tasks import (
    CENTRAL,
    SUITE,
    SUITE_VERSION,
    WORST,
    ModelsByTask,
    SuiteRun,
    SuiteTask,
    Taking,
    check_fitting,
    entrant_of,
    line_up_for,
    model_name,
    suite_digest,
    taking_part,
    tasks_named,
    training_name,
)
from explorative_user_env.validation import InvalidArgumentError
from explorative_user_env.version import __version__

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "SUITE",
    "SUITE_VERSION",
    "ModelsByTask",
    "SuiteResults",
    "SuiteRun",
    "SuiteTask",
    "entrant_of",
    "kept_suite",
    "load_suite",
    "rankings_of",
    "run_suite",
    "suite_digest",
    "taking_part",
    "tasks_named",
    "training_name",
    "who",
]


N_REPLICATES = 2000
"""Of the bootstrap."""


@dataclass(frozen=True)
class Replicates:
    """A number, and what it is for users and trainings that are drawn again.

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
            name as well, so that who else is there changes nothing.
    """
    n_users = next(iter(losses.values())).shape[1]
    weights = _weights(np.random.default_rng(_sequence(seed, "users")), n_users)
    found = {}
    for name, own in losses.items():
        drawn = weights @ own.T  # (replicates, trainings)
        if len(own) > 1:
            chosen = np.random.default_rng(_sequence(seed, name)).integers(
                len(own), size=drawn.shape
            )
            drawn = np.take_along_axis(drawn, chosen, axis=1)
        found[name] = Replicates(float(own.mean()), drawn.mean(axis=1))
    return found


def _weights(stream: np.random.Generator, n_users: int) -> Array:
    """Return the share of each user among those of every replicate, (replicates, users)."""
    drawn = stream.integers(n_users, size=(N_REPLICATES, n_users))
    places = drawn + np.arange(0, N_REPLICATES * n_users, n_users)[:, np.newaxis]
    counts = np.bincount(places.ravel(), minlength=places.size)
    weights: Array = counts.reshape(places.shape) / n_users
    return weights


def _sequence(seed: int, what: str) -> np.random.SeedSequence:
    return np.random.SeedSequence(
        seed, spawn_key=(crc32(b"bootstrap"), crc32(what.encode(errors="backslashreplace")))
    )


def scores_in(task: SuiteTask, losses: Mapping[str, Replicates]) -> dict[str, Replicates]:
    """Return the score of each agent in a task; NaN where both anchors lose the same."""
    worst, reference = losses[WORST], losses[task.reference]

    def between(own: float | Array, low: float | Array, high: float | Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.subtract(low, own) / np.subtract(low, high))

    return {
        name: Replicates(
            float(between(own.value, worst.value, reference.value)),
            between(own.drawn, worst.drawn, reference.drawn),
        )
        for name, own in losses.items()
    }


def mean_of(scores: Sequence[Replicates]) -> Replicates:
    """Return the mean over tasks."""
    return Replicates(
        float(np.mean([each.value for each in scores])),
        np.mean([each.drawn for each in scores], axis=0),
    )


def interquartile_mean_of(scores: Sequence[Replicates]) -> Replicates:
    """Return the mean over the tasks that are left without a quarter of the best and the worst."""
    from scipy import stats

    values, drawn = ([getattr(each, name) for each in scores] for name in ("value", "drawn"))
    return Replicates(
        float(stats.trim_mean(values, 0.25)), np.asarray(stats.trim_mean(drawn, 0.25, axis=0))
    )


Losses = Mapping[str, Mapping[str, Replicates]]
"""Mean losses by task and agent."""


def rankings_of(
    losses: Losses, references: Collection[str] = (), against: str = CENTRAL
) -> pd.DataFrame:
    """Return one row a task: how it ranks the agents, and how another task does.

    Args:
        losses: by task and agent.
        references: agents that are left out; so is who did not run on both tasks.
        against: the other task's name; without it there are no rows.

    Returns:
        `task`; `order`, the agents from the least loss on; `tau`, Kendall's rank correlation with
        the other task (1 the same order, -1 the reverse; NaN for a single agent); and `reversed`,
        the pairs "A > B" of which A loses less here and B there, both with a 95% interval of the
        difference that excludes 0.
    """
    from scipy import stats

    rows, there = [], losses.get(against, {})
    for task, here in losses.items() if there else ():
        both = [name for name in here if name in there and name not in references]
        own, other = ([cell[name].value for name in both] for cell in (here, there))
        turned = [
            f"{one} > {two}"
            for one, two in permutations(both, 2)
            if surely_less(here[one], here[two]) and surely_less(there[two], there[one])
        ]
        tau = float(stats.kendalltau(own, other).statistic) if len(both) > 1 else float("nan")
        order = sorted(both, key=lambda name: here[name].value)
        rows.append({"task": task, "order": order, "tau": tau, "reversed": turned})
    return pd.DataFrame(rows, columns=["task", "order", "tau", "reversed"])


def surely_less(one: Replicates, other: Replicates) -> bool:
    """Return whether one loss is below the other: the interval of the difference lies below 0."""
    apart = Replicates(one.value - other.value, one.drawn - other.drawn)
    return apart.interval()[1] < 0.0


DARKEST, LIGHTEST = 0.0, 1.2
"""Scores of the ends of the scale; those beyond look like these, and the numbers tell."""

IN_ALL = "mean"
"""What the last column is called."""

LONGEST_AGENT = 24
"""Letters of an agent's name."""


def score_map(
    scores: pd.DataFrame, totals: pd.DataFrame, title: str, axes: "Axes | None" = None
) -> "Axes":
    """Draw the score of every agent (rows, the best first) in every task (columns) and in all.

    The scale goes from dark to light, in print without colours too, and each number is written.

    Args:
        scores: see `SuiteResults.scores`.
        totals: see `SuiteResults.totals`.
        title: which run of the suite it is.
        axes: where it is drawn; None is a new figure, as large as it needs to be.

    Returns:
        The axes, whose figure can be saved.

    Raises:
        MissingExtraError: without Matplotlib.
    """
    totals, scores = marked(totals), marked(scores)
    agents, tasks = totals["agent"].tolist(), list(dict.fromkeys(scores["task"]))
    table = scores.pivot(index="agent", columns="task", values="score").reindex(agents)[tasks]
    values = np.column_stack([table.to_numpy(float), totals["mean"].to_numpy(float)])
    axes = plot_axes(axes, 1.9 + 0.36 * len(agents), 2.4 + 0.62 * len(tasks))
    image = axes.imshow(values, vmin=DARKEST, vmax=LIGHTEST, cmap="cividis", aspect="auto")
    axes.set_xticks(range(len(tasks) + 1), [*tasks, IN_ALL], rotation=40, ha="right")
    axes.set_yticks(range(len(agents)), [verbatim(name, LONGEST_AGENT) for name in agents])
    axes.tick_params(labelsize=TEXT_SIZE, length=0)
    axes.spines[:].set_visible(False)
    axes.axvline(len(tasks) - 0.5, color="white", linewidth=4)
    for (row, column), value in np.ndenumerate(values):
        if np.isnan(value):
            continue
        shade = "black" if value > 0.5 * (DARKEST + LIGHTEST) else "white"
        text = axes.text(column, row, f"{value:.2f}", ha="center", va="center")
        text.set(fontsize=TEXT_SIZE, color=shade)
    axes.set_title(f"Scores, {title}", fontsize=AXIS_SIZE, loc="left")
    bar = axes.figure.colorbar(image, ax=axes, extend="both", pad=0.02)
    bar.set_label("score", fontsize=AXIS_SIZE)
    bar.ax.tick_params(labelsize=TEXT_SIZE)
    return axes


NO_SCORE = "-"
"""Of an agent that does not run on a task."""

LEGEND_OF_SCORES = (
    f"score: (loss of {WORST} - loss) / (loss of {WORST} - loss of the reference), which has 1; "
    "the loss is the regret, or the cost c T + error. ± is the longer side of a 95% interval over "
    "users, and over trainings where a model was trained more than once.",
    "mean: over the tasks an agent ran on. IQM: their interquartile mean. Ranked are those that "
    "ran on all.",
)
"""What has to be known to read the tables."""

LEGEND_OF_TAU = (
    f"τ: Kendall's rank correlation of the agents' order with that of {CENTRAL}, the paper's "
    "central cell.",
)
"""What the column says that is there where that cell was run."""


def notes_of_scores(totals: pd.DataFrame, ranked: pd.DataFrame) -> tuple[str, ...]:
    """Return what the tables say, and what the sign of a reference.

    Args:
        totals: see `SuiteResults.totals`.
        ranked: see `rankings_of`.
    """
    legend = LEGEND_OF_SCORES + (() if ranked.empty else LEGEND_OF_TAU)
    return legend + references_of(totals)


def totals_table(totals: pd.DataFrame, title: str | None = None) -> Table:
    """Return what scores are in all (see `SuiteResults.totals`) as a Rich table."""
    names = ("rank", "agent", "mean [95%]", "IQM [95%]", "tasks")
    table = new_table(names, left=("agent",), title=title, padding=1, leading=2)
    for row in marked(totals).to_dict("records"):
        rank = NO_SCORE if pd.isna(row["rank"]) else str(int(row["rank"]))
        cells = [_with_interval(row, name) for name in ("mean", "iqm")]
        table.add_row(rank, str(row["agent"]), *cells, str(row["n_tasks"]))
    return table


def scores_table(scores: pd.DataFrame, totals: pd.DataFrame, ranked: pd.DataFrame) -> Table:
    """Return scores as a Rich table, a row a task and a column an agent, the best first.

    Args:
        scores: see `SuiteResults.scores`.
        totals: see `SuiteResults.totals`.
        ranked: see `rankings_of`.
    """
    agents = marked(totals)["agent"].tolist()
    taus = ranked.set_index("task")["tau"].to_dict()
    names = ("task", *(["τ"] if taus else []), *agents)
    table = new_table(names, left=("task",), leading=len(names) - len(agents))
    for task, rows in marked(scores).groupby("task", sort=False):
        own = rows.set_index("agent").to_dict("index")
        cells = [_score(own[name]) if name in own else NO_SCORE for name in agents]
        table.add_row(str(task), *([_tau(taus[task])] if taus else []), *cells)
    return table


def _tau(tau: float) -> str:
    """Return a rank correlation, a dash where too few agents run on both tasks."""
    return NO_SCORE if math.isnan(tau) else f"{tau:.2f}"


def _with_interval(row: Mapping[Any, Any], name: str) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return f"{row[name]:.2f} [{low:.2f}, {high:.2f}]"


def _score(row: Mapping[Any, Any]) -> str:
    """Return a score and its interval's longer side, which those of the anchors have not."""
    error = max(row["high"] - row["score"], row["score"] - row["low"])
    if error == 0.0:
        return f"{row['score']:g}"
    return NO_SCORE if math.isnan(row["score"]) else f"{row['score']:.2f} ± {error:.2f}"


def suite_page(
    title: str,
    tasks: Sequence[SuiteTask],
    notes: Sequence[str],
    scores: pd.DataFrame,
    totals: pd.DataFrame,
    ranked: pd.DataFrame,
) -> str:
    """Return everything as one page of Markdown.

    Args:
        title: which run of the suite it is.
        tasks: its tasks.
        notes: what has to be known to read the tables.
        scores: see `SuiteResults.scores`.
        totals: see `SuiteResults.totals`.
        ranked: see `rankings_of`.
    """
    parts = [f"# Scores, {title}", markdown(totals_table(totals))]
    parts += ["## By task", markdown(scores_table(scores, totals, ranked))]
    parts += [f"- {in_markdown(note)}" for note in notes]
    parts += ["## Tasks", markdown(tasks_table(tasks))]
    parts += [in_markdown(f"- {line}") for line in reference_reasons(tasks)]
    others = [row for row in ranked.to_dict("records") if row["task"] != CENTRAL]
    if others:
        parts += [f"## Pairs of which another is the better than in {CENTRAL}, with certainty"]
        pairs = [(row, ", ".join(row["reversed"]) or "none") for row in others]
        parts += [in_markdown(f"- {row['task']}: {named}") for row, named in pairs]
    return "\n\n".join(parts) + "\n"


def reference_reasons(tasks: Sequence[SuiteTask]) -> list[str]:
    """Return why the references are these, each reason with the tasks that it is for."""
    named: dict[tuple[str, str], list[str]] = {}
    for task in tasks:
        named.setdefault((task.reference, task.why), []).append(task.name)
    return [
        f"{reference} has 1 in {', '.join(names)}: {why}."
        for (reference, why), names in named.items()
    ]


def tasks_table(tasks: Sequence[SuiteTask]) -> Table:
    """Return what tasks are as a Rich table."""
    table = new_table(
        ("task", "for", "asks for", "users", "seed", "1 is"), left=("task", "for", "asks for")
    )
    for task in tasks:
        said = {**task.options, **task.numbers()}
        words = ", ".join(f"{name}={value}" for name, value in said.items())
        numbers = (str(task.n_instances), str(task.seed))
        table.add_row(task.name, task.about, f"{task.task}: {words}", *numbers, task.reference)
    return table


@dataclass(frozen=True, repr=False)
class SuiteResults:
    """The runs of a suite and what they are worth.

    Printed, or as the last line of a notebook's cell, it is the tables.

    Attributes:
        run: which run of the suite it is; `run.title` is to be quoted.
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
        """Who took part, in the order in which they were given; the anchors last if they were not.

        Trainings of one model are one of them.
        """
        longest = sorted(self.cells.values(), key=lambda cell: -cell.runs["agent"].nunique())
        names = [str(name) for cell in longest for name in cell.runs["agent"].unique()]
        return tuple(dict.fromkeys(map(entrant_of, names)))

    @property
    def references(self) -> frozenset[str]:
        """Those that were told rewards, which no competitor is."""
        named = {name for cell in self.cells.values() for name in cell.references}
        return frozenset(map(entrant_of, named))

    @cached_property
    def losses(self) -> Mapping[str, Mapping[str, Replicates]]:
        """By task and agent the mean loss, with its replicates."""
        return {
            task.name: mean_losses(losses_of(self.cells[task.name]), task.seed)
            for task in self.tasks
        }

    @cached_property
    def _scores(self) -> Mapping[str, Mapping[str, Replicates]]:
        return {task.name: scores_in(task, self.losses[task.name]) for task in self.tasks}

    def scores(self) -> pd.DataFrame:
        """Return one row a task and agent that ran on it.

        `task`, `agent`, `score` with its 95% interval `low` to `high`, `loss` (the mean), `n`
        (users), `n_trainings` and `sees_rewards`.
        """
        rows = []
        for task in self.tasks:
            cell = self.cells[task.name]
            trainings = pd.Series(cell.runs["agent"].unique()).map(entrant_of).value_counts()
            for name in self.agents:
                if name not in (found := self._scores[task.name]):
                    continue
                low, high = found[name].interval()
                row = {"task": task.name, "agent": name, "score": found[name].value}
                row |= {"low": low, "high": high, "loss": self.losses[task.name][name].value}
                row |= {"n": task.n_instances, "n_trainings": int(trainings[name])}
                rows.append(row | {"sees_rewards": name in self.references})
        return pd.DataFrame(rows)

    def totals(self) -> pd.DataFrame:
        """Return one row an agent: what its scores are in all, with 95% intervals.

        `mean` over the `n_tasks` tasks it ran on, and the interquartile mean `iqm`. `rank` is by
        the mean, of those that ran on all tasks and were not told rewards; others have none.
        """
        rows = []
        for name in self.agents:
            own = [found[name] for found in self._scores.values() if name in found]
            row: dict[str, Any] = {"agent": name, "n_tasks": len(own)}
            for figure, over in (("mean", mean_of), ("iqm", interquartile_mean_of)):
                low, high = (total := over(own)).interval()
                row |= {figure: total.value, f"{figure}_low": low, f"{figure}_high": high}
            rows.append(row | {"sees_rewards": name in self.references})
        totals = pd.DataFrame(rows)
        competes = ~totals["sees_rewards"] & (totals["n_tasks"] == len(self.tasks))
        ranks = totals["mean"].where(competes).rank(method="min", ascending=False)
        totals = totals.assign(rank=ranks.astype("Int64"))
        return totals.sort_values("mean", ascending=False, ignore_index=True)

    def rankings(self, against: str = CENTRAL) -> pd.DataFrame:
        """Return how each task ranks the agents, against another one; see `rankings_of`.

        Args:
            against: the other task's name.
        """
        return rankings_of(self.losses, self.references, against)

    def record(self) -> dict[str, Any]:
        """Return everything as JSON can hold it."""
        told: dict[str, Any] = {"title": self.run.title, "version": SUITE_VERSION}
        told |= {"digest": suite_digest(), "versions": versions_of()}
        told |= {"streams": stream_fingerprint(), "tasks": [vars(task) for task in self.tasks]}
        told |= {"scores": self.scores(), "totals": self.totals(), "rankings": self.rankings()}
        return {
            name: frame_record(value) if isinstance(value, pd.DataFrame) else record_of(value)
            for name, value in told.items()
        }

    def page(self) -> str:
        """Return everything as a page of Markdown."""
        figures = (self.scores(), self.totals(), self.rankings())
        return suite_page(self.run.title, self.tasks, self.notes(), *figures)

    def tables(self) -> list[Table]:
        """Return the scores in all and by task as Rich tables."""
        totals = self.totals()
        by_task = scores_table(self.scores(), totals, self.rankings())
        return [totals_table(totals, self.run.title), by_task]

    def notes(self) -> tuple[str, ...]:
        """Return what has to be known to read the tables, and how to quote them."""
        package = f"explorative-user-env {__version__}"
        quoted = f"To quote: {self.run.title} (tasks {suite_digest()}), {package}"
        return (*notes_of_scores(self.totals(), self.rankings()), quoted)

    def plot(self, axes: "Axes | None" = None) -> "Axes":
        """Draw the scores as a heat map, agents by tasks, and return Matplotlib's axes.

        Args:
            axes: where it is drawn; None is a new figure.
        """
        return score_map(self.scores(), self.totals(), self.run.title, axes)

    def __str__(self) -> str:
        notes = [as_text(Text(note)) for note in self.notes()]
        return "\n\n".join(map(as_text, self.tables())) + "\n" + "\n".join(notes)

    def __repr__(self) -> str:
        return f"SuiteResults({self.run.title!r}, agents={list(self.agents)})"

    def _repr_html_(self) -> str:
        return "".join(map(html_table, self.tables())) + paragraphs(self.notes())


def frame_record(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame as JSON can hold them, None where there is no number."""
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return [{str(name): record_of(value) for name, value in row.items()} for row in rows]


COMMAND = "suite"
"""What a file of runs says that it is of."""


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
    """Let agents meet the users of every task of the suite, and say what that is worth.

    Each task is run as `evaluate` alone would. UNI and the task's reference, whose scores are 0 and
    1, run along. A trained model runs on the tasks of its kind and its K.

    Args:
        agents: agents, names of the package's, or `ModelsByTask`; None is all of the package.
        tasks: names of tasks; None is all.
        quick: whether with a tenth of the users, which takes a tenth of the time.
        seed: other users than the suite's own. What is published has none.
        workers: as for `evaluate`; the result is the same.
        executor: as for `evaluate`.
        progress: as for `evaluate`.
        store: as for `evaluate`, one file for all tasks; `load_suite` has the results of it.

    Returns:
        The scores: printable, with `scores()`, `totals()` and each task's `Results` in `cells`.

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
        Exception: what `evaluate` raises; its `finished` holds the tasks that were done before.
    """
    run, entrants = SuiteRun(tasks, quick, seed), taking_part(agents)
    records, cells = run.records(), dict[str, Results]()
    check_fitting(entrants, records)
    with shown(progress) as report, _kept(store, run, entrants) as kept:
        for place, task in enumerate(records):
            with carries_finished(lambda: list(cells.values())):
                cells[task.name] = evaluate(
                    line_up_for(task, entrants),
                    workers=workers,
                    executor=executor,
                    progress=named(portion(report, place, len(records)), f"{task.name}:"),
                    store=kept,
                    **task.arguments(),
                )
    return SuiteResults(run, cells)


def _kept(
    store: Store | Path | str | None, run: SuiteRun, entrants: Sequence[Agent | ModelsByTask]
) -> Any:
    """Return the store of a suite, if it has one."""
    if store is None or isinstance(store, Store):
        return nullcontext(store)
    records = {name: agent_record(agent, FEWEST_ARMS) for name, agent in who(entrants).items()}
    options = {"task": run.tasks, "quick": run.quick, "seed": run.seed, "agents": records}
    return Store(store, {"command": COMMAND, "options": options})


def who(entrants: Iterable[Agent | ModelsByTask]) -> dict[str, Agent]:
    """Return all agents that take part, by names of their own: models by their tasks as well."""
    found: dict[str, Agent] = {}
    for each in entrants:
        if isinstance(each, ModelsByTask):
            for task, models in each.models.items():
                found |= {model_name(name_of(model), task): model for model in models}
        else:
            found[name_of(each)] = each
    return found


def load_suite(path: Path | str, own: Sequence[Any] = ()) -> SuiteResults:
    """Return the results of a suite that a file of runs has, also while it is written.

    Of a run that was broken off they are of the agents that had met all users of a task, and of
    the tasks whose anchors are among them.

    Args:
        path: what `run_suite(..., store=)` or the command has written.
        own: as for `load`.

    Raises:
        InvalidArgumentError: if there is no such file, or it has no runs of a suite.
    """
    asked = request_in(Path(path))
    if asked.get("command") != COMMAND:
        allowed = f"a file of runs of {COMMAND} (it is of {asked.get('command')})"
        raise InvalidArgumentError("path", str(path), allowed)
    found = load(path, own)
    return kept_suite(asked["options"], found.cells if isinstance(found, Sweep) else [found])


def kept_suite(options: Mapping[str, Any], cells: Sequence[Results]) -> SuiteResults:
    """Return the results of a suite of which there are some; see `load_suite`.

    Args:
        options: what was asked for.
        cells: results of tasks as a file keeps them.

    Raises:
        InvalidArgumentError: if there are none with all users.
    """
    run = SuiteRun(options["task"], options["quick"], options["seed"])
    by_seed = {cell.cell["seed"]: cell for cell in cells}
    whole = {
        task.name: finished_of(by_seed[task.seed], task)
        for task in run.records()
        if task.seed in by_seed
    }
    done = {task: cell for task, cell in whole.items() if cell is not None}
    if not done:
        allowed = "one of which a task is done, with its anchors"
        raise InvalidArgumentError("suite", run.title, allowed)
    return SuiteResults(run, done)


def finished_of(cell: Results, task: SuiteTask) -> Results | None:
    """Return the results of the agents that have met all users; None without an anchor."""
    runs = cell.runs
    done = runs[runs.groupby("agent")["instance"].transform("size") == task.n_instances]
    if not {WORST, task.reference} <= set(done["agent"]):
        return None
    return replace(cell, runs=done.reset_index(drop=True))
