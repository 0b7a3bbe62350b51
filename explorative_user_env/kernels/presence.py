"""Whether numba is available, and what a person who waits for it sees.

This module does not import numba, which takes a second.
"""

import _thread
import functools
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from typing import Any

from explorative_user_env.display.progress import notice
from explorative_user_env.validation import PACKAGE, MissingExtraError, is_found, one_line

COMPILER = "numba"

#: Python's name of the system in a browser, for which there is no numba.
IN_A_BROWSER = "emscripten"

NONE_THERE = "there is none for a browser"
TIMES_SLOWER = "thirty to fifty times slower"
COMPILING = "compiling, which may take some ten seconds; later starts find most of it done"


def is_installed() -> bool:
    """Return whether numba is installed, without importing it."""
    return is_found(COMPILER)


@functools.cache
def why_no_compiler() -> str | None:
    """Return why numba cannot be used; None if it can."""
    if not is_installed():
        return NONE_THERE if sys.platform == IN_A_BROWSER else "it is not installed"
    try:
        import numba  # noqa: F401
    except (ImportError, OSError) as error:  # as with a NumPy that is too new for it
        return f"it cannot be imported ({one_line(str(error))})"
    return None


def can_compile() -> bool:
    """Return whether numba can be used; if not, print one line about it."""
    reason = why_no_compiler()
    if reason is not None:
        without = f"without {COMPILER} ({reason}) all runs in plain Python"
        notice(f"{without}, {TIMES_SLOWER}, with the same results")
    return reason is None


def require_compiler(what: str) -> None:
    """Raise an error if numba cannot be used.

    Args:
        what: what needs it, with its verb, as "compiled=True needs".

    Raises:
        MissingExtraError: with the reason.
    """
    reason = why_no_compiler()
    if reason is not None:
        get = "" if sys.platform == IN_A_BROWSER else f": pip install {COMPILER}"
        raise MissingExtraError(f"{what} {COMPILER}, but {reason}{get}")


#: Called with True when compiling begins and with False when it ends.
Tell = Callable[[bool], object]


def _print_notice(begins: bool) -> None:
    if begins:
        notice(COMPILING)


_tell: ContextVar[Tell] = ContextVar("_tell", default=_print_notice)


@contextmanager
def compiling_told(tell: Tell) -> Iterator[None]:
    """Call `tell` about compiling in the block, in place of printing a line."""
    before = _tell.set(tell)
    try:
        yield
    finally:
        _tell.reset(before)


@contextmanager
def interrupts_heard() -> Iterator[None]:
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


@contextmanager
def ends_heard() -> Iterator[list[int]]:
    """Turn the first signal that would end the program in the block into an interrupt.

    Yields:
        A list that receives the number of the signal.
    """
    heard: list[int] = []

    def interrupt(number: int, frame: object) -> None:
        if not heard:
            heard.append(number)
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

    class Watch(event.Listener):
        """Compilations are nested: only the outermost is told."""

        def __init__(self) -> None:
            self._open: list[ExitStack] = []

        def on_start(self, event: Any) -> None:
            if _is_ours(event):
                self._open.append(ExitStack())
                self._open[-1].enter_context(interrupts_heard())
                if len(self._open) == 1:
                    _tell.get()(True)

        def on_end(self, event: Any) -> None:
            if _is_ours(event):
                with self._open.pop():
                    if not self._open:
                        _tell.get()(False)

    register: Any = event.register  # which has no annotations
    register("numba:compile", Watch())


def _is_ours(event: Any) -> bool:
    return str(event.data["dispatcher"].py_func.__module__).startswith(PACKAGE)
