"""Workers are lost, and their chunks are done again; who loses all of them is told of."""

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import joblib
import pytest
from away import Deadly, done_by, gathered, spawned

import explorative_user_env as eu
from explorative_user_env.evaluation.workers import PROCESSES, Workforce

pytestmark = pytest.mark.slow  # processes have to start


def test_a_lost_worker_of_ours_is_replaced_and_its_chunk_done_again(tmp_path: Path) -> None:
    deadly = Deadly(tmp_path, [5], times=2)
    assert done_by(Workforce(2), deadly, PROCESSES) == list(range(12))
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("where", ["ours", "dask", "executor"])
def test_a_chunk_that_ends_every_worker_is_told_of_in_a_line(
    where: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    how, seed = " 4 times: TerminatedWorkerError", "5"
    workforce = Workforce(2)
    block: AbstractContextManager[Any] = nullcontext()
    if where == "dask":
        address = request.getfixturevalue("cluster").scheduler_address
        workforce, how = Workforce(backend="dask", scheduler=address), ": KilledWorker"
    elif where == "executor":
        executor = spawned()
        block, workforce = executor, Workforce(executor=executor)
        how, seed = ": BrokenProcessPool", r"\d"  # all that it has is lost with a worker
    message = rf"^str lost its worker{how}: .* \(with 1 of the users, that of seed {seed} first\)$"
    with block, pytest.raises(eu.CallableError, match=message):
        done_by(workforce, Deadly(tmp_path, [5], times=99), PROCESSES)
    if where != "executor":  # which is broken, and its owner's
        assert len(gathered(workforce, tmp_path, PROCESSES)) == 2


def test_what_joblib_loses_is_told_of_in_a_line(tmp_path: Path) -> None:
    message = r"^str lost its worker: TerminatedWorkerError: .* \(joblib's LokyBackend\)$"
    with (
        joblib.parallel_config("loky", n_jobs=2),
        pytest.raises(eu.CallableError, match=message),
    ):
        done_by(Workforce(), Deadly(tmp_path, [5], times=99), PROCESSES)


def test_no_scheduler_at_an_address_is_an_error_in_a_line() -> None:
    pytest.importorskip("distributed")
    workforce = Workforce(backend="dask", scheduler="nowhere")
    message = r"^scheduler must be the address of a dask scheduler that answers \(.*, got 'nowhere'"
    with pytest.raises(eu.InvalidArgumentError, match=message):
        done_by(workforce, Deadly(Path(), [], times=0), PROCESSES)
