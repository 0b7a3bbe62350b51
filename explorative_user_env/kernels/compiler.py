"""Plain functions compiled together: a loop and all that it calls.

Numba is imported here, when the first loop is compiled, and nowhere above.
"""

import functools
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from types import CellType, FunctionType, ModuleType
from typing import Any, TypeVar

from explorative_user_env.kernels.cache import (
    KeptKernel,
    UndescribedError,
    callees_of,
    fingerprint,
    kept_kernel,
    references,
    sorted_items,
)
from explorative_user_env.kernels.presence import watch_compiling
from explorative_user_env.validation import handed_in

_Made = TypeVar("_Made")

LONGEST_REASON = 400

#: How much of the hash of a loop is in its name.
KEY_IN_NAME = 20

#: No reference counting, as nothing compiled here allocates: with it a step takes three times as
#: long.
UNCOUNTED: dict[str, Any] = {"_nrt": False}

#: Held by the one thread that compiles a loop.
_making = threading.RLock()


def compile_loop(
    loop: Any, around: Callable[[Any], Callable[..., Any]] | None = None, checked: bool = False
) -> Any:
    """Return `loop` compiled; it releases the interpreter lock while it runs.

    A function from outside the package may index past the end of an array, which compiled code does
    not notice. A loop with such a function checks the bounds of all arrays.

    Args:
        loop: a function made by another; all functions that it refers to are compiled with it.
        around: makes the loop to compile out of the compiled `loop`, which it calls.
        checked: whether to check bounds in any case.

    Raises:
        NumbaError: if numba is disabled (NUMBA_DISABLE_JIT).
    """
    import numba
    from numba.core.errors import NumbaError

    if vars(numba.config)["DISABLE_JIT"]:
        raise NumbaError("numba is told to compile nothing, by NUMBA_DISABLE_JIT")
    watch_compiling()
    whole: Any = loop if around is None else around(loop)
    callees = callees_of(whole)
    inner = [function for function in callees.plain if function not in (loop, whole)]
    checked = checked or any(map(handed_in, [*callees.plain, *callees.compiled]))
    options: dict[str, Any] = {"nogil": True, **UNCOUNTED}
    if checked:
        options["boundscheck"] = True
    kept = kept_kernel(whole, options)
    for function in inner:
        _register(function, handed_in(function))
    # What is compiled with bounds checks for this loop is compiled without them for others.
    copies = twins([*inner, loop] if checked else [loop])
    for function, copy in copies.items():
        if function is not loop:
            _register(copy, checked)
    compiled = _compiled(copies[loop], options, kept)
    if around is not None:
        outer: Any = around(compiled)
        compiled = _compiled(twins([outer], copies)[outer], options, kept)
    if kept is not None:
        compiled._cache = kept
    return compiled


def twins(
    functions: Iterable[FunctionType], others: Mapping[FunctionType, FunctionType] | None = None
) -> dict[FunctionType, FunctionType]:
    """Return a copy of each function; the copies refer to each other, and to the copies `others`.

    A function that is reached through a module (`module.function`) stays as it is.
    """
    copies = {}
    for function in functions:
        cells = tuple(CellType(cell.cell_contents) for cell in function.__closure__ or ())
        copy = FunctionType(
            function.__code__,
            dict(function.__globals__),
            function.__name__,
            function.__defaults__,
            cells,
        )
        copy.__kwdefaults__, copy.__qualname__ = function.__kwdefaults__, function.__qualname__
        copies[function] = copy
    known = {**(others or {}), **copies}
    for function, copy in copies.items():
        for name, value in references(function).items():
            if isinstance(value, FunctionType) and name in copy.__globals__:
                copy.__globals__[name] = known.get(value, value)
        for cell in copy.__closure__ or ():
            if isinstance(cell.cell_contents, FunctionType):
                cell.cell_contents = known.get(cell.cell_contents, cell.cell_contents)
    return copies


def _compiled(function: Any, options: dict[str, Any], kept: KeptKernel | None) -> Any:
    """Return `function` compiled by numba, under a unique name if it is kept."""
    import numba

    if kept is not None:  # numba finds a loaded loop by its name
        function.__qualname__ += f"_{kept.key[:KEY_IN_NAME]}"
    return numba.njit(**options)(function)


@functools.cache
def _register(function: FunctionType, checked: bool) -> None:
    """Make `function` callable from compiled code, once for all loops that call it."""
    from numba.extending import register_jitable

    register_jitable(forceinline=True, boundscheck=checked, **UNCOUNTED)(function)


def once(make: Callable[..., _Made]) -> Callable[..., _Made]:
    """Return `make` with a memory, which threads share.

    Functions from outside the package count with the values that they refer to, so that a loop is
    compiled again after a global of theirs has changed.
    """

    @functools.cache
    def made(state: tuple[str, ...], *arguments: Any) -> _Made:
        return make(*arguments)

    def asked(*arguments: Any) -> _Made:
        state = tuple(map(_state_of, arguments))
        with _making:
            return made(state, *arguments)

    vars(asked).update(cache_clear=made.cache_clear, cache_info=made.cache_info)
    return asked


def _state_of(argument: Any) -> str:
    """Return a hash of the outside functions in an argument, and of the values they refer to."""
    parts = [argument]
    if is_dataclass(argument):
        parts = [getattr(argument, field.name) for field in fields(argument) if field.compare]
    state: list[Any] = []
    for part in parts:
        if isinstance(part, FunctionType) and handed_in(part):
            for function in callees_of(part).plain:
                state.append(id(function.__code__))
                state += [_value_of(each) for each in sorted_items(references(function))]
    return repr(state)


def _value_of(named: tuple[str, Any]) -> Any:
    if isinstance(named[1], FunctionType | ModuleType):
        return named[0]
    try:
        return fingerprint(named, {})
    except UndescribedError:
        return id(named[1])


def errors_of_compiling() -> tuple[type[Exception], ...]:
    """Return the errors that numba raises for code that it cannot compile."""
    from numba.core.errors import NumbaError, UnsupportedBytecodeError

    return NumbaError, UnsupportedBytecodeError, TypeError, AssertionError, NotImplementedError


def short(error: Exception) -> str:
    """Return a compiler's message as one line, cut to a length that fits a warning."""
    return " ".join((str(error) or type(error).__name__).split())[:LONGEST_REASON]
