"""An agent of one's own that does not stop is told of while there is time to do something."""

from typing import Any

import pandas as pd
import pytest
from toy_agents import Wanderer, tireless

import explorative_user_env as eu
from explorative_user_env.agents import BAIR

SMALL: dict[str, Any] = {"n_arms": 3, "n_instances": 5, "seed": 3, "progress": False}


@pytest.fixture(autouse=True)
def _a_cap_that_is_soon_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("explorative_user_env.protocol.STEP_CAP", 40)


def test_an_agent_that_never_stops_is_told_of_after_its_first_user() -> None:
    told: list[int] = []
    options = SMALL | {"progress": lambda what, done, total: told.append(done)}
    with pytest.warns(UserWarning, match="tireless") as warned:
        runs = eu.evaluate([tireless()], **options).runs
    (warning,) = warned
    assert str(warning.message) == (
        "tireless did not stop with the first user within 40 steps; of 5 "
        "users each may take as long: give a smaller max_steps=, to evaluate or as an attribute of "
        "tireless"
    )
    assert told == [0, 1, 2, 3, 4, 5]
    asked = eu.evaluate([tireless()], max_steps=40, **SMALL).runs
    pd.testing.assert_frame_equal(runs, asked)  # a word changes nothing


def test_it_is_told_before_the_others_are_met() -> None:
    agent = tireless()
    with pytest.raises(UserWarning, match="did not stop"):  # as all warnings are errors here
        eu.evaluate([agent], **SMALL)
    assert len([seen for seen in agent.seen if seen == (3, None)]) == 1


def test_users_in_step_are_told_of_when_none_was_done_with() -> None:
    with pytest.warns(UserWarning, match="wanderer did not stop with any of the first 5 users"):
        eu.evaluate([Wanderer(stops=0.0)], **SMALL)


@pytest.mark.parametrize(
    ("agent", "options"),
    [
        (tireless(), {"max_steps": 30}),  # somebody asked for it
        (tireless(30), {}),
        (tireless(), {"task": "regret", "horizon": 30}),  # nobody stops there
        (Wanderer(stops=0.1), {}),
        (BAIR(), {}),  # compiled: it takes no time
    ],
)
def test_nothing_is_said_where_there_is_nothing_to_say(agent: Any, options: dict[str, Any]) -> None:
    assert len(eu.evaluate([agent], **SMALL | options).runs) == 5
