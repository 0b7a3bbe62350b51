"""In which order modules are handed to processes: the long ones first, so that all end together."""

from collections import Counter

SLOW = 50
"""How many quick tests are as long as a slow one: some seconds against a twentieth of one."""


def long_modules_first(items):
    """The same tests, those of a module together and in their order, long modules before others."""
    lengths = Counter()
    for item in items:
        lengths[_module(item)] += SLOW if item.get_closest_marker("slow") is not None else 1
    return sorted(items, key=lambda item: (-lengths[_module(item)], _module(item)))


def _module(item):
    return item.nodeid.partition("::")[0]
