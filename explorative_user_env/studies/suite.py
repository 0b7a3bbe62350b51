"""The suite: scores of agents on frozen tasks; and `robustness`: success with other users.

In every task UNI has score 0, a stated reference has score 1, and all agents run on the same users.
`robustness` changes only the user: agents know alpha, rho_0 and whether responses are noisy, as
with the paper's user, and do not know her behaviour.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain, permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import numpy as np
import pandas as pd
from rich.table import Table
from rich.text import Text

from explorative_user_env.agents import BAIR, EXP3, AlgorithmAgent, TrackAndStop, Uniform
from explorative_user_env.display import plots, tables, text
from explorative_user_env.display.progress import OnProgress, named, portion, shown, silent
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
    """A number, and its bootstrap replicates over users and trainings, (`N_REPLICATES`,)."""

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

    `seed` determines the resampled users, `seed` and the agent's name the resampled trainings: so
    an agent's replicates do not depend on the other agents.
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
        if len(each) > 1:
            chosen = stream(name).integers(len(each), size=drawn.shape)
            drawn = np.take_along_axis(drawn, chosen, axis=1)
        means[name] = Replicates(float(each.mean()), drawn.mean(axis=1))
    return means


def scores_in(task: SuiteTask, losses: Losses) -> dict[str, Replicates]:
    """Return the score of each agent in a task; NaN if both anchors have the same loss."""
    worst, best = losses[WORST], losses[task.reference]

    def score(loss: Replicates) -> Replicates:
        each: Any = zip(loss, worst, best, strict=True)
        return Replicates(*(np.divide(zero - one, zero - top) for one, zero, top in each))

    with np.errstate(divide="ignore", invalid="ignore"):
        return {name: score(loss) for name, loss in losses.items()}


def over_tasks(scores: Sequence[Replicates], mean: Callable[..., Any]) -> Replicates:
    """Return the mean over tasks; `mean` is a function such as `numpy.mean`."""
    drawn = np.asarray(mean([each.drawn for each in scores], axis=0))
    return Replicates(float(mean([each.value for each in scores])), drawn)


def with_ranks(totals: pd.DataFrame, n_tasks: int) -> pd.DataFrame:
    """Return `totals`, best agent first; `rank` is for agents that ran on all tasks."""
    competes = ~totals["sees_rewards"] & (totals["n_tasks"] == n_tasks)
    ranks = totals["mean"].where(competes).rank(method="min", ascending=False)
    totals = totals.assign(rank=ranks.astype("Int64"))
    return totals.sort_values("mean", ascending=False, ignore_index=True)


def rankings_of(
    losses: Mapping[str, Any], references: Any = (), against: str = CENTRAL
) -> pd.DataFrame:
    """Return one row per task: its order of the agents, compared with the order in task `against`.

    Args:
        losses: mean losses by task and agent.
        references: agents to leave out; agents that ran on one of two tasks are left out, too.
        against: name of the task to compare with; if `losses` lacks it, there are no rows.

    Returns:
        `task`; `order`, the agents by increasing loss; `tau`, Kendall's rank correlation with the
        order in `against` (1 the same, -1 the reverse; NaN for a single agent); and `reversed`,
        the pairs "A > B" where A has less loss in this task and B in `against`, both with a 95%
        interval of the difference that excludes 0.
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
    """Draw a heat map from dark, at 0, to light, at `most`, with a text per cell; NaN is white."""
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
    """Pivot the values `of` the rows, with index and columns in the order of the rows."""
    values = rows.assign(of=of).pivot(index=index, columns=columns, values="of")
    return values.reindex(index=rows[index].unique(), columns=rows[columns].unique())


#: The score of an agent on a task that it did not run on.
NO_SCORE = "-"

LEGEND_OF_SCORES = (
    f"score: (loss of {WORST} - loss) / (loss of {WORST} - loss of the reference), so {WORST} "
    "has 0 and the reference 1; the loss is the regret, or the cost c T + error. ± is the longer "
    "side of a 95% interval over users, and over trainings if a model was trained more than once.",
    "mean, IQM (interquartile mean): over an agent's tasks. rank: only for agents with all tasks.",
)
LEGEND_OF_TAU = (
    f"τ: Kendall's rank correlation between the orders of the agents in the task and in {CENTRAL}, "
    "the paper's central cell.",
)


def notes_of_scores(totals: pd.DataFrame, ranked: pd.DataFrame) -> tuple[str, ...]:
    """Return the notes below the tables of `SuiteResults.totals` and `SuiteResults.rankings`."""
    legend = LEGEND_OF_SCORES + (() if ranked.empty else LEGEND_OF_TAU)
    return legend + references_of(totals)


def totals_table(totals: pd.DataFrame, title: str | None = None) -> Table:
    """Return `SuiteResults.totals` as a Rich table."""
    columns = [
        Column("rank", "rank", lambda rank: NO_SCORE if pd.isna(rank) else str(int(rank))),
        AGENT_COLUMN,
        Column("mean [95%]", "{mean:.2f} [{mean_low:.2f}, {mean_high:.2f}]".format_map),
        Column("IQM [95%]", "{iqm:.2f} [{iqm_low:.2f}, {iqm_high:.2f}]".format_map),
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
        run: the run of the suite; quote `run.title`.
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
        """The entrants in the order of the call; anchors that the call did not name come last."""
        longest = sorted(self.cells.values(), key=lambda cell: -cell.runs["agent"].nunique())
        names = pd.concat([cell.runs["agent"] for cell in longest]).unique()
        return tuple(dict.fromkeys(map(entrant_of, names)))

    @property
    def references(self) -> frozenset[str]:
        """The agents that see rewards; they have no rank."""
        every = (cell.references for cell in self.cells.values())
        return frozenset(map(entrant_of, chain.from_iterable(every)))

    @cached_property
    def losses(self) -> Mapping[str, Losses]:
        """Mean losses with their replicates, by task and agent."""
        means = {}
        for task in self.tasks:
            cell, losses = self.cells[task.name], dict[str, list[Array]]()
            for name, scores in scores_of([(cell.runs, cell.cell)], None).items():
                losses.setdefault(entrant_of(name), []).append(-scores[:, 0])
            stacked = {name: np.stack(trainings) for name, trainings in losses.items()}
            means[task.name] = mean_losses(stacked, task.seed)
        return means

    def scores(self) -> pd.DataFrame:
        """Return one row for each task and each agent that ran on it.

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
        """Return one row per agent: its scores over all tasks, with 95% intervals.

        `mean` and interquartile mean `iqm` are over the `n_tasks` tasks that the agent ran on.
        `rank` is by mean, for agents that ran on all tasks and do not see rewards, else missing.
        """
        from scipy import stats

        middle = partial(stats.trim_mean, proportiontocut=0.25)
        by_task = [scores_in(task, self.losses[task.name]) for task in self.tasks]
        rows = []
        for name in self.agents:
            scores = [each[name] for each in by_task if name in each]
            row: dict[str, Any] = {"agent": name, "n_tasks": len(scores)}
            for figure, mean in (("mean", np.mean), ("iqm", middle)):
                low, high = (total := over_tasks(scores, mean)).interval()
                row |= {figure: total.value, f"{figure}_low": low, f"{figure}_high": high}
            rows.append(row | {"sees_rewards": name in self.references})
        return with_ranks(pd.DataFrame(rows), len(self.tasks))

    def rankings(self, against: str = CENTRAL) -> pd.DataFrame:
        """Compare the order of the agents in each task with task `against`: see `rankings_of`."""
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
        """Return the notes below the tables, and the words to quote."""
        package = f"explorative-user-env {__version__}"
        quoted = f"To quote: {self.run.title} (tasks {tasks_of.suite_digest()}), {package}"
        return (*notes_of_scores(self.totals(), self.rankings()), quoted)

    def plot(self, axes: "Axes | None" = None) -> "Axes":
        """Draw the scores as a heat map: agents, best first, by task, with the mean over tasks."""
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
    agents: Iterable[tasks_of.EntrantLike] | None = None,
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

    Each task gives the same runs as a call of `evaluate`. UNI and the task's reference, with scores
    0 and 1, always run, too. A trained model runs on the tasks of its kind and K.

    Args:
        agents: agents, names of agents of the package, or `ModelsByTask`; None is all agents of
            the package.
        tasks: names of tasks; None is all.
        quick: whether to run the first tenth of the users only, in a tenth of the time.
        seed: a seed that replaces the users of the suite; None, as in published numbers, keeps
            them.
        workers: as for `evaluate`; the result does not depend on it.
        executor: as for `evaluate`.
        progress: as for `evaluate`.
        store: as for `evaluate`, one file for all tasks; `load_suite` reads it.

    Returns:
        The scores: printable, with `scores()`, `totals()` and each task's `Results` in `cells`.

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
        Exception: any error of `evaluate`; its `finished` holds the results of finished tasks.
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
    """Return the results of a suite from a file of runs, even of a suite that is still running.

    Results of an unfinished run include the agents that finished all users of a task, and the tasks
    whose two anchors finished.

    Args:
        path: a file that `run_suite(..., store=)` or the command wrote.
        agents: as for `load`.

    Raises:
        InvalidArgumentError: if the file is missing or holds no runs of a suite.
    """
    request = about(Path(path)).request
    if request.get("command") != COMMAND:
        allowed = f"a file of runs of {COMMAND} (the file is of {request.get('command')})"
        raise InvalidArgumentError("path", str(path), allowed)
    results = load(path, agents)
    return saved_suite(request["options"], getattr(results, "cells", [results]))


def saved_suite(options: Mapping[str, Any], cells: Sequence[Results]) -> SuiteResults:
    """Return the results of a suite from the options and cells of a file: see `load_suite`."""
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
        allowed = "a run with at least one finished task, anchors included"
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
    """Return the varieties with these names; None is all."""
    return tasks_of.named("user", names, VARIETIES)


#: Step cap of a run: about 25 times BAIR's T with the paper's user and five arms.
MAX_STEPS = 20_000


def default_agents() -> list[AlgorithmAgent]:
    """Return the paper's agents, and BAIR(m) with m = 2 log(K/delta) consecutive rejections."""
    patient = BAIR(m="paper", rejections="consecutive", noise=0.1, name="BAIR(m)")
    return [BAIR(), patient, TrackAndStop(), Uniform(), EXP3()]


@users_of.lists_user_options()
def robustness(
    agents: Sequence[Agent | str] | None = None,
    users: Sequence[Variety] = VARIETIES,
    *,
    delta: float = 0.1,
    n_instances: int = 1000,
    seed: int = 0,
    baseline_time: int | str | None = None,
    max_steps: int = MAX_STEPS,
    progress: OnProgress = silent,
    population: Population | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Evaluate every agent with every kind of user.

    Args:
        agents: as in `evaluate`; None is `default_agents`.
        users: the kinds of users, with different names.
        delta: allowed probability of a wrong answer, in (0, 1).
        n_instances: users of each kind, at least 1; the same seeds for all kinds.
        seed: the seed of users and agents, at least 0.
        baseline_time: T of the agents without a stopping rule, as in `evaluate`. None is BAIR's
            mean stopping time with the same users.
        max_steps: step cap of all agents, as in `evaluate`; a run that reaches it is censored and
            counts as a failure.
        progress: called with (what, done, total).
        population: the options that all kinds share, as a record; or give its options:
        **options: those of `Population`, and `workers`, `executor` and `store` of `evaluate`. A gap
            must be below 1 with Bernoulli rewards; if the variety has no `means`, their means are
            drawn from Uniform(0, 1 - gap). So are the initial means of drifting users.

    Returns:
        One row for each user and agent: `user`, `agent` and the other columns of
        `Results.summary`; `attrs["cells"]` lists `Results.cell` of each user.

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
    """
    users = [of_class("users (each)", each, Variety) for each in sequence("users", users)]
    names = [variety.name for variety in users]
    if not 0 < len(names) == len(set(names)):
        raise InvalidArgumentError("users", names, "one or more, with different names")
    user, how = users_of.split_options(options)
    shared = users_of.population_of(population, user)
    every = [replace(shared, **variety.options) for variety in users]  # raises before any run
    how |= {"delta": delta, "n_instances": n_instances, "seed": seed}
    how |= {"baseline_time": baseline_time, "max_steps": max_steps}
    line_up, cells = default_agents() if agents is None else agents, []
    for place, (name, each) in enumerate(zip(names, every, strict=True)):
        report = named(portion(progress, place, len(users)), f"{name}:")
        cells.append(evaluate(line_up, population=each, progress=report, **how))
    return saved_matrix(cells, shared, users)


def saved_matrix(cells: Any, shared: Population, users: Sequence[Variety]) -> pd.DataFrame:
    """Return the rows of `robustness` for the kinds of users that have results in `cells`."""
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
    """Return the notes below the matrix."""
    return NOTES + references_of(matrix)


def title_of_matrix(population: Population, delta: float, n_instances: int, max_steps: int) -> str:
    """Return the title of a matrix: setting, users per kind, options of all kinds, step cap."""
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
