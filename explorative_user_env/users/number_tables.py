"""log(k) and 1/sqrt(k) for whole k, computed once: a user needs five of them at every step."""

import functools
import math
from typing import NamedTuple


class NumberTables(NamedTuple):
    """What is beyond a table's end is computed where it is needed, to the same bit."""

    logarithms: list[float]  # log(k)
    inverse_roots: list[float]  # 1/sqrt(k)


@functools.cache
def number_tables(length: int) -> NumberTables:
    """Return the tables for k = 0, ..., length - 1; many users share them, so change nothing."""
    return NumberTables(
        logarithms=[-math.inf, *map(math.log, range(1, length))],
        inverse_roots=[math.inf, *(1.0 / math.sqrt(k) for k in range(1, length))],
    )
