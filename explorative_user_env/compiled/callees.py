"""Which functions go into a loop: those it names, those they call, and the constants they use."""

from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple


class Callees(NamedTuple):
    """All that goes into a loop.

    Attributes:
        plain: Python functions, each after those that it calls.
        compiled: functions that numba has compiled already, as they were in Python.
        constants: what they refer to besides, in the order in which it was found.
    """

    plain: list[FunctionType]
    compiled: list[FunctionType]
    constants: list[Any]


def names_in(loop: Any) -> dict[str, Any]:
    """Return what `loop` refers to by the names it has for it, enclosed or global."""
    outer = {name: loop.__globals__.get(name) for name in sorted(_names_of(loop.__code__))}
    known = {name: value for name, value in outer.items() if not _is_nothing_to_compile(value)}
    cells = zip(loop.__code__.co_freevars, loop.__closure__ or (), strict=True)
    return known | {name: cell.cell_contents for name, cell in cells}


def callees_of(values: Iterable[Any]) -> Callees:
    """Return all that goes into a loop which refers to these `values`."""
    found = Callees([], [], [])
    seen: set[int] = set()

    def visit(value: Any) -> None:
        inner = getattr(value, "py_func", None)  # of a function that numba has compiled
        function = inner if isinstance(inner, FunctionType) else value
        if not isinstance(function, FunctionType):
            found.constants.append(value)
            return
        if id(function) in seen:
            return
        seen.add(id(function))
        for other in _referred(function):
            if not str(getattr(other, "__module__", "")).startswith("numpy"):
                visit(other)
        (found.plain if function is value else found.compiled).append(function)

    for value in values:
        visit(value)
    return found


def _referred(function: FunctionType) -> Iterator[Any]:
    """Yield whatever `function` refers to by name: globals, names in modules, enclosed values."""
    names = sorted(_names_of(function.__code__))
    for name in names:
        value = function.__globals__.get(name)
        if isinstance(value, ModuleType):
            yield from (getattr(value, inner) for inner in names if hasattr(value, inner))
        else:
            yield value
    yield from (cell.cell_contents for cell in function.__closure__ or ())
    yield function.__defaults__


def _names_of(code: CodeType) -> set[str]:
    """Return the global names and attributes in `code` and in the functions it makes."""
    names: set[str] = set()
    codes = [code]
    while codes:
        current = codes.pop()
        names.update(current.co_names)
        codes.extend(value for value in current.co_consts if isinstance(value, CodeType))
    return names


def _is_nothing_to_compile(value: Any) -> bool:
    """Whether a global of this name is none, a module or a class: an attribute has that name."""
    return value is None or isinstance(value, ModuleType | type)
