"""Streams that are seeded many at once are those that are made one by one."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba")


from explorative_user_env.kernels import seeds as stream_seeds
from explorative_user_env.kernels.seeds import (
    N_STREAMS,
    POOL,
    STATE,
    WORD,
    seed_pcg64,
    set_at_once,
    streams,
)
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


def test_a_user_s_and_an_agent_s_streams_are_numpy_s_to_the_bit() -> None:
    for name in ("", "T&S", "{}", "a name of " + "many " * 40, "BAIR µ☃"):
        assert seeded(BORDERS, name) == one_by_one(BORDERS, name)


@pytest.fixture
def one_loop_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> None:
        raise AssertionError("NumPy is asked for these")

    monkeypatch.setattr(stream_seeds, "compiled_seeding", none)


@pytest.mark.usefixtures("one_loop_only")
def test_numpy_seeds_those_that_are_too_large_and_refuses_what_is_no_seed() -> None:
    for seeds in (LARGE, [3, 2**63], [2**63, 3], [2**64, 3], []):
        assert seeded(seeds, "UNI") == one_by_one(seeds, "UNI")
    for wrong in (-1, 0.5):
        with pytest.raises((TypeError, ValueError)):
            seeded([wrong, 3], "UNI")  # type: ignore[list-item]


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
def test_ten_thousand_seeds_make_numpy_s_streams() -> None:
    rng = np.random.default_rng(1)
    seeds = (rng.integers(2**63, size=10_000) >> rng.integers(63, size=10_000)).tolist()
    for first in range(0, len(seeds), N_STREAMS):
        part = seeds[first : first + N_STREAMS]
        assert seeded(part, f"agent {first}") == one_by_one(part, f"agent {first}")


# The arithmetic by which NumPy seeds a PCG64


def words_of(number: int) -> list[int]:
    """Words of 32 bits, the lowest first, at least one."""
    return [number & WORD, *(words_of(number >> 32) if number > WORD else [])]


def number_of(words: list[int]) -> int:
    return sum(word << 32 * place for place, word in enumerate(words))


def state_of(seed: int) -> dict[str, int]:
    state = [0] * STATE
    seed_pcg64(words_of(seed), [0] * POOL, [0] * STATE, state)
    return {"state": number_of(state[:4]), "inc": number_of(state[4:])}


def test_a_seed_of_any_length_makes_the_state_that_it_makes_in_numpy() -> None:
    rng = np.random.default_rng(0)
    seeds = [*BORDERS, *LARGE, 2**32 - 1, 2**128 - 1, 2**128, 2**300 + 1]
    for n_words in range(1, 21):
        seeds += [number_of(rng.integers(2**32, size=n_words).tolist()) for _ in range(20)]
    for seed in seeds:
        assert state_of(seed) == np.random.PCG64(seed).state["state"]
