"""Plain functions compiled together: a loop and all that it calls.

Numba is imported here, when the first loop is compiled, and nowhere above.
"""

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

from explorative_user_env.compiled import kernel_cache
from explorative_user_env.compiled.callees import callees_of, names_in
from explorative_user_env.compiled.waiting import watch_compiling

LONGEST_REASON = 400

UNCOUNTED: dict[str, Any] = {"_nrt": False}
"""No counting of references, as nothing compiled here allocates: with it a step costs three times
as much."""


def short(error: Exception) -> str:
    """Return a compiler's message as one line that is not too long for a warning."""
    return " ".join(str(error).split())[:LONGEST_REASON]


def compile_loop(
    loop: Callable[..., Any], around: Callable[[Any], Callable[..., Any]] | None = None
) -> Any:
    """Return `loop` compiled; it lets go of the interpreter lock while it runs.

    Args:
        loop: a function made by another, of this package or not; what it refers to by name is
            compiled with it.
        around: makes the loop to compile out of `loop`, which it calls by its own name.
    """
    import numba

    watch_compiling()
    loops = [loop] if around is None else [loop, around(loop)]
    names = {name: value for each in loops for name, value in names_in(each).items()}
    names.pop(loop.__name__, None)
    callees = callees_of(names.values())
    for function in callees.plain:
        _register(function)
    options: dict[str, Any] = {"nogil": True, **UNCOUNTED}
    kept = kernel_cache.compiled(loops, names, callees, options)
    if kept is not None:
        return kept
    inner = numba.njit(**options)(loop)
    return inner if around is None else numba.njit(**options)(around(inner))


def errors_of_compiling() -> tuple[type[Exception], ...]:
    """Return what is raised where code does not compile."""
    from numba.core.errors import NumbaError, UnsupportedBytecodeError

    return NumbaError, UnsupportedBytecodeError, TypeError


@functools.cache
def _register(function: FunctionType) -> None:
    """Tell numba that `function` may be called compiled, once however many loops call it."""
    from numba.extending import register_jitable

    register_jitable(forceinline=True, **UNCOUNTED)(function)
