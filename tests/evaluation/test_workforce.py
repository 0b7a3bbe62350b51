import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

import pytest
from joblib import parallel_config
from toy_agents import spy

import explorative_user_env as eu
from explorative_user_env import validation as extras
from explorative_user_env.evaluation.workers import dask_executor
from explorative_user_env.validation import MissingExtraError

ADDRESS = "tcp://127.0.0.1:8786"
POOL = ThreadPoolExecutor(1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"workers": 0}, "workers must be an integer of at least 1, got 0"),
        ({"executor": 7}, "executor must be a concurrent.futures.Executor, .* got 7"),
        (
            {"executor": POOL, "workers": 2},
            "workers must be left out beside an executor, which has workers of its own, got 2",
        ),
    ],
)
def test_what_means_nothing_together_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(eu.InvalidArgumentError, match=f"^{message}$"):
        eu.evaluate(["UNI"], baseline_time=5, n_instances=2, progress=False, **options)


def test_without_dask_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    message = r"^a dask cluster needs distributed: pip install"
    with pytest.raises(MissingExtraError, match=message), dask_executor(ADDRESS):
        pass


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"executor": POOL}, "agent must be one that can be sent to another process"),
        ({"workers": 2}, "agent must be one that can be sent to another process"),
        ({}, "agent must be one that can be sent to another process"),
    ],
)
def test_an_agent_that_cannot_be_sent_is_told_of_by_what_sends_it(
    options: dict[str, Any], message: str
) -> None:
    agent = spy()
    agent.name, agent.lock = "locked", threading.Lock()
    facts: dict[str, Any] = {"n_arms": 3, "n_instances": 20, "progress": False}
    assert len(eu.evaluate([agent], **facts).runs) == 20  # here there is no need to
    config = nullcontext() if options else parallel_config("threading", n_jobs=2)
    with (
        config,
        pytest.raises(eu.InvalidArgumentError, match=f"^{message} .*cannot pickle '_thread.lock'"),
    ):
        eu.evaluate([agent], **facts, **options)
