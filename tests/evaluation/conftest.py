"""Workers that several modules have runs done by."""

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A dask scheduler with two worker processes, which come again when they are lost."""
    distributed = pytest.importorskip("distributed")
    dask = pytest.importorskip("dask")
    few = {"distributed.scheduler.allowed-failures": 1}
    facts = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with (
        dask.config.set(few),
        distributed.LocalCluster(processes=True, silence_logs=50, **facts) as cluster,
    ):
        yield cluster
