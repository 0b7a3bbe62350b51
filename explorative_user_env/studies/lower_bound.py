"""Run agents on the two instances nu and nu' of the paper's lower bound.

The study measures the cost of observing responses only. `overlap` measures how often an agent
cannot distinguish nu from nu'. `success` measures how often agents name the best arm of both.
`needed` measures how many interactions a success of 1 - delta takes. `draw` plots the results.

A standard bandit needs O(log 1/delta) interactions. An agent that observes only responses needs
delta^(-1/alpha) interactions, up to smaller factors. In the measurements, an agent that also sees
the rewards is hardly better: once the user rejects an arm, the arm gives no more rewards. The
number delta^(-1/alpha) exceeds the interactions of the standard bandit only if delta is small: with
gap 1/2 and alpha = 1, below 1e-5. With alpha = 1/4, simulated runs reach such a delta.
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
from explorative_user_env.display.text import cost, rounded
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

#: The index of arm 2 of the proof.
ARM_2 = 1

#: Rewards that `rejected_below` draws at a time.
REWARDS_AT_ONCE = 2**20

#: Most simulated paths of arm 2's rewards; each takes a few numbers of memory for every N_0.
MOST_PATHS = 1_000_000
#: Default number of paths. Few suffice, as each path gives a probability and not a yes or no.
N_PATHS = 2000


Rho = Schedule | str | float


class Histories(NamedTuple):
    """Which properties the runs with each user on nu and nu' have; bool arrays (n_users,).

    Attributes:
        same: whether all recommendations and responses are the same on nu and nu'.
        only_arm_2: whether the user accepts arm 2 always and every other arm once, on nu.
        only_arm_2_prime: whether the user accepts arm 2 always and every other arm once, on nu'.
    """

    same: Array
    only_arm_2: Array
    only_arm_2_prime: Array


def histories(
    pair: HardPair, agent: AlgorithmAgent, steps: int, seeds: Sequence[int], rho: Rho | None = None
) -> Histories:
    """Run an agent with each user twice: with the means of nu and with the means of nu'.

    Both runs have the same random numbers of the user and the agent. As long as their histories are
    equal, the rewards of an arm differ by the difference of the arm's means on nu and nu'.

    Args:
        pair: the two instances.
        agent: an agent of this package with all options; after it stops, it recommends its answer.
        steps: number of recommendations to each user, at least 1.
        seeds: the seeds of the users.
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
        parts.append((same.all(axis=1), has_history(nu), has_history(prime)))
    return Histories(*map(np.concatenate, zip(*parts, strict=True)))


def has_history(play: Play) -> Array:
    """Return for each user whether she accepts arm 2 always and every other arm only once."""
    expected = play.arms == ARM_2
    for arm in range(int(play.arms.max()) + 1):
        shown = play.arms == arm
        expected |= shown & (shown.cumsum(axis=1) == 1)
    return np.asarray((play.accepted == expected).all(axis=1))


def rejected_below(
    n0s: Sequence[int], alpha: float, rho_1: float, n_arms: int, n_paths: int, seed: int
) -> Array:
    """Return bounds for each N_0 in `n0s`: smaller first rewards make the user reject an arm.

    If the first reward of an arm other than arm 2 is below the bound, the user rejects the arm
    until she has accepted N_0 times. The bound depends on the rewards of arm 2, which are simulated
    with mean 1. The bound is the minimum of
    lcb_2 - sqrt(Gamma) = hat mu_2 - sqrt(Gamma) (1 + 1/sqrt(n_2)) over all n(t) < N_0. Here Gamma
    is the largest possible one, with rho_t = rho_1 and one acceptance of every other arm, so the
    bound holds for every rho_t. If rho_t = rho_1, K = 2 and the other arm is recommended at every
    n(t), she rejects the arm only if its first reward is below the bound.

    Returns:
        Array with one row for each N_0 (inf for N_0 = 2) and one column for each simulation.
    """
    rng = np.random.default_rng(seed)
    longest = max(n0s) - 2
    sums, least = np.zeros((n_paths, 1)), np.full((n_paths, 1), np.inf)
    rejected = np.full((len(n0s), n_paths), np.inf)
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
                rejected[row] = bounds[:, n0 - 2 - first]
    return rejected


def overlap_probability(rejected: Array, instance: Instance) -> Array:
    """Return, for each bound, P(the first reward of every arm except arm 2 is below the bound)."""
    means = [mean for arm, mean in enumerate(instance.means) if arm != ARM_2]
    return np.asarray(np.prod([ndtr(rejected - mean) for mean in means], axis=0))


STANDARD_BANDIT = "standard bandit"
ANY_AGENT = "any agent, at least"
N_GRID = tuple(2**power for power in range(3, 12))
#: Candidates for the N_0 of `any_agent_needs`, up to 8194.
BOUND_GRID = tuple(2 + round(2 ** (power / 2)) for power in range(27))


def line_up(n: int, delta: float) -> list[AlgorithmAgent]:
    """Return agents of length `n`: N_1 of BAIR, the step cap of T&S, the horizon of all others."""
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
    """Return how often each agent names the best arm of nu and of nu', for growing lengths N.

    Args:
        pair: the two instances.
        n_grid: the lengths N, each at least 1. N is the N_1 of BAIR, the step cap of T&S, and the
            horizon of all other agents of `line_up`.
        agents: function (N, delta) that returns the agents.
        rho: schedule of rho_t, as in `gym.make`; None is the constant rho_1 of the pair.
        n_instances: users of each instance, the same for every N and agent, at least 1.
        seed: the seed of users and agents, at least 0.
        progress: called with (N and instance as text, number of finished pairs, number of pairs).
        **options: `workers`, `executor` and `store`, as in `evaluate`.

    Returns:
        One row for each N, instance ("nu", "nu'") and agent: `n`, `instance`, `agent`, `success`
        (the share of right answers, with its 95% interval `_low`, `_high`), `n_runs`, the means of
        `interactions` and `acceptances`, and `sees_rewards`; `attrs["cells"]` lists `Results.cell`.
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
    frame = pd.DataFrame(rows)
    frame.attrs["cells"] = cells
    return frame


def _share(name: str, values: Any) -> dict[str, float]:
    low, high = proportion_interval(int(values.sum()), len(values))
    return {name: float(values.mean()), f"{name}_low": low, f"{name}_high": high}


def needed(measured: pd.DataFrame, pair: HardPair, deltas: Sequence[float]) -> pd.DataFrame:
    """Return the length N at which each agent has success 1 - delta or more on both nu and nu'.

    Args:
        measured: the frame that `success` returned, for any agents.
        pair: the two instances.
        deltas: values of delta, each in (0, 1).

    Returns:
        One row for each delta and agent, with the columns `delta`, `agent`, `kind`, `n`,
        `interactions` and `sees_rewards`. If `kind` is "measured", `n` is the least N in `measured`
        such that N and all larger values suffice; NaN if no N suffices, or if n_runs * delta < 10
        (too few expected errors). If `kind` is "exact", `n` is `standard_bandit_needs`. If `kind`
        is "bound", `n` is `any_agent_needs`, in acceptances.
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
    frame = pd.DataFrame(rows, columns=["delta", "agent", "kind", "n", "interactions"])
    frame = frame.astype({"n": float, "interactions": float})
    seeing = measured[measured["sees_rewards"]] if "sees_rewards" in measured else measured[:0]
    return frame.assign(sees_rewards=frame["agent"].isin(seeing["agent"]))


#: Most pulls of an arm: more than the smallest gap takes, and still a float.
MOST_PULLS = 10**300


def standard_bandit_success(instance: Instance, pulls: int) -> float:
    """Return P(the best arm has the largest empirical mean after m = `pulls` pulls of each arm).

    For N(mu_i, 1) rewards, it is the integral of phi(z) prod_i Phi(z + sqrt(m) Delta_i) over z.
    """
    best = instance.best_arm
    gaps = [gap for arm, gap in enumerate(instance.gaps) if arm != best]
    scaled = math.sqrt(validation.integer("pulls", pulls, 0, MOST_PULLS)) * np.array(gaps)

    def density(z: float) -> float:
        return math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi) * float(np.prod(ndtr(z + scaled)))

    return float(quad(density, -12.0, 12.0, epsabs=1e-13, limit=200)[0])


def standard_bandit_needs(instance: Instance, delta: float) -> int:
    """Return the number of pulls K m, for the least m with `standard_bandit_success` >= 1 - delta.

    The number is O(log 1/delta). For K = 2 it is about 4 z^2/Delta_1^2, where z is the (1 - delta)
    quantile of N(0, 1).
    """
    # Phi(-x) <= exp(-x^2/2)/2; arm i is ahead of the best with probability Phi(-Delta_i sqrt(m/2)).
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
    """Return for each delta a number of acceptances that any agent needs for success 1 - delta.

    In the history that `overlap` describes, nu and nu' look the same until the user has accepted
    N_0 times. Every agent with this history is wrong on nu or on nu' with probability 1/2 at least.
    If the history has probability above 2 delta, every agent is therefore wrong on nu or on nu'
    with probability above delta. The function returns the least N_0 of `BOUND_GRID` at which the
    probability is at most 2 delta. It takes the probability on nu', which is smaller than on nu.
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
    """Return how often UNI cannot distinguish nu from nu' before the user has accepted N_0 times.

    UNI cannot distinguish them in the shared history: until she has accepted N_0 times, the user
    accepts arm 2 always and every other arm once. UNI recommends every other arm again after each
    acceptance of arm 2, so no agent can distinguish nu from nu' sooner. By the theorem, N_0
    determines delta, nu and nu'.

    Args:
        n0s: the values of N_0, each at least K.
        alpha: the user's willingness to explore, above 0.
        rho: schedule of rho_t, as in `gym.make`.
        n_arms: K, at least 2.
        c: the constant c of the theorem, as in `hard_pair`.
        gap: the gap of nu'; with None it is the proof's epsilon, which shrinks as N_0 grows.
        n_instances: number of users of UNI on each of nu and nu', at least 1.
        n_paths: number of simulated paths of arm 2's rewards, at least 2.
        seed: the seed of users, agent and paths, at least 0.
        progress: called with (N_0, number of finished N_0, number of all N_0).

    Returns:
        One row for each N_0. `n0`, `delta`, `twice_delta`, `d`, `epsilon`, `event_b_prime` and
        `overlap_bound` are quantities of the proof. `conditions` is True if the proof's conditions
        hold. `overlap` is a lower bound, with a 95% interval (`_low`, `_high`) over the paths, of
        the probability of the shared history on nu'. The bound holds for any agent that gets arm 2
        accepted before it repeats another arm. `nu` and `nu_prime` are the shares of UNI's runs on
        each instance with this history. `same` is the share of users with equal responses on both.
        These three shares have exact intervals.
    """
    schedule = as_schedule(rho)
    c = theory.exponent_loss(c, validation.positive("alpha", alpha))
    n_instances, n_arms = number_of_users(n_instances), number_of_arms(n_arms)
    n_paths = validation.count("n_paths", n_paths, 2, MOST_PATHS)
    given, longest = validation.sequence("n0s", n0s), LONGEST_HORIZON // n_arms
    n0s = sorted({validation.count("n0s", n0, n_arms, longest) for n0 in given})
    if not n0s:
        raise InvalidArgumentError("n0s", n0s, "a non-empty sequence of numbers")
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
        steps = max(n_arms, n_arms * (pair.n0 - n_arms) + 2)  # until N_0 acceptances
        runs = histories(pair, line_ups.Uniform(horizon=steps), steps, seeds, schedule)
        row = {"n0": pair.n0, "delta": pair.delta, "twice_delta": 2.0 * pair.delta}
        for name in ("d", "epsilon", "event_b_prime", "overlap_bound"):
            row[name] = getattr(pair, name)
        row["conditions"] = all(condition.holds for condition in theory.proof_conditions(pair))
        row |= {"overlap": float(probabilities.mean()), "overlap_low": low, "overlap_high": high}
        row |= _share("nu", runs.only_arm_2) | _share("nu_prime", runs.only_arm_2_prime)
        rows.append(row | _share("same", runs.same))
    progress("", len(pairs), len(pairs))
    return pd.DataFrame(rows)


FOOTNOTES = (
    "history: the responses that ν and ν' share (arm 2 always accepted, every other arm once): how "
    "often UNI has it, with 95% intervals. any agent ≥: a bound of its probability under ν'.",
    "success: the smaller one under ν and ν'. N: horizon of UNI, EXP3 and Full-information, "
    "step cap of T&S (which then guesses), N_1 of BAIR (which takes longer).",
    "needed: mean interactions at the least N of the grid from which on success is at least 1 - δ. "
    "'any agent': a bound, in acceptances. 'standard bandit': observes every reward; exact.",
)


def footnotes_of(success: pd.DataFrame) -> tuple[str, ...]:
    """Return the notes below the tables; they explain the columns and mark reference agents."""
    return FOOTNOTES + references_of(success)


def sections_of(
    pair: HardPair, overlap: pd.DataFrame, success: pd.DataFrame, needed: pd.DataFrame
) -> dict[str, Table]:
    """Return all tables of the study, by heading."""
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
        lengths.append(Column(f"δ={delta:g}", delta, lambda time: rounded(time) or "-"))
    return {
        f"Probability of the history that ν and ν' share ({users})": table(overlap, histories),
        f"Success on the worse of ν and ν' ({users}, {hard}, {runs})": table(worse, successes),
        f"Interactions needed for success 1 - δ ({users})": table(times, lengths),
        f"Conditions of the proof ({hard})": table(proved, conditions),
    }


#: Line styles of the computed curves, which are black; measured curves have colours and points.
LINES = {STANDARD_BANDIT: "-", ANY_AGENT: ":"}


def draw(overlap: pd.DataFrame, needed: pd.DataFrame) -> "Figure":
    """Return a figure with the plots of `draw_overlap` and `draw_needed`."""
    figure = plots.new_figure(11.0, 4.2)
    left, right = figure.subplots(1, 2)
    draw_overlap(overlap, left)
    draw_needed(needed, right)
    return figure


def draw_overlap(frame: pd.DataFrame, axes: "Axes | None" = None) -> "Axes":
    """Plot P(nu and nu' look the same for N_0 acceptances) over N_0, from a result of `overlap`."""
    axes, n0 = plots.plot_axes(axes), frame["n0"]
    plots.draw_band(axes, n0, frame["overlap_low"], frame["overlap_high"], 0, 1)
    axes.plot(n0, frame["overlap"], color=plots.SERIES[0], label="any agent, at least")
    some = frame[frame["nu_prime"] > 0]  # a logarithmic axis cannot show zero
    low, high = some["nu_prime_low"], some["nu_prime_high"]
    errors = [some["nu_prime"] - low, high - some["nu_prime"]]
    style: dict[str, Any] = {"fmt": "o", "color": plots.SERIES[1], "capsize": 2}
    axes.errorbar(some["n0"], some["nu_prime"], errors, label="UNI, measured", **style)
    axes.plot(n0, frame["overlap_bound"], ":", color="black", label="the proof's 2^(1-K) P[B']")
    plots.logarithmic(axes, "x")
    plots.logarithmic(axes, "y")
    label = "probability under ν' of the\nhistory that ν and ν' share"
    plots.dress(axes, "", "acceptances N_0", label)
    axes.legend(frameon=False, fontsize=plots.TEXT_SIZE)
    return axes


def draw_needed(frame: pd.DataFrame, axes: "Axes | None" = None) -> "Axes":
    """Plot the interactions that agents need over 1/delta, from a result of `needed`."""
    axes = plots.plot_axes(axes)
    for index, (agent, rows) in enumerate(marked(frame).groupby("agent", sort=False)):
        finite = rows[np.isfinite(rows["interactions"])].sort_values("delta")
        line = plots.line_style(index - len(LINES))
        style = LINES.get(str(agent), line.dashes)
        colour, mark = ("black", "") if agent in LINES else (line.colour, line.mark)
        shown = {"color": colour, "linestyle": style, "marker": mark, "label": str(agent)}
        axes.plot(1 / finite["delta"], finite["interactions"], **shown)
    plots.logarithmic(axes, "x")
    plots.logarithmic(axes, "y")
    plots.dress(axes, "", "1/δ", "interactions needed for\nsuccess 1 - δ on ν and ν'")
    plots.name_lines(axes, list(zip(*axes.get_legend_handles_labels(), strict=True)))
    return axes


def saved_table(folder: Path, name: str) -> pd.DataFrame:
    """Return the table "overlap" or "needed" from a finished result folder."""
    return pd.read_csv(finished_file("path", folder, f"{name}.csv"))
