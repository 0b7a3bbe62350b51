"""What somebody who waits for the compiler is owed: a word that it is at work, and an end."""

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
        from explorative_user_env.display.progress import notice

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


Tell = Callable[[bool], object]
"""Called with True when compiling begins and with False when it is over."""

AGAIN = 0.05
"""Seconds until an interrupt that was lost comes again."""


COMPILING = "compiling, which may take some ten seconds; later starts find most of it done"


def _tell_who_waits(begins: bool) -> None:
    if begins:
        notice(COMPILING)


_tell: ContextVar[Tell] = ContextVar("_tell", default=_tell_who_waits)


@contextmanager
def compiling_told(tell: Tell) -> Iterator[None]:
    """Tell all compiling in the block in place of the line that would be printed about it."""
    before = _tell.set(tell)
    try:
        yield
    finally:
        _tell.reset(before)


@contextmanager
def interrupts_heard() -> Iterator[None]:
    """Let no interrupt be lost in the block: it comes again soon, and at the end at the latest.

    The compiler calls Python out of C to hand over what it has made. What is raised there, an
    interrupt as well, Python can only print and forget; and the compiler, which was handed nothing,
    may fail for that reason.
    """
    usual, timers = sys.unraisablehook, list[threading.Timer]()

    def come_again(lost: Any) -> None:
        if issubclass(lost.exc_type, KeyboardInterrupt):
            timers.append(threading.Timer(AGAIN, _thread.interrupt_main))
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


ENDED_BY = ("SIGTERM", "SIGHUP")
"""What ends a program: it is asked to, or its terminal is closed; where there is such a signal."""


@contextmanager
def ends_heard() -> Iterator[list[int]]:
    """Take what would end the program in the block for an interrupt, so that it ends in order.

    Yields:
        The signal that came, and nothing before. Others that come after it change nothing.
    """
    heard: list[int] = []

    def interrupt(number: int, frame: object) -> None:
        if not heard:
            heard.append(number)
            raise KeyboardInterrupt

    numbers = [getattr(signal, name) for name in ENDED_BY if hasattr(signal, name)]
    # Another thread may set none, and what is ignored, as by nohup, or heard already, stays so.
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
    """See to it, once a process, that whoever waits for a loop of this package gets their due."""
    from numba.core import event

    class Watch(event.Listener):
        """What goes into a loop is compiled inside: only the outermost is told of."""

        def __init__(self) -> None:
            self._held: list[ExitStack] = []

        def on_start(self, event: Any) -> None:
            if _is_ours(event):
                self._held.append(ExitStack())
                self._held[-1].enter_context(interrupts_heard())
                if len(self._held) == 1:
                    _tell.get()(True)

        def on_end(self, event: Any) -> None:
            if _is_ours(event):
                with self._held.pop():
                    if not self._held:
                        _tell.get()(False)

    register: Any = event.register  # which has no annotations
    register("numba:compile", Watch())


def _is_ours(event: Any) -> bool:
    """Whether it is about a function of this package."""
    return str(event.data["dispatcher"].py_func.__module__).startswith(PACKAGE)
