"""Random streams and instances of many users at once, in compiled code."""

import ctypes
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.kernels.compiler import compile_loop, once
from explorative_user_env.kernels.intrinsics import (
    addresses_of,
    addresses_of_all,
    counts_at,
    generator_at,
)
from explorative_user_env.seeding import agent_words, set_streams
from explorative_user_env.users.instances import InstanceLaw, draw_means

#: Bit mask of a 32-bit word.
WORD = 2**32 - 1

#: Words in the entropy pool of `SeedSequence`, for seeds of any length.
POOL = 4

#: Words in a state of PCG64: four of `state`, four of the increment `inc`.
STATE = 8

#: Constants of NumPy's `SeedSequence`.
INIT_A, MULT_A = 0x43B0D7E5, 0x931E8875
INIT_B, MULT_B = 0x8B51F9DD, 0x58F38DED
MIX_LEFT, MIX_RIGHT = 0xCA01F9DD, 0x4973F715

#: The multiplier of PCG64, by words, lowest first.
MULTIPLIER = (0x9FCCF645, 0x4385DF64, 0x1FC65DA4, 0x2360ED05)


def seed_pcg64(words: Any, pool: Any, drawn: Any, state: Any) -> None:
    """Compute the state of a PCG64 from its seed, as NumPy does.

    Args:
        words: the 32-bit words of the seed, the lowest first; at least one word.
        pool: buffer of `POOL` words.
        drawn: buffer of `STATE` words.
        state: buffer of `STATE` words that receives the result.
    """
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
    factor = INIT_B
    for place in range(STATE):
        factor, drawn[place] = _hashed(pool[place % POOL], factor, MULT_B)
    # `drawn` holds a starting number and the increment of the generator, each as two 64-bit
    # numbers, the higher first. One step from start + increment gives the state.
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


def _hashed(word: int, factor: int, multiplier: int) -> tuple[int, int]:
    """Return the next factor and a hash of `word`, which depends on both factors."""
    following = (factor * multiplier) & WORD
    hashed = ((word ^ factor) * following) & WORD
    return following, hashed ^ (hashed >> 16)


N_STREAMS = 100


class Streams(NamedTuple):
    """`N_STREAMS` Generators and their addresses."""

    rngs: list[np.random.Generator]
    states: np.ndarray  # addresses of the Generators' states
    draws: tuple[int, int, int]  # addresses of the functions that draw from a Generator
    low_first: bool | None  # whether 128-bit numbers have their low half first; None if unknown


_free: list[Streams] = []


@contextmanager
def streams() -> Iterator[Streams]:
    """Reserve Generators for a `with` block. Their states are arbitrary: set them before use."""
    try:
        unused = _free.pop()
    except IndexError:
        rngs = [np.random.Generator(np.random.PCG64(0)) for _ in range(N_STREAMS)]
        unused = Streams(rngs, *addresses_of_all(rngs), low_first(rngs[0]))
    try:
        yield unused
    finally:
        _free.append(unused)


#: Bit mask of the low half of a 128-bit number.
LOW_HALF = 2**64 - 1

#: Most bytes from a PCG64's state to the numbers to which it points, in the same object.
NEAR = 64


def low_first(rng: np.random.Generator) -> bool | None:
    """Return whether the 128-bit numbers of a PCG64 have their low half first in memory.

    The function expects a state that begins with a pointer to two 128-bit numbers. For any other
    layout it returns None.
    """
    if sys.byteorder != "little" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return None
    address = addresses_of(rng)[0]
    target = ctypes.c_uint64.from_address(address).value
    if not address < target <= address + NEAR:
        return None
    halves = list((ctypes.c_uint64 * 4).from_address(target))
    numbers = [rng.bit_generator.state["state"][name] for name in ("state", "inc")]
    for order in ((0, 64), (64, 0)):
        if halves == [number >> bits & LOW_HALF for number in numbers for bits in order]:
            return order == (0, 64)
    return None


def set_at_once(streams: Streams, seeds: Sequence[int], name: str | None = None) -> None:
    """Set one stream for each user seed: the user's stream, or the stream of the agent `name`.

    NumPy sets the streams if a seed has 64 bits or more or if the memory layout is unknown.
    Otherwise compiled code sets them.
    """
    numbers = np.array(seeds)
    small = numbers.dtype.kind == "i" and numbers.size > 0 and numbers.min() >= 0
    if streams.low_first is None or not small:
        set_streams(seeds, streams.rngs, name)
        return
    words = numbers.astype("<i8").view("<u4").reshape(-1, 2)
    words = words if name is None else agent_words(seeds, name)
    buffers = (np.zeros(POOL, int), np.zeros(STATE, int), np.zeros(STATE, int))
    compiled_seeding()(words.astype(int), streams.states, streams.low_first, buffers)


@once
def compiled_seeding() -> Callable[..., None]:
    """Return the compiled loop that writes the states of PCG64s into NumPy's memory."""

    def seed_all(words: Any, states: Any, low_first: bool, buffers: Any) -> None:
        pool, drawn, state = buffers
        for index in range(words.shape[0]):
            seed_pcg64(words[index], pool, drawn, state)
            numbers = counts_at(counts_at(states[index], 1)[0], 4)
            for number in range(2):
                low = state[4 * number] | state[4 * number + 1] << 32
                high = state[4 * number + 2] | state[4 * number + 3] << 32
                numbers[2 * number] = low if low_first else high
                numbers[2 * number + 1] = high if low_first else low
            counts_at(states[index] + 8, 1)[0] = 0  # discards the 32 bits that NumPy buffers

    loop: Callable[..., None] = compile_loop(seed_all)
    return loop


def draw_at_once(law: InstanceLaw, n_arms: int, n_users: int, users: Streams) -> tuple[Any, Any]:
    """Draw the instances of n users, with the same results as `law.draw` for each user.

    If `law` is one of the package's named laws, compiled code draws. `users` has at least n
    streams. The result is the true means, shape (n, K), and the best arms, shape (n,).

    Raises:
        InvalidArgumentError: for an invalid instance of a custom law.
    """
    if law.named is None:
        instances = [law.draw(rng) for rng in users.rngs[:n_users]]
        means = np.array([instance.means for instance in instances])
        return means, np.array([instance.best_arm for instance in instances])
    means, best_arms = np.zeros((n_users, n_arms)), np.zeros(n_users, int)
    numbers = (law.scale, law.gap, law.gap_factor)
    compiled_draw(law.named.one)(means, best_arms, users.states, users.draws, numbers)
    return means, best_arms


@once
def compiled_draw(mean: Callable[[np.random.Generator], float]) -> Callable[..., None]:
    """Return the compiled loop that draws instances; `mean` draws one mean."""

    def draw_all(means: Any, best_arms: Any, streams: Any, draws: Any, numbers: Any) -> None:
        for index in range(best_arms.shape[0]):
            rng = generator_at((streams[index], draws[0], draws[1], draws[2]))
            # `draw_means` never fails here: under a named law, rounding cannot remove the gap.
            best_arms[index] = draw_means(means[index], mean, numbers, rng)

    loop: Callable[..., None] = compile_loop(draw_all)
    return loop
