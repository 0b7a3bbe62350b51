"""JSON that says itself whether it is as it was written."""

import json
from typing import Any

from explorative_user_env.files.reading import from_json
from explorative_user_env.results.records import digest

VALUE, SEAL = "value", "seal"
SEAL_LENGTH = 16


class BrokenSealError(ValueError):
    """A record is not as it was written."""


def sealed(value: Any) -> str:
    """Return a record as text; a number that JSON has no word for is an error, and not kept."""
    return json.dumps({VALUE: value, SEAL: _seal_of(value)}, allow_nan=False)


def unsealed(text: str) -> Any:
    """Return the record in a text.

    Raises:
        BrokenSealError: if it was changed since.
    """
    try:
        whole = from_json(text)
        value = whole[VALUE]
        whole_still = whole[SEAL] == _seal_of(value)
    except (ValueError, TypeError, KeyError, RecursionError):
        whole_still = False
    if not whole_still:
        raise BrokenSealError("a record in it is not as it was written")
    return value


def _seal_of(value: Any) -> str:
    return digest(value)[:SEAL_LENGTH]
