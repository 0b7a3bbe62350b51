"""Streams that are seeded many at once are those that are made one by one."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba")


from explorative_user_env.kernels import seeds as stream_seeds
from explorative_user_env.kernels.seeds import N_STREAMS, set_at_once, streams
from explorative_user_env.seeding import agent_generator, user_generator

BORDERS = [0, 1, 9, 10, 2**31, 2**32 - 1, 2**32, 2**53 + 1, 2**62, 2**63 - 1]

LARGE = [2**63, 2**64 - 1, 2**64, 2**127 + 3, 2**4000 + 7]


def seeded(seeds: Sequence[int], name: str) -> list[tuple[Any, Any]]:
    with streams() as users, streams() as own:
        for rng in (*users.rngs, *own.rngs):
            rng.integers(9, dtype=np.uint32)  # leaves half of what it draws for the next time
        set_at_once(users, seeds)
        set_at_once(own, seeds, name)
        rngs = [lent.rngs[: len(seeds)] for lent in (users, own)]
        return [
            (hers.bit_generator.state, its.bit_generator.state)
            for hers, its in zip(*rngs, strict=True)
        ]


def one_by_one(seeds: Sequence[int], name: str) -> list[tuple[Any, Any]]:
    return [
        (user_generator(seed).bit_generator.state, agent_generator(seed, name).bit_generator.state)
        for seed in seeds
    ]


@pytest.mark.parametrize("name", ["", "BAIR", "T&S", "{}", "a name of " + "many " * 40, "BAIR µ☃"])
def test_a_user_s_and_an_agent_s_streams_are_numpy_s_to_the_bit(name: str) -> None:
    assert seeded(BORDERS, name) == one_by_one(BORDERS, name)


@pytest.fixture
def one_loop_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> None:
        raise AssertionError("NumPy is asked for these")

    monkeypatch.setattr(stream_seeds, "compiled_seeding", none)


@pytest.mark.usefixtures("one_loop_only")
@pytest.mark.parametrize("seeds", [LARGE, [3, 2**63], [2**63, 3], [2**64, 3], []])
def test_numpy_seeds_those_that_are_too_large(seeds: list[int]) -> None:
    assert seeded(seeds, "UNI") == one_by_one(seeds, "UNI")


@pytest.mark.usefixtures("one_loop_only")
@pytest.mark.parametrize("seeds", [[-1, 3], [0.5, 3]])
def test_what_is_no_seed_is_none_here(seeds: list[Any]) -> None:
    with pytest.raises((TypeError, ValueError)):
        seeded(seeds, "UNI")


@pytest.mark.usefixtures("one_loop_only")
def test_numpy_seeds_where_its_memory_is_not_known() -> None:
    with streams() as users, streams() as own:
        set_at_once(users._replace(low_first=None), BORDERS)
        set_at_once(own._replace(low_first=None), BORDERS, "UNI")
        found = [[rng.bit_generator.state for rng in each.rngs] for each in (users, own)]
    assert list(zip(*found, strict=True))[: len(BORDERS)] == one_by_one(BORDERS, "UNI")


def test_the_halves_of_numbers_are_written_in_the_order_that_is_told() -> None:
    with streams() as users:
        set_at_once(users._replace(low_first=not users.low_first), [7])
        state = users.rngs[0].bit_generator.state["state"]
    usual = user_generator(7).bit_generator.state["state"]
    assert state != usual
    half = 2**64
    turned = {name: number % half * half + number // half for name, number in usual.items()}
    assert state == turned


@pytest.mark.slow
def test_a_hundred_thousand_seeds_make_numpy_s_streams() -> None:
    rng = np.random.default_rng(1)
    seeds = (rng.integers(2**63, size=100_000) >> rng.integers(63, size=100_000)).tolist()
    for first in range(0, len(seeds), N_STREAMS):
        part = seeds[first : first + N_STREAMS]
        assert seeded(part, f"agent {first}") == one_by_one(part, f"agent {first}")
