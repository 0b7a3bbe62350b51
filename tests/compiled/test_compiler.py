"""Who compiles is told of it, is let go when they ask, and compiles nothing twice."""

import ctypes
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

pytest.importorskip("numba")

from explorative_user_env.kernels import compiler
from explorative_user_env.kernels.compiler import compile_loop, on_compiling, once
from explorative_user_env.validation import MissingExtraError

pytestmark = pytest.mark.usefixtures("nothing_kept")


@pytest.fixture
def said(monkeypatch):
    lines = []
    monkeypatch.setattr(compiler, "notice", lines.append)
    return lines


def loop_of_the_package():
    """A small loop that counts as one of the package, compiled when it is called."""
    names = {"__name__": "explorative_user_env.small"}
    exec("def loop(x):\n    return x + 1\n", names)
    return compile_loop(names["loop"])


@pytest.mark.slow
def test_an_interrupt_of_compiling_ends_it_even_where_python_loses_it():
    from numba.core import event

    def interrupt():
        raise KeyboardInterrupt

    class Interrupting(event.Listener):
        def on_start(self, event):
            ctypes.CFUNCTYPE(None)(interrupt)()  # C forgets what Python raises

        def on_end(self, event):
            pass

    loop = loop_of_the_package()  # the listener of this package is there, and comes first
    listening = event.install_listener("numba:compile", Interrupting())
    with listening, pytest.raises(KeyboardInterrupt):
        loop(1)


def test_whoever_compiles_is_told_of_it_once(said):
    loop = loop_of_the_package()
    assert said == []
    assert [loop(1), loop(2)] == [2, 3]
    assert said == [compiler.COMPILING]
    told = []
    with on_compiling(told.append):  # in place of the line
        assert loop(1.0) == 2.0
    assert len(said) == 1
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
    assert line.startswith(f"without numba ({reason}) everything runs in plain Python")


def test_whoever_asks_while_a_loop_is_made_waits_for_it():
    made = []

    def make(key):
        made.append(key)
        time.sleep(0.05)
        return object()

    with ThreadPoolExecutor(8) as pool:
        loops = list(pool.map(once(make), [1] * 4 + [2] * 4))
    assert sorted(made) == [1, 2]
    assert len(set(map(id, loops))) == 2


LIMIT = np.array([20])


def up_to_the_limit(x):
    return min(x, int(LIMIT[0]))


def test_a_loop_is_compiled_again_after_a_global_of_a_rule_has_changed():
    def make(rule):
        return compile_loop(lambda x: rule(x))

    asked, found = once(make), []
    for limit in (20, 20, 30):
        LIMIT[0] = limit
        assert asked(up_to_the_limit) is asked(up_to_the_limit)
        found.append(asked(up_to_the_limit)(99))
    assert found == [20, 20, 30]
