"""JSON that anybody may have written."""

import json
from typing import Any


def from_json(text: str | bytes) -> Any:
    """Return what JSON says.

    Raises:
        ValueError: if it is none, or lists and records are nested too deep.
    """
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deep to be read") from error
