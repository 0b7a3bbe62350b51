from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("numba")

from explorative_user_env.kernels.seeds import N_STREAMS, low_first, streams
from explorative_user_env.kernels.words import addresses_of


def test_nobody_shares_a_generator_and_none_is_lost() -> None:
    with streams() as one, streams() as other:
        assert {id(rng) for rng in one.rngs}.isdisjoint(id(rng) for rng in other.rngs)
        assert len(one.rngs) == len(other.rngs) == N_STREAMS
    with streams() as again:
        assert again is one


def test_the_addresses_are_those_of_the_generators() -> None:
    with streams() as lent:
        for rng, state in zip(lent.rngs, lent.states.tolist(), strict=True):
            assert (state, *lent.draws) == addresses_of(rng)


def told(numbers: dict[str, int]) -> bool | None:
    """What is told of a Generator in whose memory other numbers are than it says."""
    rng = np.random.default_rng(3)
    said = SimpleNamespace(ctypes=rng.bit_generator.ctypes, state={"state": numbers})
    found = low_first(SimpleNamespace(bit_generator=said))  # type: ignore[arg-type]
    return found


def test_how_numbers_lie_in_memory_is_found_by_a_look_at_known_ones() -> None:
    numbers: dict[str, int] = np.random.default_rng(3).bit_generator.state["state"]
    half = 2**64
    turned = {name: number % half * half + number // half for name, number in numbers.items()}
    assert {told(numbers), told(turned)} == {True, False}
    assert told(numbers | {"inc": 5}) is None
    assert told({"state": numbers["inc"], "inc": numbers["state"]}) is None


def test_no_memory_is_read_where_a_generator_may_keep_its_numbers_otherwise() -> None:
    assert low_first(np.random.Generator(np.random.MT19937(3))) is None
