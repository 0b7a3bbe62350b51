"""Text for terminals and files that do not know every symbol, as on many Windows consoles."""

import codecs
import re
import unicodedata

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
