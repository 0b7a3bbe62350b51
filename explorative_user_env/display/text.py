"""Standard output and error, to which nothing that is printed can be the end of a run."""

import codecs
import math
import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, TextIO

ERRORS = "explorative_user_env.plain"
"""What codecs call the way in which symbols are spelled out."""

SPELLED = {
    "±": "+-",
    "≥": ">=",
    "≤": "<=",
    "×": "x",
    "−": "-",
    "–": "-",
    "—": "-",
    "─": "-",
    "━": "-",
    "│": "|",
    "…": "...",
    "’": "'",
    "•": "*",
    "†": "+",
    "λ": "lambda",
}
"""Symbols by what stands for them; Greek letters are spelled by their names."""

CONTROLS = ("Cc", "Cs", "Zl", "Zp")
"""Categories of characters that are no symbols: controls, halves, ends of lines and paragraphs."""

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How cells begin that a spreadsheet calculates."""

NO_SYMBOLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufffe\uffff")
"""What turns the rest of a line round, and what no page may hold."""


def plain(text: str, encoding: str) -> str:
    """Return `text` with all symbols spelled out that `encoding` does not have."""
    return text.encode(encoding, errors=ERRORS).decode(encoding)


def printable(text: str) -> str:
    """Return `text` with escapes in place of control characters: a name may command a terminal.

    Ends of lines stay.
    """
    if text.isprintable():
        return text
    return "".join(
        symbol.encode("unicode_escape").decode() if _commands(symbol) and symbol != "\n" else symbol
        for symbol in text
    )


def _commands(symbol: str) -> bool:
    return unicodedata.category(symbol) in CONTROLS or symbol in NO_SYMBOLS


def in_spreadsheet(text: str) -> str:
    """Return `text` as a cell that no spreadsheet takes for a formula and calculates."""
    return f"'{text}" if text.startswith(FORMULA) else text


def in_line(text: str) -> str:
    """Return `text` as a part of one line."""
    return " ".join(printable(text).splitlines())


def in_markdown(text: str) -> str:
    """Return `text` as a cell or an item of a list in Markdown, which nothing in it breaks off."""
    return in_line(text).replace("|", "\\|").replace("<", "&lt;")


def _spelled_out(error: UnicodeError) -> tuple[str, int]:
    """Replace what could not be encoded, as a codec calls for it."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    wrong = error.object[error.start : error.end]
    return "".join(map(_spelled, wrong)), error.end


def _spelled(symbol: str) -> str:
    if symbol in SPELLED:
        return SPELLED[symbol]
    name = unicodedata.name(symbol, "")
    if letter := re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER (?:FINAL )?(\w+)", name):
        return letter[2].lower() if letter[1] == "SMALL" else letter[2].capitalize()
    if name.startswith("BOX DRAWINGS"):
        return "+"
    letters = unicodedata.normalize("NFKD", symbol).encode("ascii", "ignore").decode()
    return letters or symbol.encode("ascii", "backslashreplace").decode()


codecs.register_error(ERRORS, _spelled_out)


def whole(value: float) -> str:
    """Return a number of steps, empty where there is none."""
    return "" if math.isnan(value) else f"{value:.0f}"


def with_error(mean: float, high: float) -> str:
    """Return a mean with the half-width of its interval, where that is above 0."""
    error = high - mean
    return whole(mean) if math.isnan(error) or error == 0.0 else f"{mean:.0f} ± {error:.0f}"


def percent(value: float) -> str:
    """Return a rate as a percentage, empty where there is none."""
    return "" if math.isnan(value) else f"{100 * value:.1f}"


def share(value: float) -> str:
    """Return a probability with three digits as the paper prints it, empty where there is none."""
    if math.isnan(value):
        return ""
    return f"{value:.3f}".removeprefix("0") if value < 0.9995 else "1.00"


def fine_share(value: float) -> str:
    """Return a probability with four digits, which those near 1 need beside each other."""
    return f"{value:.4f}"


def cost(value: float) -> str:
    """Return a cost with three digits."""
    return f"{value:.3f}".removeprefix("0")


def share_with_interval(row: Mapping[str, Any], name: str) -> str:
    """Return the probability `row[name]` with its interval, `name_low` to `name_high`, if known."""
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    if math.isnan(low):
        return share(row[name])
    return f"{share(row[name])} [{share(low)}, {share(high)}]"


def fine_share_with_interval(value: float, low: float, high: float) -> str:
    """Return a probability with its interval, with four digits."""
    return f"{fine_share(value)} [{fine_share(low)}, {fine_share(high)}]"


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
