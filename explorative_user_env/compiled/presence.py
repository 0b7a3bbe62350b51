"""Whether there is a compiler: the one place that knows what to do where numba is not.

Without it nothing is compiled, and everything runs in the readable loops, to the same numbers.
Numba is imported here only by who is about to compile.
"""

import functools
import sys

from explorative_user_env.extras import is_found
from explorative_user_env.validation import MissingExtraError, one_line

COMPILER = "numba"

IN_A_BROWSER = "emscripten"
"""What Python calls the system in a browser, which there is no numba for."""

NONE_THERE = "there is none for a browser"

TIMES_SLOWER = "thirty to fifty times slower"


def is_installed() -> bool:
    """Return whether the compiler is there, without the second that its import takes."""
    return is_found(COMPILER)


@functools.cache
def why_no_compiler() -> str | None:
    """Return what is the matter with the compiler, in words; None where it is there."""
    if not is_installed():
        return NONE_THERE if sys.platform == IN_A_BROWSER else "it is not installed"
    try:
        import numba  # noqa: F401
    except (ImportError, OSError) as error:  # as beside a NumPy that is too new for it
        return f"it cannot be imported ({one_line(str(error))})"
    return None


def can_compile() -> bool:
    """Return whether the compiler is there; where it is not, say once what follows from that."""
    reason = why_no_compiler()
    if reason is not None:
        from explorative_user_env.display.notices import notice

        without = f"without {COMPILER} ({reason}) all runs in plain Python"
        notice(f"{without}, {TIMES_SLOWER}, to the same end")
    return reason is None


def require_compiler(what: str) -> None:
    """Make sure that the compiler is there.

    Args:
        what: what needs it, with its verb, as "compiled=True needs".

    Raises:
        MissingExtraError: if it is not, saying why.
    """
    reason = why_no_compiler()
    if reason is not None:
        get = "" if sys.platform == IN_A_BROWSER else f": pip install {COMPILER}"
        raise MissingExtraError(f"{what} {COMPILER}, but {reason}{get}")
