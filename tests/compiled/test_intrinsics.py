"""Compiled code that reaches things by their addresses sees what Python sees."""

import numpy as np
import pytest

pytest.importorskip("numba")

import numba

from explorative_user_env.kernels.words import (
    ARM_BYTES,
    addresses_of,
    arm_counts_at,
    arm_fractions_at,
    counts_at,
    fractions_at,
    generator_at,
    prefetch,
)

KINDS = [np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937, np.random.Philox, np.random.SFC64]


@numba.njit
def mixed_draws(addresses, normals, uniforms):
    rng = generator_at(addresses)
    for index in range(normals.size):
        normals[index] = rng.standard_normal()
        if index % 3 == 0:
            uniforms[index // 3] = rng.random()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_draws_are_numpys_bit_for_bit_and_leave_the_generator_where_numpy_would(kind):
    compiled, plain = (np.random.Generator(kind(11)) for _ in range(2))
    for n in (20_000, 1, 7):
        normals, uniforms = np.zeros(n), np.zeros((n + 2) // 3)
        mixed_draws(addresses_of(compiled), normals, uniforms)
        for index in range(n):
            assert normals[index] == plain.standard_normal()
            if index % 3 == 0:
                assert uniforms[index // 3] == plain.random()
        assert repr(compiled.bit_generator.state) == repr(plain.bit_generator.state)
        # The tail of the ziggurat, which begins at 3.654, is drawn by another formula.
        assert n < 8 or abs(normals).max() > 3.66


@numba.njit
def ask_for(address):
    prefetch(address)
    return address


def adder(word):
    @numba.njit
    def add(address, n):
        numbers = word(address, n)
        for index in range(n):
            numbers[index] += index + 1
        return int(numbers.size)

    return add


ROOM = ARM_BYTES // 8


def test_an_array_at_an_address_is_the_memory_there():
    for address in (0, 1, -1, 2**47, -(2**63), 2**63 - 1):
        assert ask_for(address) == address  # of memory that is not there, too
    rows = [
        *((fractions_at, float, 1), (counts_at, int, 1)),
        *((arm_fractions_at, float, ROOM), (arm_counts_at, int, ROOM)),
    ]
    for word, kind, stride in rows:
        numbers = np.arange(40).astype(kind)
        expected = numbers.copy()
        expected[3 : 3 + 5 * stride : stride] += np.arange(1, 6).astype(kind)
        assert adder(word)(numbers.ctypes.data + 3 * 8, 5) == 5
        assert numbers.tolist() == expected.tolist()
