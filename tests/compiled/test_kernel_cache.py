"""Compiled loops that are kept on disk: what their key depends on, and when they are taken."""

import enum
import functools
import math
import os
import pickle
import platform
import re
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import platformdirs
import pytest
from planted import Planted
from processes import python

numba = pytest.importorskip("numba")

import llvmlite

from explorative_user_env.kernels import cache
from explorative_user_env.kernels.cache import (
    APPLICATION,
    FOLDER,
    UndescribedError,
    fingerprint,
    fingerprint_of_types,
)
from explorative_user_env.kernels.compiler import compile_loop

needs_modes = pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")


class Colour(enum.Enum):
    RED = 1
    GREEN = 2


class Number(enum.IntEnum):
    ONE = 1
    TWO = 2


class Pair(NamedTuple):
    first: Any
    second: Any


class Couple(NamedTuple):
    first: Any
    second: Any


def loop_with(constant):
    return lambda: constant


def module_rule(x):
    return x * 3.0


def key(constant):
    return fingerprint(loop_with(constant), {})


CLOSE = [
    *((1, 1.0), (1, True), (0.0, -0.0), (0.1 + 0.2, 0.3)),
    *((1, np.int64(1)), (np.int32(1), np.int64(1)), (1.0, np.float64(1.0))),
    *(("a", b"a"), ("a", np.str_("a")), (("ab", "c"), ("a", "bc"))),
    *(((1, (2,)), ((1, 2),)), ((1,), (1, None)), (np.zeros(2), (0.0, 0.0))),
    *((Colour.RED, Colour.GREEN), (Number.ONE, 1), (Number.ONE, Number.TWO)),
    *((Pair(1, 2), (1, 2)), (Pair(1, 2), Couple(1, 2))),
    *((np.zeros(2), np.zeros((2, 1))), (np.zeros(2, "<f8"), np.zeros(2, ">f8"))),
    (np.zeros((2, 2)), np.asfortranarray(np.zeros((2, 2)))),
    (np.arange(1500), np.where(np.arange(1500) == 700, 0, np.arange(1500))),
    *((math.sin, math.cos), (np.sin, np.cos), (ValueError, IndexError), (math, np)),
    (np.dtype("f8"), np.dtype("f4")),
    (numba.njit(module_rule), module_rule),
    (numba.njit(module_rule), numba.njit(fastmath=True)(module_rule)),
    ((module_rule, math.sin), (math.sin, module_rule)),
]


def test_constants_that_are_almost_the_same_have_keys_of_their_own():
    for one, other in CLOSE:
        assert key(one) == key(one)
        if isinstance(one, tuple | np.ndarray | np.generic | float | str):
            assert key(pickle.loads(pickle.dumps(one))) == key(one)
        assert key(one) != key(other), (one, other)
        assert key((one, 5)) != key((other, 5)), (one, other)


def test_what_is_of_another_kind_has_no_key():
    unknown = [
        *([1], {1: 2}, type("Other", (), {}), Fraction(1, 2), np.random.default_rng(0)),
        *(np.array([[1], None], object), np.ma.array([1.0]), "".join, (1, ([2],)), Pair([1], 2)),
        *(loop_with([1]), numba.njit(loop_with(1)), functools.partial(math.sin, 1.0)),
    ]
    for each in unknown:
        with pytest.raises(UndescribedError):
            key(each)


def test_functions_count_with_defaults_and_all_they_enclose():
    one, other = (lambda x=number: x for number in (1, 2))
    functions = [one, other, loop_with(1), loop_with(one), loop_with(other), recursive]
    assert len(set(map(key, functions))) == len(functions)


def test_the_options_and_settings_of_the_compiler_count(monkeypatch):
    before = key(1)
    assert fingerprint(loop_with(1), {"boundscheck": True}) != before
    for name, value in [("OPT", 0), ("BOUNDSCHECK", 1), ("LOOP_VECTORIZE", 0)]:
        with monkeypatch.context() as patch:
            patch.setattr(numba.config, name, value)
            assert key(1) != before
    monkeypatch.setattr(numba.config, "NUMBA_NUM_THREADS", 77)  # changes no code
    assert key(1) == before


HOST = ("x86_64", "some", "+avx")


def test_the_types_that_a_loop_is_compiled_for_count_with_the_names_of_their_fields():
    def of(*values):
        return fingerprint_of_types([numba.typeof(value) for value in values], HOST)

    told = [
        *(of(1), of(1.0), of(True), of(1, 1), of((1, 1)), of(Pair(1, 1)), of(Couple(1, 1))),
        *(of(Pair(np.zeros(1), 1)), of(Pair(np.zeros(1, int), 1))),
    ]
    assert len(set(told)) == len(told)
    assert fingerprint_of_types([], HOST) != fingerprint_of_types([], ("x86_64", "some", ""))


def recursive(n):
    return 1 if n == 0 else n * recursive(n - 1)


def in_set(x):
    return x in {3, 5, 7, 11} or "x" in {"a", "b", "c"}


def key_of_many():
    numbers = (1, -0.0, 2j, "a", np.float32(0.1), np.arange(5.0), Colour.RED, Pair(1, Number.TWO))
    return key((*numbers, module_rule, math.sin, in_set))


@pytest.mark.slow
def test_the_key_is_the_same_in_another_process():
    # Where sets of text have another order.
    path = [*sys.path, str(Path(__file__).parent)]
    script = f"import sys; sys.path[:0] = {path}; import {__name__} as tests"
    done = python("-c", f"{script}; print(tests.key_of_many())")
    assert done.stdout == f"{key_of_many()}\n"


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


def loop_of(rule):
    return compile_loop(lambda x: rule(x))


def a_rule(x):
    return x + 1


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """An empty folder for loops; a process has warned of nothing."""
    cache._warn.cache_clear()
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda name, **_: str(tmp_path / name))
    yield tmp_path / APPLICATION / FOLDER
    cache._warn.cache_clear()


def hits(loop):
    """Return how often a loop was compiled, and how often it was there."""
    return loop.stats.cache_misses.total(), loop.stats.cache_hits.total()


def loop_of_theirs(**numbers):
    """Return a loop with some numbers in it, written anew as in an edited file."""
    usual = dict.fromkeys(("own", "number", "plain", "compiled"), 0) | numbers
    names = {"__name__": "theirs", "numba": numba, "NUMBER": usual["number"]}
    exec(THEIRS.format(**usual), names)
    return loop_of(names["rule"])


@pytest.mark.slow
def test_a_loop_whose_file_is_broken_is_compiled_anew_and_kept(kept):
    assert loop_of(a_rule)(5) == 6
    (path,) = kept.iterdir()
    whole = path.read_bytes()
    for text in (b"", b"garbage", whole[: len(whole) // 2]):
        path.write_bytes(text)
        broken, mended = (loop_of(a_rule) for _ in range(2))
        assert (broken(5), hits(broken)) == (6, (1, 0))
        assert (mended(5), hits(mended)) == (6, (0, 1))


@needs_modes
def test_what_somebody_else_has_put_into_a_shared_folder_is_not_run(kept, tmp_path):
    assert loop_of(a_rule)(5) == 6
    (path,) = kept.iterdir()
    path.write_bytes(pickle.dumps(Planted(tmp_path / "ran")))
    kept.chmod(0o777)
    loop = loop_of(a_rule)
    with pytest.warns(
        UserWarning, match="cannot be stored in .* .other accounts can write"
    ) as told:
        assert loop(5) == 6
    assert len(told) == 1
    assert loop_of(a_rule)(5) == 6  # and is told of once
    assert not (tmp_path / "ran").exists()


@pytest.mark.slow
def test_a_loop_kept_on_disk_is_taken_again_unless_anything_in_it_has_changed(kept):
    for count, part in enumerate(["own", "number", "plain", "compiled"]):
        first, again = loop_of_theirs(**{part: 1}), loop_of_theirs(**{part: 1})
        assert (first(0), again(0)) == (1, 1)
        assert [hits(first), hits(again)] == [(1, 0), (0, 1)]
        assert len([*kept.iterdir()]) == count + 1


@pytest.mark.slow
def test_what_another_version_compiled_is_not_taken(kept, monkeypatch):
    others = [
        (np, "__version__", np.__version__),
        (numba, "__version__", "0.1"),
        (llvmlite, "__version__", "0.1"),
        (platform, "python_version", lambda: "3.0.0"),
    ]
    for count, (of, name, value) in enumerate(others):
        monkeypatch.setattr(of, name, value)
        assert loop_of(a_rule)(1) == 2
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
        assert loop_of(rule)(5) == 7
    assert not kept.exists()


def test_a_loop_runs_where_it_cannot_be_kept_and_says_so_once(kept):
    kept.parent.mkdir()
    kept.write_text("in the way")
    with pytest.warns(UserWarning, match="cannot be stored in") as told:
        assert [loop_of(a_rule)(5) for _ in range(2)] == [6, 6]
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
        (NO_HOME, "1.5", "cannot be stored in ~.*this account has no home folder"),
        (NO_COMPILER, "3", "UNI does not compile.*NUMBA_DISABLE_JIT"),
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
