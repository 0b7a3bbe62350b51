"""Agents that look for the truth in what they are handed guess, and those told it are marked."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from keepers import Keeper, KeeperOfMany

import explorative_user_env as eu


class ReadsSeed:
    """Draws the means anew from the seed of the stream that it is handed, and answers at once."""

    name = "reads seed"

    def reset(self, n_arms, rng, horizon=None):
        again = np.random.default_rng(rng.bit_generator.seed_seq.entropy)
        self.found = int(again.standard_normal(n_arms).argmax())

    def act(self):
        return None

    def observe(self, arm, accepted):
        raise AssertionError

    def answer(self):
        return self.found


class RaisesTheFlag(Keeper):
    """Says in the middle of the run that it sees rewards, and answers where they are largest."""

    told = ()

    def reset(self, *handed):
        super().reset(*handed)
        self.best, self.found = -np.inf, 0

    def observe(self, arm, accepted):
        super().observe(arm, accepted)
        self.sees_rewards = self.steps < 12  # the last

    def learn(self, arm, reward):
        self.told = (*self.told, reward)
        if reward > self.best:
            self.best, self.found = reward, arm

    def answer(self):
        return self.found


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


@pytest.mark.parametrize("cheat", [ReadsSeed, RaisesTheFlag])
def test_agents_that_cheat_by_what_they_are_handed_guess(cheat):
    agent = cheat()
    results = eu.evaluate([agent], n_arms=20, n_instances=400, progress=False)
    # A guess is right with chance .05; this is 3.3 standard errors above.
    assert results.summary().loc[0, "success"] <= 0.086
    assert getattr(agent, "told", ()) == ()


@pytest.mark.parametrize(("kind", "task"), [*zip((Keeper, KeeperOfMany), TASKS, strict=True)])
def test_an_agent_that_another_thread_uses_is_refused(kind, task):
    agent, refusals = kind(), []
    begins = "reset" if kind is Keeper else "reset_all"
    reset = getattr(agent, begins)

    def runs():
        return eu.evaluate([agent], **FACTS, **task).runs

    def asked_elsewhere(*handed):
        refusals.append(pool.submit(runs).exception(20.0))
        reset(*handed)

    with ThreadPoolExecutor(1) as pool:
        alone = pool.submit(runs).result(20.0)
        setattr(agent, begins, asked_elsewhere)
        pd.testing.assert_frame_equal(runs(), alone, check_exact=True)
        assert {type(each) for each in refusals} == {eu.InvalidArgumentError}
        assert all("used by one thread at a time" in str(each) for each in refusals)
        setattr(agent, begins, reset)
        pd.testing.assert_frame_equal(pool.submit(runs).result(20.0), alone, check_exact=True)
