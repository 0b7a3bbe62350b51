"""The arithmetic by which NumPy seeds a PCG64, held against NumPy's own."""

import numpy as np
import pytest

from explorative_user_env.kernels.seeds import POOL, STATE, WORD, seed_pcg64

BORDERS = [0, 1, 2**32 - 1, 2**32, 2**63 - 1, 2**64, 2**128 - 1, 2**128, 2**300 + 1]


def words_of(number: int) -> list[int]:
    """Words of 32 bits, the lowest first, at least one."""
    return [number & WORD, *(words_of(number >> 32) if number > WORD else [])]


def number_of(words: list[int]) -> int:
    return sum(word << 32 * place for place, word in enumerate(words))


def seeded(seed: int) -> dict[str, int]:
    state = [0] * STATE
    seed_pcg64(words_of(seed), [0] * POOL, [0] * STATE, state)
    return {"state": number_of(state[:4]), "inc": number_of(state[4:])}


@pytest.mark.parametrize("seed", BORDERS)
def test_a_seed_makes_the_state_that_it_makes_in_numpy(seed: int) -> None:
    assert seeded(seed) == np.random.PCG64(seed).state["state"]


def test_seeds_of_any_length_do() -> None:
    rng = np.random.default_rng(0)
    for n_words in range(1, 21):
        for _ in range(20):
            seed = number_of(rng.integers(2**32, size=n_words).tolist())
            assert seeded(seed) == np.random.PCG64(seed).state["state"]
