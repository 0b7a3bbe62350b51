"""Runs are the same wherever they are done, and are done where who calls wants them."""

import os
import signal
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import joblib
import pandas as pd
import pytest
from away import gathered, pretend, spawned
from toy_agents import Wanderer, spy

import explorative_user_env as eu
from explorative_user_env.evaluation.workers import HERE, PROCESSES, THREADS, dask_executor
from explorative_user_env.protocol import TASKS

pytestmark = pytest.mark.slow  # processes have to start

FACTS: dict[str, Any] = {"n_arms": 3, "n_instances": 45, "seed": 3, "progress": False}


def runs_of_all(task: str, **options: Any) -> pd.DataFrame:
    """Runs of agents that compile, that meet many users, and of the readable loop."""
    limits: dict[str, dict[str, int]] = {
        "regret": {"horizon": 60},
        "bai": {"max_steps": 2000},
        "population": {"horizon": 30, "n_users": 3},
    }
    over: dict[str, Any] = {"task": task} | limits[task] | FACTS | options
    fast = eu.evaluate(["BAIR", "UNI", "EXP3", Wanderer(), spy()], **over)
    slow = eu.evaluate(["BAIR"], compiled=False, **over)
    return pd.concat([fast.runs, slow.runs], ignore_index=True)


@pytest.fixture(scope="module")
def expected() -> dict[str, pd.DataFrame]:
    return {task: runs_of_all(task) for task in TASKS}


Same = Callable[..., None]


@pytest.fixture(params=sorted(TASKS))
def same(request: pytest.FixtureRequest, expected: dict[str, pd.DataFrame]) -> Same:
    """What evaluates somewhere and compares the rows, to the bit."""

    def evaluates(**options: Any) -> None:
        found = runs_of_all(request.param, **options)
        pd.testing.assert_frame_equal(found, expected[request.param], check_exact=True)

    return evaluates


def test_rows_are_the_same_on_threads_and_processes(same: Same) -> None:
    same(workers=2)


@pytest.mark.parametrize("kind", [spawned, lambda: ThreadPoolExecutor(2)])
def test_rows_are_the_same_on_any_executor(same: Same, kind: Callable[[], Executor]) -> None:
    with kind() as executor:
        same(executor=executor)


@pytest.mark.parametrize("backend", ["threading", "loky", "multiprocessing"])
def test_rows_are_the_same_on_the_backend_of_a_parallel_config(same: Same, backend: str) -> None:
    with joblib.parallel_config(backend, n_jobs=2):
        same()


def test_rows_are_the_same_on_dask_with_a_worker_killed_midway(same: Same, cluster: Any) -> None:
    killed: list[int] = []

    def kill_one(what: str, n_done: int, n_all: int) -> None:
        if n_done and not killed:  # at the first rows: the others are on their way
            with cluster.get_client() as client:
                killed.append(min(client.run(os.getpid).values()))
            os.kill(killed[0], signal.SIGKILL)

    with dask_executor(cluster.scheduler_address) as executor:
        same(executor=executor, progress=kill_one)
    assert killed
    with cluster.get_client() as client:
        same(executor=client.get_executor(pure=False))
        with joblib.parallel_config("dask"):
            same()


@pytest.mark.parametrize("usual", [HERE, THREADS, PROCESSES])
@pytest.mark.parametrize(
    ("backend", "processes"), [("threading", 1), ("loky", 2), ("multiprocessing", 2), (None, 1)]
)
def test_no_backend_of_ours_overrides_an_outer_one(
    usual: str, backend: str | None, processes: int, tmp_path: Path
) -> None:
    config = {"n_jobs": 2} if backend is None else {"backend": backend, "n_jobs": 2}
    with joblib.parallel_config(**config):
        found = gathered(tmp_path, usual, n_workers=1 if backend is None else 2)
    assert len({process for process, _ in found}) == processes
    assert len(found) == (1 if backend is None else 2)


def test_a_process_of_another_version_is_refused_by_name() -> None:
    message = (
        r"^explorative-user-env of the worker .*:\d+ must be .*, as where the work is from, "
        r"got '0\.0\.9'$"
    )
    with spawned(initializer=pretend, initargs=("0.0.9",)) as executor:
        for compiled in (True, False):
            with pytest.raises(eu.InvalidArgumentError, match=message):
                eu.evaluate(["UNI"], baseline_time=5, executor=executor, compiled=compiled, **FACTS)
