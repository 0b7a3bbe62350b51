"""A line for somebody who waits, where there is no progress to tell it.

The lines go to the logger of this package. Like most who print by a logger of their own, it passes
nothing on to others: `logging.getLogger("explorative_user_env").setLevel("WARNING")` turns them
off, and a handler that is added there hears them as well.
"""

import functools
import html
import importlib
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from explorative_user_env.display.text import Unfailing, in_line, is_terminal
from explorative_user_env.validation import PACKAGE, CallableError, InvalidArgumentError


@functools.cache
def can_start_threads() -> bool:
    """Return whether threads can be started."""
    thread = threading.Thread(target=int)
    try:
        thread.start()
    except RuntimeError:
        return False
    thread.join()
    return True


DUMB = ("dumb", "unknown")
"""Terminals that cannot go back in a line."""

SOON, OFTEN, SELDOM = 0.1, 2.0, 30.0
"""Seconds between two signs of life: in a notebook, on a dumb terminal, in a log, at least."""

OnProgress = Callable[[str, int, int], None]
"""Called with what is going on, how many runs are done and how many there are."""


def silent(what: str, done: int, total: int) -> None:
    """Report nothing."""


def portion(report: OnProgress, index: int, n_portions: int) -> OnProgress:
    """Return `report` for one of several pieces of work, each as long as the others."""

    def shifted(what: str, done: int, total: int) -> None:
        report(what, index * total + done, n_portions * total)

    return shifted


def named(report: OnProgress, name: str) -> OnProgress:
    """Return `report` with a name before what is going on."""

    def told(what: str, done: int, total: int) -> None:
        report(f"{name} {what}", done, total)

    return told


@contextmanager
def progress_bar(title: str = "") -> Iterator[OnProgress]:
    """Show how far the work is while the block runs, in the form that there is a place for.

    That is a bar in a notebook and on a terminal, a line now and then on a terminal that cannot go
    back or where no thread can move the bar, and elsewhere a line from time to time, for who looks
    into the log of a long run.
    """
    if is_notebook():
        form = _in_notebook()
    elif not is_terminal(sys.stderr):
        form = _as_lines(SELDOM, watched=False)
    elif os.environ.get("TERM") in DUMB or not can_start_threads():
        form = _as_lines(OFTEN, watched=True)
    else:
        form = _as_bar()
    with form as report:
        yield lambda what, done, total: report(in_line(f"{title}{what}"), done, total)


@contextmanager
def _as_bar() -> Iterator[OnProgress]:
    """Show a bar, above which everything else is printed."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
    )
    screen: Any = Unfailing(sys.stderr)
    # What goes into a file or a pipe is not for the screen.
    above = is_terminal(sys.stdout)
    console = Console(file=screen)
    with Progress(*columns, console=console, transient=True, redirect_stdout=above) as bar:
        task = bar.add_task("", total=None, visible=False)  # until there is something to tell
        yield lambda what, done, total: bar.update(
            task, description=what, completed=done, total=total, visible=True
        )


@contextmanager
def _as_lines(every: float, watched: bool) -> Iterator[OnProgress]:
    """Print a line every so many seconds, more of them the longer the work takes.

    Args:
        every: seconds, at least.
        watched: whether somebody waits, who is told each beginning at once.
    """
    screen, begin = Unfailing(sys.stderr), time.monotonic()
    due, last = begin + every, ""

    def report(what: str, done: int, total: int) -> None:
        nonlocal due, last
        now = time.monotonic()
        if now >= due or (watched and what != last):
            due, last = now + max(every, (now - begin) / 10), what
            screen.write(f"{what}{_share(done, total)}, {now - begin:.0f} s\n")
            screen.flush()

    yield report


def is_notebook() -> bool:
    """Return whether there is a notebook that shows what it is sent."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


@contextmanager
def _in_notebook() -> Iterator[OnProgress]:
    """Show a bar below the cell of a notebook, with nothing but what every browser has."""
    display = importlib.import_module("IPython.display").display
    handle = display({"text/plain": ""}, raw=True, display_id=True)
    due, last = 0.0, ""

    def report(what: str, done: int, total: int) -> None:
        nonlocal due, last
        now = time.monotonic()
        if now >= due or what != last:
            due, last = now + SOON, what
            text = what + _share(done, total)
            bar = f'<progress value="{done}" max="{total}"></progress> {html.escape(text)}'
            handle.update({"text/plain": text, "text/html": bar}, raw=True)

    try:
        yield report
    finally:
        handle.update({"text/plain": "", "text/html": ""}, raw=True)


def _share(done: int, total: int) -> str:
    return f" {done / total:.0%}" if total else ""


def _reported(progress: OnProgress, what: str, done: int, total: int) -> None:
    try:
        progress(what, done, total)
    except Exception as error:
        raise CallableError.of("progress", error, f"at {what}, {done} of {total}") from error


@contextmanager
def shown(progress: bool | OnProgress) -> Iterator[OnProgress]:
    """Yield what to report to: a bar on a terminal for True, nobody for False, or who is given."""
    if callable(progress):
        yield partial(_reported, progress)
    elif not isinstance(progress, bool):
        allowed = "True, False or a callable (what, done, total)"
        raise InvalidArgumentError("progress", progress, allowed)
    elif progress:
        with progress_bar() as report:
            yield report
    else:
        yield silent


class _ForWhoWaits(logging.Handler):
    """Print on standard error, if that is a terminal or there is a notebook."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print the line of a record."""
        if is_terminal(sys.stderr) or is_notebook():
            screen = Unfailing(sys.stderr)
            screen.write(f"{record.name}: {self.format(record)}\n")
            screen.flush()


_logger = logging.getLogger(PACKAGE)
_logger.addHandler(_ForWhoWaits())
_logger.propagate = False
if _logger.level == logging.NOTSET:  # else somebody has chosen already what they want to hear
    _logger.setLevel(logging.INFO)


@functools.cache
def notice(line: str) -> None:
    """Say a line, once a process, to whoever sits at a terminal or a notebook."""
    _logger.info(line)
