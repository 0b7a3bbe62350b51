"""Checks whether numba is available, and compiles a loop with all functions that it calls.

Importing numba takes a second, so only the functions that need numba import it.
"""

import _thread
import functools
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from types import CellType, FunctionType, ModuleType
from typing import Any, TypeVar

from explorative_user_env import validation
from explorative_user_env.display.progress import notice
from explorative_user_env.kernels import cache
from explorative_user_env.validation import is_external

COMPILER = "numba"

#: `sys.platform` in a browser, where numba is not available.
IN_A_BROWSER = "emscripten"

BROWSER_LACKS = "there is no numba for browsers"
TIMES_SLOWER = "thirty to fifty times slower"
COMPILING = "compiling, which may take some ten seconds; later starts load most of it from a cache"


def is_installed() -> bool:
    """Return whether numba is installed, without importing it."""
    return validation.is_importable(COMPILER)


@functools.cache
def why_no_compiler() -> str | None:
    """Return the reason why numba is not available, or None if numba is available."""
    if not is_installed():
        return BROWSER_LACKS if sys.platform == IN_A_BROWSER else "it is not installed"
    try:
        import numba  # noqa: F401
    except (ImportError, OSError) as error:  # for example, NumPy is too new for numba
        return f"it cannot be imported ({validation.one_line(str(error))})"
    return None


def can_compile() -> bool:
    """Return whether numba is available; if it is not, print the reason."""
    reason = why_no_compiler()
    if reason is not None:
        without = f"without {COMPILER} ({reason}) everything runs in plain Python"
        notice(f"{without}, {TIMES_SLOWER}, with the same results")
    return reason is None


def require_compiler(what: str) -> None:
    """Raise a `MissingExtraError` that begins with `what` if numba is not available."""
    reason = why_no_compiler()
    if reason is not None:
        get = "" if sys.platform == IN_A_BROWSER else f": pip install {COMPILER}"
        raise validation.MissingExtraError(f"{what} {COMPILER}, but {reason}{get}")


#: Called with True when compiling begins and with False when it ends.
Tell = Callable[[bool], object]

_tell: ContextVar[Tell] = ContextVar("_tell", default=lambda begins: begins and notice(COMPILING))


@contextmanager
def on_compiling(tell: Tell) -> Iterator[None]:
    """In a `with` block, call `tell` when compiling starts and ends, instead of printing a line."""
    before = _tell.set(tell)
    try:
        yield
    finally:
        _tell.reset(before)


@contextmanager
def resends_interrupts() -> Iterator[None]:
    """Raise a `KeyboardInterrupt` again if Python drops one in the `with` block.

    Numba calls Python from C code, where Python prints and drops exceptions. The interrupt is
    raised shortly after it was dropped, at the latest when the block ends.
    """
    usual, timers = sys.unraisablehook, list[threading.Timer]()

    def resend(dropped: Any) -> None:
        if issubclass(dropped.exc_type, KeyboardInterrupt):
            timers.append(threading.Timer(0.05, _thread.interrupt_main))
            timers[-1].start()
        else:
            usual(dropped)

    sys.unraisablehook = resend
    try:
        yield
    finally:
        sys.unraisablehook = usual
        with suppress(KeyboardInterrupt):  # a timer may fire before it is cancelled
            for timer in timers:
                timer.cancel()
                timer.join()
        if timers:
            raise KeyboardInterrupt


#: Signals that end a program; some systems lack one of them.
END_SIGNALS = ("SIGTERM", "SIGHUP")

#: Seconds within which a repeated signal counts once: a process group may receive it twice.
REPEATED = 3.0


@contextmanager
def signals_as_interrupts() -> Iterator[list[int]]:
    """In a `with` block, turn the signals `END_SIGNALS` into a `KeyboardInterrupt`.

    Yields:
        A list to which the numbers of received signals are appended.
    """
    received, last = list[int](), -REPEATED

    def interrupt(number: int, frame: object) -> None:
        nonlocal last
        received.append(number)
        if time.monotonic() - last > REPEATED:
            last = time.monotonic()
            raise KeyboardInterrupt

    numbers = [getattr(signal, name) for name in END_SIGNALS if hasattr(signal, name)]
    # Only the main thread may set a handler. Do not handle a signal that the process ignores.
    main = threading.current_thread() is threading.main_thread()
    usual = [each for each in numbers if main and signal.getsignal(each) is signal.SIG_DFL]
    for number in usual:
        signal.signal(number, interrupt)
    try:
        yield received
    finally:
        for number in usual:
            signal.signal(number, signal.SIG_DFL)


@functools.cache
def watch_compiling() -> None:
    """Report each compilation of the package's loops, and raise dropped interrupts again."""
    from numba.core import event

    def is_ours(event: Any) -> bool:
        module = str(event.data["dispatcher"].py_func.__module__)
        return module.startswith(validation.PACKAGE)

    class Watch(event.Listener):
        """Reports the outermost of nested compilations."""

        depth, interrupts = 0, ExitStack()

        def on_start(self, event: Any) -> None:
            if is_ours(event):
                self.depth += 1
                if self.depth == 1:
                    self.interrupts.enter_context(resends_interrupts())
                    _tell.get()(True)

        def on_end(self, event: Any) -> None:
            if is_ours(event):
                self.depth -= 1
                if self.depth == 0:
                    with self.interrupts:
                        _tell.get()(False)

    register: Any = event.register  # `event.register` has no type annotations
    register("numba:compile", Watch())


_Made = TypeVar("_Made")

LONGEST_REASON = 400

#: Characters of a loop's hash in the name of the loop.
KEY_LENGTH = 20

#: Turns reference counting off, which compiled loops do not need; steps take a third of the time.
UNCOUNTED: dict[str, Any] = {"_nrt": False}

#: Held by the thread that compiles a loop.
_making = threading.RLock()


def compile_loop(loop: Any, checked: bool = False) -> Any:
    """Compile `loop`; the compiled loop releases the interpreter lock while it runs.

    A custom function may index past the end of an array, and compiled code does not notice this. So
    a loop that calls a custom function checks the bounds of all arrays.

    Args:
        loop: a closure; the functions that it calls are compiled as well.
        checked: if True, check the bounds of arrays even if no function is custom.

    Raises:
        NumbaError: if NUMBA_DISABLE_JIT disables numba.
    """
    import numba
    from numba.core.errors import NumbaError

    if vars(numba.config)["DISABLE_JIT"]:
        raise NumbaError("NUMBA_DISABLE_JIT disables numba")
    watch_compiling()
    callees = cache.callees_of(loop)
    inner = [function for function in callees.plain if function is not loop]
    checked = checked or any(map(is_external, [*callees.plain, *callees.compiled]))
    options: dict[str, Any] = {"nogil": True, **UNCOUNTED}
    if checked:
        options["boundscheck"] = True
    cached = None
    with suppress(cache.UndescribedError):
        cached = cache.CachedKernel(cache.fingerprint(loop, options))
    for function in inner:
        _register(function, is_external(function))
    # Compile copies, because another loop may need the same functions without bounds checks.
    copies = copies_of([*inner, loop] if checked else [loop])
    for function, copy in copies.items():
        if function is not loop:
            _register(copy, checked)
    if cached is not None:  # numba looks a loop up by its name, so the name must be unique
        copies[loop].__qualname__ += f"_{cached.key[:KEY_LENGTH]}"
    compiled: Any = numba.njit(**options)(copies[loop])
    if cached is not None:
        compiled._cache = cached
    return compiled


def copies_of(functions: list[Any]) -> dict[Any, Any]:
    """Return a copy of each function; the copies refer to each other.

    A reference through a module (`module.function`) still refers to the original function.
    """
    copies = {}
    for function in functions:
        cells = tuple(CellType(cell.cell_contents) for cell in function.__closure__ or ())
        named = (function.__name__, function.__defaults__, cells)
        copy = FunctionType(function.__code__, dict(function.__globals__), *named)
        copy.__kwdefaults__, copy.__qualname__ = function.__kwdefaults__, function.__qualname__
        copies[function] = copy
    for function, copy in copies.items():
        for name, value in cache.references(function).items():
            if isinstance(value, FunctionType) and name in copy.__globals__:
                copy.__globals__[name] = copies.get(value, value)
        for cell in copy.__closure__ or ():
            if isinstance(cell.cell_contents, FunctionType):
                cell.cell_contents = copies.get(cell.cell_contents, cell.cell_contents)
    return copies


@functools.cache
def _register(function: FunctionType, checked: bool) -> None:
    """Let compiled code call `function`; with `checked`, the function checks array bounds."""
    from numba.extending import register_jitable

    register_jitable(forceinline=True, boundscheck=checked, **UNCOUNTED)(function)


def once(make: Callable[..., _Made]) -> Callable[..., _Made]:
    """Decorate `make` with a cache that threads share.

    The cache key of a custom function includes the values to which the function refers. So a loop
    is compiled again if a global variable of the function has changed.
    """

    @functools.cache
    def made(state: tuple[str, ...], *arguments: Any) -> _Made:
        return make(*arguments)

    def cached(*arguments: Any) -> _Made:
        state = tuple(map(_state_of, arguments))
        with _making:
            return made(state, *arguments)

    vars(cached).update(cache_clear=made.cache_clear, cache_info=made.cache_info)
    return cached


def _state_of(argument: Any) -> str:
    """Return a cache key for the custom functions in `argument` and the values of their globals."""
    parts = [argument]
    if is_dataclass(argument):
        parts = [getattr(argument, field.name) for field in fields(argument) if field.compare]
    state: list[Any] = []
    for part in parts:
        if not isinstance(part, FunctionType) or not is_external(part):
            continue
        for function in cache.callees_of(part).plain:
            state.append(id(function.__code__))
            for name, value in cache.sorted_items(cache.references(function)):
                state.append(name)
                if not isinstance(value, FunctionType | ModuleType):
                    try:
                        state.append(cache.fingerprint(value, {}))
                    except cache.UndescribedError:
                        state.append(id(value))
    return repr(state)


def errors_of_compiling() -> tuple[type[Exception], ...]:
    """Return the types of errors that numba raises for code that it cannot compile."""
    from numba.core.errors import NumbaError, UnsupportedBytecodeError

    return NumbaError, UnsupportedBytecodeError, TypeError, AssertionError, NotImplementedError


def short(error: Exception) -> str:
    """Return the message of a compiler error as one line of at most `LONGEST_REASON` characters."""
    return " ".join((str(error) or type(error).__name__).split())[:LONGEST_REASON]
