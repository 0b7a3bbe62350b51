"""`tune_n1`: search for BAIR's N_1, see what it costs, and confirm it on fresh users."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
import pandas as pd

from explorative_user_env.agents.bair_thresholds import phase1_acceptances
from explorative_user_env.display.progress import OnProgress, shown
from explorative_user_env.evaluation import Workforce
from explorative_user_env.population import (
    Population,
    UserOptions,
    lists_user_options,
    population_of,
)
from explorative_user_env.results.store import Store
from explorative_user_env.seeding import number_of_users, seed_number
from explorative_user_env.studies.tuning.records import Estimate, TunedN1
from explorative_user_env.studies.tuning.search import Candidate, found, search
from explorative_user_env.studies.tuning.trials import Trials
from explorative_user_env.tasks import STEP_CAP
from explorative_user_env.users.state import User
from explorative_user_env.validation import LARGEST_COUNT, InvalidArgumentError, risk

LEAST_ERROR = 1e-100
"""An error that can be shared among all candidates there may be."""

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


@lists_user_options(n_arms=20, setting="released")
def tune_n1(
    *,
    delta: float = 0.1,
    error: float = 0.05,
    n_instances: int = 20_000,
    confirm: int = 10_000,
    max_steps: int = STEP_CAP,
    seed: int = 0,
    workers: int | Workforce = 1,
    progress: bool | OnProgress = True,
    on_candidate: Callable[[Candidate], object] = lambda candidate: None,
    store: Store | None = None,
    population: Population | None = None,
    **user: Unpack[UserOptions],
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
        delta: allowed probability of failure, in (0, 1).
        error: probability that the search may decide anything wrongly, in (0, 1).
        n_instances: the most users for a candidate, at least 1; without a decision by then it
            counts as not good enough.
        confirm: fresh users that success and stopping time of the N_1 found are measured on; at 0
            they are the frontier's.
        max_steps: step cap of a run.
        seed: what everything follows from, at least 0.
        workers: how many runs at once, or who does them; the numbers do not depend on it.
        progress: as in `evaluate`.
        on_candidate: called with each candidate of the search when it is done.
        store: what keeps the runs, if anything does.
        population: the users, as a record; or give its options:
        **user: the options of `Population`.

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
        NoneFoundError: if no candidate was decided to be good.
    """
    confirm = number_of_users(confirm, "confirm", 0)
    if risk("error", error) < LEAST_ERROR:
        raise InvalidArgumentError("error", error, f"at least {LEAST_ERROR:g}")
    n_instances = number_of_users(n_instances)
    users = population_of(population, user)
    first, top = _range(users.user, risk("delta", delta))
    trials = Trials(users, delta, max_steps, workers, seed_number(seed), store)
    with shown(progress) as report:
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
        frontier = trials.frontier(grid(n1, users.n_arms, top), report)
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
        cell=_cell(users, delta),
    )
    return Tuning(tuned, candidates, frontier)


def _range(user: User, delta: float) -> tuple[int, int]:
    """Return delta^(-1/alpha)/rho_0 and the paper's N_1, rounded up."""
    paper = phase1_acceptances("paper", user.n_arms, delta, user.alpha, user.rho_0)
    if paper > LARGEST_COUNT:
        allowed = f"large enough for the paper's N_1 to be at most {LARGEST_COUNT}"
        raise InvalidArgumentError("alpha", user.alpha, allowed)
    return math.ceil(paper * (2 * user.n_arms) ** (-1 / user.alpha)), math.ceil(paper)


def _cell(users: Population, delta: float) -> dict[str, Any]:
    """Return who the users are, as words and numbers that a file can keep."""
    words = {"delta": float(delta), **users.words()}
    return words | ({"rho": None} if users.rho is None else {})


def grid(n1: int, n_arms: int, top: int) -> list[int]:
    """Return the N_1 of the frontier: 0, a geometric grid to the paper's, K and the one found."""
    points = np.geomspace(1, top, GRID_POINTS).round().astype(int).tolist()
    return sorted({0, *points, min(n_arms, top), n1, top})
