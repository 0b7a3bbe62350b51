"""What of a committed notebook is not what its source gives."""

import math
import re
from collections.abc import Iterator
from typing import Any

NUMBER = re.compile(r"-?\d+\.?\d*(?:e-?\d+)?")
CLOSE = 1e-6
"""How far numbers may be apart, as machines round differently in the last bits."""


def differences(was: Any, now: Any) -> list[str]:
    """Return, a line each, where a committed notebook and one that has just run differ.

    Texts are compared word by word and numbers up to rounding; of pictures only that they are
    there, as fonts and versions of libraries draw differently.
    """
    if len(was.cells) != len(now.cells):
        return [f"{len(was.cells)} cells are committed, the source gives {len(now.cells)}"]
    pairs = enumerate(zip(was.cells, now.cells, strict=True), 1)
    return [f"cell {place}: {line}" for place, (old, new) in pairs for line in _between(old, new)]


def _between(old: Any, new: Any) -> Iterator[str]:
    kinds = [(cell.cell_type, cell.get("id"), dict(cell.metadata)) for cell in (old, new)]
    if kinds[0] != kinds[1]:
        yield f"it is {kinds[0]}, the source gives {kinds[1]}"
    if not alike(old.source, new.source):
        yield f"it says {old.source!r}, the source gives {new.source!r}"
    olds, news = old.get("outputs", []), new.get("outputs", [])
    if [_kinds(each) for each in olds] != [_kinds(each) for each in news]:
        yield f"it shows {[*map(_kinds, olds)]}, run again {[*map(_kinds, news)]}"
        return
    for one, other in zip(olds, news, strict=True):
        if not alike(_words(one), _words(other)):
            yield f"it shows {_words(one)!r}, run again {_words(other)!r}"


def _kinds(output: Any) -> list[str]:
    return [output.output_type, *sorted(output.get("data", {}))]


def _words(output: Any) -> str:
    data = output.get("data", {})
    return str(output.get("text", data.get("text/plain", "")))


def alike(text: str, other: str) -> bool:
    """Return whether two texts are the same, their numbers up to rounding."""
    if NUMBER.sub("0", text) != NUMBER.sub("0", other):
        return False
    numbers = (map(float, NUMBER.findall(each)) for each in (text, other))
    return all(
        math.isclose(a, b, rel_tol=CLOSE, abs_tol=CLOSE) for a, b in zip(*numbers, strict=True)
    )
