"""Plots of the runs of one cell: one function a figure, and which of them suit which results.

A function takes `Results` and, to draw into an existing plot, Matplotlib's axes; it returns the
axes, whose figure can be saved. `Results.plot` chooses one by its kind. Rows of runs say only how
they ended, so what adds up over time is of a sample of the runs, replayed step by step.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from explorative_user_env.display.plots import (
    LONGEST_NAME,
    colour_of,
    draw_band,
    dress,
    line_style,
    logarithmic,
    plot_axes,
    spread_out,
    verbatim,
)
from explorative_user_env.display.progress import OnProgress, shown, silent
from explorative_user_env.envs.user import REGRET_REWARD, environment_of, reward_of
from explorative_user_env.protocol import POPULATION, Array
from explorative_user_env.results.intervals import mean_interval, proportion_interval
from explorative_user_env.results.metrics import regrets_by_user, succeeded, success_interval
from explorative_user_env.results.tables import REFERENCE
from explorative_user_env.runs.loop import Episode
from explorative_user_env.users.instances import Instance
from explorative_user_env.validation import InvalidArgumentError, choice

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: `Results`, whose module imports this one.
PlottedRuns = Any

#: Points of a line; each has an interval.
MOST_POINTS = 200

#: The most users with whom runs are replayed, and steps of an agent.
USERS_REPLAYED, STEPS_REPLAYED = 100, 100_000

#: The most times at which figures are computed; as many again where they are dense at first.
N_TIMES = 200

#: Arms of an episode that have a style; the others look alike.
ARMS_DRAWN = 7

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


def agents_in(results: PlottedRuns) -> list[str]:
    """Return the names of the agents, in the order of the line-up."""
    return list(dict.fromkeys(results.runs["agent"]))


def label_of(results: PlottedRuns, agent: str) -> str:
    """Return the name of an agent in a legend; a reference has its sign."""
    return verbatim(agent, LONGEST_NAME) + REFERENCE * (agent in results.references)


def heading_of(results: PlottedRuns, varying: Sequence[str] = ()) -> str:
    """Return the title of a plot: the users and their number.

    Args:
        results: the runs.
        varying: options that are left out, as they are on an axis or in the legend.
    """
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


def success_course(runs: pd.DataFrame, any_time: bool = False) -> pd.DataFrame:
    """Return the share of one agent's runs that have stopped and are right by a time.

    Args:
        runs: as in `Results`, of one agent.
        any_time: whether intervals hold whenever one stops meeting users.

    Returns:
        One row a time at which a run ends, the first 0: `time`, `success`, and its 95% interval
        `low`, `high`, which is that of the table.
    """
    times, right = runs["stopping_time"].to_numpy(), succeeded(runs).to_numpy()
    rows = []
    for time in _thinned(times):
        by_then = right & (times <= time)
        rows.append((time, by_then.mean(), *success_interval(by_then, any_time)))
    return pd.DataFrame(rows, columns=["time", "success", "low", "high"])


def survival_course(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the share of one agent's runs that go on after a time.

    It is Kaplan and Meier's, in which a run that the step cap ended counts until then. Before the
    first of these it is the plain share, with its exact interval; after it there is no interval.

    Args:
        runs: as in `Results`, of one agent.

    Returns:
        One row a time at which a run ends, the first 0: `time`, `going`, and its 95% interval
        `low`, `high`.
    """
    from scipy import stats

    times, cut = runs["stopping_time"].to_numpy(), runs["censored"].to_numpy()
    found = stats.ecdf(stats.CensoredData.right_censored(times, cut)).sf
    first_cut = times[cut].min() if cut.any() else np.inf
    rows = []
    for time in _thinned(times):
        ends = np.nan, np.nan
        if time < first_cut:
            ends = proportion_interval(int(np.sum(times > time)), len(times))
        rows.append((time, float(found.evaluate(time)), *ends))
    return pd.DataFrame(rows, columns=["time", "going", "low", "high"])


def _thinned(times: Array) -> Array:
    """Return 0 and the times, or `MOST_POINTS` of them."""
    distinct: Array = np.unique(np.concatenate([[0], times]))
    if len(distinct) > MOST_POINTS:
        distinct = distinct[np.linspace(0, len(distinct) - 1, MOST_POINTS).round().astype(int)]
    return distinct


def success_by_budget(results: PlottedRuns, axes: "Axes | None" = None) -> "Axes":
    """Draw the share of runs that have stopped and are right, against the budget of a run.

    A line an agent, with the 95% interval that the table has at its end. It goes as far as is
    known: to the step cap, where that ended a run.

    Args:
        results: of the task "bai".
        axes: where it is drawn; None is a new figure.

    Raises:
        MissingExtraError: without Matplotlib.
    """

    def course_of(own: pd.DataFrame) -> pd.DataFrame:
        course = success_course(own, "until_width" in results.cell)
        last = course.iloc[[-1]].assign(time=results.runs["stopping_time"].max())
        return course if own["censored"].any() else pd.concat([course, last], ignore_index=True)

    axes = plot_axes(axes)
    named = _draw_courses(results, axes, course_of)
    deltas = {results.deltas.get(agent, results.cell["delta"]) for agent in agents_in(results)}
    if len(deltas) == 1:
        level = axes.axhline(1.0 - deltas.pop(), color=colour_of("quiet"), lw=1, ls=":")
        named.append((level, "1 - δ"))
    _dress_times(axes, results, "share stopped and right", named)
    return axes


def stopping_time_survival(results: PlottedRuns, axes: "Axes | None" = None) -> "Axes":
    """Draw the share of runs that go on after a time: a line an agent, with its 95% interval.

    Strokes mark where the step cap ended runs, of which no more is known.

    Args:
        results: of the task "bai".
        axes: where it is drawn; None is a new figure.

    Raises:
        MissingExtraError: without Matplotlib.
    """
    axes = plot_axes(axes)
    named = _draw_courses(results, axes, survival_course)
    for place, agent in enumerate(agents_in(results)):
        own = results.runs[results.runs["agent"] == agent]
        course = survival_course(own)
        cuts = np.unique(own["stopping_time"][own["censored"]])
        at = np.interp(cuts, course["time"], course["going"])
        axes.plot(cuts, at, "|", color=line_style(place).colour, markersize=11, markeredgewidth=2)
    _dress_times(axes, results, "share still going", named)
    return axes


#: Lines with their names in the legend.
Named = list[tuple[Any, str]]


def _draw_courses(
    results: PlottedRuns, axes: "Axes", course_of: Callable[[pd.DataFrame], pd.DataFrame]
) -> Named:
    """Draw a line for each agent, with its intervals; a course has a time, a share and its ends."""
    named, agents = [], agents_in(results)
    for place, agent in enumerate(agents):
        own = results.runs[results.runs["agent"] == agent]
        time, share, low, high = (column for _, column in course_of(own).items())
        draw_band(axes, time, low, high, place, len(agents), step="post")
        line = _step_line(axes, time, share, *line_style(place)[:2])
        shares = {"cut off": own["censored"].mean(), "left": own["left"].mean()}
        lost = ", ".join(f"{share:.1%} {what}" for what, share in shares.items() if share > 0.0)
        named.append((line, label_of(results, agent) + (f"\n({lost})" if lost else "")))
    return named


def _step_line(axes: "Axes", x: Any, y: Any, colour: str, dashes: Any, lw: float = 1.8) -> Any:
    return axes.plot(x, y, drawstyle="steps-post", color=colour, ls=dashes, lw=lw)[0]


def _dress_times(axes: "Axes", results: PlottedRuns, y: str, named: Named) -> None:
    times = results.runs["stopping_time"]
    most = max(times.max(), 1)
    _span(axes, times.min(), most, (0.0, most * 1.03), most * 1.1)
    draws = " and private draws" if results.population.setting.counts_private_draws else ""
    dress(axes, heading_of(results), f"time t, in recommendations{draws}", y, named)


def _span(axes: "Axes", least: float, most: float, ends: tuple[float, float], far: float) -> None:
    """Set the axes of shares against numbers: to `ends`, or logarithmic to `far` if spread out."""
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlim(*ends)
    if spread_out(least, most):
        axes.set_xlim(least / 1.5, far)
        logarithmic(axes, "x")


class Courses(NamedTuple):
    """Sums up to each time.

    Attributes:
        times: the times, the first 0.
        totals: by agent, the sum of each user up to each time, shape (n, times); NaN where a step
            cap has ended a run. Nothing is added once an agent has stopped, or a user has left
            except for the regret of a horizon.
        left_out: agents that cannot be replayed, as their code is not known here.
    """

    times: Array
    totals: Mapping[str, Array]
    left_out: tuple[str, ...]

    @property
    def n_users(self) -> int:
        """Number of users."""
        return len(next(iter(self.totals.values())))


def courses_of(results: PlottedRuns, figure: str, progress: OnProgress = silent) -> Courses:
    """Return how rejections or regret add up over the runs with the first users.

    Args:
        results: the runs.
        figure: "rejections" or "regret", the sum of mu_* - mu_a over the recommendations a.
        progress: called with what is going on, how many runs are done and how many there are.

    """
    agents = [agent for agent in agents_in(results) if agent in results.line_up]
    rows = {agent: results.runs[results.runs["agent"] == agent] for agent in agents}
    lengths = {
        agent: np.full(len(own), int(results.cell["horizon"]))
        if results.over_horizon
        else own["interactions"].to_numpy()
        for agent, own in rows.items()
    }
    fits = [np.searchsorted(np.cumsum(n), STEPS_REPLAYED, side="right") for n in lengths.values()]
    n_users = max(1, min(USERS_REPLAYED, *map(int, fits)))
    longest = max(int(each[:n_users].max()) for each in lengths.values())
    even, early = np.linspace(0, longest, N_TIMES), np.geomspace(1, max(1, longest), N_TIMES)
    times = np.unique(np.concatenate([even, early]).round().astype(int))
    totals: dict[str, list[Array]] = {agent: [] for agent in agents}
    for index, agent in enumerate(agents):  # one after the other: the bar's words change seldom
        for place in range(n_users):
            progress(f"replaying {agent}", index * n_users + place, n_users * len(agents))
            row = rows[agent].iloc[place]
            gained = _gained(results, results.replay(row), figure)
            sums = np.concatenate([[0.0], np.cumsum(gained)])
            found, cut = sums[np.minimum(times, len(gained))], bool(row.get("censored", False))
            totals[agent].append(np.where(cut & (times > len(gained)), np.nan, found))
    progress("replayed", n_users * len(agents), n_users * len(agents))
    left_out = tuple(agent for agent in agents_in(results) if agent not in agents)
    return Courses(times, {agent: np.array(each) for agent, each in totals.items()}, left_out)


def _gained(results: PlottedRuns, episode: Episode, figure: str) -> Array:
    """Return what each step of a run adds."""
    if figure == "rejections":
        return np.array([not accepted for accepted in episode.accepted])
    instance = instance_met(results, episode.seed)
    best = instance.means[instance.best_arm]
    paid = [reward_of(REGRET_REWARD, mean, best, False, 0.0) for mean in instance.means]
    gained = [-paid[arm] for arm in episode.arms]
    if episode.left and results.over_horizon:
        gained += [best - min(instance.means)] * (int(results.cell["horizon"]) - len(gained))
    return np.array(gained)


def instance_met(results: PlottedRuns, seed: int) -> Instance:
    """Return the instance of the user of this seed, as it is at the start."""
    env = environment_of(results.population, next(iter(results.line_up.values())))
    env.reset(seed=seed)
    return env.instance()


def over_time(
    results: PlottedRuns,
    figure: str,
    axes: "Axes | None" = None,
    progress: bool | OnProgress = True,
) -> "Axes":
    """Draw the rejections, or the regret, up to a time: a line an agent, with 95% intervals.

    The first runs are replayed. An agent that has stopped is rejected no more; where a step cap
    ends a run, the line ends. Of best-arm identification the regret is that of the recommendations.

    Args:
        results: of a task with one user an episode.
        figure: "rejections" or "regret", the sum of mu_* - mu_a.
        axes: where it is drawn; None is a new figure.
        progress: as for `evaluate`.

    Raises:
        MissingExtraError: without Matplotlib.
    """
    with shown(progress) as report:
        courses = courses_of(results, figure, report)
    axes, named = plot_axes(axes), []
    for agent, totals in courses.totals.items():
        place = agents_in(results).index(agent)
        line = _mean_line(axes, courses.times, totals, place, len(courses.totals))
        named.append((line, label_of(results, agent)))
    axes.set_xlim(0, max(1, courses.times[-1]))
    axes.set_ylim(bottom=0)
    whole = courses.n_users == int(results.runs.groupby("agent").size().max())
    heading = f"{heading_of(results)}, {'all' if whole else courses.n_users} replayed"
    if courses.left_out:
        heading += f"; no code of {', '.join(courses.left_out)}"
    dress(axes, heading, "time t, in recommendations", f"{figure} up to t", named)
    return axes


def _mean_line(axes: "Axes", x: Any, totals: Array, place: int, many: int, mark: str = "") -> Any:
    """Draw the means of columns with their 95% intervals, and return the line."""
    mean, low, high = mean_course(totals)
    draw_band(axes, x, low, high, place, many)
    style = line_style(place)
    return axes.plot(x, mean, color=style.colour, ls=style.dashes, lw=1.8, marker=mark)[0]


def mean_course(totals: Array) -> tuple[Array, Array, Array]:
    """Return the means of columns and the ends of their 95% intervals, NaN where a value is NaN."""
    low, high = np.array([mean_interval(column) for column in totals.T]).T
    return totals.mean(axis=0), low, high


def acceptances_by_arm(
    episode: Episode, best_arm: int | None = None, axes: "Axes | None" = None
) -> "Axes":
    """Draw how often each arm was accepted up to a time, over one run.

    Of many arms the most accepted and the best have a style of their own.

    Args:
        episode: the run.
        best_arm: the best arm, if it is to be marked.
        axes: where it is drawn; None is a new figure.

    Raises:
        MissingExtraError: without Matplotlib.
    """
    axes = plot_axes(axes)
    arms, accepted = np.array(episode.arms, int), np.array(episode.accepted, bool)
    counts = {int(arm): np.cumsum(accepted & (arms == arm)) for arm in np.unique(arms)}
    by_count = sorted(counts, key=lambda arm: (arm != best_arm, -counts[arm][-1], arm))
    styled, others = sorted(by_count[:ARMS_DRAWN]), by_count[ARMS_DRAWN:]
    times = np.arange(len(arms) + 1)
    named: Named = []
    for place, arm in enumerate([*others, *styled], -len(others)):
        colour, dashes, width = colour_of("quiet"), "-", 0.7
        if place >= 0:
            colour, dashes, _ = line_style(place)
            width = 2.4 if arm == best_arm else 1.5
        line = _step_line(axes, times, [0, *counts[arm]], colour, dashes, width)
        if place >= 0:
            named.append((line, f"arm {arm}{' (best)' * (arm == best_arm)}"))
        else:
            line.set_alpha(0.6)
            quiet = line
    if others:
        named.append((quiet, f"{len(others)} other arm{'s' * (len(others) > 1)}"))
    axes.set_xlim(0, max(1, len(arms)))
    axes.set_ylim(bottom=0)
    heading = f"{episode.agent} and the user of seed {episode.seed}"
    dress(axes, heading, "time t, in recommendations", "acceptances up to t", named)
    return axes


def regret_by_user(results: PlottedRuns, axes: "Axes | None" = None) -> "Axes":
    """Draw the regret with each user of an episode: a line an agent, with 95% intervals.

    An agent that learns nothing from user to user has a level line.

    Args:
        results: of the task "population".
        axes: where it is drawn; None is a new figure.

    Raises:
        MissingExtraError: without Matplotlib.
    """
    axes, named, agents = plot_axes(axes), [], agents_in(results)
    from matplotlib.ticker import MaxNLocator

    for place, agent in enumerate(agents):
        regrets = regrets_by_user(results.runs[results.runs["agent"] == agent])
        numbers = np.arange(1, regrets.shape[1] + 1)
        mark = "o" if len(numbers) == 1 else ""  # a line of one point cannot be seen
        line = _mean_line(axes, numbers, regrets, place, len(agents), mark)
        named.append((line, label_of(results, agent)))
    axes.set_xlim(1 - 0.5 * (len(numbers) == 1), max(1.5, len(numbers)))
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    heading = f"{heading_of(results)}, deviation\u00a0=\u00a0{results.cell['deviation']:g}"
    y = f"regret over her {results.cell['horizon']} recommendations"
    dress(axes, heading, "user, in the order in which they come", y, named)
    return axes


def phase1_against_bound(results: PlottedRuns, figure: str, axes: "Axes | None" = None) -> "Axes":
    """Draw the share of BAIR's runs with at most so many rounds of Phase 1, and the bound.

    Args:
        results: of an evaluation with `check_theory=True`.
        figure: "rounds" or "phase1_rejections".
        axes: where it is drawn; None is a new figure.

    Raises:
        MissingExtraError: without Matplotlib.
    """
    axes = plot_axes(axes)
    named, most = [], 1.0
    for agent, runs in results.checks.groupby("agent", sort=False):
        style = line_style(agents_in(results).index(str(agent)))
        values = np.sort(runs[figure].to_numpy())
        shares = np.arange(len(values) + 1) / len(values)
        line = _step_line(axes, [0, *values], shares, style.colour, style.dashes)
        named.append((line, label_of(results, str(agent))))
        bound = float(runs[f"{figure}_bound"].mean())
        above = float(runs[f"{figure}_broken"].mean())
        limit = axes.axvline(bound, color=colour_of("quiet"), linestyle=style.dashes, linewidth=1.2)
        named.append((limit, f"its bound: {above:.1%}\nof the runs above"))
        most = max(most, float(values[-1]), bound)
    least = float(results.checks[figure].min())
    _span(axes, least, most, (-0.03 * most, most * 1.05), most * 1.2)
    x = CHECKED[figure]
    dress(axes, heading_of(results), x, "share of runs with at most as many", named)
    return axes


def _first_run(results: PlottedRuns, axes: "Axes | None", _: Any) -> "Axes":
    """Draw the acceptances of each arm in the first run that can be replayed."""
    row = results.runs[results.runs["agent"].isin(list(results.line_up))].iloc[0]
    return acceptances_by_arm(results.replay(row), int(row["best_arm"]), axes)


#: The plots of one cell, by name; each is called with results, axes and a progress bar.
RUN_KINDS: "Mapping[str, Callable[[PlottedRuns, Axes | None, bool | OnProgress], Axes]]" = {
    "success": lambda runs, axes, _: success_by_budget(runs, axes),
    "stopping_times": lambda runs, axes, _: stopping_time_survival(runs, axes),
    "regret": lambda runs, axes, progress: over_time(runs, "regret", axes, progress),
    "rejections": lambda runs, axes, progress: over_time(runs, "rejections", axes, progress),
    "acceptances": _first_run,
    "rounds": lambda runs, axes, _: phase1_against_bound(runs, "rounds", axes),
    "phase1_rejections": lambda runs, axes, _: phase1_against_bound(
        runs, "phase1_rejections", axes
    ),
    "regret_by_user": lambda runs, axes, _: regret_by_user(runs, axes),
}


def why_not(kind: str, results: PlottedRuns) -> str:
    """Return the reason why results have no plot of a kind; "" if they have."""
    members = results.cell.get("task") == POPULATION.name
    of_bai = "of best-arm identification only" if results.over_horizon else ""
    checked = "of evaluations with check_theory=True" if results.checks is None else ""
    replayed = "" if results.line_up else "made of replayed runs, and no agent's code is at hand"
    replayed = "of one user at a time" if members else replayed
    moves = results.population.behaviour.moves_means
    reasons = {
        "success": of_bai,
        "stopping_times": of_bai,
        "regret": "of users whose means stay" if moves else replayed,
        "rejections": replayed,
        "acceptances": replayed,
        "rounds": checked,
        "phase1_rejections": checked,
        "regret_by_user": "" if members else f"of the task {POPULATION.name} only",
    }
    return reasons[kind]


def plot_runs(
    results: PlottedRuns,
    kind: str | None = None,
    axes: "Axes | None" = None,
    progress: bool | OnProgress = True,
) -> "Axes":
    """Draw the runs of one cell; see `Results.plot`."""
    usual = "regret_by_user" if results.cell["task"] == POPULATION.name else "regret"
    chosen = (usual if results.over_horizon else "success") if kind is None else kind
    if why := why_not(choice("kind", chosen, RUN_KINDS), results):
        suitable = [name for name in RUN_KINDS if not why_not(name, results)]
        allowed = f"one of {', '.join(suitable)} for these results (it is {why})"
        raise InvalidArgumentError("kind", chosen, allowed)
    return RUN_KINDS[chosen](results, axes, progress)
