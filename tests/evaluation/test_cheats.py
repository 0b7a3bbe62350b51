"""Agents that look for the truth in what they are handed guess, and those told it are marked."""

import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from keepers import KeeperOfMany

import explorative_user_env as eu
from explorative_user_env import ExplorativeUserEnv, protocol
from explorative_user_env.protocol import Array

MANY: dict[str, Any] = {"n_arms": 20, "n_instances": 400, "progress": False}
LUCK = 0.086
"""A guess is right with chance .05; this is 3.3 standard errors above."""


class Cheat:
    """An agent that answers at once, or after a few steps, with what it has come by."""

    name, n_steps = "cheat", 0

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        self.n_arms, self.steps, self.found = n_arms, 0, 0
        self.look(rng)

    def act(self) -> int | None:
        return None if self.steps >= self.n_steps else self.steps % self.n_arms

    def observe(self, arm: int, accepted: bool) -> None:
        self.steps += 1

    def answer(self) -> int:
        return self.found

    def look(self, rng: np.random.Generator) -> None:
        """Look for the best arm."""


class Closure(Cheat):
    """Draws the means from every stream and every function's insides that it comes by."""

    def look(self, rng: np.random.Generator) -> None:
        method: Any = rng.standard_normal
        insides = [method.__self__, *(getattr(method, "__closure__", None) or ())]
        streams = [each for each in insides if isinstance(each, np.random.Generator)]
        self.found = int(streams[-1].standard_normal(self.n_arms).argmax())


class ReadsBases(KeeperOfMany):
    """Follows the `base` of every array that it is handed to numbers, a row for each arm."""

    name = "reads bases"

    def answer_all(self, users: Array) -> Array:
        answers = np.zeros(users.size, int)
        for handed in self.kept:
            for each in handed if isinstance(handed, tuple) else [handed]:
                while isinstance(each, np.ndarray):
                    if each.dtype.kind == "f" and each.shape[-1:] == (self.n_arms,):
                        answers = each.reshape(-1, self.n_arms)[users].argmax(axis=1)
                    each = each.base
        return answers


class RaisesTheFlag(Cheat):
    """Says in the middle of the run that it is there to see rewards."""

    n_steps = 40

    def __init__(self) -> None:
        self.told: list[float] = []

    def look(self, rng: np.random.Generator) -> None:
        self.best = -np.inf

    def observe(self, arm: int, accepted: bool) -> None:
        super().observe(arm, accepted)
        self.sees_rewards = self.steps < self.n_steps

    def learn(self, arm: int, reward: float) -> None:
        self.told.append(reward)
        if reward > self.best:
            self.best, self.found = reward, arm


class ReadsFrames(Cheat):
    """Looks up the stack for an environment."""

    def look(self, rng: np.random.Generator) -> None:
        frame: Any = sys._getframe()
        while frame is not None:
            for thing in frame.f_locals.values():
                env = getattr(thing, "env", thing)
                if isinstance(env, ExplorativeUserEnv):
                    self.found = env.instance().best_arm
            frame = frame.f_back


class Scribbles(KeeperOfMany):
    """Writes on what it is handed, to be asked about the users of its choice."""

    name = "keeper of many"  # so that its streams are the same

    def act_all(self, users: Array) -> Array:
        arms = super().act_all(users.copy())
        users[:] = 0
        return arms

    def observe_all(self, *handed: Array) -> None:
        super().observe_all(*(each.copy() for each in handed))
        for each in handed:
            each[:] = 0

    def answer_all(self, users: Array) -> Array:
        answers = super().answer_all(users.copy())
        users[:] = 0
        return answers


@pytest.mark.parametrize("task", [{"task": "bai"}, {"task": "regret", "horizon": 15}])
def test_an_agent_that_writes_on_what_it_is_handed_changes_no_run(task: dict[str, Any]) -> None:
    honest, other = (
        eu.evaluate([agent], n_instances=7, progress=False, n_arms=3, **task).runs
        for agent in (KeeperOfMany(), Scribbles())
    )
    pd.testing.assert_frame_equal(honest, other, check_exact=True)


@pytest.mark.parametrize("cheat", [Closure, ReadsBases, RaisesTheFlag])
def test_agents_that_cheat_by_what_they_are_handed_guess(cheat: Any) -> None:
    agent = cheat()
    (row,) = eu.evaluate([agent], **MANY).summary().to_dict("records")
    assert row["success"] <= LUCK
    assert getattr(agent, "told", []) == []


class SaysItSees(RaisesTheFlag):
    """Says from the start that it is there to see rewards."""

    sees_rewards = True

    def observe(self, arm: int, accepted: bool) -> None:
        self.steps += 1


def test_an_agent_of_ones_own_that_is_told_rewards_is_marked_and_not_ranked() -> None:
    agent = SaysItSees()
    found = eu.evaluate([agent, "UNI"], baseline_time=5, **MANY | {"n_instances": 20})
    summary = found.summary().set_index("agent")
    assert agent.told
    assert summary["sees_rewards"].to_dict() == {"cheat": True, "UNI": False}
    assert summary["rank"].isna().to_dict() == {"cheat": True, "UNI": False}
    assert "cheat†" in str(found)


def test_who_reads_the_frames_of_the_readable_loop_knows_all_as_the_protocol_says() -> None:
    """Python hides no frame from code that runs in it: a limit, not a promise."""
    (row,) = eu.evaluate([ReadsFrames()], **MANY | {"n_instances": 20}).summary().to_dict("records")
    assert row["success"] == 1.0
    assert "frames" in str(protocol.__doc__)
