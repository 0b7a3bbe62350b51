import copy
import pickle
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

pytest.importorskip("numba")

from processes import python

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, EXP3, UCB1, Uniform
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


@pytest.mark.parametrize("plays", [False, True])
def test_numbers_of_users_and_agents_do_not_compile_in(plays: bool) -> None:
    # Looked at where kernels are kept in memory: on the disk, equal ones are the same anyway.
    kept: Any = kernels._compiled
    kept.cache_clear()
    few, many = (
        compiled_loop(agent.algorithm, constant(rho).rule, others.forgetful(window), no_law, plays)
        for agent, rho, window in [(Uniform(horizon=4), 1.0, 3), (Uniform(horizon=40), 2.0, 30)]
    )
    assert few is many
    assert kept.cache_info().misses == 1


@pytest.mark.parametrize("plays", [False, True])
def test_every_rule_of_agents_and_users_has_a_loop_of_its_own(plays: bool) -> None:
    made = [
        compiled_loop(agent.algorithm, rule, behaviour, no_law, plays)
        for agent in (UCB1(), EXP3())
        for rule in (ACCEPTANCE_RATE.rule, constant(1.0).rule)
        for behaviour in (EXPLORATIVE, others.forgetful(3), others.drifting(0.1))
    ]
    assert len({id(loop) for loop in made}) == len(made) == 12


def test_a_run_and_a_play_are_loops_apart() -> None:
    record, rule = UCB1().algorithm, ACCEPTANCE_RATE.rule
    run = compiled_loop(record, rule, EXPLORATIVE)
    assert run is not compiled_loop(record, rule, EXPLORATIVE, no_law, True)


MANY_THREADS = """
import sys
from threading import Barrier, Thread
import platformdirs
platformdirs.user_cache_dir = lambda *_, **__: sys.argv[1]
from numba.core import event
from explorative_user_env import evaluate
from explorative_user_env.agents import Uniform
compiled, sums, together = [], [], Barrier(8)
class Watch(event.Listener):
    def on_start(self, event):
        compiled.append(event.data["dispatcher"].py_func.__name__)
    def on_end(self, event):
        pass
event.register("numba:compile", Watch())
def work():
    together.wait()
    runs = evaluate([Uniform(horizon=9)], n_instances=3, seed=1, progress=False).runs
    sums.append(int(runs["acceptances"].sum()))
threads = [Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(sums), len(set(sums)), compiled.count("runs"))
"""


@pytest.mark.slow
def test_threads_that_all_ask_first_get_one_loop_compiled_once(tmp_path: Path) -> None:
    done = python("-c", MANY_THREADS, str(tmp_path), folder=tmp_path)
    assert (done.stdout, done.stderr) == ("8 1 1\n", "")


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
