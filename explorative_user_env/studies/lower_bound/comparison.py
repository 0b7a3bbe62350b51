"""How often agents are right on both nu and nu', and how long they need to be.

What N is differs, as agents do. UNI, EXP3 and Full-information run to a horizon, N. Track-and-Stop
stops by itself; at N interactions it is cut off, and its best guess counts. BAIR stops by itself
too, and what it can choose is how long it prepares: N is its N_1, and its interactions stand
beside.

Full-information sees every realized reward, and still gets no further with a user who does not
accept the arm again. Without her, an algorithm that pulls what it likes (a standard bandit) needs
a number that grows like log(1/delta).
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.integrate import quad
from scipy.special import ndtr

from explorative_user_env.agents import (
    BAIR,
    EXP3,
    AlgorithmAgent,
    FullInformation,
    TrackAndStop,
    Uniform,
)
from explorative_user_env.display.progress import OnProgress, silent
from explorative_user_env.evaluation import Workforce, evaluate
from explorative_user_env.old_names import renamed
from explorative_user_env.results.intervals import proportion_interval
from explorative_user_env.results.store import Store
from explorative_user_env.seeding import seed_number
from explorative_user_env.studies.lower_bound.shared_history import (
    MOST_PATHS,
    overlap_probability,
    rejected_below,
)
from explorative_user_env.theory.hard_instances import HardPair
from explorative_user_env.theory.lower import unique_gap
from explorative_user_env.users.confidence import Schedule
from explorative_user_env.users.instances import Instance
from explorative_user_env.validation import count, integer, risk

STANDARD_BANDIT = "standard bandit"
ANY_AGENT = "any agent, at least"
N_GRID = tuple(2**power for power in range(3, 12))
BOUND_GRID = tuple(2 + round(2 ** (power / 2)) for power in range(27))
"""N_0 that are tried for `ANY_AGENT`, up to 8194."""


def line_up(n: int, delta: float) -> list[AlgorithmAgent]:
    """Return the agents that are compared, as they are for N = `n`."""
    return [
        BAIR(delta=delta, n1=n),
        TrackAndStop(delta=delta, max_steps=n),
        Uniform(horizon=n),
        EXP3(horizon=n),
        FullInformation(horizon=n),
    ]


@renamed(on_progress="progress")
def success(
    pair: HardPair,
    n_grid: Sequence[int] = N_GRID,
    *,
    agents: Callable[[int, float], Sequence[AlgorithmAgent]] = line_up,
    rho: Schedule | str | float | None = None,
    n_instances: int = 1000,
    seed: int = 0,
    workers: int | Workforce = 1,
    progress: OnProgress = silent,
    store: Store | None = None,
) -> pd.DataFrame:
    """Return how often each agent is right on each instance of the pair, for growing N.

    Args:
        pair: the two instances.
        n_grid: the N, each at least 1.
        agents: the agents for an N and the pair's delta.
        rho: schedule of rho_t, as in `gym.make`; None is the constant rho_1 of the pair.
        n_instances: users of each instance, the same for every N and agent, at least 1.
        seed: what everything follows from, at least 0.
        workers: how many runs at once, or who does them; the numbers do not depend on it.
        progress: told how far it is.
        store: what keeps the runs, if anything does.

    Returns:
        One row for each N, instance ("nu", "nu'") and agent: `n`, `instance`, `agent`, `success`
        (the share of right answers, with its 95% interval `_low`, `_high`), `n_runs`, the means of
        `interactions` and `acceptances`, and `sees_rewards`; `attrs["cells"]` say what made them.
    """
    grid = sorted({integer("n_grid", n, 1) for n in n_grid})
    cells = [
        (n, name, instance)
        for n in grid
        for name, instance in (("nu", pair.nu), ("nu'", pair.nu_prime))
    ]
    rows, made_by = [], []
    for position, (n, name, instance) in enumerate(cells):
        progress(f"N = {n}, {name}", position, len(cells))
        results = evaluate(
            agents(n, pair.delta),
            n_arms=pair.n_arms,
            n_instances=n_instances,
            seed=seed,
            delta=pair.delta,
            alpha=pair.alpha,
            means=instance.means,
            rho=pair.rho_1 if rho is None else rho,
            workers=workers,
            store=store,
            progress=False,
        )
        made_by.append({**results.cell, "n": n, "instance": name})
        for agent, runs in results.runs.groupby("agent", sort=False):
            told = {"sees_rewards": agent in results.references}
            rows.append({"n": n, "instance": name, "agent": agent, **_figures(runs), **told})
    progress("", len(cells), len(cells))
    found = pd.DataFrame(rows)
    found.attrs["cells"] = made_by
    return found


def _figures(runs: pd.DataFrame) -> dict[str, Any]:
    low, high = proportion_interval(int(runs["correct"].sum()), len(runs))
    return {
        "success": runs["correct"].mean(),
        "success_low": low,
        "success_high": high,
        "n_runs": len(runs),
        "interactions": runs["interactions"].mean(),
        "acceptances": runs["acceptances"].mean(),
    }


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
    bounds = any_agent_needs(pair, deltas)
    rows: list[dict[str, Any]] = []
    for delta, bound in zip(deltas, bounds, strict=True):
        n = max(standard_bandit_needs(instance, delta) for instance in (pair.nu, pair.nu_prime))
        rows.append(_row(delta, STANDARD_BANDIT, "exact", n, n))
        rows.append(_row(delta, ANY_AGENT, "bound", bound, bound))
        for agent, runs in measured.groupby("agent", sort=False):
            rows.append(_row(delta, str(agent), "measured", *_least(runs, risk("delta", delta))))
            rows[-1]["sees_rewards"] = bool(np.any(runs.get("sees_rewards", False)))
    return pd.DataFrame(rows)


def _row(delta: float, agent: str, kind: str, n: float, interactions: float) -> dict[str, Any]:
    n, interactions = float(n), float(interactions)  # an array has no integers as large as some
    row = {"delta": delta, "agent": agent, "kind": kind, "n": n, "interactions": interactions}
    return row | {"sees_rewards": False}


def _least(runs: pd.DataFrame, delta: float) -> tuple[float, float]:
    """Return the least N from which on the worse instance's success is enough, and the longer T."""
    both = runs.groupby("n").agg({"success": "min", "interactions": "max", "n_runs": "min"})
    enough = (both["success"] >= 1.0 - delta) & (both["n_runs"] * delta >= 10)
    lasting = enough[::-1].cummin()[::-1]
    if not lasting.any():
        return math.nan, math.nan
    n = lasting.idxmax()
    return float(n), float(both.loc[n, "interactions"])


MOST_PULLS = 10**300
"""The least gap that there may be takes fewer; of no more is a root a float."""


def standard_bandit_success(instance: Instance, pulls: int) -> float:
    """Return how often the best arm has the largest empirical mean after `pulls` of each arm.

    With rewards from N(mu_i, 1), seen: the integral of phi(z) prod_i Phi(z + sqrt(m) Delta_i).
    """
    best = instance.best_arm
    gaps = [gap for arm, gap in enumerate(instance.gaps) if arm != best]
    scaled = math.sqrt(integer("pulls", pulls, 0, MOST_PULLS)) * np.array(gaps)

    def density(z: float) -> float:
        return math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi) * float(np.prod(ndtr(z + scaled)))

    return float(quad(density, -12.0, 12.0, epsabs=1e-13, limit=200)[0])


def standard_bandit_needs(instance: Instance, delta: float) -> int:
    """Return the least number of pulls, evenly over all arms, that finds the best with 1 - delta.

    It is O(log 1/delta): for K = 2 about 4 z^2/Delta_1^2, z the (1 - delta) quantile of N(0, 1).

    Args:
        instance: the means, with one best arm.
        delta: allowed probability of a wrong answer, in (0, 1).
    """
    # Phi(-x) is at most exp(-x^2/2)/2, and an arm is above the best with Phi(-Delta_i sqrt(m/2)).
    gap = unique_gap(instance)
    certain = 4.0 * math.log((instance.n_arms - 1) / (2.0 * delta)) / gap / gap
    enough = 1
    while enough < certain and standard_bandit_success(instance, enough) < 1.0 - delta:
        enough *= 2
    too_few = enough // 2
    while enough - too_few > 1:
        middle = (enough + too_few) // 2
        if standard_bandit_success(instance, middle) < 1.0 - delta:
            too_few = middle
        else:
            enough = middle
    return instance.n_arms * enough


def any_agent_needs(
    pair: HardPair, deltas: Sequence[float], n_paths: int = 2000, seed: int = 0
) -> list[float]:
    """Return the least N_0, of `BOUND_GRID`, that could do for any agent: overlap <= 2 delta.

    With fewer acceptances it errs with more than delta under nu or nu', as half the probability of
    the history they share is more than that. Only nu' is looked at: under the nu that belongs to
    each N_0 the history is likelier.

    Args:
        pair: the two instances.
        deltas: each in (0, 1).
        n_paths: see `rejected_below`.
        seed: of the paths.
    """
    n_paths = count("n_paths", n_paths, 2, MOST_PATHS)
    n0s = [n0 for n0 in BOUND_GRID if n0 >= pair.n_arms]
    rejected = rejected_below(n0s, pair.alpha, pair.rho_1, pair.n_arms, n_paths, seed_number(seed))
    overlaps = [float(overlap_probability(row, pair.nu_prime).mean()) for row in rejected]
    return [
        next((float(n0) for n0, p in zip(n0s, overlaps, strict=True) if p <= 2.0 * delta), math.nan)
        for delta in deltas
    ]
