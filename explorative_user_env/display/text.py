"""Format numbers, escape text, and write to streams without errors."""

import math
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, TextIO

#: Page width without a terminal.
WIDTH = 100

#: Control characters except line ends, surrogates, bidirectional controls, noncharacters.
_NO_SYMBOLS = re.compile(
    "[\0-\t\v-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def plain(text: str, encoding: str) -> str:
    """Replace symbols of `text` that `encoding` lacks: table lines by "-", others by "?"."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.replace("─", "-").encode(encoding, errors="replace").decode(encoding)
    return text


def printable(text: str) -> str:
    """Return `text` with control characters escaped, except line ends."""
    return _NO_SYMBOLS.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def in_spreadsheet(text: str) -> str:
    """Return `text`; prepend an apostrophe if a spreadsheet would read the text as a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def in_line(text: str) -> str:
    """Return `text` on one line, with control characters escaped."""
    return " ".join(printable(text).splitlines())


def in_markdown(text: str) -> str:
    """Return `text` escaped for a Markdown table cell or list item."""
    return in_line(text).replace("|", "\\|").replace("<", "&lt;")


def rounded(value: float) -> str:
    """Return a number rounded to an integer; "" for NaN."""
    return "" if math.isnan(value) else f"{value:.0f}"


def with_error(mean: float, high: float) -> str:
    """Return "mean ± error" with error = high - mean; only the mean if the error is 0 or NaN."""
    error = high - mean
    return rounded(mean) if math.isnan(error) or error == 0.0 else f"{mean:.0f} ± {error:.0f}"


def percent(value: float) -> str:
    """Return a rate in percent with one decimal; "" for NaN."""
    return "" if math.isnan(value) else f"{100 * value:.1f}"


def share(value: float) -> str:
    """Return a probability with three decimals, as in the paper's tables, and "" for NaN."""
    if math.isnan(value):
        return ""
    return f"{value:.3f}".removeprefix("0") if value < 0.9995 else "1.00"


#: Format of a probability with four decimals.
fine_share = "{:.4f}".format

#: Format of a probability and the ends of its interval with four decimals.
fine_share_with_interval = "{:.4f} [{:.4f}, {:.4f}]".format


def cost(value: float) -> str:
    """Return a cost with three decimals."""
    return f"{value:.3f}".removeprefix("0")


def share_with_interval(row: Mapping[str, Any], name: str) -> str:
    """Return the share `row[name]` as text, with its interval if the interval is not NaN."""
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    if math.isnan(low):
        return share(row[name])
    return f"{share(row[name])} [{share(low)}, {share(high)}]"


class Unfailing:
    """A text stream whose methods raise no errors; symbols outside its encoding become "?".

    Attributes:
        lost: the first error of the underlying stream; None without an error. None also if the
            reader of a pipe, such as `head`, closed it.

    Args:
        stream: the underlying stream; None discards all text.
    """

    def __init__(self, stream: TextIO | Any | None) -> None:
        self._stream: Any = stream
        self._over = stream is None
        self.lost: Exception | None = None

    @property
    def encoding(self) -> str:
        """The encoding of the stream."""
        return encoding_of(self._stream)

    def isatty(self) -> bool:
        """Whether the stream is a terminal."""
        return not self._over and is_terminal(self._stream)

    def fileno(self) -> int:
        """Return the file descriptor."""
        if self._stream is None:
            raise OSError("there is no stream")
        return int(self._stream.fileno())

    def write(self, text: str) -> int:
        """Write `text` if possible, and return its length."""
        self._try(lambda: self._stream.write(plain(text, self.encoding)))
        return len(text)

    def flush(self) -> None:
        """Flush the stream if possible."""
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
    """Make standard output and error `Unfailing` in the `with` block; yield standard output."""
    before = sys.stdout, sys.stderr
    with ExitStack() as held:
        # If a standard stream is missing, a file opened later could get its file descriptor. The
        # null device takes the descriptor first.
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
                # At exit Python flushes a broken stream again. Redirect it to the null device.
                with suppress(OSError, ValueError):
                    if each._over:
                        os.dup2(nowhere.fileno(), each.fileno())


def is_terminal(stream: TextIO | Any | None) -> bool:
    """Return whether a stream exists and is a terminal."""
    try:
        return stream is not None and bool(stream.isatty())
    except ValueError:  # a closed stream
        return False


def encoding_of(stream: TextIO | Any | None) -> str:
    """Return the encoding of a stream, UTF-8 if it has none."""
    return getattr(stream, "encoding", None) or "utf-8"


def page_width(most: int | None = None) -> int:
    """Return the width of standard output in columns.

    Args:
        most: largest width to return; None is no limit.
    """
    if not is_terminal(sys.stdout):
        return WIDTH
    columns = shutil.get_terminal_size().columns
    return columns if most is None else min(columns, most)
