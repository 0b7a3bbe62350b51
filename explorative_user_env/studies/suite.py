"""The suite: frozen tasks on which agents have scores, and users who are not the paper's.

In every task UNI has 0 and a stated reference 1, and all agents meet the same users. `robustness`
changes the user alone: each agent is told what it is told of the paper's user (alpha, rho_0 and
whether there is click noise), and nothing of her behaviour.
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
from explorative_user_env.evaluation import Results, Sweep, evaluate, load
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

#: Of the bootstrap.
N_REPLICATES = 2000


class Replicates(NamedTuple):
    """A number, and its values (`N_REPLICATES`,) for users and trainings that are drawn again."""

    value: float
    drawn: Array

    def interval(self) -> tuple[float, float]:
        """Return the interval between the percentiles; NaN where there is no number."""
        tail = (1.0 - LEVEL) / 2.0
        low, high = np.quantile(self.drawn, [tail, 1.0 - tail])
        return float(low), float(high)


#: By the names of agents.
Losses = Mapping[str, Replicates]


def mean_losses(losses: Mapping[str, Array], seed: int) -> dict[str, Replicates]:
    """Return the mean loss of each agent from its losses, shape (trainings, users).

    Users are drawn from the task's seed, trainings from the agent's name as well: other agents
    change nothing.
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


def scores_in(task: SuiteTask, losses: Losses) -> dict[str, Replicates]:
    """Return the score of each agent in a task; NaN where both anchors lose the same."""
    worst, best = losses[WORST], losses[task.reference]

    def score(own: Replicates) -> Replicates:
        each: Any = zip(own, worst, best, strict=True)
        return Replicates(*(np.divide(zero - one, zero - top) for one, zero, top in each))

    with np.errstate(divide="ignore", invalid="ignore"):
        return {name: score(own) for name, own in losses.items()}


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
    losses: Mapping[str, Any], references: Any = (), against: str = CENTRAL
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
        return Replicates(0.0, one.drawn - other.drawn).interval()[1] < 0.0

    rows, there = [], losses.get(against, {})
    for task, here in losses.items() if there else ():
        both = [name for name in here if name in there and name not in references]
        own, other = ([cell[name].value for name in both] for cell in (here, there))
        tau = float(stats.kendalltau(own, other).statistic) if len(both) > 1 else math.nan
        order = sorted(both, key=lambda name: here[name].value)
        certain = [
            f"{one} > {two}"
            for one, two in permutations(both, 2)
            if surely_less(here[one], here[two]) and surely_less(there[two], there[one])
        ]
        rows.append((task, order, tau, certain))
    return pd.DataFrame(rows, columns=["task", "order", "tau", "reversed"])


def draw_heat_map(
    values: pd.DataFrame, words: Array, label: str, axes: "Axes | None", most: float = 1.0
) -> "Axes":
    """Draw numbers from dark, at 0, to light, at `most`, each with its words; NaN stays white."""
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
    """Return values of rows as a grid by the names in two columns, in their order."""
    found = rows.assign(of=of).pivot(index=index, columns=columns, values="of")
    return found.reindex(index=rows[index].unique(), columns=rows[columns].unique())


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
    columns = [
        Column("rank", "rank", lambda rank: NO_SCORE if pd.isna(rank) else str(int(rank))),
        AGENT_COLUMN,
        Column("mean [95%]", "{mean:.2f} [{mean_low:.2f}, {mean_high:.2f}]".format_map),
        Column("IQM [95%]", "{iqm:.2f} [{iqm_low:.2f}, {iqm_high:.2f}]".format_map),
        Column("tasks", "n_tasks"),
    ]
    return table(marked(totals), columns, title, padding=1, leading=2)


def scores_table(scores: pd.DataFrame, totals: pd.DataFrame, ranked: pd.DataFrame) -> Table:
    """Return scores as a Rich table, a row a task and a column an agent, the best first."""
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


def _question(task: SuiteTask) -> str:
    words = {**task.options, **task.numbers()}
    return f"{task.task}: " + ", ".join(f"{name}={value}" for name, value in words.items())


TASK_COLUMNS = (
    Column("task", "name", left=True),
    Column("for", "about", left=True),
    Column("asks for", _question, left=True),
    Column("users", "n_instances"),
    Column("seed", "seed"),
    Column("1 is", "reference"),
)


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
    def losses(self) -> Mapping[str, Losses]:
        """By task and agent the mean loss, with its replicates."""
        found = {}
        for task in self.tasks:
            cell, losses = self.cells[task.name], dict[str, list[Array]]()
            for name, scores in scores_of([(cell.runs, cell.cell)], None).items():
                losses.setdefault(entrant_of(name), []).append(-scores[:, 0])
            stacked = {name: np.stack(trainings) for name, trainings in losses.items()}
            found[task.name] = mean_losses(stacked, task.seed)
        return found

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

        middle = partial(stats.trim_mean, proportiontocut=0.25)
        by_task = [scores_in(task, self.losses[task.name]) for task in self.tasks]
        rows = []
        for name in self.agents:
            scores = [found[name] for found in by_task if name in found]
            row: dict[str, Any] = {"agent": name, "n_tasks": len(scores)}
            for figure, mean in (("mean", np.mean), ("iqm", middle)):
                low, high = (total := over_tasks(scores, mean)).interval()
                row |= {figure: total.value, f"{figure}_low": low, f"{figure}_high": high}
            rows.append(row | {"sees_rewards": name in self.references})
        return with_ranks(pd.DataFrame(rows), len(self.tasks))

    def rankings(self, against: str = CENTRAL) -> pd.DataFrame:
        """Return the order of the agents in each task, against another one; see `rankings_of`."""
        return rankings_of(self.losses, self.references, against)

    def record(self) -> dict[str, Any]:
        """Return everything as JSON can hold it, with None where there is no number."""
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
        """Return everything as a page of Markdown."""
        ranked, references = self.rankings(), dict[tuple[str, str], list[str]]()
        for task in self.tasks:
            references.setdefault((task.reference, task.why), []).append(task.name)
        totals, by_task = map(markdown, self.tables())
        parts = [f"# Scores, {self.run.title}", totals, "## By task", by_task]
        parts += [f"- {in_markdown(note)}" for note in self.notes()]
        parts += ["## Tasks", markdown(table(self.tasks, TASK_COLUMNS))]
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
        quoted = f"To quote: {self.run.title} (tasks {tasks_of.suite_digest()}), {package}"
        return (*notes_of_scores(self.totals(), self.rankings()), quoted)

    def plot(self, axes: "Axes | None" = None) -> "Axes":
        """Draw the scores as a heat map: agents, the best first, by tasks and their mean."""
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
    run, entrants = SuiteRun(tasks, quick, seed), tasks_of.as_entrants(agents)
    asked, cells = run.records(), dict[str, Results]()
    for each in entrants:
        if not any(tasks_of.running(each, task) for task in asked):
            allowed = f"of a kind and a K that is among {', '.join(task.name for task in asked)}"
            raise InvalidArgumentError("agents", name_of(each), allowed)
    kept: Any = nullcontext(store)
    if store is not None and not isinstance(store, Store):
        every = tasks_of.agents_by_name(entrants).items()
        made_of = {name: agent_record(agent, FEWEST_ARMS) for name, agent in every}
        options = {"task": tasks, "quick": quick, "seed": seed, "agents": made_of}
        kept = Store(store, {"command": COMMAND, "options": options})
    with shown(progress) as report, kept as opened:
        how: dict[str, Any] = {"workers": workers, "executor": executor, "store": opened}
        for place, task in enumerate(asked):
            how["progress"] = named(portion(report, place, len(asked)), f"{task.name}:")
            with carries_finished(lambda: list(cells.values())):
                line_up = tasks_of.line_up_for(task, entrants)
                cells[task.name] = evaluate(line_up, **how, **task.arguments())
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
    return saved_suite(asked["options"], found.cells if isinstance(found, Sweep) else [found])


def saved_suite(options: Mapping[str, Any], cells: Sequence[Results]) -> SuiteResults:
    """Return the results of a suite from the options and cells of a file; see `load_suite`."""
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


@dataclass(frozen=True)
class Variety:
    """A kind of user.

    Args:
        name: its name in tables.
        options: how it differs from the paper's user, as options of `Population`.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)


_BEHAVIOURS = ("omniscient", "forgetful", "drifting", "logistic", "varied")

#: The paper's user, four others of her model, two of its assumption on rewards, four who break it,
#: and users of her model of whom each has numbers of her own.
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
    """Return the varieties of these names, all of them for None."""
    return tasks_of.named("user", names, VARIETIES)


#: Step cap of a run: about 25 times as long as the paper's user needs with five arms.
MAX_STEPS = 20_000


def default_agents() -> list[AlgorithmAgent]:
    """Return the paper's four agents, and BAIR(m) with any user: m = 2 log(K/delta) consecutive."""
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
        seed: the seed of everything, at least 0.
        baseline_time: T of the agents that do not stop by themselves, as in `evaluate`. None is
            BAIR's mean stopping time with these users.
        max_steps: step cap of all agents, as in `evaluate`; a run that reaches it is censored, and
            so no success.
        progress: called with what runs, how many pieces are done and how many there are.
        population: what all kinds share, as a record; or give its options:
        **options: those of `Population`, and `workers`, `executor` and `store` of `evaluate`. A gap
            must be below 1 where rewards are Bernoulli, whose means are then drawn from
            Uniform(0, 1 - gap) if the variety has no law of its own. Means that drift begin so.

    Returns:
        One row for each user and agent: `user`, `agent` and the other columns of
        `Results.summary`; its `attrs["cells"]` hold `Results.cell` of each user.

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
    """
    users = [of_class("users (each)", each, Variety) for each in sequence("users", users)]
    names = [variety.name for variety in users]
    if not names or len(set(names)) < len(names):
        raise InvalidArgumentError("users", names, "at least one, each of a name of its own")
    user, how = users_of.split_options(options)
    shared = users_of.population_of(population, user)
    every = [replace(shared, **variety.options) for variety in users]  # checked before any runs
    how |= {"delta": delta, "n_instances": n_instances, "seed": seed}
    how |= {"baseline_time": baseline_time, "max_steps": max_steps}
    line_up, cells = default_agents() if agents is None else agents, []
    for place, (name, own) in enumerate(zip(names, every, strict=True)):
        report = named(portion(progress, place, len(users)), f"{name}:")
        cells.append(evaluate(line_up, population=own, progress=report, **how))
    return saved_matrix(cells, shared, users)


def saved_matrix(cells: Any, shared: Population, users: Sequence[Variety]) -> pd.DataFrame:
    """Return the rows of `robustness` for the kinds of users among the cells of a file."""
    found = {
        each.name: results
        for each in users
        for results in cells
        if results.population == replace(shared, **each.options)
    }
    if not found:
        names = [each.name for each in users]
        raise InvalidArgumentError("users", names, "kinds of which there are results")
    frames = [results.summary().assign(user=name) for name, results in found.items()]
    matrix = pd.concat(frames, ignore_index=True)
    matrix.insert(0, "user", matrix.pop("user"))
    matrix.attrs["cells"] = [{**results.cell, "user": name} for name, results in found.items()]
    return matrix


#: The notes below the matrix.
NOTES = (
    f"first line: success [95% interval]. Second: stopping time, {MEANS_LEGEND}. cut: "
    "share of runs that the step cap ended, which are no successes; under printed their length "
    "counts in the time, under released not.",
    "UNI and EXP3 do not stop by themselves: their T is BAIR's with the same users, or "
    "--baseline-time.",
    "drifting: success is to name the arm that is the best when the agent answers.",
)


def notes_of(matrix: pd.DataFrame) -> tuple[str, ...]:
    """Return the notes below the matrix."""
    return NOTES + references_of(matrix)


def title_of_matrix(population: Population, delta: float, n_instances: int, max_steps: int) -> str:
    """Return the title of a matrix: the setting, the cell and the number of users."""
    words = population.words()
    return (
        f"Robustness, {words['setting']}: {n_instances} users a cell, K={words['n_arms']}, "
        f"delta={delta:g}, gap={words['gap']:g}, at most {max_steps} steps"
    )


def matrix_table(matrix: pd.DataFrame) -> Table:
    """Return the rows of `robustness` as a Rich table, a row a user and a column an agent."""
    matrix, cells = marked(matrix), []
    for row in matrix.to_dict("records"):
        low, high = text.share(row["success_low"]), text.share(row["success_high"])
        time = text.with_error(row["stopping_time"], row["stopping_time_high"]) or "no run ended"
        cells.append(f"{text.share(row['success'])} [{low}–{high}]\n{time}{_cut(row)}")
    grid = _grid(matrix, cells, "user", "agent")
    return table(grid.reset_index(), [Column("user", left=True), *map(Column, grid.columns)])


def _cut(row: Mapping[str, Any]) -> str:
    return f"\n{text.percent(row['censored'])}% cut" if row["censored"] > 0.0 else ""


def matrix_page(matrix: pd.DataFrame, title: str) -> str:
    """Return the rows of `robustness` as one page of Markdown."""
    notes = (f"- {note}" for note in notes_of(matrix))
    return "\n\n".join([f"# {title}", markdown(matrix_table(matrix)), *notes]) + "\n"


def heat_map(matrix: pd.DataFrame, axes: "Axes | None" = None) -> "Axes":
    """Draw the success of every agent (rows) with every user (columns), with stopping times."""
    matrix = marked(matrix)
    cells = [
        f"{text.share(row['success'])}\nT {text.whole(row['stopping_time'])}{_cut(row)}"
        for row in matrix.to_dict("records")
    ]
    words = _grid(matrix, cells, "agent", "user").fillna("").to_numpy()
    return draw_heat_map(_grid(matrix, matrix["success"], "agent", "user"), words, "success", axes)
