"""An agent with a user who follows a script, and two such runs side by side."""

from typing import Any

import numpy as np
import pytest
from specimens.agents import Honest, OutOfRange

from explorative_user_env.check import FailedCheckError
from explorative_user_env.check.agents import (
    ACCEPTING,
    REJECTING,
    Run,
    Situation,
    expect_alike,
    run_of,
)

THREE = Situation(3, 5, cap=6)
RUN = Run((0, 1, 2), (True, False, True), 2, True)


def test_runs_that_differ_are_told_apart_by_the_first_difference() -> None:
    expect_alike(RUN, RUN, THREE, "when asked again")
    for found, told in [
        (RUN._replace(arms=(0, 2, 2)), "recommended arm 2 instead of 1 at step 2 when asked again"),
        (RUN._replace(arms=(0, 1)), "stopped after 2 steps with answer 2"),
        (RUN._replace(stopped=False), "was cut off after 3 steps with answer 2"),
        (RUN._replace(answer=0), "stopped after 3 steps with answer 0"),
    ]:
        with pytest.raises(FailedCheckError, match=told) as caught:
            expect_alike(found, RUN, THREE, "when asked again")
        assert "(K = 3, seed 5, a user who accepts by chance)" in str(caught.value)


def test_a_run_ends_at_the_cap_or_where_the_agent_stops() -> None:
    cut = run_of(Honest(), Situation(2, 0, ACCEPTING, cap=7))
    assert cut.arms == (0, 1, 0, 1, 0, 1, 0)
    assert (cut.accepted, cut.answer, cut.stopped) == ((True,) * 7, 0, False)
    whole = run_of(Honest(), Situation(2, 0, REJECTING, cap=99))
    assert (len(whole.arms), any(whole.accepted), whole.stopped) == (20, False, True)


class Whole(Honest):
    """Speaks NumPy's integers, and is told with whom it was and what it got."""

    sees_rewards = True

    def __init__(self) -> None:
        self.told: list[Any] = []

    def begin(self, horizon: int | None) -> None:
        self.horizon = horizon

    def act(self) -> Any:
        arm = super().act()
        return None if arm is None else np.int32(arm)

    def learn(self, arm: int, reward: float) -> None:
        self.told.append((arm, reward))


def test_any_integer_is_an_arm_and_rewards_are_told_to_those_who_see_them() -> None:
    agent = Whole()
    run = run_of(agent, Situation(2, 0, cap=9, horizon=9))
    assert agent.horizon == 9
    assert [arm for arm, _ in agent.told] == [
        arm for arm, accepted in zip(run.arms, run.accepted, strict=True) if accepted
    ]
    assert {type(arm) for arm in run.arms} == {int}


def test_what_is_no_arm_is_told_with_its_step() -> None:
    allowed = r"act returned 3, must be an integer in 0\.\.2 or None \(at step 7: K = 3, seed 5"
    with pytest.raises(FailedCheckError, match=allowed):
        run_of(OutOfRange(), Situation(3, 5))
