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


def plain(text: str, encoding: str) -> str:
    """Return `text` with all symbols spelled out that `encoding` does not have."""
    return text.encode(encoding, errors=ERRORS).decode(encoding)


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
