"""The same functions once more, which call each other: to be compiled in another way."""

from collections.abc import Iterable, Mapping, Sequence
from types import CellType, FunctionType, ModuleType
from typing import Any

from explorative_user_env.compiled.callees import references


def twins(functions: Iterable[FunctionType]) -> dict[FunctionType, FunctionType]:
    """Return a copy of each function; where one refers to another of them, its copy does to that's.

    A module that is enclosed, or imported on the way, stays as it is, and what is called in it.
    """
    copies = {function: _copy(function) for function in functions}
    for function, copy in copies.items():
        _redirect(function, copy, copies)
    return copies


def twin_with(function: Any, copies: Mapping[FunctionType, FunctionType]) -> FunctionType:
    """Return a copy of a function that refers to the copies of those that have one by now."""
    copy = _copy(function)
    _redirect(function, copy, copies)
    return copy


def _redirect(
    function: FunctionType, copy: FunctionType, copies: Mapping[FunctionType, FunctionType]
) -> None:
    """Let the copy of a function refer to the copies of others."""
    for name, value in references(function).items():
        if isinstance(value, FunctionType) and value in copies:
            _put(copy.__globals__, name.split("."), copies[value])
    for cell in copy.__closure__ or ():
        if isinstance(cell.cell_contents, FunctionType):
            cell.cell_contents = copies.get(cell.cell_contents, cell.cell_contents)


def _copy(function: FunctionType) -> FunctionType:
    cells = tuple(CellType(cell.cell_contents) for cell in function.__closure__ or ())
    outer = dict(function.__globals__)
    copy = FunctionType(function.__code__, outer, function.__name__, function.__defaults__, cells)
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__qualname__ = function.__qualname__
    return copy


def _put(names: dict[str, Any], path: Sequence[str], value: FunctionType) -> None:
    """Let a name, or a dotted one of something in a module, stand for `value`."""
    first, *rest = path
    if first not in names:
        return
    if rest:
        names[first] = _copy_of_module(names[first])
        _put(vars(names[first]), rest, value)
    else:
        names[first] = value


def _copy_of_module(module: ModuleType) -> ModuleType:
    copy = ModuleType(module.__name__)
    vars(copy).update(vars(module))
    return copy
