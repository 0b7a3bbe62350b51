"""Generators that compiled code knows the addresses of, set to one stream after another.

To make a Generator known takes as long as to seed three, so those that are known are kept.
"""

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from explorative_user_env.compiled.intrinsics import addresses_of, addresses_of_all

N_STREAMS = 100


class Streams(NamedTuple):
    """`N_STREAMS` Generators and their addresses."""

    rngs: list[np.random.Generator]
    states: np.ndarray  # where the state of each is
    draws: tuple[int, int, int]  # where the functions are that draw from any of them
    low_first: bool | None  # how numbers of 128 bits lie there; None where it is not known


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
    return Streams(rngs, *addresses_of_all(rngs), low_first(rngs[0]))


LOW_HALF = 2**64 - 1
"""The lower bits of a number of 128."""

NEAR = 64
"""Bytes from a PCG64's state to the numbers it points to, at most: they are one object's."""


def low_first(rng: np.random.Generator) -> bool | None:
    """Return whether the numbers of a PCG64 lie in memory with their lower halves first.

    Its state begins with a pointer to two numbers of 128 bits. None is what lies in any other way.
    """
    if sys.byteorder != "little" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return None
    address = addresses_of(rng)[0]
    place = ctypes.c_uint64.from_address(address).value
    if not address < place <= address + NEAR:
        return None
    halves = list((ctypes.c_uint64 * 4).from_address(place))
    numbers = [rng.bit_generator.state["state"][name] for name in ("state", "inc")]
    for order in ((0, 64), (64, 0)):
        if halves == [number >> bits & LOW_HALF for number in numbers for bits in order]:
            return order == (0, 64)
    return None
