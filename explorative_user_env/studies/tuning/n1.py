"""`tune_n1`: search for BAIR's N_1, see what it costs, and confirm it on fresh users."""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from explorative_user_env.agents.bair_thresholds import phase1_acceptances
from explorative_user_env.display.progress import OnProgress, progress_bar, silent
from explorative_user_env.settings import Setting, as_setting, user_of
from explorative_user_env.studies.tuning.records import CELL, Estimate, TunedN1
from explorative_user_env.studies.tuning.search import Candidate, found, search
from explorative_user_env.studies.tuning.trials import Trials
from explorative_user_env.users.confidence import Schedule
from explorative_user_env.users.instances import InstanceLaw, Means
from explorative_user_env.validation import integer, risk

GRID_POINTS = 10


@dataclass(frozen=True)
class Tuning:
    """What `tune_n1` found.

    Attributes:
        tuned: the N_1 with its figures.
        candidates: what the search tried, in order.
        frontier: one row an N_1, the least first: `n1`, and as in `Results.summary` the
            `stopping_time`, `success`, `wrong` and `censored` with `n_runs` users, the same for
            all rows.
    """

    tuned: TunedN1
    candidates: Sequence[Candidate]
    frontier: pd.DataFrame

    def search(self) -> pd.DataFrame:
        """Return one row a candidate, in the order they were tried."""
        rows = []
        for candidate in self.candidates:
            low, high = candidate.success_interval
            figures = {"success": candidate.success, "success_low": low, "success_high": high}
            rows.append({**vars(candidate), **figures})
        return pd.DataFrame(rows)

    @property
    def fastest(self) -> int:
        """The N_1 with the least stopping time among those of the frontier that succeed.

        These are the ones whose interval of success is at or above 1 - delta, and the N_1 found.
        A shorter Phase 1 does not always make a shorter run: it may lead to a longer Phase 2.
        """
        rows = self.frontier
        succeeds = rows["success_low"] >= 1.0 - self.tuned.cell["delta"]
        kept = rows[succeeds | (rows["n1"] == self.tuned.n1)]
        return int(kept.loc[kept["stopping_time"].idxmin(), "n1"])


def tune_n1(
    *,
    n_arms: int = 20,
    delta: float = 0.1,
    alpha: float = 1.0,
    gap: float | None = None,
    noise: float = 0.0,
    setting: Setting | str = "released",
    means: Means | None = None,
    rho: Schedule | str | float | None = None,
    error: float = 0.05,
    n_instances: int = 20_000,
    confirm: int = 10_000,
    max_steps: int = 1_000_000,
    seed: int = 0,
    workers: int = 1,
    progress: bool | OnProgress = True,
    on_candidate: Callable[[Candidate], object] = lambda candidate: None,
) -> Tuning:
    """Return the least N_1 with which BAIR succeeds with probability at least 1 - delta.

    Binary search over the integers from 0 to the paper's N_1 = (2K/delta)^(1/alpha)/rho_0, from
    delta^(-1/alpha)/rho_0 on, which the paper proposes and takes to be necessary for the hardest
    users ("The optimal choice of N_1"). A candidate meets new users until a sequential test knows
    whether its success is at least 1 - delta.

    With probability at least 1 - `error`, the N_1 found has a success of at least 1 - delta, and
    each candidate decided "bad" has less; see `tuning.search`. Success is over the instances and
    users of this cell, not for the hardest of them, as the paper's bound is. A run that `max_steps`
    ends is none.

    Args:
        n_arms: K, at least 2.
        delta: allowed probability of failure, in (0, 1).
        alpha: the users' willingness to explore, above 0.
        gap: Delta_1 > 0; None is 0.5, or leaves given means as they are.
        noise: probability in [0, 1] that a decision is a coin flip.
        setting: "printed" (the paper's text), "released" (its code), or a `Setting`.
        means: law of the means, as in `InstanceLaw`; None is the setting's.
        rho: schedule of rho_t, as in `gym.make`; None is the setting's.
        error: probability that the search may decide anything wrongly, in (0, 1).
        n_instances: the most users for a candidate, at least 1; without a decision by then it
            counts as not good enough.
        confirm: fresh users that success and stopping time of the N_1 found are measured on; at 0
            they are the frontier's.
        max_steps: step cap of a run.
        seed: what everything follows from, at least 0.
        workers: how many runs at once; the numbers do not depend on it.
        progress: as in `evaluate`.
        on_candidate: called with each candidate of the search when it is done.

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
        NoneFoundError: if no candidate was decided to be good.
    """
    integer("confirm", confirm, 0)
    risk("error", error)
    integer("n_instances", n_instances, 1)
    setting = as_setting(setting)
    user, schedule = user_of(setting, n_arms, alpha, noise, rho)
    law = InstanceLaw(n_arms, setting.means if means is None else means, gap)
    first, top = _range(user.n_arms, risk("delta", delta), user.alpha, schedule.low)
    cell = {"setting": setting, "n_arms": n_arms, "delta": delta, "alpha": alpha}
    cell |= {"gap": gap, "noise": noise, "means": means, "rho": rho}
    options = cell | {"max_steps": max_steps, "workers": workers}
    trials = Trials(options, integer("seed", seed, 0))
    with ExitStack() as stack:
        report = progress if callable(progress) else silent
        if progress is True:
            report = stack.enter_context(progress_bar())
        candidates = search(
            trials.successes,
            first,
            top,
            delta=delta,
            error=error,
            cap=n_instances,
            on_users=lambda n1, n: report(f"N_1 = {n1}", n, n_instances),
            on_candidate=on_candidate,
        )
        n1, interval = found(candidates, delta)
        frontier = trials.frontier(grid(n1, user.n_arms, top), report)
        fresh = frontier[frontier["n1"] == n1]
        if confirm:
            fresh = trials.confirmation(n1, confirm, report)
    tuned = TunedN1(
        n1=n1,
        interval=interval,
        success=Estimate.of(fresh.iloc[0], "success"),
        stopping_time=Estimate.of(fresh.iloc[0], "stopping_time"),
        censored=float(fresh.iloc[0]["censored"]),
        n_fresh=int(fresh.iloc[0]["n_runs"]),
        paper_n1=top,
        paper_stopping_time=Estimate.of(frontier.iloc[-1], "stopping_time"),
        error=float(error),
        n_runs=sum(candidate.n_runs for candidate in candidates),
        n_instances=int(n_instances),
        seed=int(seed),
        cell=_in_words(cell, law),
    )
    return Tuning(tuned, candidates, frontier)


def _range(n_arms: int, delta: float, alpha: float, rho_0: float) -> tuple[int, int]:
    """Return delta^(-1/alpha)/rho_0 and the paper's N_1, rounded up."""
    paper = phase1_acceptances("paper", n_arms, delta, alpha, rho_0)
    return math.ceil(paper * (2 * n_arms) ** (-1 / alpha)), math.ceil(paper)


def _in_words(cell: Mapping[str, Any], law: InstanceLaw) -> dict[str, Any]:
    """Return the cell as words and numbers that a file can keep."""
    setting, means, rho = cell["setting"], cell["means"], cell["rho"]
    if means is None:
        means = setting.means
    elif not isinstance(means, str):
        means = law.given or getattr(means, "__qualname__", type(means).__name__)
    if isinstance(rho, Schedule):
        rho = f"{rho.rule.__name__}{rho.parameters}"
    elif rho is not None and not isinstance(rho, str):
        rho = float(rho)
    numbers = {name: float(cell[name]) for name in ("delta", "alpha", "noise")}
    words = {"setting": setting.name, "n_arms": law.n_arms, "means": means, "rho": rho}
    return {name: (words | numbers | {"gap": law.gap})[name] for name in CELL}


def grid(n1: int, n_arms: int, top: int) -> list[int]:
    """Return the N_1 of the frontier: 0, a geometric grid to the paper's, K and the one found."""
    points = np.geomspace(1, top, GRID_POINTS).round().astype(int).tolist()
    return sorted({0, *points, min(n_arms, top), n1, top})
