"""Speed of one and two workers in runs per second, and the size of a stored run.

One and two workers alternate, and each ratio is within one round, so a drift of the machine's speed
affects both. On a shared machine two cores are not fully available: as a reference, each round also
measures two independent processes that only count. The script takes about three minutes.
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
FAST_USERS = 50_000  # users per round in compiled code
SLOW_USERS = 200  # users per round in the readable loop
COUNTED = 20_000_000  # numbers that each counting process adds per round
STORED_USERS = 20_000

COLUMNS = (
    Column("runs", left=True),
    Column("workers", left=True),
    Column("runs/s, one worker, best round"),
    Column("two workers / one"),
    Column("counting processes, two / one"),
    Column("quotient of both"),
)

Round = Callable[[], int]
"""Does the work of a round and returns its amount."""


class Explorer:
    """A custom agent that does not compile: it recommends all arms in turn, for 200 steps."""

    name = "explorer"

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        """Start with a new user."""
        self.accepted, self.steps = [0] * n_arms, 0

    def act(self) -> int | None:
        """Recommend the next arm, or stop."""
        return self.steps % len(self.accepted) if self.steps < 200 else None

    def observe(self, arm: int, accepted: bool) -> None:
        """Count steps and acceptances."""
        self.accepted[arm] += accepted
        self.steps += 1

    def answer(self) -> int:
        """Return the arm with the most acceptances."""
        return self.accepted.index(max(self.accepted))


def main() -> None:
    """Print the table, and the size of a stored run."""
    rows = []
    with processes(1) as one, processes(2) as two:
        counting = [lambda: counted(one, 1), lambda: counted(two, 2)]
        threads = [{"workers": n} for n in (1, 2)]
        others = [{"executor": executor} for executor in (one, two)]
        for what, by, crews, agent, n_users in (
            ("BAIR, compiled", "threads", threads, BAIR(), FAST_USERS),
            ("UNI, compiled, 500 steps", "threads", threads, Uniform(horizon=500), FAST_USERS),
            ("UNI, compiled, 500 steps", "processes", others, Uniform(horizon=500), FAST_USERS),
            ("custom agent, 200 steps", "processes", others, Explorer(), SLOW_USERS),
        ):
            evaluations = [evaluation(agent, n_users, crew) for crew in crews]
            rows.append((what, by, *measured(evaluations, counting)))
    print(markdown(table(rows, COLUMNS)))
    print(f"A stored run takes {bytes_of_a_run():.0f} bytes.")


def processes(n_workers: int) -> ProcessPoolExecutor:
    """Return a pool of processes that persists over all rounds."""
    return ProcessPoolExecutor(n_workers, get_context("spawn"))


def evaluation(agent: Any, n_users: int, crew: Mapping[str, Any]) -> Round:
    """Return a round that evaluates an agent on `n_users` users."""

    def work() -> int:
        facts: Mapping[str, Any] = {"setting": "released", "progress": False}
        return len(eu.evaluate([agent], n_instances=n_users, **crew, **facts).runs)

    return work


def counted(executor: Executor, n_workers: int) -> int:
    """Let every worker count; return the total count."""
    futures = [executor.submit(sum, range(COUNTED)) for _ in range(n_workers)]
    return sum(COUNTED for future in futures if future.result())


def measured(evaluations: Sequence[Round], counting: Sequence[Round]) -> list[str]:
    """Return the best rate of one worker, and median ratios of two workers to one."""
    works = (*evaluations, *counting)
    rates = np.array([[rate(work) for work in works] for _ in range(ROUNDS + 1)])
    one, two, one_counts, two_count = rates[1:].T  # without the first round, which compiles
    ratios, reference = two / one, two_count / one_counts
    shares = [with_quartiles(each) for each in (ratios, reference, ratios / reference)]
    return [f"{one.max():,.0f}", *shares]


def with_quartiles(values: Any) -> str:
    """Return the median and the quartiles as text."""
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return f"{middle:.2f} [{low:.2f}, {high:.2f}]"


def rate(work: Round) -> float:
    """Return the work of a round per second."""
    start = time.perf_counter()
    return work() / (time.perf_counter() - start)


def bytes_of_a_run() -> float:
    """Return the bytes that one more run takes in a file of runs."""
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
