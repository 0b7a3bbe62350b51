"""Score agents on the tasks of the suite, and test their `robustness` to other kinds of users.

In every task, UNI has score 0 and the task's reference agent has score 1. All agents run on the
same users. `robustness` runs the same agents with several kinds of users. The agents know alpha,
rho_0 and whether responses are noisy, but not by which behaviour the user responds.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, pairwise, permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import numpy as np
import pandas as pd
from rich.table import Table
from rich.text import Text

from explorative_user_env.agents import BAIR, EXP3, AlgorithmAgent, TrackAndStop, Uniform
from explorative_user_env.display import plots, tables, text
from explorative_user_env.display.progress import OnProgress, named, portion, shown
from explorative_user_env.display.tables import Column, as_text, markdown, table
from explorative_user_env.display.text import in_markdown
from explorative_user_env.evaluation import Results, evaluate, load
from explorative_user_env.evaluation.runner import FEWEST_ARMS, agent_record, carries_finished
from explorative_user_env.protocol import Agent, Array, name_of
from explorative_user_env.results import records
from explorative_user_env.results.intervals import LEVEL
from explorative_user_env.results.metrics import scores_of
from explorative_user_env.results.store import Store, about
from explorative_user_env.results.tables import AGENT_COLUMN, MEANS_LEGEND, marked, references_of
from explorative_user_env.studies import suite_tasks as tasks_of
from explorative_user_env.studies.suite_tasks import CENTRAL, WORST, SuiteRun, SuiteTask, entrant_of
from explorative_user_env.users import population as users_of
from explorative_user_env.users.instances import ROOMY
from explorative_user_env.users.population import Population
from explorative_user_env.validation import InvalidArgumentError, of_class, sequence
from explorative_user_env.version import __version__

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Replicates of the bootstrap.
N_REPLICATES = 2000


class Replicates(NamedTuple):
    """An estimate, and an array of the estimates from bootstrap samples of users and trainings."""

    value: float
    drawn: Array

    def interval(self) -> tuple[float, float]:
        """Return the percentile interval; NaN if the replicates are NaN."""
        tail = (1.0 - LEVEL) / 2.0
        low, high = np.quantile(self.drawn, [tail, 1.0 - tail])
        return float(low), float(high)


#: Mean losses by agent name.
Losses = Mapping[str, Replicates]


def mean_losses(losses: Mapping[str, Array], seed: int) -> dict[str, Replicates]:
    """Return the mean loss of each agent from its losses, shape (trainings, users).

    `seed` determines the resampled users. `seed` and the agent's name determine the resampled
    trainings, so an agent's replicates do not depend on other agents.
    """

    def stream(what: str) -> np.random.Generator:
        key = (crc32(b"bootstrap"), crc32(what.encode(errors="backslashreplace")))
        return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))

    n_users = next(iter(losses.values())).shape[1]
    drawn_users = stream("users").integers(n_users, size=(N_REPLICATES, n_users))
    places = drawn_users + np.arange(0, N_REPLICATES * n_users, n_users)[:, np.newaxis]
    counts = np.bincount(places.ravel(), minlength=places.size)
    weights = counts.reshape(places.shape) / n_users
    means = {}
    for name, each in losses.items():
        drawn = weights @ each.T  # (replicates, trainings)
        middle = drawn.mean(axis=1)
        if len(each) > 1:
            chosen = stream(name).integers(len(each), size=drawn.shape)
            trained = np.take_along_axis(drawn, chosen, axis=1).mean(axis=1)
            middle += widening(len(each)) * (trained - middle)
        means[name] = Replicates(float(each.mean()), middle)
    return means


def widening(n: int) -> float:
    """Return the factor by which a bootstrap over n trainings is too narrow.

    The bootstrap divides by n instead of n - 1, and the normal law replaces Student's.
    """
    from scipy import stats

    tail = (1.0 + LEVEL) / 2.0
    ratio = float(stats.t.ppf(tail, n - 1) / stats.norm.ppf(tail))
    return ratio * math.sqrt(n / (n - 1.0))


def scores_in(task: SuiteTask, losses: Losses) -> dict[str, Replicates]:
    """Return the score of each agent in a task; NaN if UNI and the reference have the same loss."""
    worst, best = losses[WORST], losses[task.reference]

    def score(loss: Replicates) -> Replicates:
        each: Any = zip(loss, worst, best, strict=True)
        return Replicates(*(np.divide(zero - one, zero - top) for one, zero, top in each))

    with np.errstate(divide="ignore", invalid="ignore"):
        return {name: score(loss) for name, loss in losses.items()}


def totals_of(scores: pd.DataFrame, twins: Mapping[str, str]) -> pd.DataFrame:
    """Return one row per agent with its mean score over the tasks, sorted by this mean.

    Args:
        scores: rows with the columns `task`, `agent`, `score`, `low`, `high` and `sees_rewards`.
        twins: for some tasks the task that differs only in the law of the means. An agent's
            score in such a pair of tasks is the smaller one; the pair counts as one task.

    Returns:
        The columns are `agent`, `n_tasks`, `mean`, `mean_low` and `mean_high` (Student's 95%
        interval over tasks, which are seen as a sample; with one task its interval over users),
        `sees_rewards`, and the best and the worst possible rank, `rank_low` and `rank_high`. Only
        agents that ran on all tasks and do not see rewards have ranks. An agent is surely above
        another if Student's 95% interval of their mean difference over tasks excludes 0, with all
        tasks and without any one task.
    """
    rows, worst = [], worst_of_twins(scores, twins)
    for name, each in scores.groupby("agent", sort=False):
        values = worst.loc[name].dropna().to_numpy(float)
        low, high = interval_over_tasks(values)
        if len(values) == 1:
            low, high = each["low"].min(), each["high"].min()
        row = {"agent": name, "n_tasks": len(values), "mean": values.mean(), "mean_low": low}
        rows.append(row | {"mean_high": high, "sees_rewards": each["sees_rewards"].any()})
    totals = pd.DataFrame(rows)
    competes = ~totals["sees_rewards"] & (totals["n_tasks"] == worst.shape[1])
    names = list(totals.loc[competes, "agent"])
    above = {one: [surely_above(worst.loc[one], worst.loc[two]) for two in names] for one in names}
    best = {
        name: 1 + sum(each[place] for each in above.values()) for place, name in enumerate(names)
    }
    last = {name: len(names) - sum(each) for name, each in above.items()}
    for column, ranks in (("rank_low", best), ("rank_high", last)):
        totals[column] = totals["agent"].map(ranks).astype("Int64")
    return totals.sort_values("mean", ascending=False, ignore_index=True)


def worst_of_twins(scores: pd.DataFrame, twins: Mapping[str, str]) -> pd.DataFrame:
    """Return the scores, agents in rows and tasks in columns; twins are one column (see above)."""
    pairs = scores.assign(pair=scores["task"].replace(dict(twins)))
    return pairs.groupby(["agent", "pair"])["score"].min().unstack()


def neighbours_table(scores: pd.DataFrame, totals: pd.DataFrame, twins: Mapping[str, str]) -> Table:
    """Return the mean difference of each ranked agent and the next one, as a Rich table."""
    worst = worst_of_twins(scores, twins)
    names = list(totals.loc[totals["rank_low"].notna(), "agent"])
    rows = []
    for one, other in pairwise(names):
        differences = (worst.loc[one] - worst.loc[other]).to_numpy(float)
        low, high = interval_over_tasks(differences)
        shown = f"{differences.mean():.2f} [{low:.2f}, {high:.2f}]"
        rows.append({"first": one, "second": other, "difference": shown})
    columns = (Column("first", left=True), Column("second", left=True), Column("difference"))
    return table(rows, columns)


def interval_over_tasks(values: Array) -> tuple[float, float]:
    """Return Student's 95% interval of the mean of values, one per task; NaN for one value."""
    from scipy import stats

    if len(values) < 2:
        return math.nan, math.nan
    half = stats.t.ppf((1.0 + LEVEL) / 2.0, len(values) - 1) * values.std(ddof=1)
    half /= math.sqrt(len(values))
    return float(values.mean() - half), float(values.mean() + half)


def surely_above(one: Any, other: Any) -> bool:
    """Return whether the scores `one` are above `other`, whichever task is left out."""
    differences = (one - other).to_numpy(float)
    some = [differences, *(np.delete(differences, task) for task in range(len(differences)))]
    return all(interval_over_tasks(each)[0] > 0.0 for each in some)


def twins_of(tasks: Iterable[SuiteTask]) -> dict[str, str]:
    """Return the twin of each task that has one."""
    return {task.name: task.twin for task in tasks if task.twin is not None}


def rankings_of(
    losses: Mapping[str, Any], references: Any = (), against: str = CENTRAL
) -> pd.DataFrame:
    """Compare the order of the agents in each task with their order in the task `against`.

    Args:
        losses: mean losses by task and agent.
        references: agents to leave out, besides agents that did not run on both tasks.
        against: name of the task to compare with; without losses in it the result is empty.

    Returns:
        One row per task, with the columns `task`; `order`, the agents by increasing loss; `tau`,
        Kendall's rank correlation with the order in `against` (1 for the same order, -1 for the
        reverse, NaN for a single agent); and `reversed`, pairs "A > B" in which A has less loss in
        this task but more in `against`; the 95% intervals of the difference in this task and of the
        difference in `against` both exclude 0.
    """
    from scipy import stats

    def surely_less(one: Replicates, other: Replicates) -> bool:
        return Replicates(0.0, one.drawn - other.drawn).interval()[1] < 0.0

    rows, other = [], losses.get(against, {})
    for task, here in losses.items() if other else ():
        both = [name for name in here if name in other and name not in references]
        values = [[cell[name].value for name in both] for cell in (here, other)]
        tau = float(stats.kendalltau(*values).statistic) if len(both) > 1 else math.nan
        order = sorted(both, key=lambda name: here[name].value)
        certain = [
            f"{one} > {two}"
            for one, two in permutations(both, 2)
            if surely_less(here[one], here[two]) and surely_less(other[two], other[one])
        ]
        rows.append((task, order, tau, certain))
    return pd.DataFrame(rows, columns=["task", "order", "tau", "reversed"])


def draw_heat_map(
    values: pd.DataFrame, words: Array, label: str, axes: "Axes | None", most: float = 1.0
) -> "Axes":
    """Draw a heat map with a text in each cell; 0 is dark, `most` is light, and NaN is white."""
    lines = [part for cell in words.ravel() for part in cell.split("\n")]
    height = 1.9 + (0.2 + 0.16 * (len(lines) / max(1, values.size))) * len(values)
    width = 1.8 + (0.3 + 0.085 * max(map(len, lines), default=4)) * len(values.columns)
    axes = plots.plot_axes(axes, height, width)
    numbers = values.to_numpy(float)
    image = axes.imshow(numbers, vmin=0.0, vmax=most, cmap="cividis", aspect="auto")
    axes.set_xticks(range(len(values.columns)), list(values.columns), rotation=40, ha="right")
    axes.set_yticks(range(len(values)), [plots.verbatim(name, 24) for name in values.index])
    axes.tick_params(labelsize=plots.TEXT_SIZE, length=0)
    axes.spines[:].set_visible(False)
    style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": plots.TEXT_SIZE}
    for (row, column), value in np.ndenumerate(numbers):
        if not np.isnan(value):
            colour = "black" if value > 0.6 else "white"
            axes.text(column, row, str(words[row, column]), color=colour, **style)
    ends = "both" if most > 1.0 else "neither"
    scale = axes.figure.colorbar(image, ax=axes, pad=0.02, extend=ends)
    scale.set_label(label, fontsize=plots.AXIS_SIZE)
    scale.ax.tick_params(labelsize=plots.TEXT_SIZE)
    return axes


def _grid(rows: pd.DataFrame, of: Any, index: str, columns: str) -> pd.DataFrame:
    """Pivot `rows`, whose values are `of`, without sorting the index or the columns."""
    values = rows.assign(of=of).pivot(index=index, columns=columns, values="of")
    return values.reindex(index=rows[index].unique(), columns=rows[columns].unique())


#: The score of an agent on a task that it did not run on.
NO_SCORE = "-"

LEGEND_OF_SCORES = (
    f"score: (loss of {WORST} - loss) / (loss of {WORST} - loss of the reference), so {WORST} "
    "has 0 and the reference 1; the loss is the regret, or the cost c T + error. ± is the longer "
    "side of a 95% interval over users, and over trainings if a model was trained more than once.",
    "mean: over an agent's tasks, with a 95% interval over tasks; of two tasks that differ only in "
    "the law of the means, the smaller score counts. rank: the possible ranks of an agent "
    "with all tasks; an order counts only if it stays significant without any one task.",
)
LEGEND_OF_TAU = (
    f"τ: Kendall's rank correlation between the orders of the agents in the task and in {CENTRAL}, "
    "the paper's central cell.",
)


#: The heading of `neighbours_table` on pages.
NEIGHBOURS = "## Paired differences of neighbours, mean over tasks [95%]"


def notes_of_scores(totals: pd.DataFrame, ranked: pd.DataFrame) -> tuple[str, ...]:
    """Return the notes below the tables of `SuiteResults.totals` and `SuiteResults.rankings`."""
    legend = LEGEND_OF_SCORES + (() if ranked.empty else LEGEND_OF_TAU)
    return legend + references_of(totals)


def _ranks(row: Mapping[str, Any]) -> str:
    low, high = row["rank_low"], row["rank_high"]
    if pd.isna(low):
        return NO_SCORE
    return f"{low}" if low == high else f"{low}-{high}"


def totals_table(totals: pd.DataFrame, title: str | None = None) -> Table:
    """Return `SuiteResults.totals` as a Rich table."""
    columns = [
        Column("rank", _ranks),
        AGENT_COLUMN,
        Column("mean [95%]", "{mean:.2f} [{mean_low:.2f}, {mean_high:.2f}]".format_map),
        Column("tasks", "n_tasks"),
    ]
    return table(marked(totals), columns, title, padding=1, leading=2)


def scores_table(scores: pd.DataFrame, totals: pd.DataFrame, ranked: pd.DataFrame) -> Table:
    """Return scores as a Rich table: one row per task, one column per agent, best agent first."""
    taus = ranked.set_index("task")["tau"].to_dict()
    rows: dict[str, dict[str, Any]] = {}
    for row in marked(scores).to_dict("records"):
        error = max(row["high"] - row["score"], row["score"] - row["low"])
        cell = f"{row['score']:.2f} ± {error:.2f}" if error else f"{row['score']:g}"
        line = rows.setdefault(row["task"], {"task": row["task"]})
        line[row["agent"]] = NO_SCORE if math.isnan(error) else cell
        tau = taus.get(row["task"], math.nan)
        line["τ"] = NO_SCORE if math.isnan(tau) else f"{tau:.2f}"
    columns = [Column("task", left=True), *([Column("τ")] if taus else [])]
    leading = len(columns)
    for name in marked(totals)["agent"]:
        columns.append(Column(name, lambda row, name=name: row.get(name, NO_SCORE)))
    return table(rows.values(), columns, leading=leading)


def _options(task: SuiteTask) -> str:
    words = {**task.options, **task.numbers()}
    return f"{task.task}: " + ", ".join(f"{name}={value}" for name, value in words.items())


TASK_COLUMNS = (
    Column("task", "name", left=True),
    Column("about", "about", left=True),
    Column("options", _options, left=True),
    Column("users", "n_instances"),
    Column("seed", "seed"),
    Column("score 1", "reference"),
)


@dataclass(frozen=True, repr=False)
class SuiteResults:
    """The runs of a suite and their scores; `str` and notebooks show the tables.

    Attributes:
        run: the run of the suite; quote its `title` with the scores.
        cells: the results by task name.
    """

    run: SuiteRun
    cells: Mapping[str, Results]

    @property
    def tasks(self) -> tuple[SuiteTask, ...]:
        """The tasks that have results."""
        return tuple(task for task in self.run.records() if task.name in self.cells)

    @cached_property
    def agents(self) -> tuple[str, ...]:
        """Names of the agents in the order of the call; UNI and reference agents may follow."""
        longest = sorted(self.cells.values(), key=lambda cell: -len(cell.agents))
        names = dict.fromkeys(name for cell in longest for name in cell.agents)
        return tuple(dict.fromkeys(map(entrant_of, names)))

    @property
    def references(self) -> frozenset[str]:
        """The agents that see rewards; they have no rank."""
        every = (cell.references for cell in self.cells.values())
        return frozenset(map(entrant_of, chain.from_iterable(every)))

    @cached_property
    def losses(self) -> Mapping[str, Losses]:
        """The mean loss and its bootstrap replicates for each task and agent."""
        means = {}
        for task in self.tasks:
            cell, losses = self.cells[task.name], dict[str, list[Array]]()
            for name, scores in scores_of([(cell.runs, cell.cell)], None).items():
                losses.setdefault(entrant_of(name), []).append(-scores[:, 0])
            stacked = {name: np.stack(trainings) for name, trainings in losses.items()}
            means[task.name] = mean_losses(stacked, task.seed)
        return means

    def scores(self) -> pd.DataFrame:
        """Return one row for each task and each agent that ran on the task.

        The columns are `task`, `agent`, `score` with its 95% interval `low` to `high`, `loss` (the
        mean), `n` (number of users), `n_trainings` and `sees_rewards`.
        """
        rows = []
        for task in self.tasks:
            trained = pd.Series(self.cells[task.name].agents).map(entrant_of)
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
        """Return one row per agent: its mean score over all tasks and its possible ranks.

        `totals_of` describes the columns.
        """
        return totals_of(self.scores(), twins_of(self.tasks))

    def rankings(self, against: str = CENTRAL) -> pd.DataFrame:
        """Compare the order of agents in each task and in the task `against`; see `rankings_of`."""
        return rankings_of(self.losses, self.references, against)

    def record(self) -> dict[str, Any]:
        """Return scores, totals and rankings as JSON values, with None for missing numbers."""
        frames = {"scores": self.scores(), "totals": self.totals(), "rankings": self.rankings()}
        record: dict[str, Any] = {
            "title": self.run.title,
            "version": tasks_of.SUITE_VERSION,
            "digest": tasks_of.suite_digest(),
            "versions": records.versions_of(),
            "streams": records.stream_fingerprint(),
            "tasks": [vars(task) for task in self.tasks],
        }
        for name, frame in frames.items():
            record[name] = frame.astype(object).where(frame.notna(), None).to_dict("records")
        return dict(records.record_of(record))

    def page(self) -> str:
        """Return scores, notes, tasks and rankings as a Markdown page."""
        ranked, references = self.rankings(), dict[tuple[str, str], list[str]]()
        for task in self.tasks:
            references.setdefault((task.reference, task.why), []).append(task.name)
        totals, by_task = map(markdown, self.tables())
        parts = [f"# Scores, {self.run.title}", totals, "## By task", by_task]
        neighbours = neighbours_table(self.scores(), self.totals(), twins_of(self.tasks))
        parts += [NEIGHBOURS, markdown(neighbours)]
        parts += [f"- {in_markdown(note)}" for note in self.notes()]
        parts += ["## Tasks", markdown(table(self.tasks, TASK_COLUMNS))]
        for (reference, why), names in references.items():
            parts.append(in_markdown(f"- {reference} has score 1 in {', '.join(names)}: {why}."))
        others = ranked[ranked["task"] != CENTRAL]
        if len(others):
            parts += [f"## Pairs of agents whose order is significantly reversed in {CENTRAL}"]
        for task, pairs in zip(others["task"], others["reversed"], strict=True):
            parts.append(in_markdown(f"- {task}: {', '.join(pairs) or 'none'}"))
        return "\n\n".join(parts) + "\n"

    def tables(self) -> list[Table]:
        """Return the scores over all tasks and by task as Rich tables."""
        totals = self.totals()
        by_task = scores_table(self.scores(), totals, self.rankings())
        return [totals_table(totals, self.run.title), by_task]

    def notes(self) -> tuple[str, ...]:
        """Return the notes below the tables; the last note says how to cite the scores."""
        package = f"explorative-user-env {__version__}"
        quoted = f"To quote: {self.run.title} (tasks {tasks_of.suite_digest()}), {package}"
        return (*notes_of_scores(self.totals(), self.rankings()), quoted)

    def plot(self, axes: "Axes | None" = None) -> "Axes":
        """Plot a heat map of scores: agents in rows, best on top; tasks and the mean in columns."""
        totals, scores = marked(self.totals()), marked(self.scores())
        values = _grid(scores, scores["score"], "agent", "task").reindex(totals["agent"])
        values["mean"] = totals["mean"].to_numpy()
        words = values.map("{:.2f}".format).to_numpy()
        axes = draw_heat_map(values, words, "score", axes, most=1.2)
        axes.axvline(len(self.tasks) - 0.5, color="white", linewidth=4)
        axes.set_title(f"Scores, {self.run.title}", fontsize=plots.AXIS_SIZE, loc="left")
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
    agents: tasks_of.EntrantLike | Iterable[tasks_of.EntrantLike] | None = None,
    *,
    tasks: Sequence[str] | None = None,
    quick: bool = False,
    seed: int | None = None,
    workers: int = 1,
    executor: Executor | None = None,
    progress: bool | OnProgress = True,
    store: Store | Path | str | None = None,
) -> SuiteResults:
    """Run agents on every task of the suite.

    Each task gives the same runs as a call of `evaluate`. UNI, with score 0, and the task's
    reference agent, with score 1, always run. A trained model runs only on tasks with the same kind
    ("bai", "regret" or "population") and the same K.

    Args:
        agents: as in `evaluate`, or `ModelsByTask`; None runs all agents of the package.
        tasks: names of tasks; None runs all tasks.
        quick: whether to run only the first tenth of the users.
        seed: a seed for other users; None keeps the suite's users, as in published scores.
        workers: number of workers, as for `evaluate`; it does not change the scores.
        executor: as for `evaluate`.
        progress: as for `evaluate`.
        store: one file for the runs of all tasks, as for `evaluate`; `load_suite` reads the file.

    Returns:
        The printable scores, with `scores()`, `totals()` and each task's `Results` in `cells`.

    Raises:
        InvalidArgumentError: if an argument is out of range; the message names the argument.
        Exception: any error of `evaluate`; its attribute `finished` has the results of the
            finished tasks.
    """
    run, entrants = SuiteRun(tasks, quick, seed), tasks_of.as_entrants(agents)
    chosen, cells = run.records(), dict[str, Results]()
    for each in entrants:
        if not any(tasks_of.running(each, task) for task in chosen):
            allowed = f"trained for the kind and K of one of {', '.join(t.name for t in chosen)}"
            raise InvalidArgumentError("agents", name_of(each), allowed)
    stored: Any = nullcontext(store)
    if store is not None and not isinstance(store, Store):
        every = tasks_of.agents_by_name(entrants).items()
        made_of = {name: agent_record(agent, FEWEST_ARMS) for name, agent in every}
        options = {"task": tasks, "quick": quick, "seed": seed, "agents": made_of}
        stored = Store(store, {"command": COMMAND, "options": options})
    with shown(progress) as report, stored as opened:
        how: dict[str, Any] = {"workers": workers, "executor": executor, "store": opened}
        for place, task in enumerate(chosen):
            how["progress"] = named(portion(report, place, len(chosen)), f"{task.name}:")
            with carries_finished(lambda: list(cells.values())):
                line_up = tasks_of.line_up_for(task, entrants)
                cells[task.name] = evaluate(line_up, **how, **task.arguments())
    return SuiteResults(run, cells)


def load_suite(path: Path | str, agents: Sequence[Any] = ()) -> SuiteResults:
    """Return the results of a suite from a file of runs.

    A suite may still be running or have been interrupted. In each task, the results have only the
    agents that finished all users. They have only tasks that UNI and the reference agent finished.

    Args:
        path: a file that `run_suite(..., store=)` or the command `suite` wrote.
        agents: custom agents, as for `load`.

    Raises:
        InvalidArgumentError: if the file is missing or has no runs of a suite.
    """
    request = about(Path(path)).request
    if request.get("command") != COMMAND:
        allowed = f"a file of runs of {COMMAND} (the file is of {request.get('command')})"
        raise InvalidArgumentError("path", str(path), allowed)
    results = load(path, agents)
    return saved_suite(request["options"], getattr(results, "cells", [results]))


def saved_suite(options: Mapping[str, Any], cells: Sequence[Results]) -> SuiteResults:
    """Return the results of a suite from its stored options and the `Results` of its tasks."""
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
        allowed = "a run with a task that UNI and its reference agent finished"
        raise InvalidArgumentError("suite", run.title, allowed)
    return SuiteResults(run, done)


@dataclass(frozen=True)
class Variety:
    """A kind of user.

    Args:
        name: name of the kind in tables.
        options: options of `Population` that differ from the paper's user.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)


_BEHAVIOURS = ("omniscient", "forgetful", "drifting", "logistic", "varied")

#: The paper's user; four with other options; two with other reward laws; four with behaviours that
#: break the model; and users who each have their own alpha, rho, noise and gap ("varied").
VARIETIES = (
    Variety("paper"),
    Variety("rho=1", {"rho": 1.0}),
    Variety("alpha=0.8", {"alpha": 0.8}),
    Variety("alpha=2", {"alpha": 2.0}),
    Variety("noise=0.1", {"noise": 0.1}),
    Variety("bernoulli", {"reward_law": "bernoulli", "means": ROOMY}),
    Variety("bounded", {"reward_law": "bounded"}),
    *(Variety(name, {"behaviour": name}) for name in _BEHAVIOURS),
)


def varieties_named(names: Sequence[str] | None) -> tuple[Variety, ...]:
    """Return the varieties with these names; None returns all varieties."""
    return tasks_of.named("user", names, VARIETIES)


#: Step cap of a run: about 25 times BAIR's T with the paper's user and five arms.
MAX_STEPS = 20_000


def default_agents() -> list[AlgorithmAgent]:
    """Return the paper's agents, and BAIR(m) with m = 2 log(K/delta) consecutive rejections."""
    patient = BAIR(m="paper", rejections="consecutive", noise=0.1, name="BAIR(m)")
    return [BAIR(), patient, TrackAndStop(), Uniform(), EXP3()]


@users_of.lists_user_options()
def robustness(
    agents: Agent | str | Sequence[Agent | str] | None = None,
    users: Sequence[Variety] = VARIETIES,
    *,
    delta: float = 0.1,
    n_instances: int = 1000,
    seed: int = 0,
    baseline_time: int | str | None = None,
    max_steps: int = MAX_STEPS,
    progress: bool | OnProgress = False,
    population: Population | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Evaluate every agent with every kind of user.

    Args:
        agents: as in `evaluate`; None runs the `default_agents`.
        users: the kinds of users, with different names.
        delta: allowed probability of a wrong answer, in (0, 1).
        n_instances: users of each kind, at least 1; the same seeds for all kinds.
        seed: the seed of users and agents, at least 0.
        baseline_time: T of agents without a stopping rule, as in `evaluate`. With None, T is BAIR's
            mean stopping time with the same users.
        max_steps: step cap of all agents, as in `evaluate`; a censored run counts as a failure.
        progress: as for `evaluate`.
        population: the options that all kinds of users share, as a record instead of `**options`.
        **options: the options of `Population`, and `workers`, `executor` and `store` of `evaluate`.
            With Bernoulli rewards, the gap must be below 1. Users with Bernoulli rewards and no
            option `means` draw their first means from Uniform(0, 1 - gap). Drifting users do too.

    Returns:
        One row for each kind of user and each agent, with the columns `user`, `agent` and those of
        `Results.summary`; `attrs["cells"]` lists `Results.cell` of each kind.

    Raises:
        InvalidArgumentError: if an argument is out of range; the message names the argument.
    """
    users = [of_class("users (each)", each, Variety) for each in sequence("users", users)]
    names = [variety.name for variety in users]
    if not 0 < len(names) == len(set(names)):
        raise InvalidArgumentError("users", names, "a non-empty list with different names")
    user, how = users_of.split_options(options)
    shared = users_of.population_of(population, user)
    every = [replace(shared, **variety.options) for variety in users]
    how |= {"delta": delta, "n_instances": n_instances, "seed": seed}
    how |= {"baseline_time": baseline_time, "max_steps": max_steps}
    line_up, cells = default_agents() if agents is None else agents, []
    with shown(progress) as report:
        for place, (name, each) in enumerate(zip(names, every, strict=True)):
            how["progress"] = named(portion(report, place, len(users)), f"{name}:")
            cells.append(evaluate(line_up, population=each, **how))
    return saved_matrix(cells, shared, users)


def saved_matrix(cells: Any, shared: Population, users: Sequence[Variety]) -> pd.DataFrame:
    """Return the frame of `robustness` for the kinds in `users` that have results in `cells`."""
    results_of = {
        each.name: results
        for each in users
        for results in cells
        if results.population == replace(shared, **each.options)
    }
    if not results_of:
        names, allowed = [each.name for each in users], "kinds of users with results in the file"
        raise InvalidArgumentError("users", names, allowed)
    frames = [results.summary().assign(user=name) for name, results in results_of.items()]
    matrix = pd.concat(frames, ignore_index=True)
    matrix.insert(0, "user", matrix.pop("user"))
    matrix.attrs["cells"] = [{**results.cell, "user": name} for name, results in results_of.items()]
    return matrix


#: The notes below the matrix.
NOTES = (
    f"first line: success [95% interval]. second line: stopping time, {MEANS_LEGEND}. censored: "
    "share of runs that the step cap stopped. They count as failures; the stopping time includes "
    "them under printed and excludes them under released.",
    "UNI and EXP3 have no stopping rule: their T is BAIR's with the same users, or "
    "--baseline-time.",
    "drifting: an answer is right if it names the best arm at that time.",
)


def notes_of(matrix: pd.DataFrame) -> tuple[str, ...]:
    """Return the notes below the table of `robustness`."""
    return NOTES + references_of(matrix)


def title_of_matrix(population: Population, delta: float, n_instances: int, max_steps: int) -> str:
    """Return the title of the table of `robustness`, with the options that all users share."""
    words = population.words()
    return (
        f"Robustness, {words['setting']}: {n_instances} users per cell, K={words['n_arms']}, "
        f"delta={delta:g}, gap={words['gap']:g}, at most {max_steps} steps"
    )


def matrix_table(matrix: pd.DataFrame) -> Table:
    """Return `robustness` as a Rich table: one row per kind of user, one column per agent."""
    matrix, cells = marked(matrix), []
    for row in matrix.to_dict("records"):
        low, high = text.share(row["success_low"]), text.share(row["success_high"])
        time = text.with_error(row["stopping_time"], row["stopping_time_high"]) or "all censored"
        cells.append(f"{text.share(row['success'])} [{low}–{high}]\n{time}{_cut(row)}")
    grid = _grid(matrix, cells, "user", "agent")
    return table(grid.reset_index(), [Column("user", left=True), *map(Column, grid.columns)])


def _cut(row: Mapping[str, Any]) -> str:
    return f"\n{text.percent(row['censored'])}% censored" if row["censored"] > 0.0 else ""


def matrix_page(matrix: pd.DataFrame, title: str) -> str:
    """Return `robustness` as a Markdown page."""
    notes = (f"- {note}" for note in notes_of(matrix))
    return "\n\n".join([f"# {title}", markdown(matrix_table(matrix)), *notes]) + "\n"


def heat_map(matrix: pd.DataFrame, axes: "Axes | None" = None) -> "Axes":
    """Draw success and stopping time of every agent (rows) with every kind of user (columns)."""
    matrix = marked(matrix)
    cells = [
        f"{text.share(row['success'])}\nT {text.rounded(row['stopping_time'])}{_cut(row)}"
        for row in matrix.to_dict("records")
    ]
    words = _grid(matrix, cells, "agent", "user").fillna("").to_numpy()
    return draw_heat_map(_grid(matrix, matrix["success"], "agent", "user"), words, "success", axes)
