"""The users of a tuning: portion after portion of new ones, whom BAIR meets with some N_1."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from explorative_user_env.agents import BAIR, AlgorithmAgent
from explorative_user_env.display.progress import OnProgress, silent
from explorative_user_env.evaluation import Results, Workforce, evaluate
from explorative_user_env.population import Population
from explorative_user_env.protocol import Array
from explorative_user_env.results.metrics import succeeded
from explorative_user_env.results.store import Store
from explorative_user_env.seeding import tuning_seed
from explorative_user_env.studies.tuning.records import TunedAgent

SEARCH, FRONTIER, CONFIRMATION = 0, 1, 2
"""Parts of a tuning; each has users of its own."""

FRONTIER_USERS = 2000

FIGURES = (
    "stopping_time",
    "stopping_time_low",
    "stopping_time_high",
    "success",
    "success_low",
    "success_high",
    "wrong",
    "censored",
    "n_runs",
)
"""What is kept of each N_1 of the frontier, as in `Results.summary`."""


@dataclass(frozen=True)
class Trials:
    """BAIR on the users of a cell; the attributes are the arguments of `evaluate`."""

    population: Population
    delta: float
    max_steps: int
    workers: int | Workforce
    seed: int
    store: Store | None = None

    def run(
        self, agents: Sequence[AlgorithmAgent], n_users: int, *place: int, progress: OnProgress
    ) -> Results:
        """Return what comes of these agents on the users of a place in the tuning."""
        return evaluate(
            agents,
            population=self.population,
            n_instances=n_users,
            seed=tuning_seed(self.seed, *place),
            delta=self.delta,
            max_steps=self.max_steps,
            workers=self.workers,
            store=self.store,
            progress=progress,
        )

    def tuned(self, n1: int) -> TunedAgent:
        """Return BAIR with this N_1."""
        return TunedAgent(n1, {"delta": self.delta})

    def successes(self, n1: int, candidate: int, portion: int, n_users: int) -> Array:
        """Return whether BAIR with this N_1 stopped and named the best arm, for each user."""
        place = (SEARCH, candidate, portion)
        aside = replace(self, store=self.store.aside() if self.store else None)
        runs = aside.run([self.tuned(n1)], n_users, *place, progress=silent).runs
        return np.asarray(succeeded(runs))

    def frontier(self, points: Sequence[int], progress: OnProgress) -> pd.DataFrame:
        """Return the figures of each of these N_1, all with the same users."""
        agents = [BAIR(n1=n1, delta=self.delta, name=f"N_1 = {n1}") for n1 in points]
        results = self.run(agents, FRONTIER_USERS, FRONTIER, progress=progress)
        found = results.summary().assign(n1=list(points))[["n1", *FIGURES]]
        found.attrs["cells"] = [results.cell]  # what made them
        return found

    def confirmation(self, n1: int, n_users: int, progress: OnProgress) -> pd.DataFrame:
        """Return the summary of this N_1 on users who took no part in anything before."""
        return self.run([self.tuned(n1)], n_users, CONFIRMATION, progress=progress).summary()
