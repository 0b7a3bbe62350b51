from types import FunctionType
from typing import Any, cast

from explorative_user_env.kernels import cache as callees
from explorative_user_env.kernels.compiler import twins


def low() -> str:
    return "low"


def high() -> str:
    return low() + ", high"


def by_module(function: Any) -> bool:
    return callees.is_of_compiler(function)


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


def test_what_is_no_twin_is_called_as_it_is() -> None:
    copies = twins([cast(FunctionType, high)])
    assert copies[cast(FunctionType, high)]() == "low, high"
