"""How much do two workers do? Runs a second by one and by two, and what a kept run takes on disk.

One and two workers take turns, round after round, and ratios are taken within a round: so a machine
whose speed drifts does so for all alike. One that others use as well has less than two cores to
give: so two processes that share nothing, and only count, are measured in each round beside them.
Takes about three minutes.
"""

import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, Uniform
from explorative_user_env.display.tables import Column, markdown, table

ROUNDS = 15
FAST_USERS = 50_000  # of a round, in compiled code
SLOW_USERS = 200  # of a round, in the readable loop
COUNTED = 20_000_000  # of a round, by each process that only counts
STORED_USERS = 20_000

COLUMNS = (
    Column("runs", left=True),
    Column("by", left=True),
    Column("a second, one worker, best round"),
    Column("two workers to one"),
    Column("who only count"),
    Column("of these"),
)

Round = Callable[[], int]
"""Does a round's work and returns how much that was."""


class Explorer:
    """An agent of one's own, which does not compile: every arm in turn, for 200 steps."""

    name = "explorer"

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        """Begin with a new user."""
        self.accepted, self.steps = [0] * n_arms, 0

    def act(self) -> int | None:
        """Recommend the next arm, or stop."""
        return self.steps % len(self.accepted) if self.steps < 200 else None

    def observe(self, arm: int, accepted: bool) -> None:
        """Count."""
        self.accepted[arm] += accepted
        self.steps += 1

    def answer(self) -> int:
        """Name the arm that was accepted most."""
        return self.accepted.index(max(self.accepted))


def main() -> None:
    """Print the table, and what a kept run takes."""
    rows = []
    with processes(1) as one, processes(2) as two:
        counting = [lambda: counted(one, 1), lambda: counted(two, 2)]
        threads = [{"workers": n} for n in (1, 2)]
        others = [{"executor": executor} for executor in (one, two)]
        for what, by, crews, agent, n_users in (
            ("BAIR, compiled", "threads", threads, BAIR(), FAST_USERS),
            ("UNI, compiled, 500 steps", "threads", threads, Uniform(horizon=500), FAST_USERS),
            ("UNI, compiled, 500 steps", "processes", others, Uniform(horizon=500), FAST_USERS),
            ("own agent, 200 steps", "processes", others, Explorer(), SLOW_USERS),
        ):
            meetings = [meeting(agent, n_users, crew) for crew in crews]
            rows.append((what, by, *measured(meetings, counting)))
    print(markdown(table(rows, COLUMNS)))
    print(f"A kept run takes {bytes_of_a_run():.0f} bytes.")


def processes(n_workers: int) -> ProcessPoolExecutor:
    """Return so many processes, which stay from round to round."""
    return ProcessPoolExecutor(n_workers, get_context("spawn"))


def meeting(agent: Any, n_users: int, crew: Mapping[str, Any]) -> Round:
    """Return a round in which an agent meets so many users."""

    def work() -> int:
        facts: Mapping[str, Any] = {"setting": "released", "progress": False}
        return len(eu.evaluate([agent], n_instances=n_users, **crew, **facts).runs)

    return work


def counted(executor: Executor, n_workers: int) -> int:
    """Have each worker count, and return how far they came together."""
    futures = [executor.submit(sum, range(COUNTED)) for _ in range(n_workers)]
    return sum(COUNTED for future in futures if future.result())


def measured(meetings: Sequence[Round], counting: Sequence[Round]) -> list[str]:
    """Return the best rate of one worker, and the medians of what two did in a round."""
    rates = np.array([[rate(work) for work in (*meetings, *counting)] for _ in range(ROUNDS + 1)])
    one, two, counts, both_count = rates[1:].T
    ratios, usual = two / one, both_count / counts
    shares = [with_quartiles(each) for each in (ratios, usual, ratios / usual)]
    return [f"{one.max():,.0f}", *shares]


def with_quartiles(values: Any) -> str:
    """Return a median and the quartiles around it."""
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return f"{middle:.2f} [{low:.2f}, {high:.2f}]"


def rate(work: Round) -> float:
    """Return how much of a round's work is done a second."""
    start = time.perf_counter()
    return work() / (time.perf_counter() - start)


def bytes_of_a_run() -> float:
    """Return what a run more takes in a file of runs."""
    with tempfile.TemporaryDirectory() as folder:
        sizes = []
        for n_users in (STORED_USERS, 2 * STORED_USERS):
            path = Path(folder) / f"{n_users}.sqlite"
            facts: Mapping[str, Any] = {"n_instances": n_users, "progress": False}
            eu.evaluate([Uniform(horizon=20)], store=path, **facts)
            sizes.append(path.stat().st_size)
    return (sizes[1] - sizes[0]) / STORED_USERS


if __name__ == "__main__":
    main()
