"""Generators that compiled code knows the addresses of, set to one stream after another.

To make a Generator known takes as long as to seed three, so those that are known are kept.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from explorative_user_env.compiled.intrinsics import addresses_of_all

N_STREAMS = 50


class Streams(NamedTuple):
    """`N_STREAMS` Generators and their addresses."""

    rngs: list[np.random.Generator]
    states: np.ndarray  # where the state of each is
    draws: tuple[int, int, int]  # where the functions are that draw from any of them


_free: list[Streams] = []


@contextmanager
def streams() -> Iterator[Streams]:
    """Lend Generators that nobody else uses."""
    try:
        lent = _free.pop()
    except IndexError:
        lent = _new()
    try:
        yield lent
    finally:
        _free.append(lent)


def _new() -> Streams:
    rngs = [np.random.Generator(np.random.PCG64(0)) for _ in range(N_STREAMS)]
    return Streams(rngs, *addresses_of_all(rngs))
