"""Standard output and error, to which nothing that is printed can be the end of a run."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, TextIO

from explorative_user_env.display.plain_text import plain

WIDTH = 100
"""Columns of a page where nobody says how wide it is."""

UTF_8 = "utf-8"


class Unfailing:
    """A stream that takes all text: symbols are spelled out, and what cannot be written is dropped.

    Attributes:
        lost: why text was dropped, None as long as none was. A reader who has seen enough, as
            `head` has, is no reason to complain.

    Args:
        stream: where the text goes, None for nowhere.
    """

    def __init__(self, stream: TextIO | Any | None) -> None:
        self._stream: Any = stream
        self._over = stream is None
        self.lost: Exception | None = None

    @property
    def encoding(self) -> str:
        """Its encoding."""
        return encoding_of(self._stream)

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return not self._over and is_terminal(self._stream)

    def fileno(self) -> int:
        """Return its number, as the operating system has it."""
        if self._stream is None:
            raise OSError("there is no stream")
        return int(self._stream.fileno())

    def write(self, text: str) -> int:
        """Write `text` as far as that can be done, and return its length."""
        if not self._over:
            try:
                self._stream.write(plain(text, self.encoding))
            except (OSError, ValueError) as error:
                self._give_up(error)
        return len(text)

    def flush(self) -> None:
        """Write what waits to be written."""
        if not self._over:
            try:
                self._stream.flush()
            except (OSError, ValueError) as error:
                self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        self._over = True
        if not isinstance(error, BrokenPipeError):
            self.lost = error

    def leave(self) -> None:
        """Let what waits in a stream that is over go nowhere, where Python would try again."""
        self.flush()
        if self._over and self._stream is not None:
            with suppress(OSError, ValueError), open(os.devnull, "w", encoding=UTF_8) as nowhere:
                os.dup2(nowhere.fileno(), self._stream.fileno())


@contextmanager
def unfailing_output() -> Iterator[Unfailing]:
    """Make standard output and error unfailing while the block runs, and yield the first."""
    before = sys.stdout, sys.stderr
    # A missing stream's number would be given to the next file that is opened.
    with ExitStack() as held:
        for stream in before:
            if stream is None:
                held.enter_context(open(os.devnull, "w", encoding=UTF_8))
        out, err = streams = [Unfailing(stream) for stream in before]
        sys.stdout, sys.stderr = out, err
        try:
            yield out
        finally:
            sys.stdout, sys.stderr = before
            for each in streams:
                each.leave()


def is_terminal(stream: TextIO | Any | None) -> bool:
    """Return whether there is a stream, and it is a terminal."""
    try:
        return stream is not None and bool(stream.isatty())
    except ValueError:  # it is closed
        return False


def encoding_of(stream: TextIO | Any | None) -> str:
    """Return a stream's encoding, UTF-8 where it has none."""
    return getattr(stream, "encoding", None) or UTF_8


def page_width(most: int | None = None) -> int:
    """Return the columns of what is printed: the terminal's, or as a file's readers like it.

    Args:
        most: where a wider terminal makes no difference; None is as wide as it is.
    """
    if not is_terminal(sys.stdout):
        return WIDTH
    columns = shutil.get_terminal_size().columns
    return columns if most is None else min(columns, most)
