"""Runs in compiled code end when another thread says so, and nothing else does it."""

import dataclasses
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba")


from shared import loop_of_one

from explorative_user_env.agents import Uniform, uniform
from explorative_user_env.evaluation.paths import Runs
from explorative_user_env.kernels.loops import steps_between_looks
from explorative_user_env.protocol import BAI, REGRET, Algorithm, Array, Task
from explorative_user_env.seeding import agent_generator, user_generator
from explorative_user_env.users.model import blank_state
from explorative_user_env.users.population import Population

VERY_LONG = 10**9


"""Steps that take ten seconds and more."""


SOON = tuple(0.05 * 2**k for k in range(7))


"""Seconds, tried in this order: on a machine with much to do a run may not have begun by then."""


@contextmanager
def halted_after(seconds: float) -> Iterator[Array]:
    halt = np.zeros(1, int)
    timer = threading.Timer(seconds, lambda: halt.fill(1))
    timer.start()
    yield halt
    timer.join()


@pytest.mark.parametrize("n_arms", [1000])
def test_a_run_of_very_many_steps_ends_when_another_thread_says_so(n_arms: int) -> None:
    users, agent = Population(n_arms=n_arms), Uniform(horizon=VERY_LONG)
    Runs(users, agent, 1).figures("compiled", [1])
    for seconds in SOON:
        with halted_after(seconds) as halt:
            found = Runs(users, agent, VERY_LONG).figures("compiled", [1, 2, 3], halt)
        taken = found["acceptances"] + found["rejections"]
        if taken[0]:
            break
    assert 0 < taken[0] < VERY_LONG
    assert taken[1:].tolist() == [0, 0]  # those that have not begun do not


@pytest.mark.parametrize(("task", "n_users"), [(BAI, 70), (REGRET, 1)])
def test_what_is_halted_before_it_begins_takes_no_step(task: Task, n_users: int) -> None:
    users, halt = Population(n_arms=3), np.ones(1, int)
    runs = Runs(users, Uniform(horizon=60), 60, 60, task)
    assert not runs.figures("compiled", range(n_users), halt)["acceptances"].any()


def halting(halt: Array, at: int) -> Algorithm:
    """UNI that says so itself, in plain Python, before it recommends at step `at`."""

    def act(params: Any, state: Any, rng: np.random.Generator) -> int:
        if state.steps[0] == at:
            halt[0] = 1
        return uniform.act(params, state, rng)

    return dataclasses.replace(uniform.ALGORITHM, act=act)


@pytest.mark.parametrize("n_arms", [300, 5000])
def test_the_loops_in_plain_python_look_as_often(n_arms: int) -> None:
    users, horizon = Population(n_arms=n_arms), 2000
    params, rule = Uniform(horizon=horizon).params(n_arms, None), users.schedule.rule
    every = steps_between_looks(n_arms)
    for at in (0, every - 1, every, 3 * every + 1):
        halt = np.zeros(1, int)
        algorithm = halting(halt, at)
        hers = (users.user, blank_state(users.user), user_generator(1))
        its = (params, algorithm.blank(params), agent_generator(1, "UNI"))
        run = loop_of_one(algorithm, rule, compiled=False)
        accepted, rejected, *_ = run(*hers, *its, horizon, halt)
        taken = (at // every + 1) * every
        assert accepted + rejected == taken
        steps = (np.full((1, horizon), -1), np.zeros((1, horizon), bool))
        halt[0] = 0
        play = loop_of_one(algorithm, rule, compiled=False, plays=True)
        play(*hers, *its, horizon, halt, steps)
        assert (steps[0] >= 0).sum() == taken
