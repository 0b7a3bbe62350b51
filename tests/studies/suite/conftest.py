"""The suite with few users, and two of its tasks with three agents."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from explorative_user_env.studies import suite_tasks as room
from explorative_user_env.studies.suite import SuiteResults, run_suite
from explorative_user_env.studies.suite_tasks import SUITE

TASKS = ("bai-k5", "regret-k5")
N_USERS = 24


@pytest.fixture(scope="module", autouse=True)
def _few_users() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "SUITE", tuple(replace(task, n_instances=N_USERS) for task in SUITE))
        yield


@pytest.fixture(scope="module")
def found(_few_users: None) -> SuiteResults:
    return run_suite(["BAIR", "UCB1"], tasks=TASKS, progress=False)
