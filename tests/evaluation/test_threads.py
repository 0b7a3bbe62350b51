"""An agent meets the users of one thread at a time: its memory is of these."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pandas as pd
import pytest
from keepers import Keeper, KeeperOfMany

import explorative_user_env as eu
from explorative_user_env.protocol import in_use

FACTS: dict[str, Any] = {"n_arms": 3, "n_instances": 4, "progress": False}


def waiting(kind: Any, inside: threading.Event, go_on: threading.Event) -> Any:
    """An agent that waits in the middle of its first meeting."""

    class Waiting(kind):  # type: ignore[misc]
        def reset(self, *handed: Any) -> None:
            super().reset(*handed)
            inside.set()
            assert go_on.wait(20.0)

        def reset_all(self, *handed: Any) -> None:
            super().reset_all(*handed)
            inside.set()
            assert go_on.wait(20.0)

    return Waiting()


@pytest.mark.parametrize("kind", [Keeper, KeeperOfMany])
@pytest.mark.parametrize("task", [{"task": "bai"}, {"task": "regret", "horizon": 9}])
def test_an_agent_that_another_thread_uses_is_refused(kind: Any, task: dict[str, Any]) -> None:
    alone = eu.evaluate([kind()], **FACTS, **task).runs
    inside, go_on = threading.Event(), threading.Event()
    agent = waiting(kind, inside, go_on)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(lambda: eu.evaluate([agent], **FACTS, **task).runs)
        assert inside.wait(20.0)
        try:
            with pytest.raises(eu.InvalidArgumentError, match="used by one thread at a time"):
                eu.evaluate([agent], **FACTS, **task)
        finally:
            go_on.set()
        runs = first.result(20.0)
    pd.testing.assert_frame_equal(runs, alone, check_exact=True)
    again = eu.evaluate([agent], **FACTS, **task).runs  # it is free again
    pd.testing.assert_frame_equal(again, alone, check_exact=True)


def test_an_agent_may_meet_users_within_a_meeting_and_is_free_after_an_error() -> None:
    agent = Keeper()

    def fails() -> None:
        with in_use(agent), in_use(agent):
            raise ArithmeticError("in a meeting")

    with pytest.raises(ArithmeticError, match="in a meeting"):
        fails()
    with ThreadPoolExecutor(1) as pool:
        assert len(pool.submit(lambda: eu.evaluate([agent], **FACTS).runs).result(20.0)) == 4
