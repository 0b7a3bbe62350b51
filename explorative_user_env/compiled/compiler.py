"""Plain functions compiled together: a loop and all that it calls.

Numba is imported here, when the first loop is compiled, and nowhere above.
"""

import functools
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

from explorative_user_env.compiled import kernel_cache as _kernel_cache

LONGEST_REASON = 400

UNCOUNTED: dict[str, Any] = {"_nrt": False}
"""No counting of references, as nothing compiled here allocates: with it a step costs three times
as much."""


def short(error: Exception) -> str:
    """Return a compiler's message as one line that is not too long for a warning."""
    return " ".join(str(error).split())[:LONGEST_REASON]


def compile_loop(
    loop: Callable[..., Any],
    names: Mapping[str, Any],
    around: Callable[[Any], Callable[..., Any]] | None = None,
) -> Any:
    """Return `loop` compiled; it lets go of the interpreter lock while it runs.

    Args:
        loop: a function made by another, of this package or not.
        names: the functions and numbers that it encloses, by the names it has for them.
        around: makes the loop to compile out of `loop`, which it calls by its own name.
    """
    import numba

    callees: list[FunctionType] = []
    for function in names.values():
        _make_compilable(function, callees)
    options: dict[str, Any] = {"nogil": True, **UNCOUNTED}
    loops = [loop] if around is None else [loop, around(loop)]
    kept = _kernel_cache.compiled(loops, names, callees, options)
    if kept is not None:
        return kept
    inner = numba.njit(**options)(loop)
    return inner if around is None else numba.njit(**options)(around(inner))


def _make_compilable(function: Any, seen: list[FunctionType]) -> None:
    """Tell numba that `function`, and every plain function it calls, may be called compiled."""
    if not isinstance(function, FunctionType) or function in seen:
        return
    seen.append(function)
    for value in _kernel_cache.referred(function):
        if not str(getattr(value, "__module__", "")).startswith("numpy"):
            _make_compilable(value, seen)
    _register(function)


@functools.cache
def _register(function: FunctionType) -> None:
    """Register `function` with numba, once however many loops call it."""
    from numba.extending import register_jitable

    register_jitable(forceinline=True, **UNCOUNTED)(function)
