"""Text for people: numbers, names of strangers as data, and streams that never fail."""

import math
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, TextIO

#: Columns of a page that is no terminal.
WIDTH = 100

#: Controls but ends of lines, surrogates, what reverses the rest of a line, what no page may hold.
_NO_SYMBOLS = re.compile(
    "[\0-\t\v-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def plain(text: str, encoding: str) -> str:
    """Return `text` with "?" for every symbol that `encoding` lacks, and "-" in lines of tables."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.replace("─", "-").encode(encoding, errors="replace").decode(encoding)
    return text


def printable(text: str) -> str:
    """Return `text` with escapes for control characters; ends of lines stay."""
    return _NO_SYMBOLS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def in_spreadsheet(text: str) -> str:
    """Return `text` as a cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def in_line(text: str) -> str:
    """Return `text` as a part of one line."""
    return " ".join(printable(text).splitlines())


def in_markdown(text: str) -> str:
    """Return `text` as a cell of a table, or an item of a list, in Markdown."""
    return in_line(text).replace("|", "\\|").replace("<", "&lt;")


def rounded(value: float) -> str:
    """Return a number without decimals; empty for NaN."""
    return "" if math.isnan(value) else f"{value:.0f}"


def with_error(mean: float, high: float) -> str:
    """Return a mean with the half-width of its interval, if that is above 0."""
    error = high - mean
    return rounded(mean) if math.isnan(error) or error == 0.0 else f"{mean:.0f} ± {error:.0f}"


def percent(value: float) -> str:
    """Return a rate as a percentage; empty for NaN."""
    return "" if math.isnan(value) else f"{100 * value:.1f}"


def share(value: float) -> str:
    """Return a probability with three digits, as the paper prints it; empty for NaN."""
    if math.isnan(value):
        return ""
    return f"{value:.3f}".removeprefix("0") if value < 0.9995 else "1.00"


#: A probability with four digits.
fine_share = "{:.4f}".format

#: A probability with its interval, with four digits.
fine_share_with_interval = "{:.4f} [{:.4f}, {:.4f}]".format


def cost(value: float) -> str:
    """Return a cost with three digits."""
    return f"{value:.3f}".removeprefix("0")


def share_with_interval(row: Mapping[str, Any], name: str) -> str:
    """Return the probability `row[name]` with the interval `name_low` to `name_high`, if known."""
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    if math.isnan(low):
        return share(row[name])
    return f"{share(row[name])} [{share(low)}, {share(high)}]"


class Unfailing:
    """A stream that takes all text: symbols that it lacks become "?", failures are remembered.

    Attributes:
        lost: the error by which text was lost; None if none was, or if the reader of a pipe has
            closed it, as `head` does.

    Args:
        stream: the stream to write to; None drops all text.
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
        """Return the number of its file."""
        if self._stream is None:
            raise OSError("there is no stream")
        return int(self._stream.fileno())

    def write(self, text: str) -> int:
        """Write `text` if that is possible, and return its length."""
        self._try(lambda: self._stream.write(plain(text, self.encoding)))
        return len(text)

    def flush(self) -> None:
        """Write what is buffered."""
        self._try(lambda: self._stream.flush())

    def _try(self, act: Callable[[], object]) -> None:
        if not self._over:
            try:
                act()
            except (OSError, ValueError) as error:
                self._over = True
                self.lost = None if isinstance(error, BrokenPipeError) else error


@contextmanager
def unfailing_output() -> Iterator[Unfailing]:
    """Make standard output and error unfailing while the block runs, and yield the first."""
    before = sys.stdout, sys.stderr
    with ExitStack() as held:
        # The number of a stream that is missing would be given to the next file that is opened.
        for _ in range(1 + before.count(None)):
            nowhere = held.enter_context(open(os.devnull, "w", encoding="utf-8"))
        out, err = streams = [Unfailing(stream) for stream in before]
        sys.stdout, sys.stderr = out, err
        try:
            yield out
        finally:
            sys.stdout, sys.stderr = before
            for each in streams:
                each.flush()
                # Python would write again what a broken stream has buffered.
                with suppress(OSError, ValueError):
                    if each._over:
                        os.dup2(nowhere.fileno(), each.fileno())


def is_terminal(stream: TextIO | Any | None) -> bool:
    """Return whether a stream exists and is a terminal."""
    try:
        return stream is not None and bool(stream.isatty())
    except ValueError:  # it is closed
        return False


def encoding_of(stream: TextIO | Any | None) -> str:
    """Return the encoding of a stream, by default UTF-8."""
    return getattr(stream, "encoding", None) or "utf-8"


def page_width(most: int | None = None) -> int:
    """Return the columns of the page on standard output.

    Args:
        most: the most that are used of a wide terminal; None is all.
    """
    if not is_terminal(sys.stdout):
        return WIDTH
    columns = shutil.get_terminal_size().columns
    return columns if most is None else min(columns, most)
