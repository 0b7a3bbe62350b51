import math
from collections.abc import Callable
from types import FunctionType
from typing import Any, cast

import numba

from explorative_user_env.compiled import callees
from explorative_user_env.compiled.callees import callees_of, names_in

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
    found = callees_of([highest, middle])
    assert names_of(found.plain) == ["lowest", "middle", "highest"]


def test_what_is_compiled_already_is_found_as_it_was_in_python() -> None:
    found, kernel = callees_of([middle]), cast(Any, compiled_already)
    assert names_of(found.compiled) == ["compiled_already"]
    assert found.compiled[0] is kernel.py_func


def test_the_values_that_go_in_besides_are_found_wherever_they_are() -> None:
    found = callees_of([highest, 5])
    assert NUMBER in found.constants  # a global of the function at the bottom
    assert (3,) in found.constants  # the defaults
    assert 5 in found.constants  # handed in as it is
    inner = make_loop(lowest, 11)
    assert 11 in callees_of([inner]).constants  # enclosed


def by_module(x: int) -> int:
    return x + len(callees.names_in(callees_of))


def test_what_a_function_of_another_module_refers_to_is_found_through_the_module() -> None:
    assert "names_in" in names_of(callees_of([by_module]).plain)


def test_a_function_that_calls_itself_is_no_circle() -> None:
    assert names_of(callees_of([recursive]).plain) == ["recursive"]


def test_the_names_of_a_loop_are_its_functions_and_numbers_not_its_modules() -> None:
    loop = make_loop(highest, 4)
    assert names_in(loop) == {"rule": highest, "number": 4, "NUMBER": 7, "lowest": lowest}


def test_the_name_of_an_attribute_is_nothing_to_compile() -> None:
    def loop(x: Any) -> Any:
        return x.lowest, x.middle, x.unheard_of

    # Global functions of the same names cannot be told apart; what is nowhere can.
    assert set(names_in(loop)) == {"lowest", "middle"}
