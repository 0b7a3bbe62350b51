"""Agents that look for the truth in what they are handed guess, and those told it are marked."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from keepers import Keeper, KeeperOfMany

import explorative_user_env as eu

MANY = {"n_arms": 20, "n_instances": 400, "progress": False}
LUCK = 0.086
"""A guess is right with chance .05; this is 3.3 standard errors above."""


class Cheat:
    """Answers at once, or after some steps, with what it has come by."""

    name, n_steps = "cheat", 0

    def reset(self, n_arms, rng, horizon=None):
        self.n_arms, self.steps, self.found = n_arms, 0, 0
        self.look(rng)

    def act(self):
        return None if self.steps >= self.n_steps else self.steps % self.n_arms

    def observe(self, arm, accepted):
        self.steps += 1

    def answer(self):
        return self.found

    def look(self, rng):
        """Look for the best arm."""


class ReadsSeed(Cheat):
    """Draws the means anew from the seed of the stream that it is handed."""

    def look(self, rng):
        sequence = rng.bit_generator.seed_seq
        means = np.random.default_rng(sequence.entropy).standard_normal(self.n_arms)
        self.found = int(means.argmax())


class Closure(Cheat):
    """Draws the means from the streams inside the functions that it is handed."""

    def look(self, rng):
        method = rng.standard_normal
        insides = [method.__self__, *(getattr(method, "__closure__", None) or ())]
        streams = [each for each in insides if isinstance(each, np.random.Generator)]
        self.found = int(streams[-1].standard_normal(self.n_arms).argmax())


class ReadsBases(KeeperOfMany):
    """Follows the `base` of every array that it is handed to numbers, a row for each arm."""

    name = "reads bases"

    def answer_all(self, users):
        answers = np.zeros(users.size, int)
        for handed in self.kept:
            for each in handed if isinstance(handed, tuple) else [handed]:
                while isinstance(each, np.ndarray):
                    if each.dtype.kind == "f" and each.shape[-1:] == (self.n_arms,):
                        answers = each.reshape(-1, self.n_arms)[users].argmax(axis=1)
                    each = each.base
        return answers


class RaisesTheFlag(Cheat):
    """Says in the middle of the run that it sees rewards."""

    n_steps = 40

    def __init__(self):
        self.told = []

    def look(self, rng):
        self.best = -np.inf

    def observe(self, arm, accepted):
        super().observe(arm, accepted)
        self.sees_rewards = self.steps < self.n_steps

    def learn(self, arm, reward):
        self.told.append(reward)
        if reward > self.best:
            self.best, self.found = reward, arm


class Scribbles(KeeperOfMany):
    """Writes on what it is handed, to be asked about the users of its choice."""

    name = "keeper of many"  # so that its streams are the same

    def act_all(self, users):
        arms = super().act_all(users.copy())
        users[:] = 0
        return arms

    def observe_all(self, *handed):
        super().observe_all(*(each.copy() for each in handed))
        for each in handed:
            each[:] = 0

    def answer_all(self, users):
        answers = super().answer_all(users.copy())
        users[:] = 0
        return answers


FACTS = {"n_arms": 3, "n_instances": 7, "progress": False}
TASKS = [{"task": "bai"}, {"task": "regret", "horizon": 15}]


@pytest.mark.parametrize("task", TASKS)
def test_an_agent_that_writes_on_what_it_is_handed_changes_no_run(task):
    honest, other = (
        eu.evaluate([agent], **FACTS, **task).runs for agent in (KeeperOfMany(), Scribbles())
    )
    pd.testing.assert_frame_equal(honest, other, check_exact=True)


@pytest.mark.parametrize("cheat", [ReadsSeed, Closure, ReadsBases, RaisesTheFlag])
def test_agents_that_cheat_by_what_they_are_handed_guess(cheat):
    agent = cheat()
    (row,) = eu.evaluate([agent], **MANY).summary().to_dict("records")
    assert row["success"] <= LUCK
    assert getattr(agent, "told", []) == []


@pytest.mark.parametrize(("kind", "task"), [*zip((Keeper, KeeperOfMany), TASKS, strict=True)])
def test_an_agent_that_another_thread_uses_is_refused(kind, task):
    alone = eu.evaluate([kind()], **FACTS, **task).runs
    inside, go_on, agent = threading.Event(), threading.Event(), kind()
    begins = "reset" if kind is Keeper else "reset_all"
    reset = getattr(agent, begins)

    def waits(*handed):
        inside.set()
        assert go_on.wait(20.0)
        reset(*handed)

    setattr(agent, begins, waits)
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
