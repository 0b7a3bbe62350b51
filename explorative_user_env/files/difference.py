"""In what two records of what was asked for are different."""

from collections.abc import Mapping
from typing import Any


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Return the names of what `now` says and `before` does not, with what both say.

    Args:
        before: a record, of which only that counts which `now` has a name for.
        now: a record; those inside it are taken apart.
    """
    was, is_now = flat({name: before.get(name) for name in now}), flat(now)
    names = [name for name in {**is_now, **was} if was.get(name) != is_now.get(name)]
    return [(name, was.get(name), is_now.get(name)) for name in names]


def flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with those inside it taken apart: "agents.BAIR" is BAIR's of the agents.

    The first level only sorts what was asked for, and does not count in the names.
    """
    taken: dict[str, Any] = {}
    for name, value in record.items():
        taken |= _inner("", value) if isinstance(value, Mapping) else {name: value}
    return taken


def _inner(before: str, record: Mapping[str, Any]) -> dict[str, Any]:
    taken: dict[str, Any] = {}
    for name, value in record.items():
        inside = isinstance(value, Mapping)
        taken |= _inner(f"{before}{name}.", value) if inside else {f"{before}{name}": value}
    return taken
