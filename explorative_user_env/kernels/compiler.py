"""Plain functions compiled together: a loop and all that it calls.

Numba is imported here, when the first loop is compiled, and nowhere above.
"""

import functools
import threading
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from types import CellType, FunctionType, ModuleType
from typing import Any, TypeVar

from explorative_user_env.kernels.cache import KeptKernel, callees_of, kept_kernel, references
from explorative_user_env.kernels.presence import watch_compiling
from explorative_user_env.validation import handed_in


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


_Made = TypeVar("_Made")

LONGEST_REASON = 400

KEY_IN_NAME = 20
"""How much of the hash of a loop is in its name."""

_making = threading.RLock()
"""Held by the one thread that makes a loop."""

UNCOUNTED: dict[str, Any] = {"_nrt": False}
"""No counting of references, as nothing compiled here allocates: with it a step costs three times
as much."""


def short(error: Exception) -> str:
    """Return a compiler's message as one line that is not too long for a warning."""
    return " ".join((str(error) or type(error).__name__).split())[:LONGEST_REASON]


def compile_loop(
    loop: Any,
    around: Callable[[Any], Callable[..., Any]] | None = None,
    checked: bool = False,
) -> Any:
    """Return `loop` compiled; it lets go of the interpreter lock while it runs.

    A function that is none of the package's own may reach for what is not there, and compiled code
    would take any memory for it: where one goes in, the whole loop looks at the bounds of arrays.

    Args:
        loop: a function made by another, of this package or not; what it refers to by name is
            compiled with it.
        around: makes the loop to compile out of `loop`, which it calls by its own name.
        checked: whether to look at bounds in any case.

    Raises:
        NumbaError: if numba is told to compile nothing.
    """
    import numba
    from numba.core.errors import NumbaError

    if vars(numba.config)["DISABLE_JIT"]:
        raise NumbaError("numba is told to compile nothing, by NUMBA_DISABLE_JIT")
    watch_compiling()
    whole: Any = loop if around is None else around(loop)
    callees = callees_of(whole)
    inner = [function for function in callees.plain if function not in (loop, whole)]
    options: dict[str, Any] = {"nogil": True, **UNCOUNTED}
    if checked or any(map(handed_in, [*callees.plain, *callees.compiled])):
        options["boundscheck"] = True
    kept = kept_kernel(whole, options)
    # What is compiled with bounds checks for this loop is compiled without for others.
    copies = twins([*inner, loop] if "boundscheck" in options else [loop])
    for function in inner:
        _register(copies.get(function, function), "boundscheck" in options)
    compiled = _compiled(copies[loop], options, kept)
    if around is not None:
        compiled = _compiled(twin_with(around(compiled), copies), options, kept)
    if kept is not None:
        compiled._cache = kept
    return compiled


def _compiled(function: Any, options: dict[str, Any], kept: KeptKernel | None) -> Any:
    """Return `function` compiled by numba; under a name that no other has, if it is kept."""
    import numba

    if kept is not None:  # what is loaded later is found by name among all that is there then
        function.__qualname__ += f"_{kept.key[:KEY_IN_NAME]}"
    return numba.njit(**options)(function)


def once(make: Callable[..., _Made]) -> "functools._lru_cache_wrapper[_Made]":
    """Return `make` with a memory; many threads that ask for the same get what one of them made."""
    made = functools.cache(make)

    @functools.cache
    def asked(*arguments: Hashable) -> _Made:
        with _making:
            return made(*arguments)

    return asked


def errors_of_compiling() -> tuple[type[Exception], ...]:
    """Return what is raised where code does not compile; numba takes some code for impossible."""
    from numba.core.errors import NumbaError, UnsupportedBytecodeError

    return NumbaError, UnsupportedBytecodeError, TypeError, AssertionError, NotImplementedError


@functools.cache
def _register(function: FunctionType, checked: bool) -> None:
    """Tell numba that `function` may be called compiled, once however many loops call it."""
    from numba.extending import register_jitable

    register_jitable(forceinline=True, boundscheck=checked, **UNCOUNTED)(function)
