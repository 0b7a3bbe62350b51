import enum
import functools
import math
import pickle
import sys
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from processes import python

numba = pytest.importorskip("numba")

from explorative_user_env.kernels.cache import UndescribedError, fingerprint, fingerprint_of_types


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
    def loop():
        return constant

    return loop


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
    *((np.zeros(2), np.zeros((2, 1))), (np.zeros(2), np.zeros(2, np.int64))),
    (np.zeros(2, "<f8"), np.zeros(2, ">f8")),
    (np.zeros((2, 2)), np.asfortranarray(np.zeros((2, 2)))),
    (np.array([0.1]), np.array([0.1 + 1e-12])),
    (np.arange(1500), np.where(np.arange(1500) == 700, 0, np.arange(1500))),
    (np.datetime64(1, "s"), np.datetime64(1, "ms")),
    *((math.sin, math.cos), (np.sin, np.cos), (ValueError, IndexError), (math, np)),
    *((numba.float64, numba.float32), (np.dtype("f8"), np.dtype("f4"))),
    (numba.njit(module_rule), module_rule),
    (numba.njit(module_rule), numba.njit(fastmath=True)(module_rule)),
    ((module_rule, math.sin), (math.sin, module_rule)),
    (loop_with(1), loop_with(2)),
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
        *([1], {1: 2}, SimpleNamespace(x=1), type("Other", (), {}), Fraction(1, 2)),
        *(np.array([[1], None], object), np.ma.array([1.0]), np.random.default_rng(0)),
        *(functools.partial(math.sin, 1.0), "".join, (1, ([2],)), Pair([1], 2)),
        *(loop_with([1]), loop_with(loop_with({})), numba.njit(loop_with(1))),
        enum.Enum("Local", "A").A,
    ]
    for each in unknown:
        with pytest.raises(UndescribedError):
            key(each)


def test_functions_count_with_defaults_and_all_they_enclose():
    def with_default(number):
        def plain(x=number):
            return x

        return plain

    one, other = with_default(1), with_default(2)
    functions = [one, other, loop_with(1), loop_with(one), loop_with(other), recursive]
    assert len(set(map(key, functions))) == len(functions)


def test_code_that_is_not_what_stands_in_its_file_any_more_has_a_key_of_its_own():
    # A file may be edited while a process runs that has imported it.
    def rule(x):
        return x + 1000

    before = key(rule)
    code = rule.__code__
    numbers = tuple(2000 if number == 1000 else number for number in code.co_consts)
    rule.__code__ = code.replace(co_consts=numbers)
    assert key(rule) != before


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
        *(of(1), of(1.0), of(True), of(1, 1), of((1, 1)), of((1, 1.0))),
        *(of(Pair(1, 1)), of(Couple(1, 1)), of(Pair(np.zeros(1), 1))),
        *(of(Pair(np.zeros(1, int), 1)), of(Pair(np.zeros((1, 1)), 1))),
    ]
    assert len(set(told)) == len(told)
    assert fingerprint_of_types([], HOST) != fingerprint_of_types([], ("x86_64", "some", ""))


def recursive(n):
    return 1 if n == 0 else n * recursive(n - 1)


def in_set(x):
    return x in {3, 5, 7, 11} or "x" in {"a", "b", "c"}


SCRIPT = """
import sys
sys.path[:0] = {path!r}
import test_fingerprint as tests
print(tests.key_of_many())
"""


def key_of_many():
    numbers = (1, -0.0, 2j, "a", np.float32(0.1), np.arange(5.0), Colour.RED, Pair(1, Number.TWO))
    return key((*numbers, module_rule, math.sin, in_set))


@pytest.mark.slow
def test_the_key_is_the_same_in_another_process(monkeypatch):
    # Where sets of text have another order.
    script, told = SCRIPT.format(path=[*sys.path, str(Path(__file__).parent)]), set()
    for seed in ("1", "2"):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        done = python("-c", script)
        told |= {(done.returncode, done.stdout)}
    assert [code for code, _ in told] == [0]
