"""Plots of the runs of one cell, of figures over cells beside the paper's bounds, and of pairs.

`Results.plot`, `Sweep.plot` and `Comparison.plot` choose one by its kind. A function takes results
and, to draw into an existing plot, Matplotlib's axes; it returns the axes, whose figure can be
saved. Rows of runs say only how they ended, so what adds up over time is of a sample of the runs,
replayed step by step.
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

#: `Results`, whose module imports this one.
PlottedRuns = Any

#: Lines with their names in the legend.
Named = list[tuple[Any, str]]

#: Points of a line; each has an interval.
MOST_POINTS = 200

#: The most users with whom runs are replayed, and steps of an agent.
USERS_REPLAYED, STEPS_REPLAYED = 100, 100_000

#: The most times at which figures are computed; as many again where they are dense at first.
N_TIMES = 200

#: Arms of an episode that have a style; the others look alike.
ARMS_DRAWN = 7

#: The most users over whose instances a bound is averaged.
MOST_INSTANCES = 100

#: How far beyond the measured times an axis goes to show a bound, as a factor.
ROOM_FOR_BOUNDS = 10.0

#: Inches of a line of a plot of differences.
ROW_HEIGHT = 0.32

#: The words below an axis of times.
TIME = "time t, in recommendations"

#: Options of the users that a title names where they are others.
USUAL: Mapping[str, Any] = {
    "alpha": 1.0,
    "gap": None,
    "noise": 0.0,
    "reward_law": "gaussian",
    "behaviour": "explorative",
}

#: Figures of checked runs whose bound is the same for all users, with the words of their axis.
CHECKED = {"rounds": "rounds of Phase 1", "phase1_rejections": "rejections of Phase 1"}

#: Figures of an agent in a cell, with the words of their axis.
CELL_FIGURES = {
    "stopping_time": "stopping time T,\nin recommendations",
    "success": "success",
    "rejection_rate": "rejection rate",
    "regret": "regret over the horizon",
    "utility": "utility over the horizon",
    **CHECKED,
}


def agents_in(results: PlottedRuns) -> list[str]:
    """Return the names of the agents, in the order of the line-up."""
    return list(dict.fromkeys(results.runs["agent"]))


def label_of(results: PlottedRuns, agent: str) -> str:
    """Return the name of an agent in a legend; a reference has its sign."""
    return style.verbatim(agent, style.LONGEST_NAME) + REFERENCE * (agent in results.references)


def heading_of(results: PlottedRuns, varying: Sequence[str] = ()) -> str:
    """Return the title of a plot: the users, but for the options `varying`, and their number."""
    cell = results.cell
    parts = {"n_arms": f"K = {cell['n_arms']}", "delta": f"δ = {cell['delta']:g}"}
    for name, usual in USUAL.items():
        value = cell.get(name, usual)
        if value not in (None, usual):
            parts[name] = value if isinstance(value, str) else f"{name} = {value:g}"
    n_runs = int(results.runs.groupby("agent").size().max())
    whom = "episode" if cell.get("task") == POPULATION.name else "user"
    words = [text for name, text in parts.items() if name not in varying]
    return ", ".join([str(cell["setting"]), *words, f"{n_runs} {whom}{'s' * (n_runs != 1)}"])


def course_of(runs: pd.DataFrame, kind: str, any_time: bool = False) -> pd.DataFrame:
    """Return a share of one agent's runs by each time.

    "success" is the share that have stopped and are right. "stopping_times" is the share that go
    on: Kaplan and Meier's, in which a run that the step cap ended counts until then. Before the
    first of these it is the plain share, with its exact interval; after it there is no interval.

    Args:
        runs: as in `Results`, of one agent.
        kind: the share.
        any_time: whether intervals of success hold whenever one stops meeting users.

    Returns:
        One row a time at which a run ends, or `MOST_POINTS` of these, the first 0: `time`, `share`,
        and its 95% interval `low`, `high`, of success that of the table.
    """
    from scipy import stats

    times, cut = runs["stopping_time"].to_numpy(), runs["censored"].to_numpy()
    right, survival = succeeded(runs).to_numpy(), None
    first_cut = times[cut].min() if cut.any() else np.inf
    if kind != "success":
        survival = stats.ecdf(stats.CensoredData.right_censored(times, cut)).sf
    distinct = np.unique(np.concatenate([[0], times]))
    if len(distinct) > MOST_POINTS:
        distinct = distinct[np.linspace(0, len(distinct) - 1, MOST_POINTS).round().astype(int)]
    rows = []
    for time in distinct:
        by_then, ends = right & (times <= time), (np.nan, np.nan)
        share = by_then.mean() if survival is None else float(survival.evaluate(time))
        if survival is None:
            ends = success_interval(by_then, any_time)
        elif time < first_cut:
            ends = proportion_interval(int(np.sum(times > time)), len(times))
        rows.append((time, share, *ends))
    return pd.DataFrame(rows, columns=["time", "share", "low", "high"])


def by_time(results: PlottedRuns, kind: str, axes: "Axes | None" = None, *_: Any) -> "Axes":
    """Draw a share of runs against time: a line an agent, with its 95% interval.

    "success" is the share that have stopped and are right; a line goes as far as is known, to the
    step cap where that ended a run. "stopping_times" is the share that go on; strokes mark where
    the step cap ended runs, of which no more is known.

    Raises:
        MissingExtraError: without Matplotlib.
    """
    axes, agents, times = style.plot_axes(axes), agents_in(results), results.runs["stopping_time"]
    named: Named = []
    strokes = []
    for place, agent in enumerate(agents):
        own, look = results.runs[results.runs["agent"] == agent], style.line_style(place)
        course, cut = course_of(own, kind, "until_width" in results.cell), own["censored"]
        if kind == "success" and not cut.any():
            last = course.iloc[[-1]].assign(time=times.max())
            course = pd.concat([course, last], ignore_index=True)
        elif kind != "success":
            cuts = np.unique(own["stopping_time"][cut])
            strokes.append((look, cuts, np.interp(cuts, course["time"], course["share"])))
        time, share, low, high = (column for _, column in course.items())
        style.draw_band(axes, time, low, high, place, len(agents), step="post")
        line = _step_line(axes, time, share, look.colour, look.dashes)
        shares = {"cut off": cut.mean(), "left": own["left"].mean()}
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
    y = "share stopped and right" if kind == "success" else "share still going"
    style.dress(axes, heading_of(results), TIME + draws, y, named)
    return axes


def _step_line(axes: "Axes", x: Any, y: Any, colour: str, dashes: Any, lw: float = 1.8) -> Any:
    return axes.plot(x, y, drawstyle="steps-post", color=colour, ls=dashes, lw=lw)[0]


def _span(axes: "Axes", least: float, most: float, ends: tuple[float, float], far: float) -> None:
    """Set the axes of shares against numbers: to `ends`, or logarithmic to `far` if spread out."""
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlim(*ends)
    if style.spread_out(least, most):
        axes.set_xlim(least / 1.5, far)
        style.logarithmic(axes, "x")


class Courses(NamedTuple):
    """Sums up to each time.

    Attributes:
        times: the times, the first 0.
        totals: by agent that can be replayed, the sum of each user up to each time, shape
            (n, times); NaN where a step cap has ended a run. Nothing is added once an agent has
            stopped, or a user has left except for the regret of a horizon.
    """

    times: Array
    totals: Mapping[str, Array]


def courses_of(results: PlottedRuns, figure: str, progress: OnProgress = silent) -> Courses:
    """Return how rejections or regret add up over the runs with the first users.

    Args:
        results: the runs.
        figure: "rejections" or "regret", the sum of mu_* - mu_a over the recommendations a.
        progress: called with what is going on, how many runs are done and how many there are.
    """
    agents = [agent for agent in agents_in(results) if agent in results.line_up]
    rows = {agent: results.runs[results.runs["agent"] == agent] for agent in agents}
    over_horizon, horizon = results.over_horizon, results.cell["horizon"]
    lengths = [
        np.full(len(own), int(horizon)) if over_horizon else own["interactions"].to_numpy()
        for own in rows.values()
    ]
    fits = [np.searchsorted(np.cumsum(each), STEPS_REPLAYED, side="right") for each in lengths]
    n_users = max(1, min(USERS_REPLAYED, *map(int, fits)))
    longest = max(int(each[:n_users].max()) for each in lengths)
    even, early = np.linspace(0, longest, N_TIMES), np.geomspace(1, max(1, longest), N_TIMES)
    times = np.unique(np.concatenate([even, early]).round().astype(int))
    totals: dict[str, list[Array]] = {agent: [] for agent in agents}
    for index, agent in enumerate(agents):  # one after the other: the bar's words change seldom
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
            found, cut = sums[np.minimum(times, len(gained))], bool(row.get("censored", False))
            totals[agent].append(np.where(cut & (times > len(gained)), np.nan, found))
    progress("replayed", n_users * len(agents), n_users * len(agents))
    return Courses(times, {agent: np.array(each) for agent, each in totals.items()})


def instance_at(results: PlottedRuns, seed: int) -> Instance:
    """Return the instance of the user of this seed, as it is at the start."""
    env = environment_of(results.population, next(iter(results.line_up.values())))
    env.reset(seed=seed)
    return env.instance()


def mean_lines(results: PlottedRuns, kind: str, axes: Any = None, progress: Any = True) -> Any:
    """Draw means with their 95% intervals: a line an agent.

    "rejections" and "regret", the sum of mu_* - mu_a, are up to a time: the first runs are replayed
    and, where a step cap ends a run, the line ends. "regret_by_user" is with each user of an
    episode: an agent that learns nothing from user to user has a level line.

    Args:
        results: the runs.
        kind: what is drawn.
        axes: where it is drawn; None is a new figure.
        progress: as for `evaluate`.

    Raises:
        MissingExtraError: without Matplotlib.
    """
    agents, heading, by_user = agents_in(results), heading_of(results), kind == "regret_by_user"
    if by_user:
        runs = results.runs.groupby("agent", sort=False)
        totals: Mapping[str, Array] = {str(agent): regrets_by_user(own) for agent, own in runs}
        x = np.arange(1, 1 + totals[agents[0]].shape[1])
        ends = 1 - 0.5 * (len(x) == 1), max(1.5, len(x))
        heading += f", deviation\u00a0=\u00a0{results.cell['deviation']:g}"
        y = f"regret over her {results.cell['horizon']} recommendations"
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
    what = "user, in the order in which they come" if by_user else TIME
    style.dress(axes, heading, what, y, named)
    return axes


def acceptances_by_arm(episode: Episode, best_arm: int | None = None, axes: Any = None) -> Any:
    """Draw how often each arm was accepted up to a time, over one run.

    Of many arms the most accepted and the best have a style of their own.

    Args:
        episode: the run.
        best_arm: the best arm, if it is to be marked.
        axes: where it is drawn; None is a new figure.

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
    """Draw the acceptances of each arm in the first run that can be replayed."""
    row = results.runs[results.runs["agent"].isin(list(results.line_up))].iloc[0]
    return acceptances_by_arm(results.replay(row), int(row["best_arm"]), axes)


def phase1_against_bound(results: PlottedRuns, kind: str, axes: Any = None, *_: Any) -> Any:
    """Draw the share of BAIR's runs with at most so many rounds of Phase 1, and the bound.

    Args:
        results: of an evaluation with `check_theory=True`.
        kind: "rounds" or "phase1_rejections".
        axes: where it is drawn; None is a new figure.

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
        named.append((limit, f"its bound: {above:.1%}\nof the runs above"))
        most = max(most, float(values[-1]), bound)
    _span(axes, float(results.checks[kind].min()), most, (-0.03 * most, most * 1.05), most * 1.2)
    style.dress(
        axes, heading_of(results), CHECKED[kind], "share of runs with at most as many", named
    )
    return axes


#: The plots of one cell, by kind; each is called with results, its kind, axes and a progress bar.
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
    """Return the reason why results have no plot of a kind; "" if they have."""
    members = results.cell.get("task") == POPULATION.name
    if kind == "regret_by_user":
        return "" if members else f"of the task {POPULATION.name} only"
    if kind in ("success", "stopping_times"):
        return "of best-arm identification only" if results.over_horizon else ""
    if kind in CHECKED:
        return "of evaluations with check_theory=True" if results.checks is None else ""
    if kind == "regret" and results.population.behaviour.moves_means:
        return "of users whose means stay"
    if members:
        return "of one user at a time"
    return "" if results.line_up else "made of replayed runs, and no agent's code is at hand"


def kinds_for(sweep: Any) -> list[str]:
    """Return the figures of cells that can be drawn against K or 1/delta.

    Raises:
        InvalidArgumentError: for cells that differ in neither, or in something else.
    """
    cells = [(each.cell["n_arms"], each.cell["delta"]) for each in sweep.cells]
    if len(set(cells)) < max(2, len(cells)):
        allowed = "cells that differ in K or delta and in nothing else"
        raise InvalidArgumentError("cells", cells, allowed)
    summary = sweep.summary()
    checked = all(each.checks is not None for each in sweep.cells)
    return [name for name in CELL_FIGURES if name in summary or (name in CHECKED and checked)]


def figure_by_cell(sweep: Any, kind: str | None = None, axes: "Axes | None" = None) -> "Axes":
    """Draw a figure of every agent against K, or against 1/delta where K is the same everywhere.

    With the 95% intervals of the table. Where both vary, each delta has its dashes. Beside stopping
    times against 1/delta stand the theory's bounds, where the users are the paper's; beside the
    rounds and rejections of Phase 1 their bounds.

    Args:
        sweep: cells that differ in K or delta only.
        kind: as for `Sweep.plot`.
        axes: where it is drawn; None is a new figure.

    Raises:
        InvalidArgumentError: for other cells, or a figure that they do not have.
        MissingExtraError: without Matplotlib.
    """
    kinds = kinds_for(sweep)
    usual = "regret" if "regret" in kinds else "stopping_time"
    figure = usual if kind is None else choice("kind", kind, kinds)
    names = ["n_arms", "delta", "agent", figure, f"{figure}_low", f"{figure}_high"]
    if figure in CHECKED:
        values = []
        for each in sweep.cells:
            for agent, runs in each.checks.groupby("agent", sort=False):
                whom = each.cell["n_arms"], each.cell["delta"], agent
                ends = mean_interval(runs[figure].to_numpy(float))
                values.append((*whom, runs[figure].mean(), *ends, runs[f"{figure}_bound"].mean()))
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
        for _, own in rows.groupby(["agent", "line"], sort=False):
            bound = axes.plot(own["x"], own["bound"], ls=":", marker="_", **how)[0]
        named.append((bound, "at most, as proved"))
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
        axes.set_ylim(max(low, least / ROOM_FOR_BOUNDS), min(high, most * ROOM_FOR_BOUNDS))
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
    """Draw a line for each agent and value of the other axis, and return the legend."""
    labels = {name: label_of(each, name) for each in sweep.cells for name in agents_in(each)}
    others = sorted(set(rows["line"]), reverse=True)
    dashes = dict(zip(others, style.DASHES * len(others), strict=False))
    named: Named = []
    for place, (agent, label) in enumerate(labels.items()):
        look = style.line_style(place)
        for value in others:
            own = rows[(rows["agent"] == agent) & (rows["line"] == value) & rows[figure].notna()]
            # Beside each other, or intervals would hide each other.
            x = own["x"] * 1.03 ** (place - (len(labels) - 1) / 2)
            ends = own[figure] - own[f"{figure}_low"], own[f"{figure}_high"] - own[figure]
            errors = np.nan_to_num(np.array(ends).astype(float)).clip(min=0.0)
            dashed = dashes[value] if len(others) > 1 else look.dashes
            how = {"color": look.colour, "ls": dashed, "marker": look.mark, "lw": 1.5}
            drawn = axes.errorbar(x, own[figure], errors, markersize=5, capsize=2, **how)
            if value == others[0] and agent in set(rows["agent"]):
                named.append((drawn, label))
    for value in others if len(others) > 1 else ():
        line = axes.plot([], [], color=style.colour_of("ink"), ls=dashes[value], lw=1.5)[0]
        named.append((line, f"δ = {value:g}"))
    return named


def _range_of(axes: "Axes") -> tuple[float, float]:
    """Return the least and the largest value that is drawn."""
    values = np.concatenate([np.asarray(line.get_ydata(), float) for line in axes.get_lines()])
    values = values[np.isfinite(values)]
    return (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)


class Curve(NamedTuple):
    """A computed line."""

    name: str
    x: Array
    y: Array
    dashes: Any


def theory_curves(cells: Sequence[PlottedRuns]) -> list[Curve]:
    """Return the paper's bounds for each cell's delta, where they are about these users.

    The lower bound is that of Theorem thm:lowerbound4delta, of the hardest users with this gap; the
    upper one, of BAIR alone, is Theorem thm:upperbound2's, the mean over the instances that were
    met.

    Args:
        cells: the same users under several deltas.
    """
    users = cells[0].population
    fits = users.behaviour == EXPLORATIVE and users.user.own_law.name == "gaussian"
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
    """Draw how far others are from one agent with the same users: a line an agent, its interval.

    Args:
        comparisons: a `Comparison` of each of the others with the one.
        figure: one of their figures; None is the first.
        axes: where it is drawn; None is a new figure.

    Raises:
        InvalidArgumentError: for a figure that they do not have.
        MissingExtraError: without Matplotlib.
    """
    known = [each.figure for each in comparisons[0].differences]
    place = known.index(choice("figure", figure, known)) if figure is not None else 0
    found = [each.differences[place] for each in comparisons]
    axes = style.plot_axes(axes, 1.1 + ROW_HEIGHT * max(2, len(found)))
    values = np.array([[each.value, each.low, each.high] for each in found])
    errors = np.abs(values[:, 1:] - values[:, :1]).T
    places = range(len(found))
    how: dict[str, Any] = {"color": style.SERIES[0], "capsize": 4, "markersize": 7, "lw": 1.8}
    axes.errorbar(values[:, 0], places, xerr=errors, fmt="o", **how)
    pair, first = comparisons[0], found[0]
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
        + "*" * own.dominated
        + ("" if math.isnan(own.tau) else f"\nup to {own.tau:.0f}")
        for each, own in zip(comparisons, found, strict=True)
    ]
    axes.set_yticks(places, labels, fontsize=style.TEXT_SIZE)
    axes.set_ylim(len(found) - 0.4, -0.6)
    return axes
