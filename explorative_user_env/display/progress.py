"""A progress bar for work that takes longer than a moment."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from explorative_user_env.validation import CallableError

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
    """Show a bar on standard error while the block runs; nothing where that is no terminal."""
    if not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)

        def report(what: str, done: int, total: int) -> None:
            bar.update(task, description=f"{title}{what}", completed=done, total=total)

        yield report


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
    elif progress:
        with progress_bar() as report:
            yield report
    else:
        yield silent
