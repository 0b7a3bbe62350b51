"""The cost of seeing responses only: agents with the lower bound's pair of users.

`overlap` measures how often an agent cannot tell nu from nu', `success` how often agents are right
on both, `needed` how long they need to be, and `draw` pictures both. The standard bandit beside
them needs O(log 1/delta), an agent that sees responses at least delta^(-1/alpha) but for smaller
factors; an agent that sees the rewards too is measured to be hardly better, as an arm that the user
will not accept again gives none. The power shows late: with gap 1/2 and alpha = 1 it overtakes the
standard bandit at delta = 1e-5; at alpha = 1/4 it can be measured.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from rich.table import Table
from scipy.integrate import quad
from scipy.special import ndtr

from explorative_user_env import agents as line_ups
from explorative_user_env import theory, validation
from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.display import plots
from explorative_user_env.display.progress import OnProgress, silent
from explorative_user_env.display.tables import Column, table
from explorative_user_env.display.text import cost, whole
from explorative_user_env.evaluation import evaluate
from explorative_user_env.evaluation.paths import Play, Runs
from explorative_user_env.evaluation.runner import LONGEST_PLAY
from explorative_user_env.files import finished_file
from explorative_user_env.kernels.compiler import can_compile
from explorative_user_env.protocol import LONGEST_HORIZON, REGRET, Array, stored_steps
from explorative_user_env.results.intervals import mean_interval, proportion_interval
from explorative_user_env.results.tables import AGENT_COLUMN, marked, references_of
from explorative_user_env.seeding import number_of_users, user_seeds
from explorative_user_env.theory import HardPair
from explorative_user_env.users.instances import Instance, number_of_arms
from explorative_user_env.users.model import Schedule, as_schedule
from explorative_user_env.users.population import Population
from explorative_user_env.validation import InvalidArgumentError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: The index of the proof's arm 2.
ARM_2 = 1

#: Rewards drawn at a time.
REWARDS_AT_ONCE = 2**20

#: Of arm 2's rewards; some numbers of each are in memory for every N_0.
MOST_PATHS = 1_000_000
#: Each gives a probability, not a yes or no, so few will do.
N_PATHS = 2000


Rho = Schedule | str | float


class Histories(NamedTuple):
    """An agent with the same users under nu and under nu', one entry a user.

    Attributes:
        same: whether all recommendations and responses are the same under both.
        only_arm_2: whether the responses are those of the history above under nu, shape (n,).
        only_arm_2_prime: the same under nu'.
    """

    same: Array
    only_arm_2: Array
    only_arm_2_prime: Array


def histories(
    pair: HardPair, agent: AlgorithmAgent, steps: int, seeds: Sequence[int], rho: Rho | None = None
) -> Histories:
    """Let `agent` meet the users of these `seeds` twice, with the means of nu and of nu'.

    Both times the user's noise and the agent's own randomness are the same: as long as the
    histories agree, an accepted arm's reward differs by the difference of its means only.

    Args:
        pair: the two instances.
        agent: an agent of this package, with its options given; one that stops goes on with its
            answer.
        steps: recommendations to each user, at least 1.
        seeds: the users' seeds.
        rho: schedule of rho_t as in `gym.make`; None is the constant rho_1 of the pair.
    """
    steps = stored_steps("steps", steps)
    schedule = as_schedule(pair.rho_1 if rho is None else rho)
    if schedule.rho_0 < pair.rho_0 or schedule.rho_1 > pair.rho_1:
        allowed = f"a schedule within the pair's [{pair.rho_0:g}, {pair.rho_1:g}]"
        raise InvalidArgumentError("rho", rho, allowed)
    users = Population(n_arms=pair.n_arms, alpha=pair.alpha, rho=schedule)
    both = [replace(users, means=each.means) for each in (pair.nu, pair.nu_prime)]
    size = max(1, LONGEST_PLAY // steps)
    parts = []
    for first in range(0, len(seeds), size):
        part = seeds[first : first + size]
        form = "compiled" if can_compile() else "readable"
        nu, prime = (Runs(each, agent, steps, steps, REGRET).play(form, part) for each in both)
        same = (nu.arms == prime.arms) & (nu.accepted == prime.accepted)
        parts.append((same.all(axis=1), as_foreseen(nu), as_foreseen(prime)))
    return Histories(*map(np.concatenate, zip(*parts, strict=True)))


def as_foreseen(play: Play) -> Array:
    """Return which users accepted arm 2 always and every other arm the first time only."""
    foreseen = play.arms == ARM_2
    for arm in range(int(play.arms.max()) + 1):
        mine = play.arms == arm
        foreseen |= mine & (mine.cumsum(axis=1) == 1)
    return np.asarray((play.accepted == foreseen).all(axis=1))


def rejected_below(
    n0s: Sequence[int], alpha: float, rho_1: float, n_arms: int, n_paths: int, seed: int
) -> Array:
    """Return first rewards so bad that an arm is not accepted again before N_0 acceptances.

    Draws the rewards of arm 2, with mean 1, and keeps the least of
    lcb_2 - sqrt(Gamma) = hat mu_2 - sqrt(Gamma) (1 + 1/sqrt(n_2)) over all n(t) < N_0. Gamma is the
    largest that there can be: for rho_t = rho_1 and with every other arm accepted once. So a first
    reward below it keeps an arm out whatever rho_t is and whenever the arm is recommended; that is
    also necessary if rho_t = rho_1, K = 2 and the arm is tried at every n(t).

    Returns:
        One row for each N_0 of `n0s` (inf for N_0 = 2), one column for each path of rewards.
    """
    rng = np.random.default_rng(seed)
    longest = max(n0s) - 2
    sums, least = np.zeros((n_paths, 1)), np.full((n_paths, 1), np.inf)
    found = np.full((len(n0s), n_paths), np.inf)
    size = max(1, REWARDS_AT_ONCE // n_paths)
    for first in range(1, longest + 1, size):
        m = np.arange(first, min(first + size, longest + 1))
        noise = rng.standard_normal((n_paths, len(m)))
        path = sums + noise.cumsum(axis=1)
        sums = path[:, -1:]
        gamma = 2.0 * alpha * np.log(rho_1 * (m + n_arms - 1))
        spread = np.sqrt(np.maximum(0.0, gamma))
        bounds = 1.0 + path / m - spread * (1.0 + 1.0 / np.sqrt(m))
        bounds = np.minimum(np.minimum.accumulate(bounds, axis=1), least)
        least = bounds[:, -1:]
        for row, n0 in enumerate(n0s):
            if m[0] <= n0 - 2 <= m[-1]:
                found[row] = bounds[:, n0 - 2 - first]
    return found


def overlap_probability(rejected: Array, instance: Instance) -> Array:
    """Return, for each path of arm 2, how likely the first rewards of all other arms are so bad."""
    means = [mean for arm, mean in enumerate(instance.means) if arm != ARM_2]
    return np.asarray(np.prod([ndtr(rejected - mean) for mean in means], axis=0))


STANDARD_BANDIT = "standard bandit"
ANY_AGENT = "any agent, at least"
N_GRID = tuple(2**power for power in range(3, 12))
#: N_0 that are tried for `ANY_AGENT`, up to 8194.
BOUND_GRID = tuple(2 + round(2 ** (power / 2)) for power in range(27))


def line_up(n: int, delta: float) -> list[AlgorithmAgent]:
    """Return the agents that are compared, as they are for N = `n`."""
    first = [line_ups.BAIR(delta=delta, n1=n), line_ups.TrackAndStop(delta=delta, max_steps=n)]
    others = (line_ups.Uniform, line_ups.EXP3, line_ups.FullInformation)
    return first + [make(horizon=n) for make in others]


def success(
    pair: HardPair,
    n_grid: Sequence[int] = N_GRID,
    *,
    agents: Callable[[int, float], Sequence[AlgorithmAgent]] = line_up,
    rho: Rho | None = None,
    n_instances: int = 1000,
    seed: int = 0,
    progress: OnProgress = silent,
    **options: Any,
) -> pd.DataFrame:
    """Return how often each agent is right on each instance of the pair, for growing N.

    Args:
        pair: the two instances.
        n_grid: the N, each at least 1.
        agents: the agents for an N and the pair's delta.
        rho: schedule of rho_t, as in `gym.make`; None is the constant rho_1 of the pair.
        n_instances: users of each instance, the same for every N and agent, at least 1.
        seed: the seed of everything, at least 0.
        progress: called with the cell, and the number of cells that are done.
        **options: `workers`, `executor` and `store`, as in `evaluate`.

    Returns:
        One row for each N, instance ("nu", "nu'") and agent: `n`, `instance`, `agent`, `success`
        (the share of right answers, with its 95% interval `_low`, `_high`), `n_runs`, the means of
        `interactions` and `acceptances`, and `sees_rewards`; `attrs["cells"]` hold `Results.cell`.
    """
    instances = {"nu": pair.nu, "nu'": pair.nu_prime}
    grid = sorted({validation.integer("n_grid", n, 1) for n in n_grid})
    how: dict[str, Any] = {"n_arms": pair.n_arms, "delta": pair.delta, "alpha": pair.alpha}
    how |= {"rho": pair.rho_1 if rho is None else rho, "n_instances": n_instances, "seed": seed}
    how |= {**options, "progress": False}
    rows, cells = [], []
    for position, (n, name) in enumerate(product(grid, instances)):
        progress(f"N = {n}, {name}", position, len(grid) * len(instances))
        results = evaluate(agents(n, pair.delta), means=instances[name].means, **how)
        cells.append({**results.cell, "n": n, "instance": name})
        for agent, runs in results.runs.groupby("agent", sort=False):
            row = {"n": n, "instance": name, "agent": agent} | _share("success", runs["correct"])
            row |= {"n_runs": len(runs)}
            row |= {what: runs[what].mean() for what in ("interactions", "acceptances")}
            rows.append(row | {"sees_rewards": agent in results.references})
    progress("", len(cells), len(cells))
    found = pd.DataFrame(rows)
    found.attrs["cells"] = cells
    return found


def _share(name: str, values: Any) -> dict[str, float]:
    """Return the share of True among `values`, with its exact interval."""
    low, high = proportion_interval(int(values.sum()), len(values))
    return {name: float(values.mean()), f"{name}_low": low, f"{name}_high": high}


def needed(measured: pd.DataFrame, pair: HardPair, deltas: Sequence[float]) -> pd.DataFrame:
    """Return the least N with which each is right with probability 1 - delta on nu and on nu'.

    Args:
        measured: what `success` found, of any agents.
        pair: the two instances.
        deltas: each in (0, 1).

    Returns:
        One row for each delta and agent: `delta`, `agent`, `kind`, `n`, `interactions` and whether
        an agent that was run `sees_rewards`; `n` and `interactions` are NaN where no N that was
        tried is enough. `kind` is "measured" (the least N of the grid from which on all N are
        enough; a delta below ten wrong answers in n is not looked for), "exact"
        (`standard_bandit_needs`) or "bound" (`any_agent_needs`, in acceptances).
    """
    rows = []
    for delta, bound in zip(deltas, any_agent_needs(pair, deltas), strict=True):
        n = max(standard_bandit_needs(instance, delta) for instance in (pair.nu, pair.nu_prime))
        rows += [(delta, STANDARD_BANDIT, "exact", n, n), (delta, ANY_AGENT, "bound", bound, bound)]
        for agent, runs in measured.groupby("agent", sort=False):
            both = runs.groupby("n").agg({"success": "min", "interactions": "max", "n_runs": "min"})
            enough = both["success"] >= 1.0 - validation.risk("delta", delta)
            enough &= both["n_runs"] * delta >= 10
            lasting = both["interactions"][enough[::-1].cummin()[::-1]]
            least, longer = next(iter(lasting.items()), (math.nan, math.nan))
            rows.append((delta, agent, "measured", least, longer))
    found = pd.DataFrame(rows, columns=["delta", "agent", "kind", "n", "interactions"])
    found = found.astype({"n": float, "interactions": float})
    seeing = measured[measured["sees_rewards"]] if "sees_rewards" in measured else measured[:0]
    return found.assign(sees_rewards=found["agent"].isin(seeing["agent"]))


#: The least gap that there may be takes fewer; of no more is a root a float.
MOST_PULLS = 10**300


def standard_bandit_success(instance: Instance, pulls: int) -> float:
    """Return how often the best arm has the largest empirical mean after `pulls` of each arm.

    With rewards from N(mu_i, 1), seen: the integral of phi(z) prod_i Phi(z + sqrt(m) Delta_i).
    """
    best = instance.best_arm
    gaps = [gap for arm, gap in enumerate(instance.gaps) if arm != best]
    scaled = math.sqrt(validation.integer("pulls", pulls, 0, MOST_PULLS)) * np.array(gaps)

    def density(z: float) -> float:
        return math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi) * float(np.prod(ndtr(z + scaled)))

    return float(quad(density, -12.0, 12.0, epsabs=1e-13, limit=200)[0])


def standard_bandit_needs(instance: Instance, delta: float) -> int:
    """Return the least number of pulls, evenly over all arms, that finds the best with 1 - delta.

    It is O(log 1/delta): for K = 2 about 4 z^2/Delta_1^2, z the (1 - delta) quantile of N(0, 1).
    """
    # Phi(-x) is at most exp(-x^2/2)/2, and an arm is above the best with Phi(-Delta_i sqrt(m/2)).
    gap = theory.unique_gap(instance)
    certain = 4.0 * math.log((instance.n_arms - 1) / (2.0 * delta)) / gap / gap
    enough = 1
    while enough < certain and standard_bandit_success(instance, enough) < 1.0 - delta:
        enough *= 2
    too_few = enough // 2
    while enough - too_few > 1:
        middle = (enough + too_few) // 2
        fails = standard_bandit_success(instance, middle) < 1.0 - delta
        too_few, enough = (middle, enough) if fails else (too_few, middle)
    return instance.n_arms * enough


def any_agent_needs(
    pair: HardPair, deltas: Sequence[float], n_paths: int = N_PATHS, seed: int = 0
) -> list[float]:
    """Return the least N_0, of `BOUND_GRID`, that could do for any agent: overlap <= 2 delta.

    With fewer acceptances it errs with more than delta under nu or nu', as half the probability of
    the history they share is more than that. Only nu' is looked at: under the nu that belongs to
    each N_0 the history is likelier.
    """
    n_paths = validation.count("n_paths", n_paths, 2, MOST_PATHS)
    n0s = [n0 for n0 in BOUND_GRID if n0 >= pair.n_arms]
    rejected = rejected_below(n0s, pair.alpha, pair.rho_1, pair.n_arms, n_paths, seed)
    overlaps = [float(overlap_probability(row, pair.nu_prime).mean()) for row in rejected]
    return [
        next((float(n0) for n0, p in zip(n0s, overlaps, strict=True) if p <= 2.0 * delta), math.nan)
        for delta in deltas
    ]


DEFAULT_N0S = (3, 10, 30, 100, 300)


def overlap(
    n0s: Sequence[int] = DEFAULT_N0S,
    *,
    alpha: float = 1.0,
    rho: Rho = 1.0,
    n_arms: int = 2,
    c: float | None = None,
    gap: float | None = None,
    n_instances: int = 1000,
    n_paths: int = N_PATHS,
    seed: int = 0,
    progress: OnProgress = silent,
) -> pd.DataFrame:
    """Return how often UNI has the history that nu and nu' share, for growing N_0.

    UNI tries every arm again after every acceptance of arm 2, so no agent sees through the pair
    sooner. For each N_0 the pair is that of the delta whose N_0 it is in the theorem.

    Args:
        n0s: the N_0, each at least K.
        alpha: the user's willingness to explore, above 0.
        rho: schedule of rho_t, as in `gym.make`.
        n_arms: K, at least 2.
        c: the theorem's c, as in `hard_pair`.
        gap: Delta_1 of nu'; None is the proof's epsilon, which shrinks as N_0 grows.
        n_instances: users that UNI meets under each of the two, at least 1.
        n_paths: paths of arm 2's rewards for `overlap`, at least 2.
        seed: what everything follows from, at least 0.
        progress: told how far it is.

    Returns:
        One row for each N_0: `n0`, `delta`, `twice_delta`, `d`, `epsilon`; `event_b_prime` and
        `overlap_bound` of the proof, and `conditions`, whether the proof's conditions hold;
        `overlap`, the least probability of the history under nu' for any agent that accepts arm 2
        before it comes back to another, with a 95% interval (`_low`, `_high`) from the paths;
        `nu`, `nu_prime` and `same`, how often UNI had the history under each and the same
        responses under both, with exact intervals.
    """
    schedule = as_schedule(rho)
    c = theory.exponent_loss(c, validation.positive("alpha", alpha))
    n_instances, n_arms = number_of_users(n_instances), number_of_arms(n_arms)
    n_paths = validation.count("n_paths", n_paths, 2, MOST_PATHS)
    given, longest = validation.sequence("n0s", n0s), LONGEST_HORIZON // n_arms
    n0s = sorted({validation.count("n0s", n0, n_arms, longest) for n0 in given})
    if not n0s:
        raise InvalidArgumentError("n0s", n0s, "at least one number")
    rho_0, rho_1 = schedule.rho_0, schedule.rho_1
    if rho_0 * n0s[0] <= 1.0:
        raise InvalidArgumentError("n0s", n0s[0], f"above 1/rho_0, with rho_0 = {rho_0:g}")
    # N_0 = delta^(-1/alpha + c)/rho_0
    deltas = [math.exp(-math.log(rho_0 * n0) / (1.0 / alpha - c)) for n0 in n0s]
    pairs = [
        theory.hard_pair(delta, alpha, rho_0, rho_1, n_arms, n0, c=c, gap=gap)
        for delta, n0 in zip(deltas, n0s, strict=True)
    ]
    seeds = user_seeds(seed, n_instances)
    rejected = rejected_below(n0s, alpha, rho_1, n_arms, n_paths, seed)
    rows = []
    for index, (pair, bounds) in enumerate(zip(pairs, rejected, strict=True)):
        progress(f"N_0 = {pair.n0}", index, len(pairs))
        probabilities = overlap_probability(bounds, pair.nu_prime)
        low, high = mean_interval(probabilities)
        steps = max(n_arms, n_arms * (pair.n0 - n_arms) + 2)  # of UNI, until N_0 acceptances
        met = histories(pair, line_ups.Uniform(horizon=steps), steps, seeds, schedule)
        row = {"n0": pair.n0, "delta": pair.delta, "twice_delta": 2.0 * pair.delta}
        for name in ("d", "epsilon", "event_b_prime", "overlap_bound"):
            row[name] = getattr(pair, name)
        row["conditions"] = all(condition.holds for condition in theory.proof_conditions(pair))
        row |= {"overlap": float(probabilities.mean()), "overlap_low": low, "overlap_high": high}
        row |= _share("nu", met.only_arm_2) | _share("nu_prime", met.only_arm_2_prime)
        rows.append(row | _share("same", met.same))
    progress("", len(pairs), len(pairs))
    return pd.DataFrame(rows)


FOOTNOTES = (
    "history: the responses that ν and ν' share (arm 2 always accepted, every other arm once), as "
    "UNI meets it; 95% intervals. any agent ≥: its least probability under ν'.",
    "success: least of the two instances. N: UNI, EXP3 and Full-information run to it, T&S is cut "
    "off at it and guesses, BAIR has it as N_1 (and takes longer).",
    "needed: mean interactions at the least N of the grid from which on success is 1 - δ; 'any "
    "agent' in acceptances, a bound; 'standard bandit' sees rewards and may pull any arm, exact.",
)


def footnotes_of(success: pd.DataFrame) -> tuple[str, ...]:
    """Return what the tables' columns mean, and the sign of a reference."""
    return FOOTNOTES + references_of(success)


def sections_of(
    pair: HardPair, overlap: pd.DataFrame, success: pd.DataFrame, needed: pd.DataFrame
) -> dict[str, Table]:
    """Return all tables, by their headings."""
    users = f"α = {pair.alpha:g}, K = {pair.n_arms}"
    runs = f"{success['n_runs'].iloc[0]} users of each instance"
    hard = f"N_0 = {pair.n0}, δ = {pair.delta:g}, gap {pair.epsilon:g}, d = {pair.d:.2f}"
    worse = marked(success).groupby(["agent", "n"], sort=False)["success"].min().unstack("n")
    times = marked(needed).pivot_table("interactions", "agent", "delta", sort=False, dropna=False)
    worse, times = worse.reset_index(), times.reset_index()
    history = "{nu_prime:.4f} [{nu_prime_low:.4f}, {nu_prime_high:.4f}]"
    histories = [
        Column("N_0", "n0", left=True),
        Column("d", "d", "{:.2f}"),
        Column("any agent ≥", "overlap", "{:.2e}"),
        Column("history under ν'", history.format_map),
        Column("under ν", "nu", "{:.3f}"),
        Column("2^(1-K) P[B']", "overlap_bound", "{:.2e}"),
        Column("2δ", "twice_delta", "{:.2e}"),
    ]
    proved = theory.proof_conditions(pair)
    conditions = [
        Column("equation", "where", left=True),
        Column("condition", "says", left=True),
        Column("left", "left", "{:.3g}"),
        Column("right", "right", "{:.3g}"),
        Column("holds", "holds", lambda holds: "yes" if holds else "no"),
    ]
    successes = [AGENT_COLUMN, *(Column(f"N={n}", n, cost) for n in worse.columns[1:])]
    lengths = [AGENT_COLUMN]
    for delta in times.columns[1:]:
        lengths.append(Column(f"δ={delta:g}", delta, lambda time: whole(time) or "-"))
    return {
        f"How often the history is the same for ν and ν' ({users})": table(overlap, histories),
        f"Success on the worse of ν and ν' ({users}, {hard}, {runs})": table(worse, successes),
        f"Interactions needed for success 1 - δ ({users})": table(times, lengths),
        f"What the proof takes for granted ({hard})": table(proved, conditions),
    }


#: How what is computed is drawn, in black; what is measured has colours and points.
LINES = {STANDARD_BANDIT: "-", ANY_AGENT: ":"}


def draw(overlap: pd.DataFrame, needed: pd.DataFrame) -> "Figure":
    """Return a figure of what `overlap` and `needed` found."""
    figure = plots.new_figure(11.0, 4.2)
    left, right = figure.subplots(1, 2)
    draw_overlap(overlap, left)
    draw_needed(needed, right)
    return figure


def draw_overlap(frame: pd.DataFrame, axes: "Axes | None" = None) -> "Axes":
    """Draw the probability of the shared history (what `overlap` found) against N_0."""
    axes, n0 = plots.plot_axes(axes), frame["n0"]
    plots.draw_band(axes, n0, frame["overlap_low"], frame["overlap_high"], 0, 1)
    axes.plot(n0, frame["overlap"], color=plots.SERIES[0], label="any agent, at least")
    seen = frame[frame["nu_prime"] > 0]  # zero has no place on a logarithmic axis
    low, high = seen["nu_prime_low"], seen["nu_prime_high"]
    errors = [seen["nu_prime"] - low, high - seen["nu_prime"]]
    style: dict[str, Any] = {"fmt": "o", "color": plots.SERIES[1], "capsize": 2}
    axes.errorbar(seen["n0"], seen["nu_prime"], errors, label="UNI, measured", **style)
    axes.plot(n0, frame["overlap_bound"], ":", color="black", label="the proof's 2^(1-K) P[B']")
    plots.logarithmic(axes, "x")
    plots.logarithmic(axes, "y")
    label = "probability under ν' of the\nhistory that ν has too"
    plots.dress(axes, "", "acceptances N_0", label)
    axes.legend(frameon=False, fontsize=plots.TEXT_SIZE)
    return axes


def draw_needed(frame: pd.DataFrame, axes: "Axes | None" = None) -> "Axes":
    """Draw the interactions that are needed (what `needed` found) against 1/delta."""
    axes = plots.plot_axes(axes)
    for index, (agent, rows) in enumerate(marked(frame).groupby("agent", sort=False)):
        found = rows[np.isfinite(rows["interactions"])].sort_values("delta")
        line = plots.line_style(index - len(LINES))
        style = LINES.get(str(agent), line.dashes)
        colour, mark = ("black", "") if agent in LINES else (line.colour, line.mark)
        shown = {"color": colour, "linestyle": style, "marker": mark, "label": str(agent)}
        axes.plot(1 / found["delta"], found["interactions"], **shown)
    plots.logarithmic(axes, "x")
    plots.logarithmic(axes, "y")
    plots.dress(axes, "", "1/δ", "interactions needed for\nsuccess 1 - δ on ν and ν'")
    plots.name_lines(axes, list(zip(*axes.get_legend_handles_labels(), strict=True)))
    return axes


def saved_table(folder: Path, name: str) -> pd.DataFrame:
    """Return the finished table "overlap" or "needed" from the folder of the command."""
    return pd.read_csv(finished_file("path", folder, f"{name}.csv"))
