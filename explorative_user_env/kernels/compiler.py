"""Whether numba is available, and plain functions compiled together: a loop and all that it calls.

Numba takes a second to import: functions here import it when the first loop is compiled.
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
from explorative_user_env.validation import handed_in

COMPILER = "numba"

#: Python's name of the system in a browser, for which there is no numba.
IN_A_BROWSER = "emscripten"

BROWSER_LACKS = "there is none for a browser"
TIMES_SLOWER = "thirty to fifty times slower"
COMPILING = "compiling, which may take some ten seconds; later starts find most of it done"


def is_installed() -> bool:
    """Return whether numba is installed, without importing it."""
    return validation.is_found(COMPILER)


@functools.cache
def why_no_compiler() -> str | None:
    """Return why numba cannot be used; None if it can."""
    if not is_installed():
        return BROWSER_LACKS if sys.platform == IN_A_BROWSER else "it is not installed"
    try:
        import numba  # noqa: F401
    except (ImportError, OSError) as error:  # as with a NumPy that is too new for it
        return f"it cannot be imported ({validation.one_line(str(error))})"
    return None


def can_compile() -> bool:
    """Return whether numba can be used; if not, print one line about it."""
    reason = why_no_compiler()
    if reason is not None:
        without = f"without {COMPILER} ({reason}) all runs in plain Python"
        notice(f"{without}, {TIMES_SLOWER}, with the same results")
    return reason is None


def require_compiler(what: str) -> None:
    """Raise a `MissingExtraError` if numba cannot be used, which `what` ("this needs") needs."""
    reason = why_no_compiler()
    if reason is not None:
        get = "" if sys.platform == IN_A_BROWSER else f": pip install {COMPILER}"
        raise validation.MissingExtraError(f"{what} {COMPILER}, but {reason}{get}")


#: Called with True when compiling begins and with False when it ends.
Tell = Callable[[bool], object]

_tell: ContextVar[Tell] = ContextVar("_tell", default=lambda begins: begins and notice(COMPILING))


@contextmanager
def on_compiling(tell: Tell) -> Iterator[None]:
    """Call `tell` about compiling in the block, in place of printing a line."""
    before = _tell.set(tell)
    try:
        yield
    finally:
        _tell.reset(before)


@contextmanager
def resends_interrupts() -> Iterator[None]:
    """Send an interrupt again that was lost in the block; at its end at the latest.

    The compiler calls Python from C, where Python can only print an exception and drop it.
    """
    usual, timers = sys.unraisablehook, list[threading.Timer]()

    def come_again(lost: Any) -> None:
        if issubclass(lost.exc_type, KeyboardInterrupt):
            timers.append(threading.Timer(0.05, _thread.interrupt_main))
            timers[-1].start()
        else:
            usual(lost)

    sys.unraisablehook = come_again
    try:
        yield
    finally:
        sys.unraisablehook = usual
        with suppress(KeyboardInterrupt):  # of one that comes just now
            for timer in timers:
                timer.cancel()
                timer.join()
        if timers:
            raise KeyboardInterrupt


#: Signals that end a program; a system may lack one.
ENDED_BY = ("SIGTERM", "SIGHUP")

#: Seconds within which a repeated signal counts once: a process group may receive it twice.
TWICE = 3.0


@contextmanager
def signals_as_interrupts() -> Iterator[list[int]]:
    """Turn signals that would end the program in the block into interrupts.

    Yields:
        A list that receives the numbers of the signals.
    """
    heard, last = list[int](), -TWICE

    def interrupt(number: int, frame: object) -> None:
        nonlocal last
        heard.append(number)
        if time.monotonic() - last > TWICE:
            last = time.monotonic()
            raise KeyboardInterrupt

    numbers = [getattr(signal, name) for name in ENDED_BY if hasattr(signal, name)]
    # Only the main thread may set a handler; an ignored signal, as under nohup, stays ignored.
    mine = threading.current_thread() is threading.main_thread()
    usual = [each for each in numbers if mine and signal.getsignal(each) is signal.SIG_DFL]
    for number in usual:
        signal.signal(number, interrupt)
    try:
        yield heard
    finally:
        for number in usual:
            signal.signal(number, signal.SIG_DFL)


@functools.cache
def watch_compiling() -> None:
    """Tell about each compilation of this package's loops, and keep interrupts during it."""
    from numba.core import event

    def is_ours(event: Any) -> bool:
        module = str(event.data["dispatcher"].py_func.__module__)
        return module.startswith(validation.PACKAGE)

    class Watch(event.Listener):
        """Compilations are nested: only the outermost is told."""

        depth, heard = 0, ExitStack()

        def on_start(self, event: Any) -> None:
            if is_ours(event):
                self.depth += 1
                if self.depth == 1:
                    self.heard.enter_context(resends_interrupts())
                    _tell.get()(True)

        def on_end(self, event: Any) -> None:
            if is_ours(event):
                self.depth -= 1
                if self.depth == 0:
                    with self.heard:
                        _tell.get()(False)

    register: Any = event.register  # which has no annotations
    register("numba:compile", Watch())


_Made = TypeVar("_Made")

LONGEST_REASON = 400

#: How much of the hash of a loop is in its name.
KEY_IN_NAME = 20

#: No reference counting, as nothing compiled here allocates: with it a step takes three times as
#: long.
UNCOUNTED: dict[str, Any] = {"_nrt": False}

#: Held by the one thread that compiles a loop.
_making = threading.RLock()


def compile_loop(loop: Any, checked: bool = False) -> Any:
    """Return `loop` compiled; it releases the interpreter lock while it runs.

    A function from outside the package may index past the end of an array, which compiled code does
    not notice. A loop with such a function checks the bounds of all arrays.

    Args:
        loop: a function made by another; all functions that it refers to are compiled with it.
        checked: whether to check bounds in any case.

    Raises:
        NumbaError: if numba is disabled (NUMBA_DISABLE_JIT).
    """
    import numba
    from numba.core.errors import NumbaError

    if vars(numba.config)["DISABLE_JIT"]:
        raise NumbaError("numba is told to compile nothing, by NUMBA_DISABLE_JIT")
    watch_compiling()
    callees = cache.callees_of(loop)
    inner = [function for function in callees.plain if function is not loop]
    checked = checked or any(map(handed_in, [*callees.plain, *callees.compiled]))
    options: dict[str, Any] = {"nogil": True, **UNCOUNTED}
    if checked:
        options["boundscheck"] = True
    kept = None
    with suppress(cache.UndescribedError):
        kept = cache.CachedKernel(cache.fingerprint(loop, options))
    for function in inner:
        _register(function, handed_in(function))
    # What is compiled with bounds checks for this loop is compiled without them for others.
    copies = twins([*inner, loop] if checked else [loop])
    for function, copy in copies.items():
        if function is not loop:
            _register(copy, checked)
    if kept is not None:  # numba finds a loaded loop by its name
        copies[loop].__qualname__ += f"_{kept.key[:KEY_IN_NAME]}"
    compiled: Any = numba.njit(**options)(copies[loop])
    if kept is not None:
        compiled._cache = kept
    return compiled


def twins(functions: list[Any]) -> dict[Any, Any]:
    """Return a copy of each function; the copies refer to each other.

    A function that is reached through a module (`module.function`) stays as it is.
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
        if not isinstance(part, FunctionType) or not handed_in(part):
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
    """Return the errors that numba raises for code that it cannot compile."""
    from numba.core.errors import NumbaError, UnsupportedBytecodeError

    return NumbaError, UnsupportedBytecodeError, TypeError, AssertionError, NotImplementedError


def short(error: Exception) -> str:
    """Return a compiler's message as one line, cut to a length that fits a warning."""
    return " ".join((str(error) or type(error).__name__).split())[:LONGEST_REASON]
