"""A worker is lost: the runs end with one line, and what was finished is kept."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import joblib
import pytest
from away import Deadly, done_by, gathered, spawned

import explorative_user_env as eu
from explorative_user_env.evaluation import workers
from explorative_user_env.evaluation.workers import PROCESSES, dask_executor
from explorative_user_env.validation import CallableError

pytestmark = pytest.mark.slow  # processes have to start


@pytest.mark.parametrize("where", ["ours", "dask", "executor"])
def test_a_lost_worker_ends_the_runs_in_a_line_and_the_next_call_works(
    where: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    how, crew = "TerminatedWorkerError", dict[str, Any](workers=2)
    block: AbstractContextManager[Any] = nullcontext()
    if where == "dask":
        block = dask_executor(request.getfixturevalue("cluster").scheduler_address)
        how = "KilledWorker"
    elif where == "executor":
        block, how = spawned(), "BrokenProcessPool"
    message = rf"^str lost its worker: {how}: .* \(finished runs are in the store, if .*\)$"
    with block as executor:
        crew = {"executor": executor} if executor else crew
        with pytest.raises(CallableError, match=message):
            done_by(Deadly(tmp_path, [5], times=99), PROCESSES, **crew)
        if where != "executor":  # which is broken, and its owner's
            assert len(gathered(tmp_path, PROCESSES, **crew)) == 2


def test_what_joblib_loses_is_told_of_in_a_line(tmp_path: Path) -> None:
    message = r"^str lost its worker: TerminatedWorkerError: .*"
    with (
        joblib.parallel_config("loky", n_jobs=2),
        pytest.raises(CallableError, match=message),
    ):
        done_by(Deadly(tmp_path, [5], times=99), PROCESSES)


def test_an_executor_that_is_shut_down_is_told_of_in_a_line() -> None:
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with pytest.raises(CallableError, match=r"^str lost its worker: BrokenExecutor: cannot sch"):
        done_by(sum, PROCESSES, executor=executor)


def test_no_scheduler_at_an_address_is_an_error_in_a_line() -> None:
    pytest.importorskip("distributed")
    message = r"^dask must be the address of a dask scheduler that answers \(.*, got 'nowhere'"
    with pytest.raises(eu.InvalidArgumentError, match=message), dask_executor("nowhere"):
        pass


def test_a_cluster_without_workers_is_told_of(
    cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed")
    told: list[str] = []
    monkeypatch.setattr(workers, "notice", told.append)
    monkeypatch.setattr(workers, "DESERTED", 1.0)
    facts: dict[str, Any] = {"dashboard_address": ":0", "silence_logs": 50}
    with (
        distributed.LocalCluster(n_workers=0, loop=cluster.loop, **facts) as empty,
        dask_executor(empty.scheduler_address) as executor,
    ):
        timer = threading.Timer(3.0, empty.scale, (1,))
        timer.start()
        assert done_by(sum, PROCESSES, executor=executor) == list(range(12))
        timer.join()
    assert told == ["no worker is at the dask scheduler; runs go on when one comes"]
