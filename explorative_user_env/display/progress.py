"""Show progress as a bar on a terminal or in a notebook, and as lines in a log.

`notice` logs a line. The package's logger prints the line on a terminal or in a notebook.
`logging.getLogger("explorative_user_env").setLevel("WARNING")` disables notices.
"""

import functools
import importlib
import logging
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from explorative_user_env.display.text import Unfailing, in_line, is_terminal
from explorative_user_env.validation import PACKAGE, CallableError, InvalidArgumentError

#: Called with a description, the number of finished runs, and the number of all runs.
OnProgress = Callable[[str, int, int], None]

#: Minimum seconds between two reports: in a notebook, on a dumb terminal, in a log.
SOON, OFTEN, SELDOM = 0.1, 2.0, 30.0


def can_start_threads() -> bool:
    """Return whether the platform has threads; a browser has none."""
    return sys.platform != "emscripten"


def silent(what: str, done: int, total: int) -> None:
    """Report nothing."""


def portion(report: OnProgress, index: int, n_portions: int) -> OnProgress:
    """Return a report function for one of `n_portions` equal parts of the work."""
    return lambda what, done, total: report(what, index * total + done, n_portions * total)


def named(report: OnProgress, name: str) -> OnProgress:
    """Return a function that calls `report` with the description `"{name} {description}"`."""
    return lambda what, done, total: report(f"{name} {what}", done, total)


def is_notebook() -> bool:
    """Return whether the code runs in a notebook."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


@contextmanager
def progress_bar() -> Iterator[OnProgress]:
    """Yield a report function that shows progress on standard error or in a notebook."""
    screen: Any = Unfailing(sys.stderr)

    def in_lines(text: str, done: int, total: int, seconds: float) -> None:
        screen.write(f"{text}, {seconds:.0f} s\n")
        screen.flush()

    with ExitStack() as held:
        if is_notebook():  # an HTML bar, as Rich's bar needs ipywidgets
            from html import escape

            display = importlib.import_module("IPython.display").display
            handle = display({"text/plain": ""}, raw=True, display_id=True)
            held.callback(handle.update, {"text/plain": "", "text/html": ""}, raw=True)

            def in_cell(text: str, done: int, total: int, seconds: float) -> None:
                bar = f'<progress value="{done}" max="{total}"></progress> {escape(text)}'
                handle.update({"text/plain": text, "text/html": bar}, raw=True)

            report = _seldom(in_cell, SOON, rarer=0.0)
        elif not is_terminal(sys.stderr):
            report = _seldom(in_lines, SELDOM, watched=False)
        elif os.environ.get("TERM") in ("dumb", "unknown") or not can_start_threads():
            report = _seldom(in_lines, OFTEN)
        else:
            from rich import console, progress

            columns = progress.TextColumn("{task.description}", markup=False), progress.BarColumn()
            bar = progress.Progress(
                *columns,
                progress.TaskProgressColumn(),
                progress.TimeElapsedColumn(),
                console=console.Console(file=screen),
                transient=True,
                redirect_stdout=is_terminal(sys.stdout),  # prints appear above the bar
            )
            held.enter_context(bar)
            update = functools.partial(bar.update, bar.add_task("", total=None, visible=False))

            def report(what: str, done: int, total: int) -> None:
                update(description=what, completed=done, total=total, visible=True)

        yield lambda what, done, total: report(in_line(what), done, total)


def _seldom(show: Any, every: float, rarer: float = 0.1, watched: bool = True) -> OnProgress:
    """Return a function that calls `show` ever less often, and for new texts if `watched`."""
    begin, last = time.monotonic(), ""
    due = begin + every

    def report(what: str, done: int, total: int) -> None:
        nonlocal due, last
        now = time.monotonic()
        if now >= due or (watched and what != last):
            due, last = now + max(every, rarer * (now - begin)), what
            show(f"{what} {done / total:.0%}" if total else what, done, total, now - begin)

    return report


@contextmanager
def shown(progress: bool | OnProgress) -> Iterator[OnProgress]:
    """Yield a report function: it shows a bar (True), does nothing (False), or calls `progress`.

    Raises:
        InvalidArgumentError: if `progress` is neither a bool nor a callable.
        CallableError: if the callable fails.
    """
    if callable(progress):

        def report(what: str, done: int, total: int) -> None:
            try:
                progress(what, done, total)
            except Exception as error:
                where = f"at {what}, {done} of {total}"
                raise CallableError.of("progress", error, where) from error

        yield report
    elif not isinstance(progress, bool):
        allowed = "True, False or a callable (what, done, total)"
        raise InvalidArgumentError("progress", progress, allowed)
    elif progress:
        with progress_bar() as bar:
            yield bar
    else:
        yield silent


class _OnScreen(logging.Handler):
    """A handler that prints log records if standard error is a terminal, or in a notebook."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print a log record."""
        if is_terminal(sys.stderr) or is_notebook():
            screen = Unfailing(sys.stderr)
            screen.write(f"{record.name}: {self.format(record)}\n")
            screen.flush()


_logger = logging.getLogger(PACKAGE)
_logger.addHandler(_OnScreen())
_logger.propagate = False
if _logger.level == logging.NOTSET:  # keeps a level that the program has set
    _logger.setLevel(logging.INFO)


@functools.cache
def notice(line: str) -> None:
    """Log a line, which a terminal or notebook shows only once per process."""
    _logger.info(line)
