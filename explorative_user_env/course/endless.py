"""An answer that never ends is broken off, so that a notebook does not hang."""

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from explorative_user_env.display.threads import can_start_threads


class EndlessError(BaseException):
    """Raised in code that takes too long; no `except Exception` of a student's catches it."""


@contextmanager
def broken_off(seconds: float) -> Iterator[None]:
    """Break off what the block does when it takes too long, where threads can be started.

    Code in C is waited for. A student's own interrupt stays what it is.

    Args:
        seconds: after which it is too long.

    Raises:
        EndlessError: if it was.
    """
    if not can_start_threads():
        yield
        return
    runs, lock, over = ctypes.c_ulong(threading.get_ident()), threading.Lock(), threading.Event()

    def watch() -> None:
        while not over.wait(seconds):  # again, if it was caught
            with lock:
                if not over.is_set():
                    raise_in(runs, ctypes.py_object(EndlessError))

    raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc
    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        with lock:
            over.set()
