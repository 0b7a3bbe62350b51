import os
import pickle
import platform
import re
from collections.abc import Callable

import numpy as np
import platformdirs
import pytest
from planted import Planted
from processes import python

numba = pytest.importorskip("numba")
llvmlite = pytest.importorskip("llvmlite")


from explorative_user_env.kernels import cache
from explorative_user_env.kernels.cache import APPLICATION, FOLDER
from explorative_user_env.kernels.compiler import compile_loop

Answer = Callable[..., int]

needs_modes = pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")

THEIRS = """
def plain():
    return {plain}
@numba.njit
def compiled():
    return {compiled}
def rule(x):
    return x + {own} + NUMBER + plain() + compiled()
"""
"""Everything that may go into a loop."""


def make_loop(rule):
    def loop(x):
        return rule(x)

    return loop


def a_rule(x):
    return x + 1


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """An empty folder for loops, in force whatever variable says so on this system."""
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda name, **_: str(tmp_path / name))
    return tmp_path / APPLICATION / FOLDER


def hits(loop):
    """Return how often a loop was compiled, and how often it was there."""
    return loop.stats.cache_misses.total(), loop.stats.cache_hits.total()


def loop_of_theirs(**numbers):
    """Return a loop with some numbers in it, written anew as in an edited file."""
    usual = dict.fromkeys(("own", "number", "plain", "compiled"), 0) | numbers
    names = {"__name__": "theirs", "numba": numba, "NUMBER": usual["number"]}
    exec(THEIRS.format(**usual), names)
    loop = compile_loop(make_loop(names["rule"]))
    return loop


@pytest.fixture
def warned_anew():
    cache._warn.cache_clear()
    yield
    cache._warn.cache_clear()


def test_a_loop_whose_file_is_broken_is_compiled_anew_and_kept(kept):
    assert compile_loop(make_loop(a_rule))(5) == 6
    (path,) = kept.iterdir()
    whole = path.read_bytes()
    for text in (b"", b"garbage", whole[: len(whole) // 2]):
        path.write_bytes(text)
        broken, mended = (compile_loop(make_loop(a_rule)) for _ in range(2))
        assert (broken(5), hits(broken)) == (6, (1, 0))
        assert (mended(5), hits(mended)) == (6, (0, 1))


@needs_modes
@pytest.mark.usefixtures("warned_anew")
def test_what_somebody_else_has_put_into_a_shared_folder_is_not_run(kept, tmp_path):
    assert compile_loop(make_loop(a_rule))(5) == 6
    (path,) = kept.iterdir()
    path.write_bytes(pickle.dumps(Planted(tmp_path / "ran")))
    kept.chmod(0o777)
    loop = compile_loop(make_loop(a_rule))
    with pytest.warns(UserWarning, match="cannot be kept in .* .others may write to it.") as told:
        assert loop(5) == 6
    assert len(told) == 1
    assert compile_loop(make_loop(a_rule))(5) == 6  # and is told of once
    assert not (tmp_path / "ran").exists()


@pytest.mark.slow
def test_a_loop_kept_on_disk_is_taken_again_unless_anything_in_it_has_changed(kept):
    for count, part in enumerate(["own", "number", "plain", "compiled"]):
        first, again = loop_of_theirs(**{part: 1}), loop_of_theirs(**{part: 1})
        assert (first(0), again(0)) == (1, 1)
        assert [hits(first), hits(again)] == [(1, 0), (0, 1)]
        assert len([*kept.iterdir()]) == count + 1


def test_what_another_version_compiled_is_not_taken(kept, monkeypatch):
    others = [
        (np, "__version__", np.__version__),
        (numba, "__version__", "0.1"),
        (llvmlite, "__version__", "0.1"),
        (np, "__version__", "0.1"),
        (platform, "python_version", lambda: "3.0.0"),
    ]
    for count, (of, name, value) in enumerate(others):
        monkeypatch.setattr(of, name, value)
        assert compile_loop(make_loop(a_rule))(1) == 2
        assert len([*kept.iterdir()]) == count + 1


def test_what_has_no_key_is_compiled_in_memory(kept, monkeypatch):
    strange = np.zeros(2, [("x", "i8")]).view(np.recarray)

    def strange_rule(x):
        return x + len(strange)

    def scripted_rule(x):
        return x + 2

    # In another process, "__main__" is another script.
    monkeypatch.setattr(scripted_rule, "__module__", "__main__")
    for rule in (strange_rule, scripted_rule):
        assert compile_loop(make_loop(rule))(5) == 7
    assert not kept.exists()


@pytest.mark.usefixtures("warned_anew")
def test_a_loop_runs_where_it_cannot_be_kept_and_says_so_once(kept):
    kept.parent.mkdir()
    kept.write_text("in the way")
    with pytest.warns(UserWarning, match="cannot be kept in") as told:
        assert [compile_loop(make_loop(a_rule))(5) for _ in range(2)] == [6, 6]
    assert len(told) == 1


NO_HOME = """
import os, pwd
for name in ("HOME", "XDG_CACHE_HOME"):
    os.environ.pop(name, None)
def nobody(number):
    raise KeyError(number)
pwd.getpwuid = nobody
from explorative_user_env.kernels.compiler import compile_loop
from explorative_user_env.users.model import constant_rule
print(compile_loop(constant_rule)((1.5,), 1, 1, 2))
"""

NO_COMPILER = """
import os
os.environ["NUMBA_DISABLE_JIT"] = "1"
from explorative_user_env import evaluate
runs = evaluate(["UNI"], baseline_time=9, n_instances=3, seed=1, progress=False).runs
print(len(runs))
"""


@needs_modes
@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "printed", "told"),
    [
        (NO_HOME, "1.5", "cannot be kept in ~.*there is no home folder"),
        (NO_COMPILER, "3", "UNI does not compile.*by NUMBA_DISABLE_JIT"),
    ],
    ids=["no home", "no compiler"],
)
def test_a_process_without_a_home_or_a_compiler_goes_on_and_says_so_once(
    tmp_path, script, printed, told
):
    done = python("-c", script, folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, f"{printed}\n"), done.stderr
    assert re.search(told, done.stderr, re.DOTALL)
    assert done.stderr.count("Warning:") == 1
    assert list(tmp_path.iterdir()) == []
