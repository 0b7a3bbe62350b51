"""Write the report on the paper's experiments, with a verdict on every published figure."""

import math
import re
from base64 import b64encode
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise, product
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from rich.table import Table

from explorative_user_env.agents.bair import phase1_acceptances
from explorative_user_env.display.plots import as_svg, can_plot, logarithmic, new_figure
from explorative_user_env.display.progress import OnProgress, named, portion
from explorative_user_env.display.tables import Column, markdown, table
from explorative_user_env.display.text import in_markdown, share, share_with_interval, with_error
from explorative_user_env.evaluation import Results
from explorative_user_env.results.tables import AGENT_COLUMN, PUBLISHED
from explorative_user_env.studies import paper
from explorative_user_env.studies.paper import CELL, Experiment, published_figures, z_of
from explorative_user_env.users.population import DIFFERENCES, as_setting

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AGREES, CANNOT, DIFFERS = VERDICTS = ("agrees", "cannot", "differs")
NOT_JUDGED = ""

#: The setting of the published tables, under which figures are judged.
DECISIVE = "released"

#: Largest |z| of figures that agree; a standard normal z exceeds it once in 370 figures.
LIMIT = 3.0

#: Tolerance of `is_near` by figure: the larger one of a relative and an absolute difference.
TOLERANCES = {"stopping_time": (0.04, 0), "rejection_rate": (0.05, 0.002), "success": (0, 0.02)}

Row = Mapping[str, Any]
Evidence = Mapping[str, pd.DataFrame]


def is_given(agent: str, figure: str) -> bool:
    """Return whether a figure is an input and no result: the stopping times of UNI and EXP3."""
    return figure == "stopping_time" and agent in paper.GIVEN_TIME


def is_near(figure: str, ours: Any, published: Any, n1: Any = 0.0) -> Any:
    """Return whether our figures differ from the published figures by at most `TOLERANCES`.

    `n1` is N_1 or 0. The relative tolerance of a time refers to the time minus `n1`.
    """
    relative, absolute = TOLERANCES[figure]
    allowed = np.maximum(relative * abs(published - n1), absolute)
    return abs(ours - published) <= allowed + 1e-12  # shares may differ by exactly 0.02


def n1_if_most(experiment: Experiment, setting: str, entrants: Any, row: Row, time: float) -> float:
    """Return the agent's N_1 if it is at least half of the stopping time `time`; otherwise 0."""
    agent = entrants[row["agent"]].make(row["delta"], row["n_arms"], experiment.alpha)
    if "n1" not in agent.options or experiment.shared_phase1:
        return 0.0
    n1 = as_setting(setting).bair_n1 if agent.options["n1"] is None else agent.options["n1"]
    n1 = phase1_acceptances(n1, row["n_arms"], row["delta"], experiment.alpha, 1.0)
    return n1 if n1 >= 0.5 * time else 0.0


def decisive_of(settings: Collection[str]) -> str:
    """Return the setting to judge: `released`, or the first setting if `released` did not run."""
    return DECISIVE if DECISIVE in settings else next(iter(settings))


def verdicts(experiment: Experiment, summaries: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return one row per published figure, with our figure under each setting and the verdict.

    The verdict compares the published figure with our figure under the setting
    `decisive_of(summaries)`. A figure has no verdict if its agent is not judged in this setting, if
    it repeats an earlier table, or with fewer than two runs. Our figures have an interval (`_low`,
    `_high`), `z_of` (`_z`) and `is_near` (`_near`).
    """
    decisive, parts = decisive_of(summaries), []
    cells, entrants = summaries[decisive], {each.name: each for each in experiment.entrants}
    if PUBLISHED["success"] not in cells:
        return pd.DataFrame()
    agents, places = cells["agent"], zip(cells["agent"], cells["n_arms"], strict=True)
    twice = [(experiment.name, *place) in paper.PRINTED_TWICE for place in places]
    judged = agents.map(lambda name: entrants[name].judged in (True, decisive)) & ~np.array(twice)
    for figure, column in PUBLISHED.items():
        published = cells[column].mask([is_given(name, figure) for name in agents])
        n1: Any = 0.0
        if figure == "stopping_time":
            times = zip(cells.to_dict("records"), published, strict=True)
            n1 = [n1_if_most(experiment, decisive, entrants, row, time) for row, time in times]
        rows = cells[["delta", "n_arms", "agent", "horizon"]].assign(figure=figure)
        rows = rows.assign(published=published, n1=n1)
        for setting, ours in summaries.items():
            for end in ("", "_low", "_high"):
                rows[setting + end] = ours[figure + end]
            each = zip(ours.to_dict("records"), published, strict=True)
            rows[f"{setting}_z"] = [z_of(figure, row, other, row["n_runs"]) for row, other in each]
            rows[f"{setting}_near"] = is_near(figure, ours[figure], published, rows["n1"])
        z = rows[f"{decisive}_z"]
        rows["verdict"] = np.where(abs(z) <= LIMIT, AGREES, DIFFERS)
        rows["verdict"] = rows["verdict"].where(judged & z.notna(), NOT_JUDGED)
        parts.append(rows[published.notna()].assign(reason=""))
    figures = pd.concat(parts).sort_index(kind="stable", ignore_index=True)
    figures.insert(0, "experiment", experiment.name)
    return figures


def counted(figures: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Count the figures with each verdict and all judged figures, grouped by the columns `by`."""
    judged = figures[figures["verdict"] != NOT_JUDGED]
    each = {verdict: judged["verdict"].eq(verdict).astype(int) for verdict in VERDICTS}
    return judged[by].assign(**each, cells=1).groupby(by, sort=False).sum().reset_index()


#: Reasons why no run can give a published figure, by name: title, and argument with its test.
REASONS = {
    "arithmetic": (
        "time and rejection rate imply fewer rejections than the algorithm needs",
        "Every run of BAIR has at least K-1 rejections, and the table counts the K private draws; "
        "Track-and-Stop needs a rejection of every other arm. The test multiplies time and rate, "
        "each half a digit above the printed value.",
    ),
    "digits": (
        "the digits repeat Table 2",
        "In all cells but one, BAIR's time is that of Table 2 less 2(K-1)/delta: Phase 1 was not "
        "measured. If no run can give Table 2's time, none can give this one. BAIR's rejection "
        "rates and one time of T&S are those of Table 2. The test compares the digits.",
    ),
}

#: Figures whose product is the mean number of rejections; (agent, table) with both figures.
COUNTED = ("stopping_time", "rejection_rate")
SUMMED = {("BAIR", f"table{n}") for n in (2, 5, 6)} | {("T&S", f"table{n}") for n in range(2, 7)}

#: Columns of Table 4 that repeat digits of Table 2.
COPIED = {("BAIR", "stopping_time"), ("BAIR", "rejection_rate"), ("T&S", "stopping_time")}


def reasons_for(experiment: Experiment, row: Row) -> Iterator[tuple[str, float, str, bool]]:
    """Test why no run can give a figure; yield (reason, value, meaning of value, whether true)."""
    delta, n_arms, agent = place = tuple(row[name] for name in CELL)
    if row["figure"] in COUNTED and (agent, row["experiment"]) in SUMMED:
        cell = published_figures(experiment).set_index(CELL).loc[place]
        most = math.prod(cell[PUBLISHED[name]] + paper.UNITS[name] / 2 for name in COUNTED)
        # BAIR's K private draws count as rejections; T&S excludes an arm only after a rejection.
        fewest = 2 * n_arms - 1 if agent == "BAIR" else n_arms - 1
        yield "arithmetic", most, f"rejections at most, of at least {fewest}", bool(most < fewest)
    if row["experiment"] == "table4" and (agent, row["figure"]) in COPIED:
        table2 = published_figures(replace(paper.TABLE2, entrants=experiment.entrants))
        other, at = table2.set_index(CELL).loc[place, PUBLISHED[row["figure"]]], "Table 2's figure"
        if (agent, row["figure"]) == ("BAIR", "stopping_time"):
            other, at = other - 2 * (n_arms - 1) / delta, "Table 2's time less 2(K-1)/delta"
        same = abs(other - row["published"]) <= 1e-9 * max(1.0, row["published"])
        yield "digits", other, at, bool(same)


def explained(experiment: Experiment, figures: pd.DataFrame) -> tuple[pd.DataFrame, Evidence]:
    """Return `figures`, with verdict "cannot" where no run can give them, and tests by reason."""
    figures = figures.copy()
    evidence: dict[str, list[Row]] = {key: [] for key in REASONS}
    for index, row in figures[figures["verdict"] == DIFFERS].iterrows():
        for key, value, at, holds in reasons_for(experiment, row):
            evidence[key].append({**row, "tested": value, "at": at, "explained": holds})
            if holds:
                figures.loc[index, ["verdict", "reason"]] = [CANNOT, key]
                break
    return figures, {key: pd.DataFrame(rows) for key, rows in evidence.items() if rows}


@dataclass(frozen=True)
class Reproduction:
    """One experiment with its results.

    Attributes:
        experiment: the experiment.
        results: the results for each delta and K, by setting.
        summaries: `paper.compared` of the results, by setting.
        figures: one row per published figure, with its verdict; empty if the paper only plots the
            results of a table.
        evidence: a frame for each reason why no run can give a figure: the figures tested for it.
    """

    experiment: Experiment
    results: Mapping[str, list[Results]]
    summaries: Mapping[str, pd.DataFrame]
    figures: pd.DataFrame = field(default_factory=pd.DataFrame)
    evidence: Evidence = field(default_factory=dict)


def reproduce(
    experiments: Sequence[Experiment], settings: Sequence[str], *, progress: OnProgress, **how: Any
) -> list[Reproduction]:
    """Run `experiments` under `settings`; experiments that differ only in name share their runs."""
    runs: dict[Experiment, dict[str, list[Results]]] = {}
    reproductions = []
    for position, each in enumerate(experiments):
        results = runs.setdefault(replace(each, name="", title="", drawn=False), {})
        share_done = portion(progress, position, len(experiments))
        for place, setting in enumerate(() if results else settings):
            report = named(portion(share_done, place, len(settings)), each.name)
            results[setting] = paper.run_experiment(each, setting, progress=report, **how)
        published = published_figures(each)
        summaries = {name: paper.compared(cells, published) for name, cells in results.items()}
        is_judged = each.data is not None and not each.drawn
        judged = explained(each, verdicts(each, summaries)) if is_judged else ()
        reproductions.append(Reproduction(each, results, summaries, *judged))
    return reproductions


#: Number of bootstrap samples of the users in each cell.
DRAWS = 200

#: Shifts of simulated published figures: factors of times and rates; decreases of successes.
LONGER, LESS = (1.0, 1.05, 1.1, 1.2), (0.0, 0.01, 0.02, 0.05)


@dataclass(frozen=True)
class Calibration:
    """The reliability of verdicts: bool arrays, one column for each resample of our users.

    Attributes:
        figures: one row per judged figure, as in `verdicts`.
        false_alarms: whether our figure differs from a published figure that is simulated by
            resampling our runs; shape (figures, draws).
        agreeing: whether our figure agrees with the real published figure; shape (figures, draws).
        detected: whether our figure differs from a simulated published figure after the latter is
            multiplied by a factor of `LONGER` or reduced by a number of `LESS`; shape (shifts,
            figures, draws).
    """

    figures: pd.DataFrame
    false_alarms: np.ndarray
    agreeing: np.ndarray
    detected: np.ndarray

    @property
    def expected(self) -> float:
        """The number of false alarms that normally distributed errors would give on average."""
        return math.erfc(LIMIT / math.sqrt(2.0)) * len(self.figures)

    def spread(self, by: Sequence[str]) -> dict[tuple[str, ...], tuple[int, int]]:
        """Return the 95% range of the number of agreeing figures, by group of columns `by`."""
        groups = self.figures.groupby(list(by), sort=False).indices
        return {key: range_of(self.agreeing[places].sum(axis=0)) for key, places in groups.items()}


def range_of(counts: np.ndarray) -> tuple[int, int]:
    """Return the range of the central 95% of `counts`."""
    low, high = np.quantile(counts, (0.025, 0.975), method="nearest")
    return int(low), int(high)


def calibration_of(
    reproductions: Sequence[Reproduction], seed: int, draws: int = DRAWS, *, progress: OnProgress
) -> Calibration | None:
    """Judge all figures again with resampled users; return None if no figure was judged."""
    if not (runs := [one for one in reproductions if not one.figures.empty]):
        return None
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    figures = pd.concat([one.figures for one in runs], ignore_index=True)
    judged = figures[figures["verdict"] != NOT_JUDGED].reset_index(drop=True)
    rows_of = judged.groupby(["experiment", *CELL]).indices
    agreeing = np.zeros((len(judged), draws), dtype=bool)
    differs = np.stack([agreeing] * len(LESS))
    decisive = decisive_of(runs[0].results)
    cells = [(one.experiment.name, cell) for one in runs for cell in one.results[decisive]]
    for done, (experiment, cell) in enumerate(cells):
        progress("resampling users", done, len(cells))
        n_runs = int(cell.runs.groupby("agent").size().iloc[0])
        ours = rng.integers(n_runs, size=(draws, n_runs))
        theirs = rng.integers(n_runs, size=(draws, paper.PUBLISHED_RUNS))
        for agent in cell.agents:
            place = (experiment, cell.cell["delta"], cell.cell["n_arms"], agent)
            if place not in rows_of:
                continue
            sample, other = (paper.figures_of_agent(cell, agent, users) for users in (ours, theirs))
            for row in rows_of[place]:
                figure = judged.loc[row, "figure"]
                unit, drawn = paper.UNITS[figure], other[figure]
                published = np.full(draws, judged.loc[row, "published"])
                agreeing[row] = abs(z_of(figure, sample, published, n_runs)) <= LIMIT
                by = np.array(LESS if figure == "success" else LONGER)[:, np.newaxis]
                moved = np.maximum(drawn - by, 0.0) if figure == "success" else drawn * by
                printed = np.round(moved / unit) * unit
                differs[:, row] = ~(abs(z_of(figure, sample, printed, n_runs)) <= LIMIT)
    return Calibration(judged, differs[0], agreeing, differs[1:])


#: Names of the figures, and short headings.
_WORDS = ("stopping time", "rejection rate", "probability of success")
NAMES = dict(zip(PUBLISHED, _WORDS, strict=True))
HEADINGS = dict(zip(NAMES, ("T", "rej. %", "success"), strict=True))

#: Colours by verdict.
VERDICT_COLOURS = dict(zip(VERDICTS, ("#2f7f9e", "#e0b84c", "#c8553d"), strict=True))


def number(figure: str, value: float) -> str:
    """Return a figure as text: steps, a percentage for a rejection rate, or a probability."""
    if figure == "stopping_time":
        return f"{value:.0f}"
    return f"{100 * value:.1f}" if figure == "rejection_rate" else share(value)


def figure_with_interval(figure: str, name: str, row: Row) -> str:
    """Return the figure `row[name]` with its 95% interval as text; "-" for NaN."""
    value, high = row[name], row[f"{name}_high"]
    if pd.isna(value):
        return "-"
    if figure == "stopping_time":
        return with_error(value, high)
    if figure == "rejection_rate":
        return f"{100 * value:.1f} ± {100 * (high - value):.1f}"
    return share_with_interval(row, name)


PLACE = (Column("δ", "delta", "{:g}"), Column("K", "n_arms"), AGENT_COLUMN)
YES_OR_NO = {True: "yes", False: "no"}.__getitem__

#: The plots of a page, by the names of their SVG files.
Pictures = dict[str, bytes]


def shown(pictures: Pictures, title: str, name: str, draw: "Callable[[], Figure]") -> list[str]:
    """Draw a plot and return its Markdown, or a line with the error; [] without Matplotlib."""
    if not can_plot():
        return []
    try:
        pictures[name] = as_svg(draw(), title)
    except Exception as error:
        return [f"{title}: not drawn, {in_markdown(f'{type(error).__name__}: {error}')}"]
    return [f"![{title}]({name})"]


def comparison(summary: pd.DataFrame) -> "Figure":
    """Draw stopping time, rejection rate and success against K, one column for each delta.

    This is the paper's Figure 1: one line per agent, with 95% intervals. Hollow marks are published
    figures. UNI and EXP3 have no line for the stopping time, which is an input.
    """
    deltas, agents = summary["delta"].unique(), summary["agent"].unique()
    n_arms = sorted(set(summary["n_arms"]))
    figure = new_figure(2.4 * max(2, len(deltas)), 6.0)
    grid = figure.subplots(3, len(deltas), sharex=True, sharey="row", squeeze=False)
    for (row, column), axes in np.ndenumerate(grid):
        name, published = list(PUBLISHED.items())[row]
        for place, agent in enumerate(agents):
            if is_given(agent, name):
                continue
            rows = summary[summary["agent"].eq(agent) & summary["delta"].eq(deltas[column])]
            style = {"color": f"C{place}", "marker": ".", "linewidth": 1, "label": agent}
            axes.errorbar(rows["n_arms"], rows[name], yerr=sides_of(rows, name), **style)
            if published in rows:
                axes.plot(rows["n_arms"], rows[published], "o", mfc="none", color=f"C{place}", ms=5)
        axes.set_xscale("log")
        if name == "stopping_time":
            logarithmic(axes, "y")
            axes.set_title(f"δ = {deltas[column]:g}", fontsize=9)
        axes.tick_params(labelsize=7)
        if column == 0:
            axes.set_ylabel(NAMES[name], fontsize=8)
    for axes in grid[-1]:
        axes.set_xticks(n_arms, [str(arms) for arms in n_arms])
        axes.minorticks_off()
        axes.set_xlabel("K", fontsize=8)
    handles, labels = grid[-1][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
    return figure


def sides_of(rows: pd.DataFrame, figure: str) -> np.ndarray:
    """Return the lower and upper lengths of the error bars of a figure; 0 for NaN."""
    sides = [rows[figure] - rows[f"{figure}_low"], rows[f"{figure}_high"] - rows[figure]]
    return np.asarray(np.nan_to_num(np.clip(sides, 0.0, None)))


def grid_of_verdicts(figures: pd.DataFrame) -> "Figure":
    """Draw one square per published figure, one row for each table, agent and metric."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    judged = figures[figures["verdict"] != NOT_JUDGED]
    rows = list(judged.groupby(["experiment", "agent", "figure"], sort=False))
    squares = np.full((len(rows), max(len(cells) for _, cells in rows)), np.nan)
    for place, (_, cells) in enumerate(rows):
        ordered = cells.sort_values(["delta", "n_arms"], ascending=[False, True])["verdict"]
        squares[place, : len(ordered)] = ordered.map(VERDICTS.index)
    figure = new_figure(8.5, 0.19 * len(rows) + 1.2)
    axes = figure.subplots()
    colours = ListedColormap(list(VERDICT_COLOURS.values()))
    axes.imshow(squares, vmin=0, vmax=len(VERDICT_COLOURS) - 1, aspect="auto", cmap=colours)
    for edge in np.arange(0.5, squares.shape[1] - 1):
        axes.axvline(edge, color="white", linewidth=1)
    for place, ((above, _), (below, _)) in enumerate(pairwise(rows)):
        axes.axhline(place + 0.5, color="white" if above[0] == below[0] else "black", linewidth=1)
    labels = [
        f"{paper.SHORT_TITLES[name]}: {agent}, {NAMES[metric]}" for (name, agent, metric), _ in rows
    ]
    axes.set_yticks(range(len(rows)), labels, fontsize=7)
    axes.set_xticks([])
    axes.set_xlabel("cells: by decreasing δ, then by increasing K", fontsize=8)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    patches = [Patch(color=colour, label=verdict) for verdict, colour in VERDICT_COLOURS.items()]
    where: dict[str, Any] = {"loc": "lower center", "bbox_to_anchor": (0.4, 1.0), "ncols": 3}
    axes.legend(handles=patches, fontsize=8, frameon=False, **where)
    return figure


def ladder(frame: pd.DataFrame, agents: Sequence[str]) -> "Figure":
    """Draw the stopping time of `agents` after each step of `paper.run_ladder`."""
    points = frame.drop_duplicates("step")
    figure = new_figure(8.5, 0.26 * len(points) + 1.0)
    panels = figure.subplots(1, len(agents), sharey=True, squeeze=False)[0]
    for axes, agent in zip(panels, agents, strict=True):
        rows, name = frame[frame["agent"] == agent], "stopping_time"
        style = {"marker": ".", "linewidth": 1, "color": "C0"}
        axes.errorbar(rows[name], rows["step"], xerr=sides_of(rows, name), **style)
        axes.set_xlabel("stopping time", fontsize=8)
        axes.set_title(agent, fontsize=9)
        axes.grid(axis="y", linewidth=0.3)
        axes.tick_params(labelsize=7)
    panels[0].set_yticks(points["step"], list(points["point"]))
    panels[0].invert_yaxis()
    return figure


def of_calibration(calibration: Calibration) -> str:
    """Return the section on the reliability of verdicts: false alarms, spread and power."""
    n_figures, draws = calibration.false_alarms.shape
    alarms = calibration.false_alarms.sum(axis=0)
    low, high = range_of(alarms)
    fewest, most = range_of(calibration.agreeing.sum(axis=0))
    expected, mean = calibration.expected, alarms.mean()
    words = (
        f"We resampled our users {draws} times, for our figures and for simulated published ones. "
        f"If every published figure were a mean over a thousand of our runs, {expected:.1f} of the "
        f"{n_figures} would differ by chance at |z| > {LIMIT:g} with normal errors; in the "
        f"simulation {mean:.1f} differ ({low} to {high} in 95% of the samples). Of the real "
        f"published figures {fewest} to {most} agree in 95% of the samples (by agent and figure: "
        "in brackets above).\n\nThe share of figures that differ if the simulated one is shifted:"
    )
    groups = calibration.figures.groupby(["figure", "agent"], sort=False).indices
    rows = []
    for figure, agent in sorted(groups, key=lambda key: list(NAMES).index(key[0])):
        shares = calibration.detected[:, groups[figure, agent]].mean(axis=(1, 2))
        rows.append([NAMES[figure], agent, *map(share, shares)])
    columns = [Column("figure", left=True), Column("agent", left=True)]
    for factor, points in zip(LONGER[1:], LESS[1:], strict=True):
        columns.append(Column(f"{factor - 1:.0%} longer, {f'{points:g}'.removeprefix('0')} less"))
    title = "## Reliability of the verdicts"
    return "\n\n".join([title, words, markdown(table(rows, columns))])


def of_reasons(figures: pd.DataFrame, evidence: Sequence[Evidence]) -> str:
    """Return a Markdown list of `REASONS` with the numbers of figures tested and explained."""
    lines = []
    for key, (title, text) in REASONS.items():
        if n_tested := sum(len(one[key]) for one in evidence if key in one):
            counts = f"({(figures['reason'] == key).sum()} of {n_tested} figures tested)"
            lines.append(f"- **{key}: {title}** {counts}. {text}")
    n_differing = (figures["verdict"] == DIFFERS).sum()
    return "\n".join([*lines, f"- **none** ({n_differing} figures): they *differ*."])


def glance(figures: pd.DataFrame, calibration: Calibration | None = None) -> Table:
    """Return the number of agreeing figures by experiment and agent, as a Rich table."""
    by = ["experiment", "agent", "figure"]
    spread = calibration.spread(by) if calibration else {}
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for row in counted(figures, by).to_dict("records"):
        name, agent, figure = place = tuple(row[each] for each in by)
        cell = f"{row['agrees']} of {row['cells']}"
        cell += " ({}-{})".format(*spread[place]) if place in spread else ""
        empty = {"experiment": paper.SHORT_TITLES[name], "agent": agent, **dict.fromkeys(NAMES, "")}
        rows.setdefault((name, agent), empty)[figure] = cell
    columns = [Column("experiment", left=True, once=True), AGENT_COLUMN]
    columns += [Column(words, figure) for figure, words in NAMES.items()]
    return table(rows.values(), columns, padding=1, leading=2)


def of_experiment(reproduction: Reproduction, pictures: Pictures) -> str:
    """Return the section of one experiment: verdicts by figure, and evidence by reason."""
    experiment, summaries = reproduction.experiment, reproduction.summaries
    figures, decisive = reproduction.figures, decisive_of(summaries)
    parts = [f"## {experiment.title}", *([experiment.note] if experiment.note else [])]
    frames = [frame.add_prefix(f"{name}_") for name, frame in summaries.items()]
    rows = pd.concat([summaries[decisive], *frames], axis=1)
    if experiment.drawn or figures.empty:
        for setting, summary in summaries.items():
            name, title = f"{experiment.name}-{setting}.svg", f"{experiment.title}, {setting}"
            drawn = shown(pictures, title, name, partial(comparison, summary))
            parts += [f"### {setting}", *drawn] if drawn else []
        if experiment.data is None:
            columns = list(PLACE)
            for (figure, heading), name in product(HEADINGS.items(), summaries):
                cell = partial(figure_with_interval, figure, f"{name}_{figure}")
                columns.append(Column(f"{heading}: {name}", cell))
            parts.append(markdown(table(rows, columns)))
        return "\n\n".join(parts)
    distances = [
        Column("z", f"{decisive}_z", lambda z: "" if pd.isna(z) else f"{round(z, 1) + 0.0:.1f}"),
        Column("near", f"{decisive}_near", YES_OR_NO),
    ]
    verdict = Column("verdict", lambda row: f"{row['verdict']}: {row['reason']}".removesuffix(": "))
    sections: list[tuple[str, Any, list[Column]]] = []
    for figure, frame in figures.groupby("figure", sort=False):
        columns = [*PLACE, Column("paper", "published", partial(number, figure))]
        columns += [Column(each, partial(figure_with_interval, figure, each)) for each in summaries]
        sections.append((NAMES[figure].capitalize(), frame, [*columns, *distances, verdict]))
    most = figures[figures["n1"] > 0.0]
    n1, ours, high = (most[name] for name in ("n1", decisive, f"{decisive}_high"))
    most = most.assign(published=most["published"] - n1, ours=ours - n1, half=high - ours)
    columns = [
        Column("N_1", "n1", "{:.0f}"),
        Column("paper", "published", "{:.0f}"),
        Column(decisive, "{ours:.0f} ± {half:.0f}".format_map),
    ]
    title = "Stopping time less N_1, if N_1 is at least half of it"
    sections.append((title, most, [*PLACE, *columns, *distances]))
    columns = [Column("paper: not right", lambda row: share(1.0 - row[PUBLISHED["success"]]))]
    for name in summaries:
        columns.append(Column(f"{name}: wrong", f"{name}_wrong", share))
        columns.append(Column(f"{name}: censored", f"{name}_censored", share))
    tracking = rows[rows["agent"] == "T&S"]
    sections.append(("Failures of Track-and-Stop", tracking, [*PLACE[:2], *columns]))

    def test_figure(row: Row) -> str:
        counts = row["at"].startswith("rejections")
        return number("stopping_time" if counts else row["figure"], row["tested"])

    columns = [
        Column("figure", "figure", NAMES.__getitem__, left=True),
        Column("paper", lambda row: number(row["figure"], row["published"])),
        Column("test figure", test_figure),
        Column("its meaning", "at", left=True),
        Column("explains it", "explained", YES_OR_NO),
    ]
    for key, evidence in reproduction.evidence.items():
        title = f"Reason tested, {key}: {REASONS[key][0]}"
        sections.append((title, evidence, [*PLACE, *columns]))
    for title, lines, columns in sections:
        if len(lines):
            parts += [f"### {title}", markdown(table(lines, columns))]
    return "\n\n".join(parts)


def of_ladder(frame: pd.DataFrame, pictures: Pictures, agents: Any = ("BAIR", "T&S")) -> str:
    """Return the section on the differences between the paper's text and its code."""
    words = [
        Column("point", "point", left=True),
        Column("`printed`: the text", "printed", left=True),
        Column("`released`: the code", "released", left=True),
    ]
    steps: dict[str, dict[str, str]] = {}
    for row in frame[frame["agent"].isin(agents)].to_dict("records"):
        for figure, name in HEADINGS.items():
            ours = figure_with_interval(figure, figure, row)
            cells = steps.setdefault(row["point"], {"step": row["point"]})
            cells[f"{row['agent']}: {name}"] = f"{ours} ({number(figure, row[f'alone_{figure}'])})"
    header = [Column("step", left=True)]
    header += [Column(f"{agent}: {name}") for agent in agents for name in HEADINGS.values()]
    parts = [
        "## Differences between the paper's text and its released code",
        markdown(table(DIFFERENCES, words)),
        "The differences are switched one after another in one cell, from the text (first row) to "
        "the code (last row). In brackets: only this difference is switched in the paper's text.",
        markdown(table(steps.values(), header)),
    ]
    parts += shown(pictures, "The ladder", "ladder.svg", lambda: ladder(frame, agents))
    return "\n\n".join(parts)


TITLE = "Reproduction of the paper's experiments"


def as_html(page: str, pictures: Pictures) -> str:
    """Return a Markdown page and its plots as one self-contained HTML page."""
    from markdown_it import MarkdownIt

    body = MarkdownIt("commonmark").enable("table").render(page)
    for name, picture in pictures.items():
        address = "data:image/svg+xml;base64," + b64encode(picture).decode()
        body = body.replace(f'src="{name}"', f'src="{address}"')
    body = re.sub(rf"<td([^>]*)>({'|'.join(VERDICTS)})", r'<td\1 class="\2">\2', body)
    marks = " ".join(f"td.{name} {{ background: {c}44; }}" for name, c in VERDICT_COLOURS.items())
    template = (Path(__file__).parent / "templates" / "report.html").read_text(encoding="utf-8")
    return Template(template).substitute(title=TITLE, marks=marks, body=body)


HOW_TO_READ = (
    "Each published figure has one verdict, under `{setting}`; the published tables were made with "
    "`released`. *z* is the difference between our figure and the published mean of a thousand "
    "runs, divided by its standard error, which includes the rounding of the published figure. A "
    "figure *agrees* if |z| is at most 3. The difference of times and of rates is that of their "
    "logarithms, and its error allows for one more run as far from the mean as the farthest run. A "
    "figure *cannot* come from any run if arithmetic, or the digits of another table, exclude it. "
    "All other figures *differ*. The times of UNI and EXP3 are inputs. *near* is not a verdict; it "
    "means near in practice: stopping time within 4% (without N_1, if N_1 is at least half of it), "
    "rejection rate within 5% or 0.2 points, success within .020."
)


def report(
    reproductions: Sequence[Reproduction],
    steps: pd.DataFrame | None,
    how: str,
    calibration: Calibration | None = None,
) -> tuple[str, Pictures]:
    """Return the report as Markdown, and its plots by name; no plots without Matplotlib.

    Args:
        reproductions: the experiments that ran.
        steps: the frame of `run_ladder`; None leaves out the section on the differences between the
            paper's text and its code.
        how: a line that states users, seed and settings.
        calibration: the reliability of the verdicts; None leaves out the section on reliability.
    """
    judged = [one for one in reproductions if not one.figures.empty]
    pictures: Pictures = {}
    parts = [f"# {TITLE}", how]
    if judged:
        figures = pd.concat([one.figures for one in judged], ignore_index=True)
        parts += ["## Overview", HOW_TO_READ.format(setting=decisive_of(judged[0].summaries))]
        parts.append(markdown(glance(figures, calibration)))
        title = "Every published figure and its verdict"
        parts += shown(pictures, title, "verdicts.svg", partial(grid_of_verdicts, figures))
        parts += [] if calibration is None else [of_calibration(calibration)]
        parts += ["## Reasons", of_reasons(figures, [one.evidence for one in judged])]
    if steps is not None:
        parts.append(of_ladder(steps, pictures))
    parts += [of_experiment(one, pictures) for one in reproductions]
    return "\n\n".join(parts) + "\n", pictures
