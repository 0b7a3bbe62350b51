import math
from collections.abc import Callable
from types import FunctionType
from typing import Any, cast

import numpy as np
import pytest

pytest.importorskip("numba")

import numba

import explorative_user_env
from explorative_user_env.kernels.cache import callees_of, references
from explorative_user_env.kernels.compiler import twins

NUMBER = 7


def lowest(x: int) -> int:
    return x + NUMBER


@numba.njit
def compiled_already(x: Any) -> Any:
    return lowest(x)


def middle(x: Any) -> Any:
    return lowest(x) + compiled_already(x)


def highest(x: Any, depth: int = 3) -> Any:
    return middle(x) + lowest(x) + depth


def through_package(x: int) -> Any:
    return explorative_user_env.kernels.cache.references(x)  # type: ignore[arg-type]


def recursive(n: int) -> int:
    return 1 if n == 0 else n * recursive(n - 1)


def make_loop(rule: Callable[[int], int], number: int) -> FunctionType:
    def loop(x: int) -> float:
        return rule(x) + number + math.sqrt(NUMBER) + lowest(x)

    assert isinstance(loop, FunctionType)
    return loop


def names_of(functions: list[FunctionType]) -> list[str]:
    return [function.__name__ for function in functions]


def test_every_function_comes_once_and_after_those_it_calls() -> None:
    assert names_of(callees_of(highest).plain) == ["lowest", "middle", "highest"]
    assert names_of(callees_of(recursive).plain) == ["recursive"]
    assert "references" in names_of(callees_of(through_package).plain)


def test_what_is_compiled_already_is_found_as_it_was_in_python() -> None:
    found, kernel = callees_of(middle), cast(Any, compiled_already)
    assert names_of(found.compiled) == ["compiled_already"]
    assert found.compiled[0] is kernel.py_func


def test_a_function_refers_to_what_it_encloses_and_to_its_module_by_the_names_it_has() -> None:
    known = references(make_loop(highest, 4))
    theirs = {"rule": highest, "number": 4, "NUMBER": 7, "lowest": lowest}
    assert known == theirs | {"math": math, "math.sqrt": math.sqrt}


def test_an_attribute_is_no_function_of_the_module_that_has_its_name() -> None:
    def reads(x: Any) -> Any:
        return x.lowest, x.middle

    assert references(cast(FunctionType, reads)) == {}


def test_a_library_whose_name_begins_like_a_compiler_s_is_looked_into() -> None:
    stranger = FunctionType(lowest.__code__, {"NUMBER": 1, "__name__": "numpy_of_theirs"})
    assert names_of(callees_of(stranger).plain) == ["lowest"]
    assert callees_of(np.sum) == ([], [])


# Copies that call each other


def low() -> str:
    return "low"


def high() -> str:
    return low() + ", high"


def make(inner: Any) -> FunctionType:
    def outer() -> Any:
        return inner()

    return cast(FunctionType, outer)


def renamed(function: Any, text: str) -> FunctionType:
    return FunctionType(function.__code__.replace(co_consts=(None, text)), function.__globals__)


def test_copies_call_each_other_by_name_and_by_what_they_enclose() -> None:
    outer = make(high)
    copies = twins([cast(FunctionType, function) for function in (low, high, outer)])
    copies[cast(FunctionType, low)].__code__ = renamed(low, "twin").__code__
    assert copies[outer]() == "twin, high"
    assert outer() == "low, high"
