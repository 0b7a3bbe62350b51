"""Plot the runs of `Results`, the metrics of a `Sweep` with the paper's bounds, or comparisons.

`Results.plot`, `Sweep.plot` and `Comparison.plot` call these functions. Each function takes results
and optional Matplotlib axes, and returns the axes; `axes.figure.savefig` saves the figure. Results
store only the final values of a run, so plots of sums over time replay a sample of the runs.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.display import plots as style
from explorative_user_env.display.progress import OnProgress, shown, silent
from explorative_user_env.envs.user import REGRET_REWARD, environment_of, reward_of
from explorative_user_env.protocol import POPULATION, Array
from explorative_user_env.results.intervals import mean_interval, proportion_interval
from explorative_user_env.results.metrics import regrets_by_user, succeeded, success_interval
from explorative_user_env.results.tables import REFERENCE
from explorative_user_env.runs.loop import Episode
from explorative_user_env.theory import exponent_loss, lower_bound, upper_bound
from explorative_user_env.users.behaviours import EXPLORATIVE
from explorative_user_env.users.instances import Instance
from explorative_user_env.validation import InvalidArgumentError, choice

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: `Results`; its module imports this one.
PlottedRuns = Any

#: Matplotlib lines with their names in the legend.
Named = list[tuple[Any, str]]

#: Most points of a line; each point has an interval.
MOST_POINTS = 200

#: Most users, and most steps of each agent, that a plot replays.
USERS_REPLAYED, STEPS_REPLAYED = 100, 100_000

#: Number of evenly spaced times of a plotted sum, and of geometrically spaced times.
N_TIMES = 200

#: Most arms with a line style of their own; all other arms share one style.
ARMS_DRAWN = 7

#: Most users whose instances enter the mean of a bound.
MOST_INSTANCES = 100

#: Factor by which an axis may exceed the measured times to show a bound.
BOUND_MARGIN = 10.0

#: Height in inches of a row of a plot of differences.
ROW_HEIGHT = 0.32

#: Label of a time axis.
TIME = "time t, in recommendations"

#: Default options of the users; a title names options with other values.
DEFAULTS: Mapping[str, Any] = {
    "alpha": 1.0,
    "gap": None,
    "noise": 0.0,
    "reward_law": "gaussian",
    "behaviour": "explorative",
}

#: Metrics of `check_theory=True` whose bound is the same for all users, with their axis label.
CHECKED = {"rounds": "rounds of Phase 1", "phase1_rejections": "rejections of Phase 1"}

#: Metrics of an agent in a cell, with their axis label.
CELL_FIGURES = {
    "stopping_time": "stopping time T,\nin recommendations",
    "success": "success",
    "rejection_rate": "rejection rate",
    "regret": "regret over the horizon",
    "utility": "utility over the horizon",
    **CHECKED,
}


def agents_in(results: PlottedRuns) -> list[str]:
    """Return the names of the agents, in line-up order."""
    return list(dict.fromkeys(results.runs["agent"]))


def label_of(results: PlottedRuns, agent: str) -> str:
    """Return the name of an agent in a legend; `REFERENCE` marks an agent that sees rewards."""
    return style.verbatim(agent, style.LONGEST_NAME) + REFERENCE * (agent in results.references)


def heading_of(results: PlottedRuns, varying: Sequence[str] = ()) -> str:
    """Return the title of a plot: the user options except `varying`, and the number of users."""
    cell = results.cell
    parts = {"n_arms": f"K = {cell['n_arms']}", "delta": f"δ = {cell['delta']:g}"}
    for name, default in DEFAULTS.items():
        value = cell.get(name, default)
        if value not in (None, default):
            parts[name] = value if isinstance(value, str) else f"{name} = {value:g}"
    n_runs = int(results.runs.groupby("agent").size().max())
    unit = "episode" if cell.get("task") == POPULATION.name else "user"
    words = [text for name, text in parts.items() if name not in varying]
    return ", ".join([str(cell["setting"]), *words, f"{n_runs} {unit}{'s' * (n_runs != 1)}"])


def course_of(runs: pd.DataFrame, kind: str, any_time: bool = False) -> pd.DataFrame:
    """Return a share of an agent's runs as a function of time.

    "success" is the share of runs that have stopped with the best arm by a time. "stopping_times"
    is the Kaplan-Meier estimate of the share of runs that have not stopped. Up to the first
    censored run, it equals the share in the sample, and has an exact interval.

    Args:
        runs: the runs of one agent, as in `Results`.
        kind: "success" or "stopping_times".
        any_time: whether intervals of success come from the confidence sequence.

    Returns:
        One row for time 0 and for each time at which a run ends, at most `MOST_POINTS` rows, with
        the columns `time`, `share`, `low` and `high` (95% interval; NaN if there is none).
    """
    from scipy import stats

    times, censored = runs["stopping_time"].to_numpy(), runs["censored"].to_numpy()
    right, survival = succeeded(runs).to_numpy(), None
    first_censored = times[censored].min() if censored.any() else np.inf
    if kind != "success":
        survival = stats.ecdf(stats.CensoredData.right_censored(times, censored)).sf
    distinct = np.unique(np.concatenate([[0], times]))
    if len(distinct) > MOST_POINTS:
        distinct = distinct[np.linspace(0, len(distinct) - 1, MOST_POINTS).round().astype(int)]
    rows = []
    for time in distinct:
        by_then, ends = right & (times <= time), (np.nan, np.nan)
        share = by_then.mean() if survival is None else float(survival.evaluate(time))
        if survival is None:
            ends = success_interval(by_then, any_time)
        elif time < first_censored:
            ends = proportion_interval(int(np.sum(times > time)), len(times))
        rows.append((time, share, *ends))
    return pd.DataFrame(rows, columns=["time", "share", "low", "high"])


def by_time(results: PlottedRuns, kind: str, axes: "Axes | None" = None, *_: Any) -> "Axes":
    """Plot a share of runs against time, with one line and its 95% interval for each agent.

    "success" is the share of runs that have stopped with the best arm. If runs are censored, the
    line ends at the step cap. "stopping_times" is the share of runs that have not stopped;
    vertical marks show when censored runs ended.

    Raises:
        MissingExtraError: without Matplotlib.
    """
    axes, agents, times = style.plot_axes(axes), agents_in(results), results.runs["stopping_time"]
    named: Named = []
    strokes = []
    for place, agent in enumerate(agents):
        runs, look = results.runs[results.runs["agent"] == agent], style.line_style(place)
        course, cut = course_of(runs, kind, "until_width" in results.cell), runs["censored"]
        if kind == "success" and not cut.any():
            last = course.iloc[[-1]].assign(time=times.max())
            course = pd.concat([course, last], ignore_index=True)
        elif kind != "success":
            cuts = np.unique(runs["stopping_time"][cut])
            strokes.append((look, cuts, np.interp(cuts, course["time"], course["share"])))
        time, share, low, high = (column for _, column in course.items())
        style.draw_band(axes, time, low, high, place, len(agents), step="post")
        line = _step_line(axes, time, share, look.colour, look.dashes)
        shares = {"censored": cut.mean(), "left": runs["left"].mean()}
        lost = ", ".join(f"{each:.1%} {what}" for what, each in shares.items() if each > 0.0)
        named.append((line, label_of(results, agent) + (f"\n({lost})" if lost else "")))
    for look, cuts, at in strokes:
        axes.plot(cuts, at, "|", color=look.colour, markersize=11, markeredgewidth=2)
    deltas = {results.deltas.get(agent, results.cell["delta"]) for agent in agents}
    if kind == "success" and len(deltas) == 1:
        level = axes.axhline(1.0 - deltas.pop(), color=style.colour_of("quiet"), lw=1, ls=":")
        named.append((level, "1 - δ"))
    most = max(times.max(), 1)
    _span(axes, times.min(), most, (0.0, most * 1.03), most * 1.1)
    draws = " and private draws" * results.population.setting.counts_private_draws
    y = "share of runs with success" if kind == "success" else "share of runs not stopped"
    style.dress(axes, heading_of(results), TIME + draws, y, named)
    return axes


def _step_line(axes: "Axes", x: Any, y: Any, colour: str, dashes: Any, lw: float = 1.8) -> Any:
    return axes.plot(x, y, drawstyle="steps-post", color=colour, ls=dashes, lw=lw)[0]


def _span(axes: "Axes", least: float, most: float, ends: tuple[float, float], far: float) -> None:
    """Set the axis limits; make x logarithmic if times from `least` to `most` need it."""
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlim(*ends)
    if style.spread_out(least, most):
        axes.set_xlim(least / 1.5, far)
        style.logarithmic(axes, "x")


class Courses(NamedTuple):
    """Cumulative sums of a metric over time.

    Attributes:
        times: the times, shape (times,), starting at 0.
        totals: one entry for each agent with runs that can be replayed: name -> sums, an array of
            shape (users, times). A sum is NaN after the step cap of a censored run. A sum stays
            constant after the agent stops or the user leaves, except that regret over a horizon
            grows after she leaves.
    """

    times: Array
    totals: Mapping[str, Array]


def courses_of(results: PlottedRuns, figure: str, progress: OnProgress = silent) -> Courses:
    """Replay the runs of the first users and return their cumulative rejections or regret.

    Args:
        results: the runs.
        figure: "rejections" or "regret", the sum of mu_* - mu_a over the recommendations a.
        progress: called with a description and the numbers of finished and of all runs.
    """
    agents = [agent for agent in agents_in(results) if agent in results.line_up]
    rows = {agent: results.runs[results.runs["agent"] == agent] for agent in agents}
    over_horizon, horizon = results.over_horizon, results.cell["horizon"]
    lengths = [
        np.full(len(runs), int(horizon)) if over_horizon else runs["interactions"].to_numpy()
        for runs in rows.values()
    ]
    fits = [np.searchsorted(np.cumsum(each), STEPS_REPLAYED, side="right") for each in lengths]
    n_users = max(1, min(USERS_REPLAYED, *map(int, fits)))
    longest = max(int(each[:n_users].max()) for each in lengths)
    even, early = np.linspace(0, longest, N_TIMES), np.geomspace(1, max(1, longest), N_TIMES)
    times = np.unique(np.concatenate([even, early]).round().astype(int))
    totals: dict[str, list[Array]] = {agent: [] for agent in agents}
    for index, agent in enumerate(agents):  # agent by agent, so that the bar's text changes rarely
        for place in range(n_users):
            progress(f"replaying {agent}", index * n_users + place, n_users * len(agents))
            row = rows[agent].iloc[place]
            episode = results.replay(row)
            gained = [float(not accepted) for accepted in episode.accepted]
            if figure == "regret":
                instance = instance_at(results, episode.seed)
                best = instance.means[instance.best_arm]
                paid = [reward_of(REGRET_REWARD, mean, best, False, 0.0) for mean in instance.means]
                gained = [-paid[arm] for arm in episode.arms]
                if episode.left and over_horizon:
                    gained += [best - min(instance.means)] * (int(horizon) - len(gained))
            sums = np.concatenate([[0.0], np.cumsum(gained)])
            values, cut = sums[np.minimum(times, len(gained))], bool(row.get("censored", False))
            totals[agent].append(np.where(cut & (times > len(gained)), np.nan, values))
    progress("replayed", n_users * len(agents), n_users * len(agents))
    return Courses(times, {agent: np.array(each) for agent, each in totals.items()})


def instance_at(results: PlottedRuns, seed: int) -> Instance:
    """Return the initial instance of the user with this seed."""
    env = environment_of(results.population, next(iter(results.line_up.values())))
    env.reset(seed=seed)
    return env.instance()


def mean_lines(results: PlottedRuns, kind: str, axes: Any = None, progress: Any = True) -> Any:
    """Plot one line of means with 95% intervals for each agent.

    "rejections" and "regret" (the sum of mu_* - mu_a) are sums up to each time, in replays of the
    first runs; a line ends at the first censored run. "regret_by_user" is the regret of each user
    of an episode; the line is horizontal if the agent transfers nothing between users.

    Args:
        results: the runs.
        kind: "rejections", "regret" or "regret_by_user".
        axes: Matplotlib axes for the plot; None creates new axes.
        progress: as in `evaluate`.

    Raises:
        MissingExtraError: without Matplotlib.
    """
    agents, heading, by_user = agents_in(results), heading_of(results), kind == "regret_by_user"
    if by_user:
        runs = results.runs.groupby("agent", sort=False)
        totals: Mapping[str, Array] = {str(agent): regrets_by_user(rows) for agent, rows in runs}
        x = np.arange(1, 1 + totals[agents[0]].shape[1])
        ends = 1 - 0.5 * (len(x) == 1), max(1.5, len(x))
        heading += f", deviation\u00a0=\u00a0{results.cell['deviation']:g}"
        y = f"regret over {results.cell['horizon']} recommendations"
    else:
        with shown(progress) as report:
            x, totals = courses_of(results, kind, report)
        n_users, n_runs = len(next(iter(totals.values()))), results.runs["agent"].value_counts()
        heading += f", {'all' if n_users == n_runs.max() else n_users} replayed"
        if left_out := ", ".join(agent for agent in agents if agent not in totals):
            heading += f"; no code of {left_out}"
        ends, y = (0.0, max(1.0, x[-1])), f"{kind} up to t"
    axes = style.plot_axes(axes)
    named: Named = []
    for agent, values in totals.items():
        place = agents.index(agent)
        look, mark = style.line_style(place), "o" if len(x) == 1 else ""  # one point is no line
        low, high = np.array([mean_interval(column) for column in values.T]).T
        style.draw_band(axes, x, low, high, place, len(totals))
        how: dict[str, Any] = {"color": look.colour, "ls": look.dashes, "lw": 1.8, "marker": mark}
        named.append((axes.plot(x, values.mean(axis=0), **how)[0], label_of(results, agent)))
    axes.set_xlim(*ends)
    axes.set_ylim(bottom=0)
    if by_user:
        from matplotlib.ticker import MaxNLocator

        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    what = "user, in order of arrival" if by_user else TIME
    style.dress(axes, heading, what, y, named)
    return axes


def acceptances_by_arm(episode: Episode, best_arm: int | None = None, axes: Any = None) -> Any:
    """Plot the cumulative acceptances of each arm in one run.

    With many arms, only the best arm and the most accepted arms have coloured lines.

    Args:
        episode: the run.
        best_arm: the arm to mark as best; None marks no arm.
        axes: Matplotlib axes for the plot; None creates new axes.

    Raises:
        MissingExtraError: without Matplotlib.
    """
    axes = style.plot_axes(axes)
    arms, accepted = np.array(episode.arms, int), np.array(episode.accepted, bool)
    counts = {int(arm): np.cumsum(accepted & (arms == arm)) for arm in np.unique(arms)}
    by_count = sorted(counts, key=lambda arm: (arm != best_arm, -counts[arm][-1], arm))
    styled, others = sorted(by_count[:ARMS_DRAWN]), by_count[ARMS_DRAWN:]
    times = np.arange(len(arms) + 1)
    named: Named = []
    for arm in others:
        quiet = _step_line(axes, times, [0, *counts[arm]], style.colour_of("quiet"), "-", 0.7)
        quiet.set_alpha(0.6)
    for place, arm in enumerate(styled):
        colour, dashes, _ = style.line_style(place)
        width = 2.4 if arm == best_arm else 1.5
        line = _step_line(axes, times, [0, *counts[arm]], colour, dashes, width)
        named.append((line, f"arm {arm}{' (best)' * (arm == best_arm)}"))
    if others:
        named.append((quiet, f"{len(others)} other arm{'s' * (len(others) > 1)}"))
    axes.set_xlim(0, max(1, len(arms)))
    axes.set_ylim(bottom=0)
    heading = f"{episode.agent} and the user of seed {episode.seed}"
    style.dress(axes, heading, TIME, "acceptances up to t", named)
    return axes


def _first_run(results: PlottedRuns, _: str, axes: "Axes | None" = None, *__: Any) -> Any:
    """Plot the acceptances of each arm in the first run that can be replayed."""
    row = results.runs[results.runs["agent"].isin(list(results.line_up))].iloc[0]
    return acceptances_by_arm(results.replay(row), int(row["best_arm"]), axes)


def phase1_against_bound(results: PlottedRuns, kind: str, axes: Any = None, *_: Any) -> Any:
    """Plot the distribution of the rounds or rejections of BAIR's Phase 1, and the paper's bound.

    Args:
        results: results with `check_theory=True`.
        kind: "rounds" or "phase1_rejections".
        axes: Matplotlib axes for the plot; None creates new axes.

    Raises:
        MissingExtraError: without Matplotlib.
    """
    axes = style.plot_axes(axes)
    named, most = [], 1.0
    for agent, runs in results.checks.groupby("agent", sort=False):
        look = style.line_style(agents_in(results).index(str(agent)))
        values = np.sort(runs[kind].to_numpy())
        shares = np.arange(len(values) + 1) / len(values)
        line = _step_line(axes, [0, *values], shares, look.colour, look.dashes)
        named.append((line, label_of(results, str(agent))))
        bound, above = (float(runs[f"{kind}_{name}"].mean()) for name in ("bound", "broken"))
        limit = axes.axvline(bound, color=style.colour_of("quiet"), ls=look.dashes, lw=1.2)
        named.append((limit, f"bound: {above:.1%} of\nthe runs above"))
        most = max(most, float(values[-1]), bound)
    _span(axes, float(results.checks[kind].min()), most, (-0.03 * most, most * 1.05), most * 1.2)
    style.dress(axes, heading_of(results), CHECKED[kind], "share of runs with at most x", named)
    return axes


#: The plots of one cell by kind; each function takes results, its kind, axes and progress.
RUN_KINDS: "Mapping[str, Callable[..., Axes]]" = {
    "success": by_time,
    "stopping_times": by_time,
    "regret": mean_lines,
    "rejections": mean_lines,
    "acceptances": _first_run,
    "rounds": phase1_against_bound,
    "phase1_rejections": phase1_against_bound,
    "regret_by_user": mean_lines,
}


def why_not(kind: str, results: PlottedRuns) -> str:
    """Return what results need for a plot of this kind; "" if nothing is missing."""
    members = results.cell.get("task") == POPULATION.name
    if kind == "regret_by_user":
        return "" if members else f"needs the task {POPULATION.name}"
    if kind in ("success", "stopping_times"):
        return "needs best-arm identification" if results.over_horizon else ""
    if kind in CHECKED:
        return "needs check_theory=True" if results.checks is None else ""
    if kind == "regret" and results.population.behaviour.moves_means:
        return "needs users with constant means"
    if members:
        return "needs runs with one user each"
    return "" if results.line_up else "needs the code of an agent, to replay runs"


def kinds_for(sweep: Any) -> list[str]:
    """Return the metrics that a sweep can plot against K or 1/delta.

    Raises:
        InvalidArgumentError: if the sweep has only one pair of K and delta, or has a pair twice.
    """
    cells = [(each.cell["n_arms"], each.cell["delta"]) for each in sweep.cells]
    if len(set(cells)) < max(2, len(cells)):
        allowed = "cells that differ in K or delta only"
        raise InvalidArgumentError("cells", cells, allowed)
    summary = sweep.summary()
    checked = all(each.checks is not None for each in sweep.cells)
    return [name for name in CELL_FIGURES if name in summary or (name in CHECKED and checked)]


def figure_by_cell(sweep: Any, kind: str | None = None, axes: "Axes | None" = None) -> "Axes":
    """Plot a metric of every agent against K, or against 1/delta if all cells have the same K.

    Error bars are 95% intervals. If both K and delta vary, each delta has its own dash style. A
    plot of stopping times against 1/delta also shows the paper's bounds, if the theorems hold for
    these users. Plots of the rounds or rejections of Phase 1 show the paper's bound.

    Args:
        sweep: a `Sweep`; each of its cells (`Results`) has another pair of K and delta.
        kind: as in `Sweep.plot`.
        axes: Matplotlib axes for the plot; None creates new axes.

    Raises:
        InvalidArgumentError: if the sweep has only one pair of K and delta, has a pair twice, or
            has no such metric.
        MissingExtraError: without Matplotlib.
    """
    kinds = kinds_for(sweep)
    default = "regret" if "regret" in kinds else "stopping_time"
    figure = default if kind is None else choice("kind", kind, kinds)
    names = ["n_arms", "delta", "agent", figure, f"{figure}_low", f"{figure}_high"]
    if figure in CHECKED:
        values = []
        for each in sweep.cells:
            for agent, runs in each.checks.groupby("agent", sort=False):
                labels = each.cell["n_arms"], each.cell["delta"], agent
                ends = mean_interval(runs[figure].to_numpy(float))
                values.append((*labels, runs[figure].mean(), *ends, runs[f"{figure}_bound"].mean()))
        rows = pd.DataFrame(values, columns=[*names, "bound"])
    else:
        rows = sweep.summary()[names]
    arms, deltas = rows["n_arms"], rows["delta"]
    over_arms = arms.nunique() > 1
    x, line = (arms, deltas) if over_arms else (1.0 / deltas, arms)
    rows = rows.assign(x=x, line=line).sort_values("x")
    axes = style.plot_axes(axes)
    named = _draw_lines(sweep, rows, figure, axes)
    how: dict[str, Any] = {"color": style.colour_of("quiet"), "lw": 1.2}
    if figure in CHECKED:
        for _, part in rows.groupby(["agent", "line"], sort=False):
            bound = axes.plot(part["x"], part["bound"], ls=":", marker="_", **how)[0]
        named.append((bound, "proved bound"))
    least, most = _range_of(axes)
    if figure == "stopping_time" and not over_arms:
        for curve in theory_curves(sweep.cells):
            named.append((axes.plot(curve.x, curve.y, ls=curve.dashes, **how)[0], curve.name))
    style.logarithmic(axes, "x")
    places = sorted(set(rows["x"]))
    axes.set_xticks(places, [f"{place:g}" for place in places])
    axes.set_xticks([], minor=True)
    low, high = axes.get_ylim()
    if figure == "success":
        axes.set_ylim(-0.02, 1.02)
    elif figure == "rejection_rate":
        axes.set_ylim(0.0, max(0.05, high))
    elif style.spread_out(*_range_of(axes)):
        style.logarithmic(axes, "y")
        low, high = axes.get_ylim()
        axes.set_ylim(max(low, least / BOUND_MARGIN), min(high, most * BOUND_MARGIN))
    else:
        axes.set_ylim(bottom=min(0.0, low))
    first: PlottedRuns = sweep.cells[0]
    y = CELL_FIGURES[figure]
    if figure == "stopping_time" and first.population.setting.counts_private_draws:
        y += "\nand private draws"
    varying = ["n_arms"] * over_arms + ["delta"] * (deltas.nunique() > 1)
    what = "number of arms K" if over_arms else "1/δ"
    style.dress(axes, heading_of(first, varying), what, y, named)
    return axes


def _draw_lines(sweep: Any, rows: pd.DataFrame, figure: str, axes: "Axes") -> Named:
    """Draw one line for each agent, or for each agent and delta if x is K; return the legend."""
    labels = {name: label_of(each, name) for each in sweep.cells for name in agents_in(each)}
    others = sorted(set(rows["line"]), reverse=True)
    dashes = dict(zip(others, style.DASHES * len(others), strict=False))
    named: Named = []
    for place, (agent, label) in enumerate(labels.items()):
        look = style.line_style(place)
        for value in others:
            part = rows[(rows["agent"] == agent) & (rows["line"] == value) & rows[figure].notna()]
            # Shift the points of each agent sideways, so that error bars do not overlap.
            x = part["x"] * 1.03 ** (place - (len(labels) - 1) / 2)
            ends = part[figure] - part[f"{figure}_low"], part[f"{figure}_high"] - part[figure]
            errors = np.nan_to_num(np.array(ends).astype(float)).clip(min=0.0)
            dashed = dashes[value] if len(others) > 1 else look.dashes
            how = {"color": look.colour, "ls": dashed, "marker": look.mark, "lw": 1.5}
            drawn = axes.errorbar(x, part[figure], errors, markersize=5, capsize=2, **how)
            if value == others[0] and agent in set(rows["agent"]):
                named.append((drawn, label))
    for value in others if len(others) > 1 else ():
        line = axes.plot([], [], color=style.colour_of("ink"), ls=dashes[value], lw=1.5)[0]
        named.append((line, f"δ = {value:g}"))
    return named


def _range_of(axes: "Axes") -> tuple[float, float]:
    values = np.concatenate([np.asarray(line.get_ydata(), float) for line in axes.get_lines()])
    values = values[np.isfinite(values)]
    return (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)


class Curve(NamedTuple):
    """A theoretical curve."""

    name: str
    x: Array
    y: Array
    dashes: Any


def theory_curves(cells: Sequence[PlottedRuns]) -> list[Curve]:
    """Return the paper's bounds of the stopping time as functions of 1/delta.

    The list is empty if the theorems do not hold for these users. The lower bound (label
    lowerbound4delta in the paper) holds for the hardest users with the same gap between the best
    and the second-best arm. The upper bound (label upperbound2) holds for BAIR; the curve is its
    mean over the instances of the users.

    Args:
        cells: results with the same users and different delta.
    """
    users = cells[0].population
    fits = users.behaviour == EXPLORATIVE and users.user.law.name == "gaussian"
    if not fits or users.noise > 0.0:
        return []
    alpha, rho_0, rho_1 = users.alpha, users.schedule.rho_0, users.schedule.rho_1
    deltas = np.array(sorted({float(each.cell["delta"]) for each in cells}, reverse=True))
    curves = []
    if (gap := users.instance_law.gap) is not None:
        c = exponent_loss(None, alpha)
        lows = [lower_bound(each, gap, c=c, alpha=alpha, rho_0=rho_0) for each in deltas]
        name = f"lower bound,\nhardest users, c = {c:g}"
        curves.append(Curve(name, 1.0 / deltas, np.array(lows), ":"))
    highs = dict.fromkeys(deltas.tolist(), math.nan)
    for cell in cells if users.setting.private_draws <= 1 else ():
        agents = (each for each in cell.line_up.values() if isinstance(each, AlgorithmAgent))
        bair = next((each for each in agents if each.algorithm.name == "BAIR"), None)
        if bair is not None:
            params = bair.params(users.n_arms, None)
            delta = cell.deltas.get(bair.name, cell.cell["delta"])
            order = "round robin" if params.round_robin else "fewest acceptances"
            how: dict[str, Any] = {"n1": params.n1, "order": order}
            totals = [
                upper_bound(instance_at(cell, int(seed)), delta, alpha, rho_0, rho_1, **how).total
                for seed in cell.runs["user_seed"].drop_duplicates()[:MOST_INSTANCES]
            ]
            highs[float(cell.cell["delta"])] = float(np.mean(totals))
    curves.append(Curve("upper bound, BAIR", 1.0 / deltas, np.array([*highs.values()]), "-."))
    return [each for each in curves if np.all(np.isfinite(each.y))]


def paired_differences(comparisons: Any, figure: str | None = None, axes: Any = None) -> Any:
    """Plot the difference between each agent and one common agent, with its interval.

    Args:
        comparisons: a `Comparison` of each agent with the common agent.
        figure: name of the metric to plot; None plots the first metric.
        axes: Matplotlib axes for the plot; None creates new axes.

    Raises:
        InvalidArgumentError: if the comparisons have no such metric.
        MissingExtraError: without Matplotlib.
    """
    known = [each.figure for each in comparisons[0].differences]
    place = known.index(choice("figure", figure, known)) if figure is not None else 0
    rows = [each.differences[place] for each in comparisons]
    axes = style.plot_axes(axes, 1.1 + ROW_HEIGHT * max(2, len(rows)))
    values = np.array([[each.value, each.low, each.high] for each in rows])
    errors = np.abs(values[:, 1:] - values[:, :1]).T
    places = range(len(rows))
    how: dict[str, Any] = {"color": style.SERIES[0], "capsize": 4, "markersize": 7, "lw": 1.8}
    axes.errorbar(values[:, 0], places, xerr=errors, fmt="o", **how)
    pair, first = comparisons[0], rows[0]
    same, than, x = 0.0, ", minus", "difference of shares"
    if first.kind == "probability":
        same, than, x = 0.5, " than", "probability, ties count half"
    elif first.kind == "mean":
        x = f"difference of means{', in recommendations' * (first.figure == 'stopping time')}"
    axes.axvline(same, color=style.colour_of("quiet"), lw=1, ls=":", zorder=0)
    users = f"{pair.n_users} users, {100 * pair.level:.3g}% intervals"
    style.dress(axes, f"{first.figure}{than} {pair.second}: {users}", x, "")
    labels = [
        style.verbatim(each.first, style.LONGEST_NAME)
        + "*" * row.dominated
        + ("" if math.isnan(row.tau) else f"\nup to {row.tau:.0f}")
        for each, row in zip(comparisons, rows, strict=True)
    ]
    axes.set_yticks(places, labels, fontsize=style.TEXT_SIZE)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    return axes
