"""Many streams seeded at once in compiled code: those of `seeding`, to the bit.

NumPy takes ten microseconds for a stream, most of them under the interpreter's lock: as long as a
short run.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from explorative_user_env.compiled.compiler import compile_loop, once
from explorative_user_env.compiled.generators import Streams
from explorative_user_env.compiled.intrinsics import counts_at
from explorative_user_env.compiled.seed_sequence import POOL, STATE, seed_pcg64
from explorative_user_env.seeding import agent_words, set_agents, set_users


def set_streams_at_once(seeds: Sequence[int], name: str, users: Streams, own: Streams) -> None:
    """Set lent streams to those of some users and of the agent they meet.

    NumPy does it for seeds of 64 bits and more, and where numbers lie in its memory in a way that
    is not known here.

    Args:
        seeds: the users' seeds.
        name: the agent's.
        users: what is set to the users' streams, at least as many.
        own: what is set to the agent's.
    """
    if _are_small(seeds):
        set_users_at_once(seeds, users)
        set_agents_at_once(seeds, name, own)
    else:
        set_users(seeds, users.rngs)
        set_agents(seeds, name, own.rngs)


def set_users_at_once(seeds: Sequence[int], users: Streams) -> None:
    """Set lent streams to those of some users; see `set_streams_at_once`."""
    if users.low_first is None or not _are_small(seeds):
        set_users(seeds, users.rngs)
        return
    _seed(np.array(seeds).astype("<i8").view("<u4").reshape(len(seeds), 2), users)


def set_agents_at_once(seeds: Sequence[int], name: str, own: Streams) -> None:
    """Set lent streams to those of the agent that some users meet; see `set_streams_at_once`."""
    if own.low_first is None:
        set_agents(seeds, name, own.rngs)
        return
    _seed(agent_words(seeds, name), own)


def _are_small(seeds: Sequence[int]) -> bool:
    """Return whether there are seeds, and none has more than 63 bits."""
    numbers = np.array(seeds)
    return bool(numbers.dtype.kind == "i" and numbers.size > 0 and numbers.min() >= 0)


def _seed(words: np.ndarray, streams: Streams) -> None:
    """Set lent streams to what each row of 32-bit words seeds."""
    rooms = [np.zeros(size, int) for size in (POOL, STATE, STATE)]
    compiled_seeding()(words.astype(int), streams.states, streams.low_first, *rooms)


@once
def compiled_seeding() -> Callable[..., None]:
    """Return the compiled loop that writes the states of PCG64s into NumPy's memory."""

    def seed_all(
        words: Any, states: Any, low_first: bool, pool: Any, drawn: Any, state: Any
    ) -> None:
        for index in range(words.shape[0]):
            seed_pcg64(words[index], pool, drawn, state)
            numbers = counts_at(counts_at(states[index], 1)[0], 4)
            for number in range(2):
                low = state[4 * number] | state[4 * number + 1] << 32
                high = state[4 * number + 2] | state[4 * number + 3] << 32
                numbers[2 * number] = low if low_first else high
                numbers[2 * number + 1] = high if low_first else low
            counts_at(states[index] + 8, 1)[0] = 0  # no half of an earlier draw is left

    loop: Callable[..., None] = compile_loop(seed_all)
    return loop
