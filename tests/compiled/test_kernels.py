import copy
import pickle
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

pytest.importorskip("numba")


import explorative_user_env as eu
from explorative_user_env.agents import BAIR, EXP3, UCB1
from explorative_user_env.kernels import loops as kernels
from explorative_user_env.kernels.compiler import once
from explorative_user_env.kernels.loops import compiled_loop
from explorative_user_env.users import behaviours as others
from explorative_user_env.users.behaviours import EXPLORATIVE
from explorative_user_env.users.model import ACCEPTANCE_RATE, constant, no_law

SMALL: dict[str, Any] = {"n_arms": 3, "n_instances": 25, "seed": 11, "progress": False}


def test_a_copied_or_pickled_agent_runs_the_loop_that_is_compiled_already() -> None:
    kernels._compiled.cache_clear()  # type: ignore[attr-defined]
    agents = [BAIR(), copy.deepcopy(BAIR()), pickle.loads(pickle.dumps(BAIR()))]
    runs = [eu.evaluate([agent], **SMALL).runs for agent in agents]
    assert runs[0].equals(runs[1])
    assert runs[0].equals(runs[2])
    assert kernels._compiled.cache_info().misses == 1  # type: ignore[attr-defined]


def test_whoever_asks_while_a_loop_is_made_waits_for_it() -> None:
    begun, made = Barrier(8), list[int]()

    def make(key: int) -> object:
        made.append(key)
        time.sleep(0.01)
        return object()

    asked = once(make)

    def ask(key: int) -> object:
        begun.wait()
        return asked(key)

    with ThreadPoolExecutor(8) as pool:
        loops = list(pool.map(ask, [1] * 4 + [2] * 4))
    assert sorted(made) == [1, 2]
    assert len(set(map(id, loops))) == 2


def test_rules_and_not_numbers_of_users_and_agents_compile_in() -> None:
    # Looked at where kernels are kept in memory: on the disk, equal ones are the same anyway.
    made = [
        compiled_loop(agent.algorithm, rule, behaviour, no_law, plays)
        for agent in (UCB1(), UCB1(exploration=0.3), EXP3())
        for rule in (ACCEPTANCE_RATE.rule, constant(1.0).rule, constant(2.0).rule)
        for behaviour in (EXPLORATIVE, others.forgetful(3), others.forgetful(30))
        for plays in (False, True)
    ]
    assert len({id(loop) for loop in made}) == 2 * 2 * 2 * 2
