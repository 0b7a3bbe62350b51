"""How NumPy makes the state of a PCG64 of a seed, as plain arithmetic, which compiles.

`SeedSequence` and the seeding of PCG64 are specified, and NumPy keeps them for good. A seed is
given by its words of 32 bits, the lowest first, and the state comes in such words too. Products are
cut off before they are added up, so that 64 bits are enough where numbers have no more.
"""

from typing import Any

WORD = 2**32 - 1
"""The bits of a word."""

POOL = 4
"""Words that a seed of any length is mixed into."""

STATE = 8
"""Words of a state: four of what changes with each draw, four of what is added to it."""

INIT_A, MULT_A = 0x43B0D7E5, 0x931E8875
INIT_B, MULT_B = 0x8B51F9DD, 0x58F38DED
MIX_LEFT, MIX_RIGHT = 0xCA01F9DD, 0x4973F715
"""The numbers of `SeedSequence`."""

MULTIPLIER = (0x9FCCF645, 0x4385DF64, 0x1FC65DA4, 0x2360ED05)
"""That of PCG64, by its words."""


def seed_pcg64(words: Any, pool: Any, drawn: Any, state: Any) -> None:
    """Write the state of the PCG64 of a seed, lowest words first.

    Args:
        words: the seed's, at least one.
        pool: room for `POOL` words.
        drawn: room for `STATE` words.
        state: room for the state's.
    """
    _mix_in(words, pool)
    factor = INIT_B
    for place in range(STATE):
        factor, drawn[place] = _hashed(pool[place % POOL], factor, MULT_B)
    # Of its four numbers of 64 bits the first two are the start and the last two the increment,
    # the higher one before the lower. The generator begins a step after increment + start.
    odd, carry = 1, 0
    for place in range(POOL):
        word = drawn[POOL + (place + 2) % POOL]
        state[POOL + place] = ((word << 1) | odd) & WORD
        odd = word >> 31
    for place in range(POOL):
        total = drawn[(place + 2) % POOL] + state[POOL + place] + carry
        drawn[POOL + place] = total & WORD
        carry = total >> 32
    carry = 0
    for place in range(POOL):
        here, above = state[POOL + place] + carry, 0
        for low in range(place + 1):
            product = drawn[POOL + low] * MULTIPLIER[place - low]
            here += product & WORD
            above += (product >> 32) & WORD
        state[place] = here & WORD
        carry = (here >> 32) + above


def _mix_in(words: Any, pool: Any) -> None:
    """Mix the words of a seed into the pool."""
    n_words, factor = len(words), INIT_A
    for place in range(POOL):
        word = words[place] if place < n_words else 0
        factor, pool[place] = _hashed(word, factor, MULT_A)
    for source in range(max(POOL, n_words)):
        for place in range(POOL):
            if place != source:
                word = pool[source] if source < POOL else words[source]
                factor, word = _hashed(word, factor, MULT_A)
                mixed = (MIX_LEFT * pool[place] - MIX_RIGHT * word) & WORD
                pool[place] = mixed ^ (mixed >> 16)


def _hashed(word: int, factor: int, multiplier: int) -> tuple[int, int]:
    """Return the next factor, and a word that has met this one and the next."""
    after = (factor * multiplier) & WORD
    hashed = ((word ^ factor) * after) & WORD
    return after, hashed ^ (hashed >> 16)
