"""Who compiles is told of it, is let go when they ask, and compiles nothing twice."""

import ctypes
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import gymnasium as gym
import numpy as np
import pytest

pytest.importorskip("numba")

from explorative_user_env.kernels import compiler
from explorative_user_env.kernels.compiler import (
    compile_loop,
    compiling_told,
    interrupts_heard,
    once,
)
from explorative_user_env.validation import MissingExtraError

pytestmark = pytest.mark.usefixtures("nothing_kept")


@pytest.fixture(autouse=True)
def _an_interrupt_is_an_error():
    """As it is in a program that was not started in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def said(monkeypatch):
    lines = []
    monkeypatch.setattr(compiler, "notice", lines.append)
    return lines


def out_of_c(raised):
    """Raise an error where C has called Python, which can only forget it."""

    def called():
        raise raised

    ctypes.CFUNCTYPE(None)(called)()


def lose_an_interrupt(failure=None):
    """Lose an interrupt, which is raised at the end of the block."""
    with interrupts_heard():
        out_of_c(KeyboardInterrupt)
        if failure is not None:
            raise failure


def loop_of_the_package():
    """A small loop that counts as one of the package, compiled when it is called."""
    names = {"__name__": "explorative_user_env.small"}
    exec("def loop(x):\n    return x + 1\n", names)
    return compile_loop(names["loop"])


def test_an_interrupt_that_was_lost_comes_again_whatever_it_made_fail():
    usual = sys.unraisablehook
    with pytest.raises(KeyboardInterrupt):
        lose_an_interrupt(RuntimeError("nothing was handed over"))
    with pytest.raises(KeyboardInterrupt):
        lose_an_interrupt()
    assert sys.unraisablehook is usual


@pytest.mark.slow
def test_an_interrupt_of_compiling_ends_it_even_if_it_is_lost():
    from numba.core import event

    events = event  # whose functions have no annotations
    lost = []

    class Losing(event.Listener):
        def on_start(self, event):
            if not lost:
                lost.append(True)
                out_of_c(KeyboardInterrupt)

        def on_end(self, event):
            """Nothing."""

    loop = loop_of_the_package()  # the listener of this package is there, and comes first
    losing = Losing()
    events.register("numba:compile", losing)
    try:
        with pytest.raises(KeyboardInterrupt):
            loop(1)
    finally:
        events.unregister("numba:compile", losing)
    assert lost


@pytest.mark.slow
def test_many_users_say_that_they_compile_and_only_then(said):
    envs = gym.make_vec("ExplorativeUser-v0", 64, rho=1.5)
    assert said == []
    envs.reset(seed=1)
    envs.step(envs.action_space.sample())
    assert set(said) == {compiler.COMPILING}
    said.clear()
    envs.reset(seed=2)
    envs.step(envs.action_space.sample())
    assert said == []


@pytest.mark.slow
def test_who_is_told_of_compiling_is_told_in_place_of_the_line(said):
    told = []
    with compiling_told(told.append):
        assert loop_of_the_package()(1) == 2
    assert said == []
    assert told == [True, False]


def test_a_compiler_that_does_not_load_is_told_with_its_reason(said, monkeypatch, tmp_path):
    (tmp_path / "numba.py").write_text("raise ImportError('Numba needs NumPy 9.9\\nor less')\n")
    for name in [name for name in sys.modules if name.partition(".")[0] == "numba"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    compiler.why_no_compiler.cache_clear()
    try:
        assert compiler.is_installed()
        assert not compiler.can_compile()
        with pytest.raises(MissingExtraError) as refused:
            compiler.require_compiler("this needs")
    finally:
        compiler.why_no_compiler.cache_clear()
    reason = "it cannot be imported (Numba needs NumPy 9.9 or less)"
    assert str(refused.value) == f"this needs numba, but {reason}: pip install numba"
    (line,) = said
    assert line.startswith(f"without numba ({reason}) all runs in plain Python")


def test_whoever_asks_while_a_loop_is_made_waits_for_it():
    begun, made = Barrier(8), list[int]()

    def make(key):
        made.append(key)
        time.sleep(0.01)
        return object()

    asked = once(make)

    def ask(key):
        begun.wait()
        return asked(key)

    with ThreadPoolExecutor(8) as pool:
        loops = list(pool.map(ask, [1] * 4 + [2] * 4))
    assert sorted(made) == [1, 2]
    assert len(set(map(id, loops))) == 2


LIMIT = np.array([20])


def up_to_the_limit(x):
    return min(x, int(LIMIT[0]))


def test_a_loop_is_compiled_again_after_a_global_of_a_rule_has_changed():
    def make(rule):
        return compile_loop(lambda x: rule(x))

    asked, found = once(make), list[int]()
    for limit in (20, 20, 30):
        LIMIT[0] = limit
        assert asked(up_to_the_limit) is asked(up_to_the_limit)
        found.append(asked(up_to_the_limit)(99))
    assert found == [20, 20, 30]
